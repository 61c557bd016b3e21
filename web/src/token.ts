/** The secret of the link this page was opened with. */

const KEPT = "movenv-token";

/** From the address, cleaned so that no screenshot gives it away; or as kept in this tab. */
export function takeToken(): string | null {
  const found = /^#(operator|observer)=([\w-]+)$/.exec(location.hash);
  if (found) {
    sessionStorage.setItem(KEPT, found[2]);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return sessionStorage.getItem(KEPT);
}

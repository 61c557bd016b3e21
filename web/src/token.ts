/** The secret of the link this page was opened with. */

const KEPT = "movenv-token";
const KEPT_WHEEL = "movenv-wheel";

/**
 * From the address, which is cleaned so that no screenshot gives it away; or as kept in this tab.
 * A ticket, with which movenv opens a browser by itself, is changed for a token, once.
 */
export async function takeToken(): Promise<string | null> {
  const found = /^#(operator|observer|ticket)=([\w-]+)$/.exec(location.hash);
  if (found) {
    cleanAddress();
    const token = found[1] === "ticket" ? await redeemed(found[2]) : found[2];
    if (token) sessionStorage.setItem(KEPT, token);
  }
  return sessionStorage.getItem(KEPT);
}

/** Of a link to a vehicle's drive page. */
export function takeWheelToken(): string | null {
  const found = /^#wheel=([\w.-]+)$/.exec(location.hash);
  if (found) {
    cleanAddress();
    sessionStorage.setItem(KEPT_WHEEL, found[1]);
  }
  return sessionStorage.getItem(KEPT_WHEEL);
}

function cleanAddress(): void {
  history.replaceState(null, "", location.pathname + location.search);
}

async function redeemed(ticket: string): Promise<string | null> {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ ticket });
  const answer = await fetch("api/tickets", { method: "POST", headers, body });
  if (!answer.ok) return null;
  const { token } = (await answer.json()) as { token: string };
  return token;
}

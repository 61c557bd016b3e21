/** A secret link as it is handed over: a code to scan, and an address to copy. */

import { copied } from "../shell/copying.ts";
import { button, el } from "../shell/dom.ts";
import { icon } from "../shell/icons.ts";

export function qrCode(svg: string, vehicle: string): HTMLElement {
  return el("img", {
    class: "qr",
    attributes: {
      src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`,
      alt: `QR code of the link of ${vehicle}`,
    },
  });
}

/** `say` is told how copying went. */
export function linkAddress(
  url: string,
  vehicle: string,
  say: (tone: string, words: string) => void,
): HTMLElement {
  const copy = async () => {
    if (await copied(url)) say("ok", `The link of ${vehicle} is copied.`);
    else say("caution", "This browser does not let pages copy; select the link to copy it.");
  };
  const looks = {
    class: "icon-button",
    label: `Copy the link of ${vehicle}`,
    title: "Copy the link",
    click: () => void copy(),
  };
  const code = el("code", { text: url });
  return el("div", { class: "phone-url" }, code, button(looks, icon("copy")));
}

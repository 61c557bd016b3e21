/** Short words that go away by themselves. */

import { button, el } from "./dom.ts";
import { icon } from "./icons.ts";

const STAYS = 7000;
const MOST = 4;

export class Toasts {
  readonly element = el("div", { class: "toasts", role: "status", testid: "toasts" });

  say(words: string): void {
    const sentence = words.charAt(0).toUpperCase() + words.slice(1);
    for (const shown of [...this.element.children] as HTMLElement[]) {
      if (shown.dataset.words === sentence) shown.remove();
    }
    const toast = el("div", { class: "toast" }, el("p", { text: sentence }));
    toast.dataset.words = sentence;
    const close = { class: "icon-button", label: "Put away", click: () => toast.remove() };
    toast.append(button(close, icon("close")));
    this.element.append(toast);
    while (this.element.childElementCount > MOST) this.element.firstElementChild?.remove();
    setTimeout(() => toast.remove(), STAYS);
  }
}

/** A bar that shows how far a pedal is down. */

import { percent } from "../format.ts";
import { el, setText } from "../shell/dom.ts";

export class Meter {
  readonly element: HTMLElement;
  private readonly fill = el("span", { class: "meter-fill" });
  private readonly value = el("span", { class: "meter-value" });

  constructor(name: string, id: string) {
    const attributes = { "aria-valuemin": "0", "aria-valuemax": "100" };
    const looks = { class: `meter meter-${id}`, role: "meter", label: name, testid: id, attributes };
    const bar = el("span", { class: "meter-bar" }, this.fill);
    this.element = el("div", looks, bar, el("span", { class: "meter-name", text: name }), this.value);
    this.show(0);
  }

  /** 0 to 1. */
  show(share: number): void {
    this.fill.style.height = `${(share * 100).toFixed(1)}%`;
    this.element.setAttribute("aria-valuenow", String(Math.round(share * 100)));
    setText(this.value, percent(share));
  }
}

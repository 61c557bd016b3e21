/** Names and values in columns, refreshed in place. */

import { el, setShown, setText } from "../shell/dom.ts";

export class NumberGrid {
  readonly element = el("dl", { class: "facts columns" });
  private readonly values = new Map<string, HTMLElement>();

  /** What has no value is left out. */
  show(facts: [name: string, value: string][]): void {
    for (const [name, value] of facts) {
      const shown = this.values.get(name) ?? this.add(name);
      setText(shown, value);
      if (shown.parentElement) setShown(shown.parentElement, value !== "");
    }
  }

  private add(name: string): HTMLElement {
    const shown = el("dd");
    this.values.set(name, shown);
    this.element.append(el("div", {}, el("dt", { text: name }), shown));
    return shown;
  }
}

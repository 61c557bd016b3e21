/** Over the map, whichever tab is open: that a filter leaves vehicles out, and a way to end it. */

import { count } from "../format.ts";
import type { Selection } from "../selection.ts";
import { button, el, setShown, setText } from "./dom.ts";
import { icon } from "./icons.ts";

export class FilterNotice {
  readonly element: HTMLButtonElement;
  private readonly words = el("span", { class: "filter-words" });
  private readonly hidden = el("span");

  constructor(private readonly selection: Selection) {
    this.element = button(
      {
        class: "filter-notice",
        testid: "filter-notice",
        title: "Clear the filter",
        click: () => selection.clearFilter(),
      },
      this.words,
      this.hidden,
      icon("close"),
    );
    selection.onChange(() => this.refresh());
    this.refresh();
  }

  refresh(): void {
    const { selection } = this;
    setShown(this.element, selection.filtering);
    if (!selection.filtering) return;
    setText(this.words, `Filter: ${selection.filterWords}`);
    setText(this.hidden, `· ${count(selection.hiddenCount)} hidden`);
  }
}

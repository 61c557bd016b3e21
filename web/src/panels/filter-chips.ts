/** Chips that say of which kind, origin and behavior vehicles are shown, and how many there are. */

import type { Hello } from "../feed/messages.ts";
import type { Selection } from "../selection.ts";
import { button, el, setShown, setText } from "../shell/dom.ts";
import { count } from "../format.ts";
import type { Facets } from "./roster-rows.ts";

interface Chip {
  element: HTMLButtonElement;
  number: HTMLElement;
  chosen: Set<string>;
  value: string;
  counted(facets: Facets): number;
}

export class FilterChips {
  readonly element = el("div", { class: "chips", role: "group", label: "Filter" });
  private readonly chips: Chip[] = [];
  private readonly digits: number;

  constructor(
    hello: Hello,
    private readonly selection: Selection,
  ) {
    this.digits = String(hello.roster.vids.length).length;
    const { kinds, origins, behaviors } = selection.filter;
    for (const [number, name] of Object.entries(hello.origins)) {
      this.add(origins, name, name, (facets) => facets.origins[Number(number)]);
    }
    hello.roster.kinds.forEach((kind, i) => {
      this.add(kinds, kind, kind.split("/").pop() ?? kind, (facets) => facets.kinds[i]);
    });
    ["", ...hello.roster.behaviors].forEach((behavior, number) => {
      this.add(behaviors, behavior, behavior || "no behavior", (f) => f.behaviors[number]);
    });
  }

  show(facets: Facets): void {
    for (const chip of this.chips) {
      const number = chip.counted(facets);
      const pressed = chip.chosen.has(chip.value);
      setText(chip.number, count(number));
      // One that was seen stays: behaviors come and go, and chips must not jump under a pointer.
      if (number > 0 || pressed) setShown(chip.element, true);
      chip.element.setAttribute("aria-pressed", String(pressed));
    }
  }

  private add(
    chosen: Set<string>,
    value: string,
    words: string,
    counted: (facets: Facets) => number,
  ): void {
    const number = el("span", { class: "chip-count" });
    const toggle = () => {
      if (!chosen.delete(value)) chosen.add(value);
      this.selection.changed();
    };
    const looks = { class: "chip", testid: `filter-${value || "none"}`, click: toggle };
    const element = button(looks, words, number);
    element.hidden = true;
    number.style.minWidth = `${this.digits}ch`;
    this.chips.push({ element, number, chosen, value, counted });
    this.element.append(element);
  }
}

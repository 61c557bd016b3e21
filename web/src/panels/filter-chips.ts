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
  private readonly none: Chip;

  constructor(
    hello: Hello,
    private readonly selection: Selection,
  ) {
    const { kinds, origins, behaviors } = selection.filter;
    for (const [number, name] of Object.entries(hello.origins)) {
      this.add(origins, name, name, (facets) => facets.origins[Number(number)]);
    }
    hello.roster.kinds.forEach((kind, i) => {
      this.add(kinds, kind, kind.split("/").pop() ?? kind, (facets) => facets.kinds[i]);
    });
    const digits = String(hello.roster.vids.length).length;
    hello.roster.behaviors.forEach((behavior, i) => {
      const chip = this.add(behaviors, behavior, behavior, (f) => f.behaviors[i + 1]);
      chip.number.style.minWidth = `${digits}ch`;
    });
    // The last, so that nothing moves when it goes.
    this.none = this.add(behaviors, "", "no behavior", (facets) => facets.behaviors[0]);
  }

  show(facets: Facets): void {
    for (const chip of this.chips) {
      const number = chip.counted(facets);
      const pressed = chip.chosen.has(chip.value);
      setText(chip.number, count(number));
      // One that was seen stays: behaviors come and go, and chips must not jump under a pointer.
      const stays = !chip.element.hidden && chip !== this.none;
      setShown(chip.element, number > 0 || pressed || stays);
      chip.element.setAttribute("aria-pressed", String(pressed));
    }
  }

  private add(
    chosen: Set<string>,
    value: string,
    words: string,
    counted: (facets: Facets) => number,
  ): Chip {
    const number = el("span", { class: "chip-count" });
    const toggle = () => {
      if (!chosen.delete(value)) chosen.add(value);
      this.selection.changed();
    };
    const looks = { class: "chip", testid: `filter-${value || "none"}`, click: toggle };
    const element = button(looks, words, number);
    element.hidden = true;
    const chip = { element, number, chosen, value, counted };
    this.chips.push(chip);
    this.element.append(element);
    return chip;
  }
}

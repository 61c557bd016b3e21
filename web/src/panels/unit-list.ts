/** The units: how many belong to each, how many of them are heard; a click selects one whole. */

import { Health } from "../fleet.ts";
import { count } from "../format.ts";
import type { Situation } from "../shell/situation.ts";
import { button, el, setShown, setText, setTone } from "../shell/dom.ts";
import { icon } from "../shell/icons.ts";
import { membersOf, nameHas, unitsInOrder } from "../units.ts";

/** More units than this can be searched. */
const MANY = 12;

interface Unit {
  name: string;
  element: HTMLButtonElement;
  number: HTMLElement;
  rows: number[];
}

export class UnitList {
  readonly element: HTMLElement;
  private readonly units: Unit[];
  private readonly nobody = el("span", { class: "muted", text: "No unit has that name." });

  /** `mark` tells the buttons of one list from those of another. */
  constructor(
    private readonly situation: Situation,
    mark: string,
  ) {
    const { roster } = situation.hello;
    this.units = unitsInOrder(roster).map((unit) =>
      this.unit(roster.units?.[unit] ?? "", membersOf(roster, unit), mark),
    );
    const label = el("span", { class: "units-label muted", text: "Units" });
    const chips = this.units.map((unit) => unit.element);
    this.element = el("div", { class: "chips units", role: "group", label: "Units" });
    this.element.append(label, ...this.find(mark), ...chips, this.nobody);
    setShown(this.element, this.units.length > 0);
  }

  /** A field to search many units by name. */
  private find(mark: string): HTMLElement[] {
    setShown(this.nobody, false);
    if (this.units.length <= MANY) return [];
    const field = el("input", {
      testid: `${mark}-search`,
      label: "Search units",
      attributes: { type: "search", placeholder: "Search units", autocomplete: "off" },
    });
    field.addEventListener("input", () => {
      const found = this.units.filter(({ name }) => nameHas(name, field.value.trim()));
      for (const unit of this.units) setShown(unit.element, found.includes(unit));
      setShown(this.nobody, found.length === 0);
    });
    return [el("label", { class: "search" }, icon("search"), field)];
  }

  refresh(): void {
    const { fleet, selection } = this.situation;
    for (const { element, number, rows } of this.units) {
      const heard = rows.filter((row) => fleet.health[row] === Health.Heard).length;
      const all = heard === rows.length;
      setText(number, all ? count(heard) : `${count(heard)} of ${count(rows.length)} heard`);
      setTone(number, all ? "plain" : "caution");
      const chosen = rows.length > 0 && rows.every((row) => selection.chooses(row));
      element.setAttribute("aria-pressed", String(chosen));
    }
  }

  private unit(name: string, rows: number[], mark: string): Unit {
    const number = el("span", { class: "chip-count" });
    const looks = {
      class: "chip",
      testid: `${mark}-${name}`,
      title: `Select ${name}; with Shift, beside who is selected`,
      click: (event: MouseEvent) => this.choose(rows, event.shiftKey),
    };
    return { name, element: button(looks, name, number), number, rows };
  }

  private choose(rows: number[], more: boolean): void {
    const { selection, map } = this.situation;
    if (more || selection.several) return selection.add(rows);
    selection.selectMany(rows);
    map?.show(rows);
  }
}

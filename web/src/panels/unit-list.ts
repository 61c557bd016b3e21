/** The units: how many belong to each, how many of them are heard; a click selects one whole. */

import { Health } from "../fleet.ts";
import { count } from "../format.ts";
import type { Situation } from "../shell/situation.ts";
import { button, el, setShown, setText, setTone } from "../shell/dom.ts";
import { membersOf } from "../units.ts";

interface Unit {
  element: HTMLButtonElement;
  number: HTMLElement;
  rows: number[];
}

export class UnitList {
  readonly element: HTMLElement;
  private readonly units: Unit[];

  /** `mark` tells the buttons of one list from those of another. */
  constructor(
    private readonly situation: Situation,
    mark: string,
  ) {
    const { roster } = situation.hello;
    const names = roster.units ?? [];
    this.units = names.map((name, unit) => this.unit(name, membersOf(roster, unit), mark));
    const label = el("span", { class: "units-label muted", text: "Units" });
    const chips = this.units.map((unit) => unit.element);
    this.element = el("div", { class: "chips units", role: "group", label: "Units" });
    this.element.append(label, ...chips);
    setShown(this.element, this.units.length > 0);
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
    return { element: button(looks, name, number), number, rows };
  }

  private choose(rows: number[], more: boolean): void {
    const { selection, map } = this.situation;
    if (more || selection.several) return selection.add(rows);
    selection.selectMany(rows);
    map?.show(rows);
  }
}

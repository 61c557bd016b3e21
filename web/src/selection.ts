/** What the user looks at: who is selected, followed, filtered. Map and panels share it. */

import type { Fleet } from "./fleet.ts";
import type { Hello } from "./feed/messages.ts";

export interface Filter {
  /** Part of a name. */
  text: string;
  /** Kinds, origins and behaviors to show; empty shows all. Behavior "" is none. */
  kinds: Set<string>;
  origins: Set<string>;
  behaviors: Set<string>;
}

/** Whose scans are looked at. */
export type ScansOf = "nobody" | "selected" | "all";

export class Selection {
  /** The one whose details are shown: of several the one that came last. */
  selected: number | null = null;
  /** The other of a pair that is looked at. */
  partner: number | null = null;
  following = false;
  /** Whether the map turns with whoever it follows: what is ahead of it is up. */
  turning = false;
  /** Clicks add and take away, and dragging draws a box, without Shift: for fingers. */
  several = false;
  scansOf: ScansOf = "selected";
  readonly filter: Filter = {
    text: "",
    kinds: new Set(),
    origins: new Set(),
    behaviors: new Set(),
  };
  /** Everyone who is selected, in the order of selecting; `selected` is one of them. */
  private readonly chosen = new Set<number>();
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly fleet: Fleet,
    private readonly hello: Hello,
  ) {}

  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  select(row: number | null): void {
    this.choose(row === null ? [] : [row]);
    this.selected = row;
    if (row === null) this.following = false;
    this.changed();
  }

  /** Select these and nobody else; the first is the one whose details are shown. */
  selectMany(rows: Iterable<number>): void {
    this.choose(rows);
    this.selected = this.chosen.values().next().value ?? null;
    this.following = false;
    this.changed();
  }

  /** Select these beside whoever is selected already. */
  add(rows: Iterable<number>): void {
    this.selectMany([...this.chosen, ...rows]);
  }

  /** Take one in who is not selected, or leave one out who is. */
  toggle(row: number): void {
    this.partner = null;
    this.following = false;
    if (this.chosen.delete(row)) {
      if (this.selected === row) this.selected = [...this.chosen].at(-1) ?? null;
    } else {
      this.chosen.add(row);
      this.selected = row;
    }
    this.changed();
  }

  setSeveral(on: boolean): void {
    this.several = on;
    this.changed();
  }

  private choose(rows: Iterable<number>): void {
    const chosen = [...rows];
    this.partner = null;
    this.chosen.clear();
    for (const row of chosen) this.chosen.add(row);
  }

  /** Look at two vehicles at once; the first is the selected one. */
  selectPair(row: number, other: number): void {
    this.choose([row]);
    this.selected = row;
    this.partner = other;
    this.following = false;
    this.changed();
  }

  /** Look at the selected one alone again. */
  leavePair(): void {
    if (this.partner === null) return;
    this.partner = null;
    this.changed();
  }

  /** Everyone who is selected, without the other of a pair. */
  get members(): number[] {
    return [...this.chosen];
  }

  get count(): number {
    return this.chosen.size;
  }

  /** Everyone who is selected, and with them the other of the pair. */
  get rows(): number[] {
    return this.partner === null ? this.members : [...this.chosen, this.partner];
  }

  /** The rows whose scans are looked at, those selected first. */
  get scanned(): number[] {
    if (this.scansOf === "nobody") return [];
    if (this.scansOf === "selected") return this.rows;
    const others = [...Array(this.fleet.size).keys()].filter((row) => !this.chooses(row));
    return [...this.rows, ...others];
  }

  chooses(row: number): boolean {
    return this.chosen.has(row) || row === this.partner;
  }

  choosesPair(row: number, other: number): boolean {
    return this.partner !== null && this.chooses(row) && this.chooses(other);
  }

  follow(on: boolean): void {
    this.following = on && this.selected !== null;
    this.changed();
  }

  /** Call after `filter` was changed. */
  changed(): void {
    for (const listener of this.listeners) listener();
  }
  get filtering(): boolean {
    const { text, kinds, origins, behaviors } = this.filter;
    return text !== "" || kinds.size + origins.size + behaviors.size > 0;
  }

  clearFilter(): void {
    const { filter } = this;
    filter.text = "";
    for (const chosen of [filter.kinds, filter.origins, filter.behaviors]) chosen.clear();
    this.changed();
  }

  /** What the filter asks for, in words; empty while there is none. */
  get filterWords(): string {
    const { text, kinds, origins, behaviors } = this.filter;
    const kindNames = [...kinds].map((kind) => kind.split("/").pop() ?? kind);
    const named = [...behaviors].map((behavior) => behavior || "no behavior");
    return [...(text ? [`'${text}'`] : []), ...origins, ...kindNames, ...named].join(", ");
  }

  /** How many the filter leaves out. */
  get hiddenCount(): number {
    let hidden = 0;
    if (!this.filtering) return hidden;
    for (let row = 0; row < this.fleet.size; row++) hidden += this.shows(row) ? 0 : 1;
    return hidden;
  }

  /** Whether a vehicle passes the filter. */
  shows(row: number): boolean {
    if (!this.filtering) return true;
    const { text, kinds, origins, behaviors } = this.filter;
    const roster = this.fleet.roster;
    if (text && !roster.names[row].toLowerCase().includes(text.toLowerCase())) return false;
    if (kinds.size && !kinds.has(roster.kinds[roster.kind[row]])) return false;
    if (origins.size && !origins.has(this.hello.origins[roster.origin[row]])) return false;
    return !behaviors.size || behaviors.has(roster.behaviors[this.fleet.behavior[row] - 1] ?? "");
  }
}

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

export class Selection {
  selected: number | null = null;
  /** The other of a pair that is looked at. */
  partner: number | null = null;
  following = false;
  readonly filter: Filter = {
    text: "",
    kinds: new Set(),
    origins: new Set(),
    behaviors: new Set(),
  };
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly fleet: Fleet,
    private readonly hello: Hello,
  ) {}

  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  select(row: number | null): void {
    this.selected = row;
    this.partner = null;
    if (row === null) this.following = false;
    this.changed();
  }

  /** Look at two vehicles at once; the first is the selected one. */
  selectPair(row: number, other: number): void {
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

  /** The selected one, and with it the other of the pair. */
  get rows(): number[] {
    return [this.selected, this.partner].filter((row) => row !== null);
  }

  chooses(row: number): boolean {
    return row === this.selected || row === this.partner;
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

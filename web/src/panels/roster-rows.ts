/** Which vehicles a list shows and in which order: whole columns at once, for ten thousand rows. */

import type { Fleet } from "../fleet.ts";
import type { Filter } from "../selection.ts";

export interface Facets {
  kinds: Uint32Array;
  /** By origin number. */
  origins: Uint32Array;
  /** By behavior number; 0 is none. */
  behaviors: Uint32Array;
}

export class RosterRows {
  private readonly lowerNames: string[];
  private readonly all: Uint32Array;
  private readonly kept: Uint32Array;

  constructor(
    private readonly fleet: Fleet,
    private readonly origins: Record<string, string>,
  ) {
    this.lowerNames = fleet.roster.names.map((name) => name.toLowerCase());
    this.all = Uint32Array.from({ length: fleet.size }, (_, row) => row);
    this.kept = new Uint32Array(fleet.size);
  }

  /** The rows that pass the filter, in the roster's order. Valid until asked again. */
  passing(filter: Filter): Uint32Array {
    const { kinds, origins, behaviors } = filter;
    const text = filter.text.trim().toLowerCase();
    if (!text && !kinds.size && !origins.size && !behaviors.size) return this.all;
    const { roster, behavior } = this.fleet;
    const kindShown = roster.kinds.map((kind) => !kinds.size || kinds.has(kind));
    const behaviorShown = ["", ...roster.behaviors].map(
      (name) => !behaviors.size || behaviors.has(name),
    );
    const originShown = (origin: number) => !origins.size || origins.has(this.origins[origin]);
    let count = 0;
    for (let row = 0; row < this.fleet.size; row++) {
      if (!kindShown[roster.kind[row]] || !behaviorShown[behavior[row]]) continue;
      if (!originShown(roster.origin[row])) continue;
      if (text && !this.lowerNames[row].includes(text)) continue;
      this.kept[count++] = row;
    }
    return this.kept.subarray(0, count);
  }

  /** How many there are of each kind, origin and behavior. */
  facets(): Facets {
    const { roster, behavior } = this.fleet;
    const found = {
      kinds: new Uint32Array(roster.kinds.length),
      origins: new Uint32Array(16),
      behaviors: new Uint32Array(256),
    };
    for (let row = 0; row < this.fleet.size; row++) {
      found.kinds[roster.kind[row]] += 1;
      found.origins[roster.origin[row]] += 1;
      found.behaviors[behavior[row]] += 1;
    }
    return found;
  }
}

/**
 * Rows sorted by a value each; those without one come last, whichever the direction.
 * Equals keep their order.
 */
export function sorted(
  rows: Uint32Array,
  value: (row: number) => number,
  descending: boolean,
): Uint32Array {
  const keys = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const key = value(rows[i]);
    keys[i] = Number.isNaN(key) ? Infinity : descending ? -key : key;
  }
  const order = Uint32Array.from(rows, (_, i) => i);
  order.sort((a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : a - b));
  return order.map((i) => rows[i]);
}

/** The place of each text in the sorted list of all: numbers in names count as numbers. */
export function ranks(texts: string[]): Float64Array {
  const compare = new Intl.Collator("en", { numeric: true, sensitivity: "base" }).compare;
  const order = texts.map((_, i) => i).sort((a, b) => compare(texts[a], texts[b]));
  const rank = new Float64Array(texts.length);
  order.forEach((at, place) => (rank[at] = place));
  return rank;
}

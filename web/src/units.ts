/** Units: vehicles that belong together. */

import type { Roster } from "./feed/messages.ts";

/** The rows of a unit, in the roster's order. */
export function membersOf(roster: Roster, unit: number): number[] {
  const rows: number[] = [];
  (roster.unit ?? []).forEach((of, row) => {
    if (of === unit) rows.push(row);
  });
  return rows;
}

/** The unit that some rows are, all of it and nobody else; -1 where they are none. */
export function unitOf(roster: Roster, rows: readonly number[]): number {
  const unit = roster.unit?.[rows[0]] ?? -1;
  if (unit < 0 || rows.some((row) => roster.unit?.[row] !== unit)) return -1;
  const size = (roster.unit ?? []).reduce((sum, of) => sum + (of === unit ? 1 : 0), 0);
  return size === rows.length ? unit : -1;
}

const { compare } = new Intl.Collator("en", { numeric: true });

/** The numbers of the units as people list them, 2 before 10. */
export function unitsInOrder(roster: Roster): number[] {
  const names = roster.units ?? [];
  return names.map((_, unit) => unit).sort((a, b) => compare(names[a], names[b]));
}

/** Whether a name has all the words of a text in it. */
export function nameHas(name: string, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/);
  return words.every((word) => name.toLowerCase().includes(word));
}

/** The first names, and how many more there are. */
export function namesInShort(names: string[], most: number): string {
  if (names.length <= most) return names.join(", ");
  return `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
}

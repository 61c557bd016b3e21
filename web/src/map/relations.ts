/** Lines between vehicles: pairs under notice, and searchers with what they sighted. */

import { PAIR_WORDS } from "../feed/frame.ts";
import type { Sighted } from "../feed/messages.ts";
import type { Fleet } from "../fleet.ts";
import { levelLook } from "../levels.ts";
import type { LevelLook } from "../levels.ts";
import type { Selection } from "../selection.ts";
import type { LineTable } from "./line-table.ts";
import type { Palette } from "./palette.ts";
import type { Places } from "./places.ts";

/** The innermost is the strongest. Pixels. */
const WIDTHS: Record<LevelLook, number> = { outer: 1.2, middle: 2, inner: 3.5 };
const DASH = 6;

/** How much wider the line beneath a pair's own is while the pair is looked at. */
const UNDERLAY = 3;
const NOTICELESS = { width: 1.5, dash: 4 };

export interface Related {
  fleet: Fleet;
  places: Places;
  palette: Palette;
  levels: number;
  sighted: Sighted[];
  /** 0 for rows that the filter leaves out: of pairs of two such, only the worst are drawn. */
  shown: Uint8Array;
  selection: Selection;
}

export function fillRelations(table: LineTable, related: Related): void {
  table.clear();
  addChosenPair(table, related);
  const { fleet, places, palette, levels, shown, selection } = related;
  const { offsets, anchor } = places;
  for (let at = 0; at < fleet.pairs.length; at += PAIR_WORDS) {
    const [row, other] = [fleet.pairs[at], fleet.pairs[at + 1]];
    if (row >= fleet.size || other >= fleet.size) continue;
    const level = fleet.pairs[at + 3];
    const filtered = !shown[row] && !shown[other] && !selection.choosesPair(row, other);
    if (filtered && level < levels) continue;
    const look = levelLook(level, levels);
    table.add(
      offsets[row * 2],
      offsets[row * 2 + 1],
      offsets[other * 2],
      offsets[other * 2 + 1],
      palette.levels[look],
      WIDTHS[look],
    );
  }
  for (const one of related.sighted) {
    const [x, y] = [anchor.offsetX(one.lon), anchor.offsetY(one.lat)];
    const colour = palette.sighted[one.sighting];
    table.add(offsets[one.row * 2], offsets[one.row * 2 + 1], x, y, colour, 1.5, DASH);
  }
}

/** The pair that is looked at: an edge for its line, or a line of its own without a notice. */
function addChosenPair(
  table: LineTable,
  { fleet, places, palette, levels, selection }: Related,
): void {
  const { selected, partner } = selection;
  if (selected === null || partner === null) return;
  let [width, dash] = [NOTICELESS.width, NOTICELESS.dash];
  for (let at = 0; at < fleet.pairs.length; at += PAIR_WORDS) {
    if (!selection.choosesPair(fleet.pairs[at], fleet.pairs[at + 1])) continue;
    [width, dash] = [WIDTHS[levelLook(fleet.pairs[at + 3], levels)] + UNDERLAY, 0];
  }
  const [x0, y0] = places.offsets.subarray(selected * 2, selected * 2 + 2);
  const [x1, y1] = places.offsets.subarray(partner * 2, partner * 2 + 2);
  table.add(x0, y0, x1, y1, palette.ring, width, dash);
}

/** Lines between vehicles: pairs under notice, and searchers with what they sighted. */

import { PAIR_WORDS } from "../feed/frame.ts";
import type { Sighted } from "../feed/messages.ts";
import type { Fleet } from "../fleet.ts";
import { levelLook } from "../levels.ts";
import type { LevelLook } from "../levels.ts";
import type { LineTable } from "./line-table.ts";
import type { Palette } from "./palette.ts";
import type { Places } from "./places.ts";

/** The innermost is the strongest. Pixels. */
const WIDTHS: Record<LevelLook, number> = { outer: 1.2, middle: 2, inner: 3.5 };
const DASH = 6;

/** Of pairs whom the filter leaves out both, nothing is drawn. */
export function fillRelations(
  table: LineTable,
  fleet: Fleet,
  places: Places,
  palette: Palette,
  levels: number,
  sighted: Sighted[],
  shown: Uint8Array,
): void {
  table.clear();
  const { offsets, anchor } = places;
  for (let at = 0; at < fleet.pairs.length; at += PAIR_WORDS) {
    const [row, other] = [fleet.pairs[at], fleet.pairs[at + 1]];
    if (row >= fleet.size || other >= fleet.size) continue;
    if (!shown[row] && !shown[other]) continue;
    const look = levelLook(fleet.pairs[at + 3], levels);
    table.add(
      offsets[row * 2],
      offsets[row * 2 + 1],
      offsets[other * 2],
      offsets[other * 2 + 1],
      palette.levels[look],
      WIDTHS[look],
    );
  }
  for (const one of sighted) {
    const [x, y] = [anchor.offsetX(one.lon), anchor.offsetY(one.lat)];
    const colour = palette.sighted[one.sighting];
    table.add(offsets[one.row * 2], offsets[one.row * 2 + 1], x, y, colour, 1.5, DASH);
  }
}

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hello } from "../src/feed/messages.ts";
import type { LineTable } from "../src/map/line-table.ts";
import type { Palette } from "../src/map/palette.ts";
import type { Places } from "../src/map/places.ts";
import { fillRelations } from "../src/map/relations.ts";
import { Selection } from "../src/selection.ts";
import { fleet, ORIGINS } from "./panel-samples.ts";

/** Pairs 0-1, 2-3, 4-5 at levels 1, 2, 3 of three; the x of the first of each that is drawn. */
function drawn(shown: number[]): number[] {
  const some = fleet(6);
  some.pairs = Uint32Array.from([0, 1, 0, 1, 2, 3, 0, 2, 4, 5, 0, 3]);
  const lines: number[] = [];
  const table = { clear: () => undefined, add: (x: number) => lines.push(x) };
  const offsets = Float64Array.from({ length: 12 }, (_, i) => (i % 2 ? 0 : i / 2));
  fillRelations(table as unknown as LineTable, {
    fleet: some,
    places: { offsets } as unknown as Places,
    palette: { levels: {} } as unknown as Palette,
    levels: 3,
    sighted: [],
    shown: Uint8Array.from({ length: 6 }, (_, row) => (shown.includes(row) ? 1 : 0)),
    selection: new Selection(some, { origins: ORIGINS } as unknown as Hello),
  });
  return lines;
}

test("a filter leaves out the lines of those it hides, but never the innermost level's", () => {
  assert.deepEqual(drawn([0, 1, 2, 3, 4, 5]), [0, 2, 4]);
  assert.deepEqual(drawn([1]), [0, 4]);
  assert.deepEqual(drawn([]), [4]);
});

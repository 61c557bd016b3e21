import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hello } from "../src/feed/messages.ts";
import type { Palette } from "../src/map/palette.ts";
import { ScanTable } from "../src/map/scan-table.ts";
import { nearZoom } from "../src/map/viewing.ts";
import { Selection } from "../src/selection.ts";
import { fleet, ORIGINS } from "./panel-samples.ts";

const COLOURS = { scan: 0xff000001, scanAltered: 0xff000002 } as Palette;

test("altered points are drawn last, in their own colour and larger", () => {
  const table = new ScanTable();
  const scan = (at: number) => ({
    row: 0,
    sensor: Float32Array.of(0, 0),
    own: Float32Array.of(at, at),
    altered: Float32Array.of(-at, -at),
  });
  table.fill([scan(1), scan(2)], COLOURS);
  assert.equal(table.count, 4);
  const floats = new Float32Array(table.bytes.buffer);
  const words = new Uint32Array(table.bytes.buffer);
  const points = [0, 4, 8, 12];
  assert.deepEqual(points.map((at) => floats[at]), [1, 2, -1, -2]);
  assert.deepEqual(
    points.map((at) => words[at + 2]),
    [0xff000001, 0xff000001, 0xff000002, 0xff000002],
  );
  assert.ok(floats[8 + 3] > floats[3]);
});

test("nothing is filled anew while nothing has changed", () => {
  const table = new ScanTable();
  const none: [] = [];
  table.fill(none, COLOURS);
  const { changed } = table;
  table.fill(none, COLOURS);
  assert.equal(table.changed, changed);
  table.fill(none, { ...COLOURS });
  assert.notEqual(table.changed, changed);
});

test("scans are those of the selected, of all with the selected first, or of nobody", () => {
  const selection = new Selection(fleet(4), { origins: ORIGINS } as unknown as Hello);
  assert.deepEqual(selection.scanned, []);
  selection.select(2);
  assert.deepEqual(selection.scanned, [2]);
  selection.scansOf = "all";
  assert.deepEqual(selection.scanned, [2, 0, 1, 3]);
  selection.scansOf = "nobody";
  assert.deepEqual(selection.scanned, []);
});

test("small vehicles are looked at from nearer, large ones as ever", () => {
  assert.equal(nearZoom(4.5), 18);
  assert.equal(nearZoom(2), 18);
  assert.equal(nearZoom(0.5), 21);
  assert.equal(nearZoom(0), 22);
});

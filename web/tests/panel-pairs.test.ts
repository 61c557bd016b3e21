import assert from "node:assert/strict";
import { test } from "node:test";
import { distanceBetween, noticedDistance } from "../src/panels/pair-distance.ts";
import { extend, PairHistory, seeded } from "../src/panels/pair-history.ts";
import { fleet } from "./panel-samples.ts";

const pair = (row: number, other: number, distance: number) => ({ row, other, distance, level: 0 });

test("a pair is the same whoever is named first", () => {
  const history = new PairHistory();
  history.take([pair(1, 2, 10)], 0);
  history.take([pair(2, 1, 9)], 0.5);
  assert.deepEqual(history.trace(1, 2), { t: [0, 0.5], distance: [10, 9] });
});

test("only a minute is remembered, of the pairs and within them", () => {
  const history = new PairHistory();
  for (let t = 0; t <= 100; t++) {
    history.take(t < 30 ? [pair(0, 1, 5), pair(2, 3, 5)] : [pair(0, 1, 5)], t);
  }
  assert.equal(history.trace(0, 1).t[0], 40);
  assert.equal(history.trace(0, 1).t.length, 61);
  assert.equal(history.trace(2, 3).t.length, 0);
});

test("time that goes back begins anew, and one instant is entered once", () => {
  const trace = { t: [], distance: [] };
  extend(trace, 50, 1);
  extend(trace, 50, 2);
  assert.deepEqual(trace, { t: [50], distance: [1] });
  extend(trace, 20, 3);
  assert.deepEqual(trace, { t: [20], distance: [3] });
});

test("of what the server remembers only the minute before now is taken, and no gaps", () => {
  const told = seeded([0, 50, 60, 70, 90], [1, 2, null, 4, 5], 80);
  assert.deepEqual(told, { t: [50, 70], distance: [2, 4] });
});

test("distances from places agree with great circles and heights", () => {
  const some = fleet(3);
  some.positions.set([-81.046171, 29.193111, -81.045171, 29.194111]);
  some.z.set([10, 40]);
  const flat = greatCircle(29.193111, -81.046171, 29.194111, -81.045171);
  const expected = Math.hypot(flat, 30);
  assert.ok(Math.abs(distanceBetween(some, [], 0, 1) - expected) < 0.01 * expected);
  assert.ok(Number.isNaN(distanceBetween(some, [], 0, 2)));
});

test("a notice's distance goes before one from places", () => {
  const some = fleet(2);
  some.positions.set([0, 0, 1, 1]);
  const frame = new ArrayBuffer(16);
  some.pairs = new Uint32Array(frame);
  some.distances = new Float32Array(frame);
  some.pairs.set([1, 0]);
  some.distances[2] = 12.5;
  assert.equal(distanceBetween(some, [], 0, 1), 12.5);
  assert.equal(noticedDistance(some, 0, 1), 12.5);
  assert.ok(Number.isNaN(noticedDistance(fleet(2), 0, 1)));
});

function greatCircle(lat: number, lon: number, otherLat: number, otherLon: number): number {
  const turn = Math.PI / 180;
  const half = (angle: number) => Math.sin((angle * turn) / 2) ** 2;
  const a =
    half(otherLat - lat) + Math.cos(lat * turn) * Math.cos(otherLat * turn) * half(otherLon - lon);
  return 2 * 6_371_008.8 * Math.asin(Math.sqrt(a));
}

import assert from "node:assert/strict";
import test from "node:test";
import { NOWHERE } from "../src/feed/frame.ts";
import { POINT_BYTES } from "../src/map/layers/tails-layer.ts";
import { Anchor } from "../src/map/mercator.ts";
import { LONGEST_TAIL, TailHistory } from "../src/map/tails/tail-history.ts";
import type { Slice } from "../src/map/tails/tail-history.ts";
import { tailMeasure, TailRing } from "../src/map/tails/tail-ring.ts";

const COLOURS = Uint32Array.of(0xff0000ff, 0xff00ff00);

interface Line {
  from: [number, number];
  to: [number, number];
  clear: boolean;
}

/** Every line that would be drawn of a vehicle and has a length, as the graphics card reads it. */
function lines(ring: TailRing, row: number): Line[] {
  const floats = new Float32Array(ring.bytes.buffer);
  const words = new Uint32Array(ring.bytes.buffer);
  const found: Line[] = [];
  for (let i = 0; i < ring.count; i += 2) {
    const [a, b] = [ring.indices[i], ring.indices[i + 1]];
    if (a % ring.vehicles !== row) continue;
    const [at, to] = [a, b].map((vertex) => (vertex * POINT_BYTES) / 4);
    const line: Line = {
      from: [floats[at], floats[at + 1]],
      to: [floats[to], floats[to + 1]],
      clear: words[at + 3] >>> 24 === 0 && words[to + 3] >>> 24 === 0,
    };
    if (line.from[0] !== line.to[0] || line.from[1] !== line.to[1]) found.push(line);
  }
  return found;
}

function ringOf(slices: number, duration: number, history: Slice[] = []): TailRing {
  return new TailRing(2, slices, duration, history, COLOURS);
}

test("a tail joins the places of a vehicle in their order and has its head where it is", () => {
  const ring = ringOf(8, 5);
  for (let t = 0; t <= 3; t++) ring.update(t, [t, 0, -t, 1]);
  ring.update(3.5, [3.5, 0, -3.5, 1]);
  const drawn = lines(ring, 0).filter((line) => !line.clear);
  const steps = drawn.map((line) => [line.from[0], line.to[0]]).sort((a, b) => a[0] - b[0]);
  assert.deepEqual(steps, [[0, 1], [1, 2], [2, 3.5]]);
  assert.deepEqual([...new Set(lines(ring, 1).flatMap((line) => [line.from[1], line.to[1]]))], [1]);
});

test("round the ring, the newest is never joined to the oldest where that can be seen", () => {
  const ring = ringOf(6, 3);
  for (let t = 0; t <= 40; t += 0.25) {
    ring.update(t, [t, 0, t, 0]);
    for (const line of lines(ring, 0)) {
      const length = line.to[0] - line.from[0];
      if (length > 0 && length <= 1.01) continue;
      // Longer ones, and those backwards, end in points that have faded or are clear.
      const seen = [line.from[0], line.to[0]].filter((x) => t - x < 3 - 1e-6 && x !== t);
      assert.ok(line.clear || seen.length === 0, `at ${t} from ${line.from[0]} to ${line.to[0]}`);
    }
  }
});

test("who becomes known has no line from anywhere else", () => {
  const ring = ringOf(8, 5);
  for (let t = 0; t < 3; t++) ring.update(t, [NaN, NaN, 0, 0]);
  for (let t = 3; t < 6; t++) ring.update(t, [100 + t, 50, 0, 0]);
  const seen = lines(ring, 0).filter((line) => !line.clear);
  assert.deepEqual(seen.map((line) => line.from[0]).sort(), [103, 104]);
  ring.update(6, [NaN, NaN, 0, 0]);
  ring.update(7, [500, 50, 0, 0]);
  for (const line of lines(ring, 0)) {
    if (!line.clear) assert.ok(Math.abs(line.from[0] - line.to[0]) < 2);
  }
});

test("only slices that changed are sent anew", () => {
  const ring = ringOf(20, 17);
  assert.equal(ring.takeNews(), null);
  ring.update(0, [0, 0, 0, 0]);
  ring.takeNews();
  ring.update(0.1, [1, 0, 0, 0]);
  const sent = ring.takeNews()!.reduce((sum, [from, to]) => sum + to - from, 0);
  assert.ok(sent <= 3 * 2 * POINT_BYTES, `${sent} bytes`);
});

test("a ring is filled from the past", () => {
  const history = [0, 1, 2, 3, 4].map((t) => ({ t, xy: Float32Array.of(t, 0, 0, 0) }));
  const drawn = lines(ringOf(8, 5, history), 0).filter((line) => !line.clear);
  assert.deepEqual(drawn.map((line) => line.from[0]).sort(), [0, 1, 2, 3]);
});

test("large fleets have shorter tails, and the largest none", () => {
  assert.deepEqual(tailMeasure(60, 10, 15_000), { duration: 60, slices: 123 });
  const thousand = tailMeasure(60, 1000, 15_000);
  assert.ok(thousand.duration >= 15 && thousand.slices * 1000 <= 15_000);
  assert.equal(tailMeasure(60, 10_000, 15_000).slices, 0);
  assert.equal(tailMeasure(0, 10, 15_000).slices, 0);
});

test("history is entered every half second, ends after two minutes and goes back with time", () => {
  const history = new TailHistory(1);
  for (let t = 0; t <= 200; t += 0.1) history.add(t, Float64Array.of(t, 0));
  const times = history.slices.map((slice) => slice.t);
  assert.ok(times.every((t, i) => i === 0 || t - times[i - 1] >= 0.5 - 1e-6));
  assert.ok(times[0] >= 200 - LONGEST_TAIL - 0.5 && times[0] < 200 - LONGEST_TAIL + 1);
  history.add(150, Float64Array.of(150, 0));
  assert.ok(history.slices.every((slice) => slice.t <= 150));
});

test("the server's history is read point by point, with nobody where nobody was known", () => {
  const history = new TailHistory(2);
  const anchor = new Anchor(8, 47);
  history.begin(
    {
      kind: "tails",
      sequence: 1,
      vehicles: 2,
      t: Float64Array.of(1, 2),
      places: Int32Array.of(
        470000000,
        80000000,
        NOWHERE,
        0,
        470010000,
        80000000,
        470000000,
        80010000,
      ),
    },
    anchor,
  );
  const [first, second] = history.slices;
  assert.deepEqual([first.t, second.t], [1, 2]);
  assert.equal(first.xy[0], 0);
  assert.ok(Number.isNaN(first.xy[2]));
  assert.ok(second.xy[1] < 0, "north is up");
  assert.ok(Math.abs(second.xy[2] - 0.001 / 360) < 1e-12);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { corners, fidelitySum } from "../src/panels/fidelity.ts";
import { at, distanceScale, levelDistances, ticks, timeTicks } from "../src/panels/plot-scale.ts";

test("ticks are round, evenly spaced and within the span", () => {
  for (const [from, to] of [[0, 1], [0, 43], [-3, 7.2], [0, 0.004], [100, 2500]]) {
    const found = ticks(from, to, 4);
    assert.ok(found.length >= 2 && found.length <= 6, `${found}`);
    assert.ok(found[0] >= from - 1e-9 && found[found.length - 1] <= to + 1e-9);
    const step = found[1] - found[0];
    const digit = Number(step.toExponential().split("e")[0]);
    assert.ok([1, 2, 5].some((round) => Math.abs(digit - round) < 1e-6), `step ${step}`);
  }
});

test("times stand at steps of a clock", () => {
  assert.deepEqual(timeTicks(0, 600, 6), [0, 120, 240, 360, 480, 600]);
  assert.deepEqual(timeTicks(12, 70, 4), [15, 30, 45, 60]);
});

test("all distances fit the scale, and a threshold just above; a far one flattens nothing", () => {
  const near = distanceScale([3, 18], [20, 10, 400]);
  assert.ok(near.to >= 20 && near.to < 30);
  assert.equal(near.from, 0);
  assert.ok(distanceScale([], [40, 20, 10]).to >= 10);
  assert.ok(distanceScale([], []).to > 0);
});

test("a value lies on its line in proportion", () => {
  assert.equal(at(25, 0, 100, 10, 50), 20);
  assert.equal(at(0, 0, 100, 50, 10), 50);
  assert.equal(at(5, 5, 5, 7, 9), 7);
});

test("a level begins at its multiple of the larger characteristic length", () => {
  const found = levelDistances({ advisory: 20, warning: 5 }, 0.5, 3);
  assert.deepEqual(found, [
    { name: "advisory", distance: 60 },
    { name: "warning", distance: 15 },
  ]);
});

test("the star's corners go round clockwise from the top", () => {
  const [top, right, , , left] = corners([3, 3, 3, 3, 3], 10, 0);
  assert.ok(Math.abs(top[0]) < 1e-9 && Math.abs(top[1] + 10) < 1e-9);
  assert.ok(right[0] > 9 && left[0] < -9);
  assert.ok(corners([0, 1, 0, 0, 0], 10, 5)[0].every((place) => place === 5));
});

test("the five numbers of fidelity add up", () => {
  const fidelity = { vehicle: 2, sensors: 2, algorithms: 1, environment: 2, pedestrians: 3 };
  assert.equal(fidelitySum(fidelity), 10);
});

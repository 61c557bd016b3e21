import assert from "node:assert/strict";
import { test } from "node:test";
import { LEVEL_LOOKS, levelLook } from "../src/levels.ts";
import { contrast, linear, palettes } from "./palette-samples.ts";

/** Colours as dichromats see them, in linear light: Machado, Oliveira and Fernandes, 2009. */
const SIGHTS: Record<string, number[][]> = {
  usual: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
const XYZ = [[0.4339, 0.3762, 0.1899], [0.2126, 0.7152, 0.0722], [0.0178, 0.1095, 0.8727]];
/** In CIELAB, where 2 can just be told apart side by side. */
const APART = 13;

const times = (matrix: number[][], of: number[]) =>
  matrix.map((row) => row.reduce((sum, factor, i) => sum + factor * of[i], 0));

function lab(light: number[]): number[] {
  const xyz = times(XYZ, light.map((part) => Math.min(1, Math.max(0, part))));
  const [x, y, z] = xyz.map(
    (part) => (part > 0.008856 ? Math.cbrt(part) : 7.787 * part + 16 / 116),
  );
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

test("levels differ from one another and from every origin, for colour-blind people too", () => {
  for (const palette of palettes()) {
    const levels = LEVEL_LOOKS.map((look) => `level-${look}`);
    const all = [...levels, "virtual", "real", "replayed"];
    for (const [sight, matrix] of Object.entries(SIGHTS)) {
      const seen = (name: string) => lab(times(matrix, linear(palette[name])));
      for (const one of levels) {
        for (const other of all) {
          if (one === other) continue;
          const apart = Math.hypot(...seen(one).map((part, i) => part - seen(other)[i]));
          assert.ok(apart > APART, `${one} and ${other}, ${sight}: ${apart.toFixed(1)}`);
        }
      }
    }
  }
});

test("the inner the level, the more it stands out, by day and by night", () => {
  for (const palette of palettes()) {
    const found = LEVEL_LOOKS.map((look) => contrast(palette[`level-${look}`], palette.surface));
    assert.ok(
      found[0] >= 3 && found[1] > found[0] * 1.2 && found[2] > found[1] * 1.2,
      String(found),
    );
  }
});

test("the innermost level has the strongest look, however many there are", () => {
  assert.equal(levelLook(1, 1), "inner");
  assert.deepEqual([1, 2].map((level) => levelLook(level, 2)), ["middle", "inner"]);
  assert.deepEqual([1, 2, 3].map((level) => levelLook(level, 3)), LEVEL_LOOKS);
  assert.deepEqual([1, 2, 3, 4].map((level) => levelLook(level, 4)), [
    "outer",
    "middle",
    "middle",
    "inner",
  ]);
});

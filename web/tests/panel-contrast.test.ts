import assert from "node:assert/strict";
import { test } from "node:test";
import { contrast, palettes } from "./palette-samples.ts";

const GROUNDS = ["surface", "raised", "sunken", "hover", "ground"];
const TEXTS: [text: string, grounds: string[]][] = [
  ["text", [...GROUNDS, "accent-tint"]],
  ["muted", [...GROUNDS, "accent-tint"]],
  ["surface", ["text"]],
  ["on-accent", ["accent"]],
  ["on-warning", ["warning-fill"]],
  ...[
    "accent",
    "ok",
    "caution",
    "warning",
    "mark",
    "order",
    "level-outer",
    "level-middle",
    "level-inner",
  ].map((name): [string, string[]] => [
    `${name}-text`,
    ["surface", "raised", `${name}-tint`],
  ]),
];

test("day and night have the same colours", () => {
  const [day, night] = palettes();
  assert.deepEqual(Object.keys(day), Object.keys(night));
  assert.ok(Object.keys(day).length > 25);
});

test("every text is at least 4.5 : 1 on everything it stands on, by day and by night", () => {
  for (const palette of palettes()) {
    for (const [text, grounds] of TEXTS) {
      for (const ground of grounds) {
        const found = contrast(palette[text], palette[ground]);
        assert.ok(found >= 4.5, `${text} on ${ground}: ${found.toFixed(2)}`);
      }
    }
  }
});

test("lights and symbols stand out from the surface, 3 : 1", () => {
  for (const palette of palettes()) {
    const origins = ["virtual", "real", "replayed"];
    for (const name of ["ok", "caution", "warning", ...origins, "trace", "mark", "order"]) {
      const found = contrast(palette[name], palette.surface);
      assert.ok(found >= 3, `${name}: ${found.toFixed(2)}`);
    }
  }
});

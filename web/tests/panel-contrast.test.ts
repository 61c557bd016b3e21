import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

/** The palette as it is written, for day and night. */
function palettes(): Record<string, string>[] {
  const css = readFileSync("src/style/palette.css", "utf8");
  const blocks = [...css.matchAll(/\{([^}]*)\}/g)].map((block) => block[1]);
  return blocks.map((block) =>
    Object.fromEntries([...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6});/g)].map((m) => [m[1], m[2]])),
  );
}

/** Relative luminance after WCAG 2.2. */
function luminance(colour: string): number {
  const parts = [1, 3, 5].map((from) => parseInt(colour.slice(from, from + 2), 16) / 255);
  const [r, g, b] = parts.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const GROUNDS = ["surface", "raised", "sunken", "hover", "ground"];
const TEXTS: [text: string, grounds: string[]][] = [
  ["text", [...GROUNDS, "accent-tint"]],
  ["muted", [...GROUNDS, "accent-tint"]],
  ["surface", ["text"]],
  ["on-accent", ["accent"]],
  ["on-warning", ["warning-fill"]],
  ...["accent", "ok", "caution", "warning", "mark"].map((name): [string, string[]] => [
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
    for (const name of ["ok", "caution", "warning", "virtual", "real", "replayed", "trace", "mark"]) {
      const found = contrast(palette[name], palette.surface);
      assert.ok(found >= 3, `${name}: ${found.toFixed(2)}`);
    }
  }
});

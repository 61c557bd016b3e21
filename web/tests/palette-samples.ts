/** The palette, for tests of its colours. */

import { readFileSync } from "node:fs";

/** The palette as it is written, for day and night. */
export function palettes(): Record<string, string>[] {
  const css = readFileSync("src/style/palette.css", "utf8");
  const blocks = [...css.matchAll(/\{([^}]*)\}/g)].map((block) => block[1]);
  return blocks.map((block) =>
    Object.fromEntries(
      [...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6});/g)].map((m) => [m[1], m[2]]),
    ),
  );
}

/** Red, green and blue of #rrggbb as amounts of light. */
export function linear(colour: string): number[] {
  const parts = [1, 3, 5].map((from) => parseInt(colour.slice(from, from + 2), 16) / 255);
  return parts.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
}

/** Relative luminance after WCAG 2.2. */
function luminance(colour: string): number {
  const [r, g, b] = linear(colour);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

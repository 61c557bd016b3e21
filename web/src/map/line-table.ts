/** Lines as bytes for the graphics card. */

import { LINE_BYTES, WIDTH_STEPS } from "./layers/lines-layer.ts";
import type { InstanceTable } from "./layers/instanced-layer.ts";
import type { Packed } from "./palette.ts";

const WORDS = LINE_BYTES / 4;

export class LineTable implements InstanceTable {
  bytes = new Uint8Array(0);
  count = 0;
  changed = 0;
  private floats = new Float32Array(0);
  private words = new Uint32Array(0);

  takeNews(): [number, number][] {
    return [[0, this.count * LINE_BYTES]];
  }

  clear(): void {
    this.count = 0;
    this.changed += 1;
  }

  /** Between two offsets; width and dashes in pixels, no dashes for 0. Nothing where one is nan. */
  add(
    x0: number,
    y0: number,
    x1: number,
    y1: number,
    colour: Packed,
    width: number,
    dash = 0,
  ): void {
    if (Number.isNaN(x0) || Number.isNaN(x1)) return;
    this.reserve(this.count + 1);
    const at = this.count++ * WORDS;
    const { floats, words } = this;
    floats[at] = x0;
    floats[at + 1] = y0;
    floats[at + 2] = x1;
    floats[at + 3] = y1;
    words[at + 4] = colour;
    words[at + 5] = Math.round(width * WIDTH_STEPS) | (dash << 8);
  }

  private reserve(lines: number): void {
    if (lines * LINE_BYTES <= this.bytes.byteLength) return;
    const grown = new Uint8Array(Math.max(lines * 2, 128) * LINE_BYTES);
    grown.set(this.bytes);
    this.bytes = grown;
    this.floats = new Float32Array(grown.buffer);
    this.words = new Uint32Array(grown.buffer);
  }
}

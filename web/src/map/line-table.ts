/** Lines as bytes for the graphics card. */

import { CORNER_BYTES, WIDTH_STEPS } from "./layers/lines-layer.ts";
import type { VertexTable } from "./layers/table-layer.ts";
import type { Packed } from "./palette.ts";
import { CORNERS, quadIndices, TRIANGLES } from "./quads.ts";

const WORDS = CORNER_BYTES / 4;

export class LineTable implements VertexTable {
  bytes = new Uint8Array(0);
  indices = new Uint32Array(0);
  changed = 0;
  private lines = 0;
  private floats = new Float32Array(0);
  private words = new Uint32Array(0);

  get count(): number {
    return this.lines * TRIANGLES;
  }

  takeNews(): [number, number][] {
    return [[0, this.lines * CORNERS * CORNER_BYTES]];
  }

  clear(): void {
    this.lines = 0;
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
    this.reserve(this.lines + 1);
    const { floats, words } = this;
    const look = Math.round(width * WIDTH_STEPS) | (dash << 8);
    const first = this.lines++ * CORNERS * WORDS;
    for (let at = first; at < first + CORNERS * WORDS; at += WORDS) {
      floats[at] = x0;
      floats[at + 1] = y0;
      floats[at + 2] = x1;
      floats[at + 3] = y1;
      words[at + 4] = colour;
      words[at + 5] = look;
    }
  }

  private reserve(lines: number): void {
    if (lines * CORNERS * CORNER_BYTES <= this.bytes.byteLength) return;
    const room = Math.max(lines * 2, 128);
    const grown = new Uint8Array(room * CORNERS * CORNER_BYTES);
    grown.set(this.bytes);
    this.bytes = grown;
    this.floats = new Float32Array(grown.buffer);
    this.words = new Uint32Array(grown.buffer);
    this.indices = quadIndices(room);
  }
}

/** Everything written on the map, as bytes for the graphics card. */

import { MARGIN } from "./glyphs.ts";
import type { Glyph, Glyphs } from "./glyphs.ts";
import { LETTER_BYTES } from "./layers/letters-layer.ts";
import type { VertexTable } from "./layers/table-layer.ts";
import type { Packed } from "./palette.ts";
import { CORNERS, quadIndices, TRIANGLES } from "./quads.ts";

const WORDS = LETTER_BYTES / 4;

export interface Writing {
  text: string;
  /** Offsets to the map's anchor. */
  x: number;
  y: number;
  /** Pixels from there: left end and middle of the text. */
  dx: number;
  dy: number;
  colour: Packed;
  bold?: boolean;
}

export class LetterTable implements VertexTable {
  bytes = new Uint8Array(0);
  indices = new Uint32Array(0);
  changed = 0;
  private letters = 0;
  private floats = new Float32Array(0);
  private words = new Uint32Array(0);

  constructor(readonly glyphs: Glyphs) {}

  get count(): number {
    return this.letters * TRIANGLES;
  }

  takeNews(): [number, number][] {
    return [[0, this.letters * CORNERS * LETTER_BYTES]];
  }

  clear(): void {
    this.letters = 0;
    this.changed += 1;
  }

  add(writing: Writing): void {
    if (Number.isNaN(writing.x)) return;
    const glyphs = this.glyphs.of(writing.text, writing.bold ?? false);
    this.reserve(this.letters + glyphs.length);
    let left = Math.round(writing.dx);
    for (const glyph of glyphs) {
      this.addGlyph(glyph, writing, left - MARGIN);
      left += glyph.advance;
    }
  }

  private addGlyph(glyph: Glyph, { x, y, dy, colour }: Writing, left: number): void {
    const { floats, words, glyphs } = this;
    const [wide, high] = [glyph.wide / glyphs.ratio, glyph.high / glyphs.ratio];
    const top = Math.round(dy) - high / 2;
    let at = this.letters++ * CORNERS * WORDS;
    for (let corner = 0; corner < CORNERS; corner++, at += WORDS) {
      const [right, below] = [corner & 1, corner >> 1];
      floats[at] = x;
      floats[at + 1] = y;
      floats[at + 2] = left + right * wide;
      floats[at + 3] = top + below * high;
      floats[at + 4] = glyph.left + right * glyph.wide;
      floats[at + 5] = glyph.top + below * glyph.high;
      words[at + 6] = colour;
    }
  }

  private reserve(letters: number): void {
    if (letters * CORNERS * LETTER_BYTES <= this.bytes.byteLength) return;
    const room = Math.max(letters * 2, 512);
    const grown = new Uint8Array(room * CORNERS * LETTER_BYTES);
    grown.set(this.bytes);
    this.bytes = grown;
    this.floats = new Float32Array(grown.buffer);
    this.words = new Uint32Array(grown.buffer);
    this.indices = quadIndices(room);
  }
}

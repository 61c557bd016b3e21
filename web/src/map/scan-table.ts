/** Scans as bytes for the graphics card: what was measured, and above it what was put there. */

import type { ScanPoints } from "../feed/frame.ts";
import { POINT_BYTES } from "./layers/points-layer.ts";
import type { VertexTable } from "./layers/table-layer.ts";
import type { Packed, Palette } from "./palette.ts";

const WORDS = POINT_BYTES / 4;
/** Pixels across. */
const OWN = 3;
const ALTERED = 4.5;

export class ScanTable implements VertexTable {
  bytes = new Uint8Array(0);
  count = 0;
  changed = 0;
  readonly indices = null;
  private floats = new Float32Array(0);
  private words = new Uint32Array(0);
  private made: unknown[] = [];

  takeNews(): [number, number][] {
    return [[0, this.count * POINT_BYTES]];
  }

  /** Fill anew, where anything has changed. */
  fill(scans: ScanPoints[], palette: Palette): void {
    if (this.made[0] === scans && this.made[1] === palette) return;
    this.made = [scans, palette];
    const points = scans.reduce((sum, one) => sum + one.own.length + one.altered.length, 0) / 2;
    this.reserve(points);
    this.count = 0;
    this.changed += 1;
    for (const scan of scans) this.add(scan.own, palette.scan, OWN);
    for (const scan of scans) this.add(scan.altered, palette.scanAltered, ALTERED);
  }

  private add(places: Float32Array, colour: Packed, across: number): void {
    for (let i = 0; i < places.length; i += 2) {
      const at = this.count++ * WORDS;
      this.floats[at] = places[i];
      this.floats[at + 1] = places[i + 1];
      this.words[at + 2] = colour;
      this.floats[at + 3] = across;
    }
  }

  private reserve(points: number): void {
    if (points * POINT_BYTES <= this.bytes.byteLength) return;
    const room = new ArrayBuffer(points * 2 * POINT_BYTES);
    this.bytes = new Uint8Array(room);
    this.floats = new Float32Array(room);
    this.words = new Uint32Array(room);
  }
}

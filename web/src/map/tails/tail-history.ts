/** Where everyone was during the last minutes: what tails are made of. */

import { NOWHERE } from "../../feed/frame.ts";
import type { TailsFrame } from "../../feed/frame.ts";
import type { Anchor } from "../mercator.ts";

/** The longest tail there is, s. */
export const LONGEST_TAIL = 120;
/** The least time between two points of a tail, s; and with so many vehicles that it is memory. */
const STEP = 0.5;
const STEP_OF_MANY = 2;
const MANY = 2000;

/** Everyone's place at one time: offsets, x and y in turn, nan where nobody knew. */
export interface Slice {
  t: number;
  xy: Float32Array;
}

export class TailHistory {
  /** Oldest first. */
  slices: Slice[] = [];
  readonly step: number;

  constructor(vehicles: number) {
    this.step = vehicles > MANY ? STEP_OF_MANY : STEP;
  }

  clear(): void {
    this.slices = [];
  }

  /** Begin anew with what the server tells. */
  begin(past: TailsFrame, anchor: Anchor): void {
    this.slices = Array.from(past.t, (t, point) => {
      const xy = new Float32Array(past.vehicles * 2);
      for (let row = 0; row < past.vehicles; row++) {
        const at = (point * past.vehicles + row) * 2;
        const known = past.places[at] !== NOWHERE;
        xy[row * 2] = known ? anchor.offsetX(past.places[at + 1] / 1e7) : NaN;
        xy[row * 2 + 1] = known ? anchor.offsetY(past.places[at] / 1e7) : NaN;
      }
      return { t, xy };
    });
  }

  /** Enter everyone's present places, unless that was done a moment ago; says whether it was. */
  add(t: number, offsets: Float64Array): boolean {
    this.dropLaterThan(t);
    const last = this.slices.at(-1);
    if (last && t - last.t < this.step - 1e-6) return false;
    this.slices.push({ t, xy: Float32Array.from(offsets) });
    while (this.slices[0].t < t - LONGEST_TAIL) this.slices.shift();
    return true;
  }

  /** A replay that runs backwards takes its tails back. */
  private dropLaterThan(t: number): void {
    while (this.slices.length && this.slices[this.slices.length - 1].t > t) this.slices.pop();
  }
}

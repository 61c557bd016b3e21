/**
 * Tails as bytes for the graphics card: a ring of slices, each with everyone's point of one time.
 * The newest slice is where everyone is now and changes with every update; when it has stood for
 * a step it stays, and the oldest makes room for the next. So little is sent for each update.
 */

import { POINT_BYTES } from "../layers/tails-layer.ts";
import type { TailTable } from "../layers/tails-layer.ts";
import type { Slice } from "./tail-history.ts";

const WORDS = POINT_BYTES / 4;

/** How long tails may be and how far apart their points, s, for so many segments in all. */
export function tailMeasure(
  wanted: number,
  vehicles: number,
  segments: number,
): { duration: number; slices: number } {
  const slices = Math.min(Math.floor(segments / Math.max(vehicles, 1)), Math.ceil(wanted / 0.5));
  if (slices < 3 || wanted <= 0) return { duration: 0, slices: 0 };
  return { duration: Math.min(wanted, slices * 2), slices };
}

export class TailRing implements TailTable {
  readonly bytes: Uint8Array;
  changed = 0;
  private readonly floats: Float32Array;
  private readonly words: Uint32Array;
  private readonly step: number;
  /** Which slice is now; and when the one before was made. */
  private now = 0;
  private lastKept = -Infinity;
  private news: [number, number][] | null = null;
  /** Times are told from here, for the sake of single precision. */
  private readonly began: number;

  /** Made of what was, `history`, oldest first; `colours` one a vehicle, clear for nobody. */
  constructor(
    readonly vehicles: number,
    private readonly slices: number,
    readonly duration: number,
    history: Slice[],
    private colours: Uint32Array,
  ) {
    const room = new ArrayBuffer((slices + 1) * vehicles * POINT_BYTES);
    this.bytes = new Uint8Array(room);
    this.floats = new Float32Array(room);
    this.words = new Uint32Array(room);
    this.step = duration / slices;
    this.began = history[0]?.t ?? 0;
    for (const slice of this.chosen(history)) this.keep(slice.t, slice.xy);
    this.news = null;
  }

  get count(): number {
    return this.slices * this.vehicles;
  }

  takeNews(): [number, number][] | null {
    const news = this.news;
    this.news = [];
    return news;
  }

  /** A time as the points have it. */
  time(t: number): number {
    return t - this.began + 1;
  }

  /** Everyone's present places: the heads of the tails. */
  update(t: number, offsets: ArrayLike<number>): void {
    if (t - this.lastKept >= this.step - 1e-6) this.keep(t, offsets);
    else this.write(this.now, t, offsets);
    this.changed += 1;
  }

  /** The present place stays, and a new slice is the present. */
  private keep(t: number, offsets: ArrayLike<number>): void {
    this.write(this.now, t, offsets);
    this.lastKept = t;
    this.now = (this.now + 1) % this.slices;
    this.write(this.now, t, offsets);
  }

  /** Of a history with its own steps, what falls on this ring's. */
  private chosen(history: Slice[]): Slice[] {
    const end = history.at(-1)?.t ?? 0;
    let next = end - this.duration;
    return history.filter((slice) => {
      if (slice.t < next - 1e-6) return false;
      next = Math.max(next + this.step, slice.t + this.step * 0.5);
      return true;
    });
  }

  private write(slice: number, t: number, offsets: ArrayLike<number>): void {
    this.writeAt(slice, t, offsets);
    // The ring is closed by a second copy of its first slice.
    if (slice === 0) this.writeAt(this.slices, t, offsets);
  }

  private writeAt(slice: number, t: number, offsets: ArrayLike<number>): void {
    const { floats, words, vehicles, colours } = this;
    const time = this.time(t);
    let at = slice * vehicles * WORDS;
    const from = at * 4;
    for (let row = 0; row < vehicles; row++, at += WORDS) {
      const x = offsets[row * 2];
      floats[at] = x;
      floats[at + 1] = offsets[row * 2 + 1];
      floats[at + 2] = time;
      words[at + 3] = x === x ? colours[row] : 0;
    }
    this.news?.push([from, at * 4]);
  }
}

/**
 * Tails as bytes for the graphics card: a ring of slices, each with everyone's point of one time.
 *
 * One slice is the present and changes with every update; when it has stood for a step it stays,
 * and the oldest becomes the present. So little is sent for each update. All slices are joined by
 * lines that never change, so where no line is to be seen, both of its ends are clear: a slice
 * after the present one is a gap, as are points of vehicles that nobody knew about.
 */

import { POINT_BYTES } from "../layers/tails-layer.ts";
import type { VertexTable } from "../layers/table-layer.ts";
import type { Slice } from "./tail-history.ts";

const WORDS = POINT_BYTES / 4;
/** The present, the gap, and the one that is about to go have no part in the fading. */
const SPARE = 3;
/** The colour of a point where nobody was known to be. */
const UNKNOWN = 0;
const FINEST_STEP = 0.5;
const COARSEST_STEP = 2;

/** How long tails are, s, and of how many slices, for so many segments in all. */
export function tailMeasure(
  wanted: number,
  vehicles: number,
  segments: number,
): { duration: number; slices: number } {
  const most = Math.floor(segments / Math.max(vehicles, 1)) - SPARE;
  const steps = Math.min(most, Math.ceil(wanted / FINEST_STEP));
  if (steps < 2) return { duration: 0, slices: 0 };
  return { duration: Math.min(wanted, steps * COARSEST_STEP), slices: steps + SPARE };
}

export class TailRing implements VertexTable {
  readonly bytes: Uint8Array;
  readonly indices: Uint32Array<ArrayBuffer>;
  changed = 0;
  private readonly floats: Float32Array;
  private readonly words: Uint32Array;
  private readonly step: number;
  /** Which slice is the present; and since when it has been. */
  private now = 0;
  private since = -Infinity;
  private news: Set<number> | null = null;
  private begun = false;
  /** Times are told from here, for the sake of single precision. */
  private readonly began: number;

  /** Made of what was, `history`, oldest first; `colours` one a vehicle, 0 for no tail. */
  constructor(
    readonly vehicles: number,
    private readonly slices: number,
    readonly duration: number,
    history: Slice[],
    private readonly colours: Uint32Array,
  ) {
    const room = new ArrayBuffer((slices + 1) * vehicles * POINT_BYTES);
    this.bytes = new Uint8Array(room);
    this.floats = new Float32Array(room);
    this.words = new Uint32Array(room);
    this.indices = joined(vehicles, slices);
    this.step = duration / (slices - SPARE);
    this.began = history[0]?.t ?? 0;
    for (const slice of this.chosen(history)) this.update(slice.t, slice.xy);
    this.news = null;
  }

  get count(): number {
    return this.indices.length;
  }

  /** A time as the points have it. */
  time(t: number): number {
    return t - this.began;
  }

  takeNews(): [number, number][] | null {
    const news = this.news;
    this.news = new Set();
    const size = this.vehicles * POINT_BYTES;
    return news && Array.from(news, (slice) => [slice * size, (slice + 1) * size]);
  }

  /** Everyone's present places: the heads of the tails. */
  update(t: number, offsets: ArrayLike<number>): void {
    if (!this.begun) this.begin(offsets);
    else if (t - this.since >= this.step - 1e-6) {
      this.now = (this.now + 1) % this.slices;
      this.since = t;
    }
    if (this.since === -Infinity) this.since = t;
    this.write(this.now, t, offsets, false);
    this.write((this.now + 1) % this.slices, t, offsets, true);
    this.changed += 1;
  }

  /** Nobody has a tail, and nothing is drawn at all: all points lie where the first one does. */
  private begin(offsets: ArrayLike<number>): void {
    this.begun = true;
    for (let slice = 0; slice < this.slices; slice++) this.write(slice, -1e6, offsets, true);
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

  private write(slice: number, t: number, offsets: ArrayLike<number>, clear: boolean): void {
    const { floats, words, vehicles, colours } = this;
    const time = this.time(t);
    let at = slice * vehicles * WORDS;
    let last = ((slice + this.slices - 1) % this.slices) * vehicles * WORDS;
    for (let row = 0; row < vehicles; row++, at += WORDS, last += WORDS) {
      const known = !Number.isNaN(offsets[row * 2]);
      // Who nobody knew about before begins anew: the line to here is clear at both ends.
      const fresh = words[last + 3] === UNKNOWN;
      floats[at] = known ? offsets[row * 2] : floats[last];
      floats[at + 1] = known ? offsets[row * 2 + 1] : floats[last + 1];
      floats[at + 2] = time;
      words[at + 3] = !known || clear ? UNKNOWN : fresh ? clearOf(colours[row]) : colours[row];
    }
    this.news?.add(slice);
    if (slice !== 0) return;
    // The ring is closed by a second copy of its first slice.
    words.copyWithin(this.slices * vehicles * WORDS, 0, vehicles * WORDS);
    this.news?.add(this.slices);
  }
}

/** A known place that is not seen; 0 stays 0, for who has no tail at all. */
function clearOf(colour: number): number {
  return colour === 0 ? UNKNOWN : (colour & 0xffffff) | 1;
}

/** Lines from slice to slice, vehicle by vehicle, so that each point is worked out once. */
function joined(vehicles: number, slices: number): Uint32Array<ArrayBuffer> {
  return Uint32Array.from({ length: slices * vehicles * 2 }, (_, i) => {
    const vehicle = Math.floor(i / 2 / slices);
    const slice = ((i >> 1) % slices) + (i & 1);
    return slice * vehicles + vehicle;
  });
}

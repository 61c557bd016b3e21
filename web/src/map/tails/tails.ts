/** Everyone's tails: kept, measured and coloured. */

import type { TailsFrame } from "../../feed/frame.ts";
import type { Fleet } from "../../fleet.ts";
import type { Palette } from "../palette.ts";
import type { Places } from "../places.ts";
import { TailHistory } from "./tail-history.ts";
import { TailRing, tailMeasure } from "./tail-ring.ts";

export class Tails {
  /** What is drawn; null while tails are off. */
  ring: TailRing | null = null;
  private readonly history: TailHistory;
  private past: TailsFrame | null = null;
  private jumps = 0;
  private t = -Infinity;
  private stale = true;
  private readonly colours: Uint32Array;

  /** `segments` is how many the graphics card draws with ease. */
  constructor(
    private readonly fleet: Fleet,
    private readonly places: Places,
    private wanted: number,
    private readonly segments: number,
  ) {
    this.history = new TailHistory(fleet.size);
    this.colours = new Uint32Array(fleet.size);
  }

  get length(): number {
    return this.wanted;
  }

  /** How long tails are to be, s; 0 for none. */
  setLength(seconds: number): void {
    this.wanted = seconds;
    this.stale = true;
  }

  /** Make them anew: colours or the filter have changed. */
  forget(): void {
    this.stale = true;
  }

  update(palette: Palette, shown: Uint8Array): void {
    this.takeHistory();
    const { fleet, places } = this;
    this.history.add(fleet.t, places.offsets);
    if (this.stale) this.make(palette, shown);
    this.stale = false;
    this.t = fleet.t;
    this.ring?.update(fleet.t, places.offsets);
  }

  private takeHistory(): void {
    const { fleet } = this;
    if (fleet.jumps !== this.jumps) {
      this.jumps = fleet.jumps;
      this.history.clear();
      this.stale = true;
    } else if (fleet.t < this.t) this.stale = true;
    if (fleet.past && fleet.past !== this.past) {
      this.past = fleet.past;
      this.history.begin(fleet.past, this.places.anchor);
      this.stale = true;
    }
  }

  private make(palette: Palette, shown: Uint8Array): void {
    const { fleet, colours } = this;
    const { duration, slices } = tailMeasure(this.wanted, fleet.size, this.segments);
    this.ring = null;
    if (slices === 0) return;
    for (let row = 0; row < fleet.size; row++) {
      const colour = palette.origins[fleet.roster.origin[row]] ?? palette.unknownOrigin;
      colours[row] = shown[row] ? ((colour & 0xffffff) | (0xb0 << 24)) >>> 0 : 0;
    }
    this.ring = new TailRing(fleet.size, slices, duration, this.history.slices, colours);
  }
}

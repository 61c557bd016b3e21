/** Everyone as last heard: columns, one entry a row of the roster. */

import { decodeFrame, NOWHERE, PAIR_WORDS, ROW_MASK, ROW_WORDS, STEP_SHIFT } from "./feed/frame.ts";
import type { ScanPoints, StatesFrame, TailsFrame } from "./feed/frame.ts";
import { RUN_STATES } from "./feed/messages.ts";
import type { Roster } from "./feed/messages.ts";

export enum Health {
  Unheard = 0,
  Heard = 1,
  Lost = 2,
  Stale = 3,
}

export class Fleet {
  readonly size: number;
  /** Longitude and latitude in turn, degrees; nan where nobody knows. */
  readonly positions: Float64Array;
  readonly z: Float32Array;
  readonly speed: Float32Array;
  /** How old what is known was when it was told, s. */
  readonly age: Float32Array;
  /** Degrees clockwise from north. */
  readonly heading: Float32Array;
  readonly behavior: Uint8Array;
  readonly health: Uint8Array;
  /** Of the mission: 0 none, from 1 on, 255 over. */
  readonly step: Uint8Array;
  readonly runState: Uint8Array;
  /** Pairs under notice: row, other, (distance as float), level; four words each. */
  pairs: Uint32Array = new Uint32Array(0);
  distances: Float32Array = new Float32Array(0);
  t = 0;
  utc = 0;
  tick = 0;
  state = 0;
  /** Counts changes. */
  version = 0;
  /** Where everyone was before: times and places, as the server told last. */
  past: TailsFrame | null = null;
  /** The newest scans of those whose scans are looked at. */
  scans: ScanPoints[] = [];
  /** Counts jumps of time. */
  jumps = 0;

  constructor(readonly roster: Roster) {
    this.size = roster.vids.length;
    this.positions = new Float64Array(this.size * 2).fill(NaN);
    this.z = new Float32Array(this.size);
    this.speed = new Float32Array(this.size);
    this.age = new Float32Array(this.size);
    this.heading = new Float32Array(this.size);
    this.behavior = new Uint8Array(this.size);
    this.health = new Uint8Array(this.size);
    this.step = new Uint8Array(this.size);
    this.runState = new Uint8Array(this.size);
  }

  /** Enter a frame; returns its sequence number, to be acknowledged once it is drawn. */
  take(data: ArrayBuffer): number {
    const frame = decodeFrame(data);
    if (frame.kind === "tails") this.past = frame;
    else if (frame.kind === "scans") this.scans = frame.scans;
    else this.takeStates(frame);
    this.version += 1;
    return frame.sequence;
  }

  private takeStates(frame: StatesFrame): void {
    const { words, floats, shorts, bytes } = frame;
    for (let i = 0; i < frame.count; i++) {
      const at = i * ROW_WORDS;
      const row = words[at] & ROW_MASK;
      if (row >= this.size) continue;
      const known = words[at + 1] !== NOWHERE;
      this.positions[row * 2] = known ? words[at + 2] / 1e7 : NaN;
      this.positions[row * 2 + 1] = known ? words[at + 1] / 1e7 : NaN;
      this.step[row] = words[at] >>> STEP_SHIFT;
      this.z[row] = floats[at + 3];
      this.speed[row] = floats[at + 4];
      this.age[row] = floats[at + 5];
      this.heading[row] = shorts[(at + 6) * 2] * (360 / 65536);
      this.behavior[row] = bytes[(at + 6) * 4 + 2];
      this.health[row] = bytes[(at + 6) * 4 + 3] & 15;
      this.runState[row] = bytes[(at + 6) * 4 + 3] >> 4;
    }
    this.pairs = frame.pairs;
    this.distances = frame.distances;
    this.t = frame.t;
    this.utc = frame.utc;
    this.tick = frame.tick;
    this.state = frame.runState;
    if (frame.jumped) this.jumps += 1;
  }

  /** Before GO: what is told of speeds is how fast everyone will start. */
  get waiting(): boolean {
    const state = RUN_STATES[this.state - 1];
    return state === "READY" || state === "SET";
  }

  get pairCount(): number {
    return this.pairs.length / PAIR_WORDS;
  }

  known(row: number): boolean {
    return !Number.isNaN(this.positions[row * 2]);
  }
}

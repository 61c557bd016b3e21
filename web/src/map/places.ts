/** Where everyone is on the map: offsets to its anchor. */

import type { Fleet } from "../fleet.ts";
import type { Anchor, Camera } from "./mercator.ts";

export class Places {
  /** x and y in turn, one pair a row; nan where nobody knows. */
  readonly offsets: Float64Array;
  private version = -1;

  constructor(
    private readonly fleet: Fleet,
    readonly anchor: Anchor,
  ) {
    this.offsets = new Float64Array(fleet.size * 2).fill(NaN);
  }

  /** Take over what the fleet holds now. */
  update(): void {
    const { fleet, offsets, anchor } = this;
    if (fleet.version === this.version) return;
    this.version = fleet.version;
    for (let i = 0; i < offsets.length; i += 2) {
      offsets[i] = anchor.offsetX(fleet.positions[i]);
      offsets[i + 1] = anchor.offsetY(fleet.positions[i + 1]);
    }
  }

  /** Degrees clockwise from north. */
  heading(row: number): number {
    return this.fleet.heading[row];
  }

  /** The row nearest to a pixel, of those that `may` be taken; null beyond `within` pixels. */
  nearest(
    camera: Camera,
    x: number,
    y: number,
    within: number,
    may: (row: number) => boolean,
  ): number | null {
    let best: number | null = null;
    let least = within * within;
    const { offsets } = this;
    for (let row = 0; row < offsets.length / 2; row++) {
      const dx = camera.screenX(offsets[row * 2], offsets[row * 2 + 1]) - x;
      const dy = camera.screenY(offsets[row * 2], offsets[row * 2 + 1]) - y;
      const apart = dx * dx + dy * dy;
      if (apart <= least && may(row)) [best, least] = [row, apart];
    }
    return best;
  }

  /** The rows within a box of pixels, left, top, right, bottom, that are not 0 in `shown`. */
  within(
    camera: Camera,
    [left, top, right, bottom]: [number, number, number, number],
    shown: Uint8Array,
  ): number[] {
    const { offsets } = this;
    const found: number[] = [];
    for (let row = 0; row < offsets.length / 2; row++) {
      const x = camera.screenX(offsets[row * 2], offsets[row * 2 + 1]);
      const y = camera.screenY(offsets[row * 2], offsets[row * 2 + 1]);
      const inside = x >= left && x <= right && y >= top && y <= bottom;
      if (inside && shown[row]) found.push(row);
    }
    return found;
  }

  /** West, south, east, north of everyone, or of some, known to be somewhere; null for nobody. */
  bounds(rows?: number[]): [number, number, number, number] | null {
    let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity];
    const { offsets } = this;
    const count = rows?.length ?? offsets.length / 2;
    for (let k = 0; k < count; k++) {
      const i = 2 * (rows ? rows[k] : k);
      if (Number.isNaN(offsets[i])) continue;
      west = Math.min(west, offsets[i]);
      east = Math.max(east, offsets[i]);
      north = Math.min(north, offsets[i + 1]);
      south = Math.max(south, offsets[i + 1]);
    }
    return west <= east ? [west, south, east, north] : null;
  }
}

/** Driving by two thumbs: one steers on a pad, the other has the pedals on another. */

import { AT_REST, between, beyondSlack } from "./reading.ts";
import type { Reading } from "./reading.ts";

export type PadName = "steering" | "pedals";

/** Where a thumb is on its pad: -1 to 1, right and up positive. */
export interface Thumb {
  x: number;
  y: number;
}

/** Around the middle of a pad nothing is meant. */
const SLACK = 0.08;

export class Thumbs {
  private readonly on = new Map<PadName, Thumb>();

  put(pad: PadName, thumb: Thumb): void {
    this.on.set(pad, { x: between(-1, thumb.x, 1), y: between(-1, thumb.y, 1) });
  }

  lift(pad: PadName): void {
    this.on.delete(pad);
  }

  forget(): void {
    this.on.clear();
  }

  at(pad: PadName): Thumb | undefined {
    return this.on.get(pad);
  }

  read(): Reading {
    const stick = { ...AT_REST };
    const [steering, pedals] = [this.on.get("steering"), this.on.get("pedals")];
    if (steering) {
      stick.steer = meant(-steering.x);
      stick.pitch = meant(steering.y);
    }
    if (pedals) {
      stick.throttle = Math.max(0, meant(pedals.y));
      stick.brake = Math.max(0, meant(-pedals.y));
    }
    return { held: this.on.size > 0, stick };
  }
}

function meant(deflection: number): number {
  return beyondSlack(deflection, SLACK);
}

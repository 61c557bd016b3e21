/** What one input device says at a moment. */

/** 1 forward, 0 neutral, -1 reverse. */
export type Gear = 1 | 0 | -1;

export interface Stick {
  /** -1 to 1, left positive, as a wheel is turned. */
  steer: number;
  /** 0 to 1. */
  throttle: number;
  /** 0 to 1. */
  brake: number;
  /** -1 to 1, up positive; for what flies or dives. */
  pitch: number;
}

export interface Reading {
  /** Whether somebody holds the device: the dead man's handle. */
  held: boolean;
  stick: Stick;
}

export const AT_REST: Readonly<Stick> = { steer: 0, throttle: 0, brake: 0, pitch: 0 };
/** What is sent while nobody holds anything. */
export const BRAKED: Readonly<Stick> = { ...AT_REST, brake: 1 };

/** One gear up or down; there is nothing beyond forward and reverse. */
export function shifted(gear: Gear, by: number): Gear {
  return Math.max(-1, Math.min(1, gear + by)) as Gear;
}

export function between(least: number, value: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}

/** A deflection, -1 to 1, without the slack around its middle. */
export function beyondSlack(deflection: number, slack: number): number {
  const size = between(0, (Math.abs(deflection) - slack) / (1 - slack), 1);
  return size === 0 ? 0 : Math.sign(deflection) * size;
}

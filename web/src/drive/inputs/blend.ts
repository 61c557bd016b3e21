/** Which device speaks, and what is sent while none does: the dead man's handle. */

import { BRAKED } from "./reading.ts";
import type { Reading, Stick } from "./reading.ts";

export type Device = "keyboard" | "gamepad" | "touch";
export type Readings = Record<Device, Reading>;

const DEVICES: Device[] = ["gamepad", "touch", "keyboard"];

export interface Decision {
  /** Who drives; null: nobody holds the controls, and the vehicle brakes. */
  device: Device | null;
  stick: Stick;
}

export class Blend {
  private speaker: Device | null = null;
  private barredNow = false;

  /** Whether what is held moves nothing. */
  get barred(): boolean {
    return this.barredNow;
  }

  /** From now on nothing that is held moves anything, until all has been let go. */
  bar(): void {
    this.barredNow = true;
  }

  /**
   * Who holds the controls keeps them until letting go; whoever else holds one can brake with it.
   * Nobody drives a page that is not looked at: `awake` is false.
   */
  decide(readings: Readings, awake: boolean): Decision {
    const touched = DEVICES.filter((device) => readings[device].held);
    if (!touched.length) this.barredNow = false;
    const held = awake && !this.barredNow ? touched : [];
    if (!this.speaker || !held.includes(this.speaker)) this.speaker = held[0] ?? null;
    if (!this.speaker) return { device: null, stick: { ...BRAKED } };
    const stick = { ...readings[this.speaker].stick };
    stick.brake = Math.max(...held.map((device) => readings[device].stick.brake));
    if (stick.brake > 0) stick.throttle = 0;
    return { device: this.speaker, stick };
  }
}

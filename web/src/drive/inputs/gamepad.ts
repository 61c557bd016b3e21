/** Driving by gamepad, in the layout that browsers call standard. */

import { AT_REST, between, beyondSlack } from "./reading.ts";
import type { Reading } from "./reading.ts";

/** Of the browser's Gamepad as much as is read here. */
export interface Pad {
  readonly axes: readonly number[];
  readonly buttons: readonly { readonly pressed: boolean; readonly value: number }[];
}

const LEFT_X = 0;
const RIGHT_Y = 3;
const [A, B, LEFT_SHOULDER, RIGHT_SHOULDER, LEFT_TRIGGER, RIGHT_TRIGGER] = [0, 1, 4, 5, 6, 7];
const [PAD_UP, PAD_DOWN] = [12, 13];
/** Sticks do not come back to the middle exactly. */
const SLACK = 0.1;
/** Small movements steer little. */
const SOFTNESS = 1.5;

export class PadReader {
  private shiftsBefore = [false, false];

  /** Null: no gamepad is here. */
  read(pad: Pad | null): Reading {
    const stick = { ...AT_REST };
    if (!pad) return { held: false, stick };
    const held = pressed(pad, LEFT_SHOULDER) || pressed(pad, RIGHT_SHOULDER);
    if (held) {
      stick.steer = soft(-number(pad.axes[LEFT_X]));
      stick.pitch = soft(-number(pad.axes[RIGHT_Y]));
      stick.throttle = value(pad, RIGHT_TRIGGER);
      stick.brake = value(pad, LEFT_TRIGGER);
    }
    return { held, stick };
  }

  /** Gears up or down since it was last asked: a button that stays down shifts once. */
  shifts(pad: Pad | null): number {
    const up = pad !== null && (pressed(pad, A) || pressed(pad, PAD_UP));
    const down = pad !== null && (pressed(pad, B) || pressed(pad, PAD_DOWN));
    const [upBefore, downBefore] = this.shiftsBefore;
    this.shiftsBefore = [up, down];
    return Number(up && !upBefore) - Number(down && !downBefore);
  }
}

function pressed(pad: Pad, button: number): boolean {
  const found = pad.buttons[button];
  return found !== undefined && found.pressed && Number.isFinite(found.value);
}

function value(pad: Pad, button: number): number {
  return between(0, number(pad.buttons[button]?.value), 1);
}

/** Drivers of gamepads have been seen to give what is none: then nothing is meant. */
function number(given: number | undefined): number {
  return given !== undefined && Number.isFinite(given) ? given : 0;
}

function soft(deflection: number): number {
  const meant = beyondSlack(deflection, SLACK);
  return meant === 0 ? 0 : Math.sign(meant) * Math.abs(meant) ** SOFTNESS;
}

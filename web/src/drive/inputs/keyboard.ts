/** Driving by keys: what a key asks for comes gradually, and goes faster than it came. */

import { AT_REST, between } from "./reading.ts";
import type { Reading, Stick } from "./reading.ts";

type Ask = "left" | "right" | "throttle" | "brake" | "up" | "down";

/** By KeyboardEvent.code, so that they lie alike on every keyboard. */
const ASKS: Record<string, Ask> = {
  ArrowLeft: "left",
  KeyA: "left",
  ArrowRight: "right",
  KeyD: "right",
  ArrowUp: "throttle",
  KeyW: "throttle",
  ArrowDown: "brake",
  KeyS: "brake",
  KeyI: "up",
  KeyK: "down",
};
/** Who changes fingers has not let go: for so long, ms. */
export const GRACE = 400;
/** From nothing to all and back, s. */
const STEERING = 0.7;
const CENTRING = 0.35;
const THROTTLE = 0.6;
const BRAKE = 0.25;
const EASING = 0.15;
/** A page that stood still for longer has no ramp to go on with, s. */
const LONGEST_STEP = 0.1;

export class Keyboard {
  private readonly pressed = new Set<string>();
  private stick: Stick = { ...AT_REST };
  private releasedAt = -Infinity;
  private readAt = 0;

  /** Whether a key drives at all. */
  static drives(code: string): boolean {
    return code in ASKS;
  }

  press(code: string): void {
    if (Keyboard.drives(code)) this.pressed.add(code);
  }

  release(code: string, now: number): void {
    if (this.pressed.delete(code) && this.pressed.size === 0) this.releasedAt = now;
  }

  /** The page no longer hears keys: none is held. */
  forget(): void {
    this.pressed.clear();
    this.releasedAt = -Infinity;
    this.stick = { ...AT_REST };
  }

  /** `now` in ms; without `grace` who has released the last key has let go at once. */
  read(now: number, grace = true): Reading {
    const step = between(0, (now - this.readAt) / 1000, LONGEST_STEP);
    this.readAt = now;
    const { stick } = this;
    stick.steer = this.swung(stick.steer, "left", "right", step);
    stick.pitch = this.swung(stick.pitch, "up", "down", step);
    stick.throttle = approach(stick.throttle, this.asked("throttle"), THROTTLE, EASING, step);
    stick.brake = approach(stick.brake, this.asked("brake"), BRAKE, EASING, step);
    const held = this.pressed.size > 0 || (grace && now - this.releasedAt < GRACE);
    if (!held) this.stick = { ...AT_REST };
    return { held, stick: { ...this.stick } };
  }

  private asked(ask: Ask): number {
    for (const code of this.pressed) if (ASKS[code] === ask) return 1;
    return 0;
  }

  private swung(value: number, plus: Ask, minus: Ask, step: number): number {
    return approach(value, this.asked(plus) - this.asked(minus), STEERING, CENTRING, step);
  }
}

/** Toward `goal`: slowly away from the middle, fast back to it. */
function approach(value: number, goal: number, away: number, back: number, step: number): number {
  const returning = goal === 0 || value * goal < 0;
  const reach = step / (returning ? back : away);
  return value + between(-reach, goal - value, reach);
}

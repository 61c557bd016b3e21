/** The driver's hands: keys, gamepad and thumbs as the browser tells of them. */

import { Blend } from "./inputs/blend.ts";
import type { Decision } from "./inputs/blend.ts";
import { PadReader } from "./inputs/gamepad.ts";
import { Keyboard } from "./inputs/keyboard.ts";
import { shifted } from "./inputs/reading.ts";
import type { Gear } from "./inputs/reading.ts";
import { Thumbs } from "./inputs/touch.ts";

export interface HandsHandlers {
  /** Whether keys drive now; else they are the page's. */
  driving(): boolean;
  /** All has been let go: what follows from it must not wait. */
  dropped(): void;
}

export class Hands {
  readonly thumbs = new Thumbs();
  gear: Gear = 1;
  private readonly keyboard = new Keyboard();
  private readonly padReader = new PadReader();
  private readonly blend = new Blend();
  private focused = true;

  /** `geared`: whether there is anything to shift. */
  constructor(
    private readonly geared: boolean,
    private readonly handlers: HandsHandlers,
  ) {
    window.addEventListener("keydown", (event) => this.onKey(event), { capture: true });
    window.addEventListener("keyup", (event) => this.onKeyUp(event), { capture: true });
    window.addEventListener("blur", () => this.drop());
    window.addEventListener("focus", () => (this.focused = true));
    window.addEventListener("pointerdown", () => (this.focused = true), { capture: true });
    window.addEventListener("pagehide", () => this.drop());
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.drop();
      else this.focused = true;
    });
  }

  /** Whether a gamepad that can be read is here. */
  get hasGamepad(): boolean {
    return gamepad() !== null;
  }

  /** Whether there is only one whose layout nobody knows. */
  get hasStrangePad(): boolean {
    return !this.hasGamepad && navigator.getGamepads().some((one) => one?.connected);
  }

  /** What is held now moves nothing until all of it has been let go. */
  bar(): void {
    this.blend.bar();
  }

  /** Whether that is still to come. */
  get barred(): boolean {
    return this.blend.barred;
  }

  read(now: number): Decision {
    const pad = gamepad();
    const shifts = this.padReader.shifts(pad);
    if (this.geared) this.gear = shifted(this.gear, shifts);
    const readings = {
      keyboard: this.keyboard.read(now, !this.barred),
      gamepad: this.padReader.read(pad),
      touch: this.thumbs.read(),
    };
    return this.blend.decide(readings, this.focused && !document.hidden);
  }

  private drop(): void {
    this.focused = false;
    this.keyboard.forget();
    this.thumbs.forget();
    this.handlers.dropped();
  }

  private onKey(event: KeyboardEvent): void {
    this.focused = true;
    if (!this.handlers.driving() || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target instanceof HTMLSelectElement) return;
    if (!this.shift(event) && !Keyboard.drives(event.code)) return;
    this.keyboard.press(event.code);
    event.preventDefault();
    event.stopPropagation();
  }

  private shift({ code, repeat }: KeyboardEvent): boolean {
    if (!this.geared || !["KeyQ", "KeyE", "KeyR"].includes(code)) return false;
    if (repeat) return true;
    if (code === "KeyR") this.gear = this.gear === -1 ? 1 : -1;
    else this.gear = shifted(this.gear, code === "KeyE" ? 1 : -1);
    return true;
  }

  private onKeyUp(event: KeyboardEvent): void {
    this.keyboard.release(event.code, performance.now());
  }
}

function gamepad(): Gamepad | null {
  const standard = (one: Gamepad | null) => one?.connected && one.mapping === "standard";
  return navigator.getGamepads().find(standard) ?? null;
}

/** A steering wheel that stands as it is sent, and for what flies how far it is pulled. */

import { percent } from "../format.ts";
import { el, setText } from "../shell/dom.ts";
import { svg } from "../shell/icons.ts";

/** How far the drawn wheel turns at most, degrees. */
const FULL = 120;

export class SteeringWheel {
  readonly element = el("figure", { class: "steering", role: "group", label: "Steering" });
  private readonly wheel = drawnWheel();
  private readonly words = el("figcaption", { testid: "steering" });

  constructor() {
    this.element.append(this.wheel, this.words);
  }

  /** Left and up are positive; `pitch` is null for what stays on the ground. */
  show(steer: number, pitch: number | null): void {
    this.wheel.style.transform = `rotate(${(-steer * FULL).toFixed(1)}deg)`;
    const tilt = pitch === null ? "" : `\n${side(pitch, "level", "up", "down")}`;
    setText(this.words, side(steer, "straight", "left", "right") + tilt);
  }
}

function side(share: number, none: string, plus: string, minus: string): string {
  if (Math.abs(share) < 0.005) return none;
  return `${share > 0 ? plus : minus} ${percent(Math.abs(share))}`;
}

function drawnWheel(): SVGElement {
  const drawing = svg("svg", { viewBox: "-50 -50 100 100", "aria-hidden": "true" });
  const line = { fill: "none", stroke: "currentColor" };
  drawing.append(
    svg("circle", { r: "42", ...line, "stroke-width": "9" }),
    svg("path", { d: "M-39 3h78M0 3v37", ...line, "stroke-width": "8" }),
    svg("circle", { cy: "3", r: "11", fill: "currentColor" }),
    svg("path", { d: "M-7-42h14", class: "wheel-top", fill: "none", "stroke-width": "9" }),
  );
  return drawing;
}

/** Two pads under the thumbs. */

import { el } from "../shell/dom.ts";
import { icon } from "../shell/icons.ts";
import type { PadName, Thumbs } from "./inputs/touch.ts";

export class TouchPads {
  readonly steering: HTMLElement;
  readonly pedals: HTMLElement;
  private readonly knobs: Record<PadName, HTMLElement>;
  private readonly moves: Record<PadName, { across: boolean; upright: boolean }>;

  /** `dropped` is told as the last thumb leaves. */
  constructor(
    private readonly thumbs: Thumbs,
    flies: boolean,
    private readonly dropped: () => void,
  ) {
    this.knobs = { steering: knob(), pedals: knob() };
    this.moves = {
      steering: { across: true, upright: flies },
      pedals: { across: false, upright: true },
    };
    const tilt = flies ? ", up and down tilts" : "";
    this.steering = this.pad("steering", `Steering pad: left and right steers${tilt}`);
    const words = flies ? "Steer and tilt" : "Steer";
    this.steering.prepend(icon("left"), el("span", { text: words }), icon("right"));
    this.pedals = this.pad("pedals", "Pedals: up accelerates, down brakes");
    this.pedals.prepend(
      el("span", { class: "pad-go", text: "Throttle" }),
      el("span", { class: "pad-brake", text: "Brake" }),
    );
  }

  /** The knobs lie where the thumbs are. */
  refresh(): void {
    for (const name of ["steering", "pedals"] as const) {
      const thumb = this.thumbs.at(name);
      const { style } = this.knobs[name];
      const { across, upright } = this.moves[name];
      style.left = `${50 + (across ? 50 * (thumb?.x ?? 0) : 0)}%`;
      style.top = `${50 - (upright ? 50 * (thumb?.y ?? 0) : 0)}%`;
      this.knobs[name].classList.toggle("held", thumb !== undefined);
    }
  }

  private pad(name: PadName, label: string): HTMLElement {
    const pad = el("div", { class: `pad pad-${name}`, role: "group", label, testid: `pad-${name}` });
    pad.append(this.knobs[name]);
    let holder: number | null = null;
    const put = (event: PointerEvent) => {
      const { left, top, width, height } = pad.getBoundingClientRect();
      this.thumbs.put(name, {
        x: ((event.clientX - left) / width) * 2 - 1,
        y: 1 - ((event.clientY - top) / height) * 2,
      });
    };
    pad.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      holder = event.pointerId;
      pad.setPointerCapture(event.pointerId);
      put(event);
    });
    pad.addEventListener("pointermove", (event) => {
      if (event.pointerId === holder) put(event);
    });
    const lift = (event: PointerEvent) => {
      if (event.pointerId !== holder) return;
      holder = null;
      this.thumbs.lift(name);
      if (!this.thumbs.read().held) this.dropped();
    };
    pad.addEventListener("pointerup", lift);
    pad.addEventListener("pointercancel", lift);
    pad.addEventListener("contextmenu", (event) => event.preventDefault());
    return pad;
  }
}

function knob(): HTMLElement {
  return el("span", { class: "knob", attributes: { "aria-hidden": "true" } });
}

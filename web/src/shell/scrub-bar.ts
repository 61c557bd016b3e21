/** The whole recording on one line: where it stands, what happened when, and a hand to drag. */

import { levelLook } from "../levels.ts";
import type { LevelLook } from "../levels.ts";
import { fresh } from "../panels/canvas.ts";
import { clock } from "../format.ts";
import { at, timeTicks } from "../panels/plot-scale.ts";
import { el, setText } from "./dom.ts";
import type { Situation } from "./situation.ts";
import { paletteColour } from "./theme.ts";
import { Throttle } from "./throttle.ts";

/** Wishes a second while dragging. */
const WISHES = 15;
/** For how long the hand stays where it was let go, until the server has followed, ms. */
const FOLLOWS_WITHIN = 1500;
/** The narrowest gap that is drawn, and how near a pointer must come to something, pixels. */
const LEAST_GAP = 4;
const REACH = 4;
/** How high a notice stands, pixels. */
const HIGH: Record<LevelLook, number> = { outer: 6, middle: 10, inner: 14 };

/** How far from the top a mission's step stands, pixels. */
const STEPS_AT = 12;

export class ScrubBar {
  readonly element = el("div", { class: "scrub" });
  private readonly canvas = el("canvas", { attributes: { "aria-hidden": "true" } });
  private readonly hand = el("div", { class: "scrub-hand" });
  private readonly tip = el("div", { class: "scrub-tip number" });
  private readonly track = el("div", {
    class: "scrub-track",
    role: "slider",
    label: "Time",
    testid: "replay-scrub",
  });
  private readonly from: number;
  private readonly to: number;
  private readonly levels: number;
  private readonly throttle: Throttle<number>;
  private dragging = false;
  private held: { t: number; until: number } | null = null;
  private drawn = "";

  constructor(private readonly situation: Situation) {
    const { start, end } = situation.hello.replay ?? {
      start: 0,
      end: situation.hello.run.duration,
    };
    [this.from, this.to] = [start, Math.max(end, start + 1e-3)];
    this.levels = Object.keys(situation.hello.run.levels).length;
    this.throttle = new Throttle(1000 / WISHES, (t) => situation.replay({ t }));
    this.track.tabIndex = 0;
    this.track.setAttribute("aria-valuemin", String(this.from));
    this.track.setAttribute("aria-valuemax", String(this.to));
    this.track.append(this.canvas, this.hand, this.tip);
    this.element.append(this.track);
    this.track.addEventListener("pointerdown", (event) => this.grab(event));
    this.track.addEventListener("pointermove", (event) => this.move(event));
    this.track.addEventListener("pointerup", () => this.letGo());
    this.track.addEventListener("pointercancel", () => this.letGo());
    this.track.addEventListener("pointerleave", () => this.track.classList.remove("pointed"));
    this.track.addEventListener("keydown", (event) => this.onKey(event));
    new ResizeObserver(() => this.draw()).observe(this.track);
  }

  showTime(): void {
    const { fleet } = this.situation;
    if (this.held && (performance.now() > this.held.until || this.arrived())) this.held = null;
    this.place(this.held?.t ?? fleet.t);
  }

  refresh(): void {
    this.draw();
    this.showTime();
  }

  private draw(): void {
    const theme = document.documentElement.dataset.theme;
    const size = `${this.track.clientWidth} ${this.track.clientHeight}`;
    const { notices, marks, steps = [], gaps = [] } = this.situation.happenings;
    const told = [notices, marks, steps, gaps].map((list) => list.length);
    const key = `${told} ${theme} ${size} ${devicePixelRatio}`;
    if (key === this.drawn) return;
    const place = fresh(this.canvas);
    if (!place) return;
    this.drawn = key;
    const { pen, width, height } = place;
    this.drawTimes(pen, width, height);
    const x = (t: number) => Math.round(at(t, this.from, this.to, 0, width));
    for (const [from, to] of gaps) hatch(pen, x(from), x(to), height - 14);
    for (const [t, level] of notices) {
      const look = levelLook(level, this.levels);
      pen.fillStyle = paletteColour(`level-${look}`);
      pen.fillRect(x(t) - 0.5, height - 16 - HIGH[look], 1.5, HIGH[look]);
    }
    pen.fillStyle = paletteColour("accent");
    for (const t of steps) diamond(pen, x(t), STEPS_AT);
    pen.fillStyle = paletteColour("mark");
    for (const t of marks) flag(pen, x(t), 3);
  }

  private drawTimes(pen: CanvasRenderingContext2D, width: number, height: number): void {
    const line = height - 15.5;
    pen.fillStyle = paletteColour("line-strong");
    pen.fillRect(0, line, width, 2);
    pen.font = `11px ${getComputedStyle(this.track).fontFamily}`;
    pen.textBaseline = "bottom";
    const room = pen.measureText(clock(this.to, 0)).width;
    const times = timeTicks(this.from, this.to, Math.max(2, width / 90));
    for (const t of new Set([this.from, ...times, this.to])) {
      const x = at(t, this.from, this.to, 0, width);
      const edge = t === this.from || t === this.to;
      if (!edge && (x < room + 14 || x > width - room - 14)) continue;
      pen.fillStyle = paletteColour("line-strong");
      pen.fillRect(Math.min(width - 1, x), line, 1, 5);
      pen.fillStyle = paletteColour("muted");
      pen.textAlign = t === this.from ? "left" : t === this.to ? "right" : "center";
      pen.fillText(clock(t, 0), x, height + 1);
    }
  }

  private place(t: number): void {
    const share = Math.min(1, Math.max(0, at(t, this.from, this.to, 0, 1)));
    this.hand.style.left = `${share * 100}%`;
    this.track.setAttribute("aria-valuenow", t.toFixed(1));
    this.track.setAttribute("aria-valuetext", clock(t));
  }

  private arrived(): boolean {
    const { fleet, hello } = this.situation;
    if (this.dragging || this.held === null) return false;
    return Math.abs(fleet.t - this.held.t) <= hello.run.tick;
  }

  private timeAt(event: PointerEvent): number {
    const box = this.track.getBoundingClientRect();
    const t = at(event.clientX, box.left, box.right, this.from, this.to);
    return Math.min(this.to, Math.max(this.from, t));
  }

  /** As exactly as a pointer can tell. */
  private near(t: number): [number, number] {
    const reach = ((this.to - this.from) / this.track.clientWidth) * REACH;
    return [t - reach, t + reach];
  }

  private grab(event: PointerEvent): void {
    this.track.setPointerCapture(event.pointerId);
    this.dragging = true;
    this.move(event);
  }

  private move(event: PointerEvent): void {
    const t = this.timeAt(event);
    this.track.classList.add("pointed");
    this.tip.style.left = `${at(t, this.from, this.to, 0, 100)}%`;
    setText(this.tip, `${clock(t)}${gapWords(this.situation.happenings.gaps ?? [], this.near(t))}`);
    if (!this.dragging) return;
    this.held = { t, until: Infinity };
    this.place(t);
    this.throttle.want(t);
  }

  private letGo(): void {
    if (!this.dragging) return;
    this.dragging = false;
    this.throttle.now();
    if (this.held) this.held.until = performance.now() + FOLLOWS_WITHIN;
  }

  private onKey(event: KeyboardEvent): void {
    const whole = this.to - this.from;
    const far: Record<string, number> = { PageUp: whole / 20, PageDown: -whole / 20 };
    const near: Record<string, number> = {
      ArrowRight: 1,
      ArrowUp: 1,
      ArrowLeft: -1,
      ArrowDown: -1,
    };
    const ends: Record<string, number> = { Home: this.from, End: this.to };
    if (event.key in near) this.situation.replay({ step: near[event.key] });
    else if (event.key in far) this.goTo(this.situation.fleet.t + far[event.key]);
    else if (event.key in ends) this.goTo(ends[event.key]);
    else return;
    event.preventDefault();
  }

  private goTo(t: number): void {
    this.situation.replay({ t: Math.min(this.to, Math.max(this.from, t)) });
  }
}

/** That nothing was recorded near a time, in words; empty where something was. */
export function gapWords(gaps: [number, number][], [from, to]: [number, number]): string {
  const gap = gaps.find(([begin, end]) => begin <= to && from <= end);
  return gap ? ` · not recorded ${gap[0].toFixed(1)} to ${gap[1].toFixed(1)} s` : "";
}

/** Slanted lines over what is missing, at least wide enough to be seen. */
function hatch(
  pen: CanvasRenderingContext2D,
  from: number,
  to: number,
  height: number,
): void {
  const wide = Math.max(LEAST_GAP, to - from);
  pen.save();
  pen.beginPath();
  pen.rect(from, 0, wide, height);
  pen.clip();
  pen.fillStyle = paletteColour("sunken");
  pen.fillRect(from, 0, wide, height);
  pen.strokeStyle = paletteColour("muted");
  pen.lineWidth = 1;
  pen.beginPath();
  for (let x = from - height; x < from + wide; x += 5) {
    pen.moveTo(x, height);
    pen.lineTo(x + height, 0);
  }
  pen.stroke();
  pen.restore();
}

function diamond(pen: CanvasRenderingContext2D, x: number, y: number): void {
  pen.beginPath();
  pen.moveTo(x, y - 3.5);
  pen.lineTo(x + 3, y);
  pen.lineTo(x, y + 3.5);
  pen.lineTo(x - 3, y);
  pen.fill();
}

function flag(pen: CanvasRenderingContext2D, x: number, y: number): void {
  pen.fillRect(x - 0.75, y, 1.5, 22);
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x + 8, y + 3.5);
  pen.lineTo(x, y + 7);
  pen.fill();
}

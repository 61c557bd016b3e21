// The map: a grid in metres, areas, one's own trail, and who is where. North is up.

import {
  FAINT, GREY, INK, cleared, label, labelWidth, marker, oneself, radians, roundUp,
} from "./ink.js";
import { metres } from "./words.js";

const TRAIL = 2000;
const STEP = 0.5;
const FITTED = 3;
const NAMED = 6;
const EDGE = 46;

export class MapView {
  /** `onMoved` is called when fingers change what is shown. */
  constructor(canvas, onMoved) {
    this.canvas = canvas;
    this.onMoved = onMoved;
    this.areas = {};
    this.trail = [];
    this.centre = null;
    this.scale = null;
    this.byHand = false;
    this.fingers = new Map();
    this.listen();
  }

  /** Pixels a metre and the middle, so that everybody near is on it. */
  fit() {
    this.byHand = false;
    this.onMoved();
  }

  remember(own) {
    const last = this.trail[this.trail.length - 1];
    if (last && Math.hypot(own.x - last[0], own.y - last[1]) < STEP) return;
    this.trail.push([own.x, own.y]);
    if (this.trail.length > TRAIL) this.trail.splice(0, TRAIL / 4);
  }

  draw({ own, near, levelOf, heading }) {
    const sheet = cleared(this.canvas);
    if (!sheet) return;
    const { pen, width, height } = sheet;
    if (!own) {
      label(pen, "Waiting for the first position", width / 2, height / 2, { colour: GREY });
      return;
    }
    if (!this.byHand || !this.centre) this.choose(own, near, width, height);
    const at = (x, y) => [
      width / 2 + (x - this.centre[0]) * this.scale,
      height / 2 - (y - this.centre[1]) * this.scale,
    ];
    this.grid(pen, width, height, at);
    this.outlines(pen, at);
    this.path(pen, at);
    [...near].reverse().forEach((one) => {
      const [x, y] = at(one.x, one.y);
      marker(pen, x, y, { real: one.origin === "real", level: levelOf(one.vid),
        moving: one.speed > 0.3, angle: radians(one.heading_deg) });
    });
    near.slice(0, NAMED).forEach((one) => {
      const [x, y] = at(one.x, one.y);
      const half = labelWidth(pen, one.name, 14, 700) / 2 + 4;
      label(pen, one.name, Math.min(Math.max(x, half), width - half), y - 22, { weight: 700 });
    });
    oneself(pen, ...at(own.x, own.y), heading === null ? null : radians(heading));
    this.legend(pen, width, height);
  }

  choose(own, near, width, height) {
    const told = near.slice(0, FITTED);
    const reachX = Math.max(10, ...told.map((one) => Math.abs(one.x - own.x)));
    const reachY = Math.max(10, ...told.map((one) => Math.abs(one.y - own.y)));
    const wanted = Math.min((width / 2 - EDGE) / reachX, (height / 2 - EDGE) / reachY);
    if (!this.scale || wanted < this.scale || wanted > this.scale * 1.8) this.scale = wanted * 0.9;
    this.centre = [own.x, own.y];
  }

  grid(pen, width, height, at) {
    const step = roundUp(60 / this.scale);
    const left = this.centre[0] - width / 2 / this.scale;
    const low = this.centre[1] - height / 2 / this.scale;
    pen.beginPath();
    for (let x = Math.ceil(left / step) * step; x < left + width / this.scale; x += step) {
      const [px] = at(x, 0);
      pen.moveTo(px, 0);
      pen.lineTo(px, height);
    }
    for (let y = Math.ceil(low / step) * step; y < low + height / this.scale; y += step) {
      const [, py] = at(0, y);
      pen.moveTo(0, py);
      pen.lineTo(width, py);
    }
    pen.lineWidth = 1;
    pen.strokeStyle = FAINT;
    pen.stroke();
  }

  outlines(pen, at) {
    for (const [name, corners] of Object.entries(this.areas)) {
      if (!corners.length) continue;
      pen.beginPath();
      corners.forEach(([x, y]) => pen.lineTo(...at(x, y)));
      pen.closePath();
      pen.lineWidth = 3;
      pen.setLineDash([10, 6]);
      pen.strokeStyle = GREY;
      pen.stroke();
      pen.setLineDash([]);
      const [x, y] = at(...corners[0]);
      const [toX, toY] = at(...corners[1 % corners.length]);
      label(pen, name, (x + toX) / 2, (y + toY) / 2, { size: 13, colour: GREY });
    }
  }

  path(pen, at) {
    pen.beginPath();
    this.trail.forEach(([x, y]) => pen.lineTo(...at(x, y)));
    pen.lineWidth = 3;
    pen.lineJoin = "round";
    pen.strokeStyle = GREY;
    pen.stroke();
  }

  legend(pen, width, height) {
    const length = roundUp(60 / this.scale);
    const right = width - 16;
    const y = height - 16;
    pen.beginPath();
    pen.moveTo(right - length * this.scale, y - 6);
    pen.lineTo(right - length * this.scale, y);
    pen.lineTo(right, y);
    pen.lineTo(right, y - 6);
    pen.lineWidth = 3;
    pen.strokeStyle = INK;
    pen.stroke();
    const text = metres(length).replace(".0", "");
    label(pen, text, right - length * this.scale / 2, y - 14, { size: 14, weight: 700 });
    label(pen, "N", 22, height - 20, { size: 20, weight: 800 });
    pen.beginPath();
    pen.moveTo(22, height - 58);
    pen.lineTo(30, height - 34);
    pen.lineTo(14, height - 34);
    pen.closePath();
    pen.fillStyle = INK;
    pen.fill();
  }

  listen() {
    const canvas = this.canvas;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
    });
    canvas.addEventListener("pointermove", (event) => this.dragged(event));
    for (const end of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(end, (event) => this.fingers.delete(event.pointerId));
    }
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 500));
    }, { passive: false });
  }

  dragged(event) {
    const before = this.fingers.get(event.pointerId);
    if (!before || !this.centre) return;
    const now = [event.offsetX, event.offsetY];
    const other = [...this.fingers].find(([id]) => id !== event.pointerId)?.[1];
    this.fingers.set(event.pointerId, now);
    if (other) {
      const apart = (p) => Math.max(10, Math.hypot(p[0] - other[0], p[1] - other[1]));
      this.zoom(apart(now) / apart(before));
      return;
    }
    this.centre = [
      this.centre[0] - (now[0] - before[0]) / this.scale,
      this.centre[1] + (now[1] - before[1]) / this.scale,
    ];
    this.byHand = true;
    this.onMoved();
  }

  zoom(factor) {
    if (!this.scale) return;
    this.scale = Math.min(Math.max(this.scale * factor, 1e-4), 100);
    this.byHand = true;
    this.onMoved();
  }
}

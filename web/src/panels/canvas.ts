/** Small drawings: sharp on every screen, in the colours of the palette. */

import { paletteColour } from "../shell/theme.ts";
import { at } from "./plot-scale.ts";

/** A canvas fitted to its place on the page, cleared; null while it has no size. */
export function fresh(
  canvas: HTMLCanvasElement,
): { pen: CanvasRenderingContext2D; width: number; height: number } | null {
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  const pen = canvas.getContext("2d");
  if (!pen || !width || !height) return null;
  const dense = window.devicePixelRatio || 1;
  const wide = Math.round(width * dense);
  const high = Math.round(height * dense);
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
  }
  pen.setTransform(dense, 0, 0, dense, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, width, height };
}

/** A line through points; those that are not known leave a gap. */
export function line(
  pen: CanvasRenderingContext2D,
  count: number,
  x: (i: number) => number,
  y: (i: number) => number,
): void {
  pen.beginPath();
  let drawing = false;
  for (let i = 0; i < count; i++) {
    const across = x(i);
    const down = y(i);
    if (Number.isNaN(down)) {
      drawing = false;
      continue;
    }
    if (drawing) pen.lineTo(across, down);
    else pen.moveTo(across, down);
    drawing = true;
  }
  pen.stroke();
}

/** A course without axes: oldest at the left, from 0 at the bottom to `top`. */
export function sparkline(
  canvas: HTMLCanvasElement,
  values: number[],
  top: number,
  across: (i: number) => number = (i) => i / Math.max(1, values.length - 1),
): void {
  const place = fresh(canvas);
  if (!place) return;
  const { pen, width, height } = place;
  pen.strokeStyle = paletteColour("line");
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(0, height - 0.5);
  pen.lineTo(width, height - 0.5);
  pen.stroke();
  if (!values.length) return;
  pen.strokeStyle = paletteColour("trace");
  pen.lineWidth = 1.5;
  pen.lineJoin = "round";
  const y = (i: number) => at(Math.min(values[i], top), 0, top, height - 1.5, 1.5);
  const x = (i: number) => 1 + across(i) * (width - 4);
  line(pen, values.length, x, y);
  const last = values.length - 1;
  if (Number.isNaN(values[last])) return;
  pen.fillStyle = paletteColour("trace");
  pen.beginPath();
  pen.arc(x(last), y(last), 2, 0, 7);
  pen.fill();
}

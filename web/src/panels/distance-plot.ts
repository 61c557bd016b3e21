/** Distance over time with notice levels as lines. */

import { levelLook } from "../levels.ts";
import type { LevelLook } from "../levels.ts";
import { paletteColour } from "../shell/theme.ts";
import { fresh, line } from "./canvas.ts";
import { REMEMBERED } from "./pair-history.ts";
import type { Trace } from "./pair-history.ts";
import { at, distanceScale } from "./plot-scale.ts";
import type { Scale } from "./plot-scale.ts";

const MARGIN = { left: 38, right: 10, top: 14, bottom: 20 };
const DASHES: Record<LevelLook, number[]> = { outer: [2, 3], middle: [6, 3], inner: [] };

interface Frame {
  pen: CanvasRenderingContext2D;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export function drawDistances(
  canvas: HTMLCanvasElement,
  trace: Trace,
  now: number,
  levels: { name: string; distance: number }[],
): void {
  const place = fresh(canvas);
  if (!place) return;
  const { pen, width, height } = place;
  const frame = {
    pen,
    left: MARGIN.left,
    right: width - MARGIN.right,
    top: MARGIN.top,
    bottom: height - MARGIN.bottom,
  };
  const scale = distanceScale(
    trace.distance,
    levels.map((level) => level.distance),
  );
  pen.font = `11px ${getComputedStyle(canvas).fontFamily}`;
  drawAxes(frame, scale);
  drawLevels(frame, scale, levels);
  pen.strokeStyle = paletteColour("trace");
  pen.lineWidth = 2;
  pen.lineJoin = "round";
  const x = (i: number) => at(trace.t[i], now - REMEMBERED, now, frame.left, frame.right);
  const y = (i: number) => at(trace.distance[i], scale.from, scale.to, frame.bottom, frame.top);
  pen.save();
  pen.beginPath();
  pen.rect(frame.left, 0, frame.right - frame.left + 4, height);
  pen.clip();
  line(pen, trace.t.length, x, y);
  pen.restore();
}

function drawAxes({ pen, left, right, top, bottom }: Frame, scale: Scale): void {
  pen.lineWidth = 1;
  pen.strokeStyle = paletteColour("line");
  pen.fillStyle = paletteColour("muted");
  pen.textBaseline = "middle";
  pen.textAlign = "right";
  for (const tick of scale.ticks) {
    const y = Math.round(at(tick, scale.from, scale.to, bottom, top)) + 0.5;
    rule(pen, left, right, y);
    pen.fillText(String(tick), left - 6, y);
  }
  pen.fillText("m", left - 6, top - 8);
  pen.textBaseline = "top";
  for (let ago = REMEMBERED; ago >= 0; ago -= 15) {
    const x = at(-ago, -REMEMBERED, 0, left, right);
    pen.textAlign = ago === 0 ? "right" : ago === REMEMBERED ? "left" : "center";
    pen.fillText(ago === 0 ? "now" : `−${ago} s`, x, bottom + 5);
  }
}

function drawLevels(
  { pen, left, right, top, bottom }: Frame,
  scale: Scale,
  levels: { name: string; distance: number }[],
): void {
  pen.textAlign = "left";
  pen.textBaseline = "bottom";
  levels.forEach((level, i) => {
    if (level.distance > scale.to) return;
    const look = levelLook(i + 1, levels.length);
    const y = Math.round(at(level.distance, scale.from, scale.to, bottom, top)) + 0.5;
    pen.strokeStyle = paletteColour(`level-${look}`);
    pen.lineWidth = 1.5;
    pen.setLineDash(DASHES[look]);
    rule(pen, left, right, y);
    pen.setLineDash([]);
    pen.fillStyle = paletteColour(`level-${look}-text`);
    pen.fillText(`${level.name} ${Number(level.distance.toPrecision(3))} m`, left + 4, y - 2);
  });
}

function rule(pen: CanvasRenderingContext2D, from: number, to: number, y: number): void {
  pen.beginPath();
  pen.moveTo(from, y);
  pen.lineTo(to, y);
  pen.stroke();
}

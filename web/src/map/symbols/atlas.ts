/** The symbols as a picture for the graphics card: vehicles and marks, side by side. */

import { OUTLINES as VEHICLES } from "../../shapes.ts";
import type { VehicleShape } from "../../shapes.ts";

type Mark = "ring" | "found" | "seen" | "gone" | "stop" | "flag" | "point";
export type Shape = VehicleShape | Mark;
/** As the sign at a road; a bar is left out of its middle. */
const STOP =
  "M-3.3,-8 L3.3,-8 L8,-3.3 L8,3.3 L3.3,8 L-3.3,8 L-8,3.3 L-8,-3.3 Z " +
  "M-4.4,-1.3 L-4.4,1.3 L4.4,1.3 L4.4,-1.3 Z";
/** Its foot is in the middle of the field, where the goal is. */
const FLAG = "M-0.9,0.6 L-0.9,-9.6 L8.2,-6.6 L0.9,-3.6 L0.9,0.6 Z";
const POINT = "M-3,0 A3,3 0 1 1 3,0 A3,3 0 1 1 -3,0 Z";
/** Other marks have none. */
const OUTLINES: Partial<Record<Shape, string>> = {
  ...VEHICLES,
  stop: STOP,
  flag: FLAG,
  point: POINT,
};
const MARKS: Mark[] = ["ring", "found", "seen", "gone", "stop", "flag", "point"];
/** In the order of their numbers. */
export const SHAPES = [...(Object.keys(VEHICLES) as VehicleShape[]), ...MARKS];

const CELL = 64;
/** How wide and high the field of a symbol is; its outline needs some room beyond 20. */
const FIELD = 24;
export const ATLAS_WIDTH = CELL * SHAPES.length;
export const ATLAS_HEIGHT = CELL;

export function shapeNumber(shape: Shape): number {
  return SHAPES.indexOf(shape);
}

/** Red: filled; green: with outline; blue: hollow; opaqueness: striped. */
export function drawAtlas(): Uint8Array {
  const channels = [drawFilled, drawOutlined, drawHollow, drawStriped].map(drawCells);
  const atlas = new Uint8Array(ATLAS_WIDTH * ATLAS_HEIGHT * 4);
  for (let i = 0; i < ATLAS_WIDTH * ATLAS_HEIGHT; i++) {
    for (let c = 0; c < 4; c++) atlas[i * 4 + c] = channels[c][i * 4];
  }
  return atlas;
}

type Draw = (paper: CanvasRenderingContext2D, shape: Shape) => void;

function drawCells(draw: Draw): Uint8ClampedArray {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [ATLAS_WIDTH, ATLAS_HEIGHT];
  const paper = canvas.getContext("2d", { willReadFrequently: true })!;
  paper.fillStyle = "black";
  paper.fillRect(0, 0, ATLAS_WIDTH, ATLAS_HEIGHT);
  paper.fillStyle = paper.strokeStyle = "white";
  paper.lineJoin = "round";
  SHAPES.forEach((shape, i) => {
    paper.setTransform(CELL / FIELD, 0, 0, CELL / FIELD, (i + 0.5) * CELL, CELL / 2);
    draw(paper, shape);
  });
  return paper.getImageData(0, 0, ATLAS_WIDTH, ATLAS_HEIGHT).data;
}

const drawFilled: Draw = (paper, shape) => {
  if (OUTLINES[shape]) paper.fill(new Path2D(OUTLINES[shape]));
  else drawMark(paper, shape, 1.6);
};

const drawOutlined: Draw = (paper, shape) => {
  if (!OUTLINES[shape]) return drawMark(paper, shape, 4);
  const path = new Path2D(OUTLINES[shape]);
  paper.lineWidth = 3.2;
  paper.fill(path);
  paper.stroke(path);
};

const drawHollow: Draw = (paper, shape) => {
  if (!OUTLINES[shape]) return drawMark(paper, shape, 1.6);
  paper.lineWidth = 1.8;
  paper.stroke(new Path2D(OUTLINES[shape]));
};

const drawStriped: Draw = (paper, shape) => {
  drawHollow(paper, shape);
  if (!OUTLINES[shape]) return;
  paper.save();
  paper.clip(new Path2D(OUTLINES[shape]));
  for (let y = -9; y < 10; y += 5) paper.fillRect(-10, y, 20, 2.5);
  paper.restore();
};

/** Marks that are no vehicles: around the selected one, and where something was sighted. */
function drawMark(paper: CanvasRenderingContext2D, shape: Shape, width: number): void {
  paper.lineWidth = width;
  const circle = (radius: number) => {
    paper.beginPath();
    paper.arc(0, 0, radius, 0, 2 * Math.PI);
    paper.stroke();
  };
  if (shape === "ring") return circle(9.8);
  if (shape === "found") {
    circle(7);
    return circle(2);
  }
  paper.setLineDash(shape === "seen" ? [3, 2.5] : []);
  if (shape === "seen") circle(7);
  paper.setLineDash([]);
  const arm = shape === "seen" ? 3 : 5.5;
  paper.stroke(new Path2D(`M${-arm},${-arm} L${arm},${arm} M${arm},${-arm} L${-arm},${arm}`));
}

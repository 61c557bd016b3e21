/** The symbols: six kinds that differ by shape alone, and marks. All point north. */

/** In the order of their numbers. */
export const SHAPES = [
  "unknown",
  "pedestrian",
  "ground",
  "fixedwing",
  "rotorcraft",
  "surface",
  "underwater",
  "ring",
  "found",
  "seen",
  "gone",
] as const;
export type Shape = (typeof SHAPES)[number];

const CELL = 64;
/** How wide and high the field of a symbol is; its outline needs some room beyond 20. */
const FIELD = 24;
export const ATLAS_WIDTH = CELL * SHAPES.length;
export const ATLAS_HEIGHT = CELL;

export function shapeNumber(shape: Shape): number {
  return SHAPES.indexOf(shape);
}

/** The symbol of a kind such as "aerial/fixedwing". */
export function shapeOfKind(kind: string): number {
  const found = SHAPES.findIndex((shape, i) => i > 0 && i < 7 && kind.includes(shape));
  return Math.max(found, 0);
}

/** Outlines on a field from -10 to 10, north (the front) up. */
const OUTLINES: Record<Shape, string> = {
  unknown: "M0,-8 L6,7 L0,4 L-6,7 Z",
  // A head, looking ahead.
  pedestrian: "M0,-9 L3.6,-4.4 A5.6,5.6 0 1 1 -3.6,-4.4 Z",
  // A box on wheels with a bevelled nose.
  ground: "M-2.4,-8 L2.4,-8 L4.8,-4.5 L4.8,7.5 L-4.8,7.5 L-4.8,-4.5 Z",
  fixedwing:
    "M0,-9 L1.7,-6 L1.7,-2.5 L9.2,1.2 L9.2,3.6 L1.6,2 L1.2,6 L4,8 L4,9.2 L0,8.3 " +
    "L-4,9.2 L-4,8 L-1.2,6 L-1.6,2 L-9.2,3.6 L-9.2,1.2 L-1.7,-2.5 L-1.7,-6 Z",
  // Four rotors on crossed arms; the front has a nose.
  rotorcraft:
    "M0,-6 L2.2,-2.6 L3.2,-3.6 A3.1,3.1 0 1 1 5.6,-1.6 L2.8,0 L5.6,2.4 A3.1,3.1 0 1 1 2.6,5.4 " +
    "L0,2.8 L-2.6,5.4 A3.1,3.1 0 1 1 -5.6,2.4 L-2.8,0 L-5.6,-1.6 A3.1,3.1 0 1 1 -3.2,-3.6 " +
    "L-2.2,-2.6 Z",
  // A hull from above: pointed bow, straight stern.
  surface: "M0,-9.5 C3.6,-5.5 4.6,-2 4.6,2 L3.6,8.5 L-3.6,8.5 L-4.6,2 C-4.6,-2 -3.6,-5.5 0,-9.5 Z",
  // A round-nosed tube with a cross of fins at its end.
  underwater:
    "M0,-9 C2.8,-9 3,-6 3,-4 L3,2 L1.6,5 L6.5,6 L6.5,8.4 L1.2,8 L0,9.4 L-1.2,8 L-6.5,8.4 " +
    "L-6.5,6 L-1.6,5 L-3,2 L-3,-4 C-3,-6 -2.8,-9 0,-9 Z",
  ring: "",
  found: "",
  seen: "",
  gone: "",
};

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

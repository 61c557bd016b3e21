/** Which names there is room for, and where. */

import type { Camera } from "./mercator.ts";
import { TakenRoom } from "./taken-room.ts";
import type { Room } from "./taken-room.ts";

const MOST_NAMES = 70;
/** With more in view than this, only who matters most has a name. */
const CROWD = 300;
/** Who is selected has a ring: so much wider, in halves of a symbol. */
const RINGED = 1.3;
/** Of a line of text, pixels. */
export const HEIGHT = 14;

export interface Label {
  row: number;
  text: string;
  /** Left and middle of the text, pixels from the vehicle. */
  dx: number;
  dy: number;
}

export interface Naming {
  camera: Camera;
  /** Offsets, two a row. */
  offsets: Float64Array;
  /** Half a symbol's width, pixels. */
  radius: number;
  /** "" for none. */
  text(row: number): string;
  width(text: string): number;
  /** More is named first; Infinity is named whatever lies beneath. */
  weight(row: number): number;
  visible(row: number): boolean;
}

/**
 * Choose names, in what is left of `room`, and take theirs of it; those of `before` keep their
 * place while they can, so that nothing flickers.
 */
export function chooseNames(naming: Naming, before: Label[], room: TakenRoom): Label[] {
  const seen = inView(naming);
  const crowded = seen.rows.length > CROWD;
  if (!crowded) {
    seen.rows.forEach((_, i) => room.take(symbolBox(seen.x[i], seen.y[i], naming.radius * 0.6)));
  }
  const sides = new Map(before.map((label) => [label.row, label]));
  const order = seen.rows
    .map((row, i) => ({ row, i, weight: naming.weight(row) + (sides.has(row) ? 0.5 : 0) }))
    .filter(({ weight }) => !crowded || weight >= IMPORTANT)
    .sort((a, b) => b.weight - a.weight);
  const chosen: Label[] = [];
  for (const { row, i, weight } of order) {
    if (chosen.length >= MOST_NAMES) break;
    const label = place(naming, room, row, seen.x[i], seen.y[i], weight, sides.get(row));
    if (label) chosen.push(label);
  }
  return chosen;
}

/** From this weight on, a name is looked for even in a crowd. */
export const IMPORTANT = 10;
/** Of whoever is selected, at least. */
export const SELECTED = 20;

function symbolBox(x: number, y: number, radius: number): Room {
  return [x - radius, y - radius, x + radius, y + radius];
}

function inView(naming: Naming): { rows: number[]; x: number[]; y: number[] } {
  const { camera, offsets } = naming;
  const { width, height } = camera.look;
  const found = { rows: [] as number[], x: [] as number[], y: [] as number[] };
  for (let row = 0; row < offsets.length / 2; row++) {
    const x = camera.screenX(offsets[row * 2], offsets[row * 2 + 1]);
    const y = camera.screenY(offsets[row * 2], offsets[row * 2 + 1]);
    if (!(x > -20 && x < width + 20 && y > -20 && y < height + 20)) continue;
    if (!naming.visible(row)) continue;
    found.rows.push(row);
    found.x.push(x);
    found.y.push(y);
  }
  return found;
}

function place(
  naming: Naming,
  room: TakenRoom,
  row: number,
  x: number,
  y: number,
  weight: number,
  before: Label | undefined,
): Label | null {
  const text = naming.text(row);
  if (!text) return null;
  const wide = naming.width(text);
  const away = naming.radius * (weight >= SELECTED ? RINGED : 0.75) + 3;
  const sides: [number, number][] = [
    [away, 0],
    [-away - wide, 0],
    [-wide / 2, away + HEIGHT / 2],
    [-wide / 2, -away - HEIGHT / 2],
  ];
  if (before) {
    const moved = ([dx, dy]: [number, number]) => Math.hypot(dx - before.dx, dy - before.dy);
    sides.sort((one, other) => moved(one) - moved(other));
  }
  const box = ([dx, dy]: [number, number]): Room => {
    return [x + dx - 2, y + dy - HEIGHT / 2, x + dx + wide + 2, y + dy + HEIGHT / 2];
  };
  const place = room.takeFirst(sides.map(box));
  if (place >= 0) return { row, text, dx: sides[place][0], dy: sides[place][1] };
  if (weight !== Infinity) return null;
  const [dx, dy] = sides.find((side) => room.inside(box(side))) ?? sides[0];
  room.take(box([dx, dy]));
  return { row, text, dx, dy };
}

/** Orders on the map: from vehicles to where they are to go, and what is being drawn for one. */

import type { StandingOrder } from "../feed/messages.ts";
import type { Sketch } from "../orders/sketch.ts";
import type { Selection } from "../selection.ts";
import type { LineTable } from "./line-table.ts";
import { fade } from "./palette.ts";
import type { Palette } from "./palette.ts";
import type { Places } from "./places.ts";

const LEG = 2;
const TETHER = 1.2;
const DASH = 4;
/** The tether of a vehicle to its way is paler than the way. */
const PALE = 0.65;
/** Of an order to more than so many, only the first has a tether. */
const MOST_TETHERS = 60;

/** A place of an order: a flag at its end, a point on its way there. Offsets. */
export interface Flag {
  x: number;
  y: number;
  last: boolean;
}

export interface OrderScene {
  readonly sketch: Sketch;
  readonly standing: StandingOrder[];
  /** Whether the orders of all are shown, and not only of who is selected. */
  readonly showAll: boolean;
  onChange(listener: () => void): void;
}

export interface Ordered {
  places: Places;
  palette: Palette;
  scene: OrderScene;
  rowOf: Map<number, number>;
  selection: Selection;
}

type Path = [x: number, y: number][];

/** Adds lines to `table`; returns the flags that belong to them. */
export function addOrders(table: LineTable, ordered: Ordered): Flag[] {
  const flags: Flag[] = [];
  for (const order of ordered.scene.standing) addStanding(table, flags, ordered, order);
  addSketch(table, flags, ordered);
  return flags;
}

function addStanding(
  table: LineTable,
  flags: Flag[],
  ordered: Ordered,
  order: StandingOrder,
): void {
  const { scene, rowOf, selection } = ordered;
  const chooses = (row: number) => selection.chooses(row);
  const rows = order.vids.map((vid) => rowOf.get(vid)).filter((row) => row !== undefined);
  if (!order.places.length || !rows.length) return;
  if (!scene.showAll && !rows.some(chooses)) return;
  const path = pathOf(ordered, order.places);
  addPath(table, flags, path, ordered.palette);
  const leader = rowOf.get(order.leader ?? -1);
  // Only the leader of a formation goes there itself.
  const led = order.formation ? [leader ?? rows[0]] : rows;
  const going = scene.showAll ? led : led.filter((row) => order.formation || chooses(row));
  const tied = going.length > MOST_TETHERS ? going.slice(0, 1) : going;
  for (const row of tied) addTether(table, ordered, row, path);
}

/** What is being drawn: from who is selected through the points to the pointer. */
function addSketch(table: LineTable, flags: Flag[], ordered: Ordered): void {
  const { sketch } = ordered.scene;
  const { points, pointer, drawing } = sketch;
  const drawn = pointer && drawing ? [...points, pointer] : points;
  if (!drawn.length) return;
  const path = pathOf(ordered, drawn);
  const from = middle(ordered.places, ordered.selection.members);
  if (from) line(table, from, path[0], ordered.palette.order, TETHER, DASH);
  addPath(table, flags, path, ordered.palette);
}

function pathOf({ places }: Ordered, points: readonly (readonly [number, number])[]): Path {
  const { anchor } = places;
  return points.map(([lon, lat]) => [anchor.offsetX(lon), anchor.offsetY(lat)]);
}

function addPath(table: LineTable, flags: Flag[], path: Path, palette: Palette): void {
  for (let i = 1; i < path.length; i++) line(table, path[i - 1], path[i], palette.order, LEG);
  path.forEach(([x, y], i) => flags.push({ x, y, last: i === path.length - 1 }));
}

/** From a vehicle to the nearest point of its way: how far it has come on it, nobody tells. */
function addTether(table: LineTable, { places, palette }: Ordered, row: number, path: Path): void {
  const from: [number, number] = [places.offsets[row * 2], places.offsets[row * 2 + 1]];
  line(table, from, nearestOn(path, from), fade(palette.order, PALE), TETHER, DASH);
}

/** The point of a path, whole or of a single place, that is nearest to another. */
export function nearestOn(path: Path, [x, y]: [number, number]): [number, number] {
  let best = path[0];
  let least = Infinity;
  const consider = (point: [number, number]) => {
    const apart = Math.hypot(point[0] - x, point[1] - y);
    if (apart < least) [best, least] = [point, apart];
  };
  consider(path[0]);
  for (let i = 1; i < path.length; i++) {
    const [[x0, y0], [x1, y1]] = [path[i - 1], path[i]];
    const [dx, dy] = [x1 - x0, y1 - y0];
    const along = ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy || 1);
    const share = Math.min(1, Math.max(0, along));
    consider([x0 + share * dx, y0 + share * dy]);
  }
  return best;
}

function line(
  table: LineTable,
  [x0, y0]: [number, number],
  [x1, y1]: [number, number],
  colour: number,
  width: number,
  dash = 0,
): void {
  table.add(x0, y0, x1, y1, colour, width, dash);
}

/** Of those of some rows who are known to be somewhere; null for nobody. */
function middle(places: Places, rows: number[]): [number, number] | null {
  let [x, y, count] = [0, 0, 0];
  for (const row of rows) {
    if (Number.isNaN(places.offsets[row * 2])) continue;
    x += places.offsets[row * 2];
    y += places.offsets[row * 2 + 1];
    count += 1;
  }
  return count ? [x / count, y / count] : null;
}

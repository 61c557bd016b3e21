/** A grid of the run's own metres beneath everything: a map where there is none. */

import { LocalFrame } from "./local-frame.ts";
import type { LineTable } from "./line-table.ts";
import { metresPerPixel } from "./mercator.ts";
import type { Camera } from "./mercator.ts";
import type { Palette } from "./palette.ts";

/** Pixels between two lines, at least. */
const APART = 70;
/** Beyond this the plane is too far from the globe to mean anything, m. */
const WIDEST = 20000;
/** Each line has so many straight pieces, for the globe is round. */
const PIECES = 4;

/** Distance between lines, m: 1, 2 or 5 times a power of ten. */
export function gridSpacing(metresPerPixel: number): number {
  const least = metresPerPixel * APART;
  const power = 10 ** Math.floor(Math.log10(least));
  for (const times of [1, 2, 5]) {
    if (power * times >= least * (1 - 1e-9)) return power * times;
  }
  return power * 10;
}

export interface GridLabel {
  text: string;
  /** Offsets of the line's place at the edge of the map. */
  x: number;
  y: number;
  axis: "east" | "north";
}

/** The box of the plane that the map shows, in metres. */
export interface PlaneBox {
  west: number;
  south: number;
  east: number;
  north: number;
}

export class Grid {
  private readonly frame: LocalFrame;
  /** What the lines were last made for. */
  private made = "";
  spacing = 0;

  constructor(
    lat: number,
    lon: number,
    private readonly table: LineTable,
    /** Adds what else lies on the ground and changes as seldom. */
    private readonly addMore: (table: LineTable, palette: Palette) => void,
  ) {
    this.frame = new LocalFrame(lat, lon);
  }

  /** Make the lines anew at the next frame. */
  forget(): void {
    this.made = "";
  }

  /** Make the lines for what the map shows; they reach well beyond it and stay for a while. */
  update(camera: Camera, palette: Palette, on: boolean): void {
    const { latitude, zoom } = camera.look;
    this.spacing = on ? gridSpacing(metresPerPixel(latitude, zoom)) : 0;
    if (this.spacing > WIDEST) this.spacing = 0;
    const box = this.box(camera);
    const step = this.spacing * 8 || 1;
    const wide = snapped(box, step);
    const made = `${this.spacing} ${Object.values(wide)} ${palette.grid} ${palette.axis}`;
    if (made === this.made) return;
    this.made = made;
    this.table.clear();
    if (this.spacing) this.addLines(wide, camera, palette);
    this.addMore(this.table, palette);
  }

  private addLines(box: PlaneBox, camera: Camera, palette: Palette): void {
    const shade = (at: number) => (at === 0 ? palette.axis : palette.grid);
    for (const x of steps(box.west, box.east, this.spacing)) {
      this.addLine((share) => [x, box.south + share * (box.north - box.south)], camera, shade(x));
    }
    for (const y of steps(box.south, box.north, this.spacing)) {
      this.addLine((share) => [box.west + share * (box.east - box.west), y], camera, shade(y));
    }
  }

  private addLine(at: (share: number) => [number, number], camera: Camera, colour: number): void {
    let [x0, y0] = this.offset(camera, ...at(0));
    for (let piece = 1; piece <= PIECES; piece++) {
      const [x1, y1] = this.offset(camera, ...at(piece / PIECES));
      this.table.add(x0, y0, x1, y1, colour, 1);
      [x0, y0] = [x1, y1];
    }
  }

  /** What is written at the lower and left edges: nothing while the map is turned far. */
  labels(camera: Camera): GridLabel[] {
    if (!this.spacing || Math.abs(camera.look.bearing) > 30) return [];
    const { width, height } = camera.look;
    const box = this.box(camera);
    const [, bottom] = this.frame.toLocal(...camera.under(width / 2, height));
    const [left] = this.frame.toLocal(...camera.under(0, height / 2));
    const east = steps(box.west, box.east, this.spacing).map((x) => {
      return this.label(camera, x, bottom, "east");
    });
    const north = steps(box.south, box.north, this.spacing).map((y) => {
      return this.label(camera, left, y, "north");
    });
    return [...east, ...north];
  }

  private label(camera: Camera, east: number, north: number, axis: "east" | "north"): GridLabel {
    const [x, y] = this.offset(camera, east, north);
    return { text: `${axis === "east" ? east : north} m`, x, y, axis };
  }

  private offset(camera: Camera, east: number, north: number): [number, number] {
    const [lon, lat] = this.frame.toGlobe(east, north);
    return [camera.anchor.offsetX(lon), camera.anchor.offsetY(lat)];
  }

  private box(camera: Camera): PlaneBox {
    const { width, height } = camera.look;
    const corners = [[0, 0], [width, 0], [0, height], [width, height]] as const;
    const local = corners.map(([x, y]) => this.frame.toLocal(...camera.under(x, y)));
    const [east, north] = [local.map((one) => one[0]), local.map((one) => one[1])];
    return {
      west: Math.min(...east),
      south: Math.min(...north),
      east: Math.max(...east),
      north: Math.max(...north),
    };
  }
}

function snapped(box: PlaneBox, step: number): PlaneBox {
  return {
    west: Math.floor(box.west / step - 1) * step,
    south: Math.floor(box.south / step - 1) * step,
    east: Math.ceil(box.east / step + 1) * step,
    north: Math.ceil(box.north / step + 1) * step,
  };
}

/** Multiples of `step` from `from` to `to`, without the sign of a negative zero. */
export function steps(from: number, to: number, step: number): number[] {
  const first = Math.ceil(from / step);
  const count = Math.max(0, Math.floor(to / step) - first + 1);
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toFixed(digits)) + 0);
}

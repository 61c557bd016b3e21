/** What is written on the map: names, ages, distances, areas, the grid's metres. */

import type { Fleet } from "../fleet.ts";
import { Health } from "../fleet.ts";
import { age } from "../format.ts";
import type { Selection } from "../selection.ts";
import type { PlacedName } from "./base/features.ts";
import { Distances } from "./distances.ts";
import type { Grid, GridLabel } from "./grid.ts";
import type { LetterTable, Writing } from "./letter-table.ts";
import type { Camera } from "./mercator.ts";
import { chooseNames, HEIGHT, IMPORTANT, SELECTED } from "./names.ts";
import type { Label } from "./names.ts";
import { packColour, roleColour } from "./palette.ts";
import type { Palette } from "./palette.ts";
import type { Places } from "./places.ts";
import { symbolSize } from "./layers/symbols-layer.ts";
import { TakenRoom } from "./taken-room.ts";
import type { Room } from "./taken-room.ts";

/** Names are chosen anew after this time, ms; drawn with every frame. */
const CHOOSE_EVERY = 300;
/** Where the name of an area may stand, from its northern edge: above, else beneath. Pixels. */
const AREA_LINES = [-9, -23, -37, -51, 9, 23, 37, 51];

/** Its colour comes with the palette, by its role. */
type PlacedWriting = Omit<Writing, "colour"> & { role: string };

export interface WritingParts {
  fleet: Fleet;
  selection: Selection;
  places: Places;
  grid: Grid;
  letters: LetterTable;
  /** Names of areas and routes that are shown. */
  areas(): PlacedName[];
  levels: number;
  /** What lies over the map now. */
  covered(): Room[];
}

export class Writings {
  private labels: Label[] = [];
  private areas: PlacedWriting[] = [];
  private covered: Room[] = [];
  private readonly distances: Distances;
  private chosenAt = -Infinity;
  private chosenZoom = NaN;

  constructor(private readonly parts: WritingParts) {
    this.distances = new Distances(parts);
  }

  /** Choose names anew at the next frame. */
  forget(): void {
    this.chosenAt = -Infinity;
  }

  write(camera: Camera, palette: Palette, shown: Uint8Array): void {
    const now = performance.now();
    const zoomed = Math.abs(camera.look.zoom - this.chosenZoom) > 0.25;
    if (now - this.chosenAt > CHOOSE_EVERY || zoomed) {
      this.choose(camera, shown);
      this.chosenAt = now;
      this.chosenZoom = camera.look.zoom;
    }
    const { letters } = this.parts;
    letters.clear();
    for (const writing of this.all(camera, palette)) letters.add(writing);
  }

  private *all(camera: Camera, palette: Palette): Generator<Writing> {
    for (const label of this.gridLabels(camera)) {
      const { text, x, y } = label;
      yield { text, x, y, ...this.besideLine(label), colour: palette.quiet };
    }
    for (const { role, ...area } of this.areas) {
      yield { ...area, colour: packColour(roleColour(palette, role)) };
    }
    yield* this.distances.writings(palette);
    const { places, selection } = this.parts;
    for (const { row, text, dx, dy } of this.labels) {
      const [x, y] = [places.offsets[row * 2], places.offsets[row * 2 + 1]];
      yield { text, x, y, dx, dy, colour: palette.ink, bold: selection.chooses(row) };
    }
  }

  /** What matters more takes its room first. */
  private choose(camera: Camera, shown: Uint8Array): void {
    const room = new TakenRoom(camera.look.width, camera.look.height);
    this.covered = this.parts.covered();
    for (const box of this.covered) room.take(box);
    for (const label of this.gridLabels(camera)) room.take(this.gridRoom(camera, label));
    this.areas = this.chooseAreas(camera, room);
    this.labels = this.chooseLabels(camera, shown, room);
    this.distances.choose(camera, room);
  }

  private chooseLabels(camera: Camera, shown: Uint8Array, room: TakenRoom): Label[] {
    const { fleet, selection, places } = this.parts;
    const late = (row: number) =>
      fleet.health[row] === Health.Lost || fleet.health[row] === Health.Stale;
    const size = symbolSize(camera.look.zoom, fleet.size);
    return chooseNames(
      {
        camera,
        offsets: places.offsets,
        radius: size / 2,
        text: (row) => {
          const name = fleet.roster.names[row];
          return late(row) ? `${name} · ${age(fleet.age[row])}` : name;
        },
        width: (text) => this.width(text),
        weight: (row) => {
          if (row === selection.selected || row === selection.partner) return Infinity;
          if (selection.chooses(row)) return SELECTED;
          if (fleet.health[row] === Health.Lost) return IMPORTANT;
          return fleet.roster.origin[row] > 0 ? 2 : 1;
        },
        visible: (row) => shown[row] !== 0 || selection.chooses(row),
      },
      this.labels,
      room,
    );
  }

  /** Names above their areas, else within; where several are at one place, in lines. */
  private chooseAreas(camera: Camera, room: TakenRoom): PlacedWriting[] {
    const { anchor } = this.parts.places;
    const found: PlacedWriting[] = [];
    for (const { text, role, lon, lat } of this.parts.areas()) {
      const [x, y] = [anchor.offsetX(lon), anchor.offsetY(lat)];
      const [middle, edge] = [camera.screenX(x, y), camera.screenY(x, y)];
      const half = this.width(text) / 2;
      const boxes = AREA_LINES.map((dy): Room => {
        const top = edge + dy - HEIGHT / 2;
        return [middle - half - 2, top, middle + half + 2, top + HEIGHT];
      });
      const line = room.takeFirst(boxes);
      if (line >= 0) found.push({ text, role, x, y, dx: -half, dy: AREA_LINES[line] });
    }
    return found;
  }

  private width(text: string): number {
    return this.parts.letters.glyphs.width(text);
  }

  /** Those that lie neither under a button nor beyond the edge. */
  private gridLabels(camera: Camera): GridLabel[] {
    const { width, height } = camera.look;
    return this.parts.grid.labels(camera).filter((label) => {
      const [left, top, right, bottom] = this.gridRoom(camera, label);
      if (left < 0 || right > width || top < 0 || bottom > height) return false;
      return !this.covered.some(
        (box) => left < box[2] && box[0] < right && top < box[3] && box[1] < bottom,
      );
    });
  }

  private gridRoom(camera: Camera, label: GridLabel): Room {
    const { dx, dy } = this.besideLine(label);
    const left = camera.screenX(label.x, label.y) + dx;
    const middle = camera.screenY(label.x, label.y) + dy;
    return [left, middle - HEIGHT / 2, left + this.width(label.text), middle + HEIGHT / 2];
  }

  private besideLine({ axis, text }: GridLabel): { dx: number; dy: number } {
    return axis === "east" ? { dx: -this.width(text) / 2, dy: -10 } : { dx: 6, dy: 0 };
  }
}

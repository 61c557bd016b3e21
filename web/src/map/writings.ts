/** What is written on the map: names, ages, distances, areas, the grid's metres. */

import type { Fleet } from "../fleet.ts";
import { Health } from "../fleet.ts";
import { PAIR_WORDS } from "../feed/frame.ts";
import { levelLook } from "../levels.ts";
import type { Selection } from "../selection.ts";
import type { PlacedName } from "./base/features.ts";
import type { Grid } from "./grid.ts";
import type { LetterTable, Writing } from "./letter-table.ts";
import type { Camera } from "./mercator.ts";
import { chooseNames, IMPORTANT, TakenRoom } from "./names.ts";
import type { Label } from "./names.ts";
import { packColour } from "./palette.ts";
import type { Palette } from "./palette.ts";
import type { Places } from "./places.ts";
import { symbolSize } from "./layers/symbols-layer.ts";

/** Names are chosen anew after this time, ms; drawn with every frame. */
const CHOOSE_EVERY = 300;
/** Distances written at the lines of pairs, at most, but for the selected one's. */
const MOST_DISTANCES = 12;
/** Room of a distance, pixels. */
const DISTANCE_ROOM = [52, 16] as const;

export interface WritingParts {
  fleet: Fleet;
  selection: Selection;
  places: Places;
  grid: Grid;
  letters: LetterTable;
  areas: PlacedName[];
  levels: number;
}

export class Writings {
  private labels: Label[] = [];
  /** Pairs whose distance is written. */
  private chosenPairs = new Set<number>();
  private chosenAt = -Infinity;
  private chosenZoom = NaN;

  constructor(private readonly parts: WritingParts) {}

  /** Choose names anew at the next frame. */
  forget(): void {
    this.chosenAt = -Infinity;
  }

  write(camera: Camera, palette: Palette, shown: Uint8Array): void {
    const now = performance.now();
    const zoomed = Math.abs(camera.look.zoom - this.chosenZoom) > 0.25;
    if (now - this.chosenAt > CHOOSE_EVERY || zoomed) {
      this.labels = this.choose(camera, shown);
      this.chosenPairs = this.choosePairs(camera, shown);
      this.chosenAt = now;
      this.chosenZoom = camera.look.zoom;
    }
    const { letters } = this.parts;
    letters.clear();
    for (const writing of this.all(camera, palette)) letters.add(writing);
  }

  private *all(camera: Camera, palette: Palette): Generator<Writing> {
    yield* this.gridLabels(camera, palette);
    yield* this.areaNames(palette);
    yield* this.distances(palette);
    const { offsets } = this.parts.places;
    for (const { row, text, dx, dy } of this.labels) {
      const selected = row === this.parts.selection.selected;
      const [x, y] = [offsets[row * 2], offsets[row * 2 + 1]];
      yield { text, x, y, dx, dy, colour: palette.ink, bold: selected };
    }
  }

  private choose(camera: Camera, shown: Uint8Array): Label[] {
    const { fleet, selection, places, letters } = this.parts;
    const selected = selection.selected;
    const late = (row: number) =>
      fleet.health[row] === Health.Lost || fleet.health[row] === Health.Stale;
    const size = symbolSize(camera.look.zoom, fleet.size);
    return chooseNames(
      {
        camera,
        offsets: places.offsets,
        radius: size / 2,
        text: (row) => {
          const age = late(row) ? ` · ${Math.floor(fleet.age[row])} s` : "";
          return fleet.roster.names[row] + age;
        },
        width: (text) => letters.glyphs.width(text),
        weight: (row) => {
          if (row === selected) return Infinity;
          if (fleet.health[row] === Health.Lost) return IMPORTANT;
          return fleet.roster.origin[row] > 0 ? 2 : 1;
        },
        visible: (row) => shown[row] !== 0 || row === selected,
      },
      this.labels,
    );
  }

  private width(text: string): number {
    return this.parts.letters.glyphs.width(text);
  }

  private *gridLabels(camera: Camera, palette: Palette): Generator<Writing> {
    for (const { text, x, y, axis } of this.parts.grid.labels(camera)) {
      if (inCorner(camera, x, y)) continue;
      const across = axis === "east" ? -this.width(text) / 2 : 6;
      yield { text, x, y, dx: across, dy: axis === "east" ? -10 : 0, colour: palette.quiet };
    }
  }

  private *areaNames(palette: Palette): Generator<Writing> {
    const { anchor } = this.parts.places;
    const colour = packColour(palette.area);
    for (const { text, lon, lat } of this.parts.areas) {
      const [x, y] = [anchor.offsetX(lon), anchor.offsetY(lat)];
      yield { text, x, y, dx: -this.width(text) / 2, dy: -9, colour };
    }
  }

  /** The closest of the innermost level as far as there is room, and all of the selected one's. */
  private choosePairs(camera: Camera, shown: Uint8Array): Set<number> {
    const { fleet, selection, levels } = this.parts;
    const chosen = new Set<number>();
    const inner: number[] = [];
    for (let at = 0; at < fleet.pairs.length; at += PAIR_WORDS) {
      const [row, other] = [fleet.pairs[at], fleet.pairs[at + 1]];
      if (row >= fleet.size || other >= fleet.size) continue;
      if (selection.selected === row || selection.selected === other) chosen.add(this.pair(at));
      else if (fleet.pairs[at + 3] >= levels && (shown[row] || shown[other])) inner.push(at);
    }
    inner.sort((a, b) => fleet.distances[a + 2] - fleet.distances[b + 2]);
    const room = this.roomOfNames(camera);
    const most = chosen.size + MOST_DISTANCES;
    for (const at of inner) {
      if (chosen.size >= most) break;
      const [x, y] = this.middle(at);
      const [left, top] = [camera.screenX(x, y) + 6, camera.screenY(x, y) - 16];
      const box = [left, top, left + DISTANCE_ROOM[0], top + DISTANCE_ROOM[1]] as const;
      if (!room.free([...box])) continue;
      room.take([...box]);
      chosen.add(this.pair(at));
    }
    return chosen;
  }

  private roomOfNames(camera: Camera): TakenRoom {
    const room = new TakenRoom();
    const { offsets } = this.parts.places;
    for (const { row, text, dx, dy } of this.labels) {
      const left = camera.screenX(offsets[row * 2], offsets[row * 2 + 1]) + dx;
      const middle = camera.screenY(offsets[row * 2], offsets[row * 2 + 1]) + dy;
      room.take([left, middle - 7, left + this.width(text), middle + 7]);
    }
    return room;
  }

  private *distances(palette: Palette): Generator<Writing> {
    const { fleet, levels } = this.parts;
    if (this.chosenPairs.size === 0) return;
    for (let at = 0; at < fleet.pairs.length; at += PAIR_WORDS) {
      if (!this.chosenPairs.has(this.pair(at))) continue;
      const [x, y] = this.middle(at);
      const text = `${fleet.distances[at + 2].toFixed(1)} m`;
      const colour = palette.levelTexts[levelLook(fleet.pairs[at + 3], levels)];
      yield { text, x, y, dx: 6, dy: -8, colour, bold: true };
    }
  }

  /** A number of its own for each pair. */
  private pair(at: number): number {
    const { pairs, size } = this.parts.fleet;
    return pairs[at] * size + pairs[at + 1];
  }

  private middle(at: number): [number, number] {
    const { offsets } = this.parts.places;
    const [row, other] = this.parts.fleet.pairs.subarray(at, at + 2);
    return [
      (offsets[row * 2] + offsets[other * 2]) / 2,
      (offsets[row * 2 + 1] + offsets[other * 2 + 1]) / 2,
    ];
  }
}

/** Lower left, where the scale is. */
function inCorner(camera: Camera, x: number, y: number): boolean {
  return camera.screenX(x, y) < 150 && camera.screenY(x, y) > camera.look.height - 45;
}

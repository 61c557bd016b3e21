/** What is written on the map: names, ages, distances, areas, the grid's metres. */

import type { Fleet } from "../fleet.ts";
import { Health } from "../fleet.ts";
import { PAIR_WORDS } from "../feed/frame.ts";
import type { Selection } from "../selection.ts";
import type { PlacedName } from "./base/features.ts";
import type { Grid } from "./grid.ts";
import type { LetterTable, Writing } from "./letter-table.ts";
import type { Camera } from "./mercator.ts";
import { chooseNames, IMPORTANT } from "./names.ts";
import type { Label } from "./names.ts";
import { levelShade, packColour } from "./palette.ts";
import type { Palette } from "./palette.ts";
import type { Places } from "./places.ts";
import { symbolSize } from "./layers/symbols-layer.ts";

/** Names are chosen anew after this time, ms; drawn with every frame. */
const CHOOSE_EVERY = 300;
/** Distances written at the lines of pairs, at most. */
const MOST_DISTANCES = 40;

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

  /** At pairs of the innermost level, and at the selected one's. */
  private *distances(palette: Palette): Generator<Writing> {
    const { fleet, places, selection, levels } = this.parts;
    const { offsets } = places;
    let written = 0;
    for (let at = 0; at < fleet.pairs.length && written < MOST_DISTANCES; at += PAIR_WORDS) {
      const [row, other, level] = [fleet.pairs[at], fleet.pairs[at + 1], fleet.pairs[at + 3]];
      if (row >= fleet.size || other >= fleet.size) continue;
      const selected = selection.selected === row || selection.selected === other;
      if (level < levels && !selected) continue;
      const x = (offsets[row * 2] + offsets[other * 2]) / 2;
      const y = (offsets[row * 2 + 1] + offsets[other * 2 + 1]) / 2;
      const text = `${fleet.distances[at + 2].toFixed(1)} m`;
      const colour = palette.levels[levelShade(level, levels)];
      yield { text, x, y, dx: 6, dy: -8, colour, bold: true };
      written += 1;
    }
  }
}

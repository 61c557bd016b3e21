/** Distances written at the lines of pairs: the nearest first, none over another writing. */

import { PAIR_WORDS } from "../feed/frame.ts";
import type { Fleet } from "../fleet.ts";
import { metres } from "../format.ts";
import { levelLook } from "../levels.ts";
import type { Selection } from "../selection.ts";
import type { Writing } from "./letter-table.ts";
import type { Camera } from "./mercator.ts";
import type { Palette } from "./palette.ts";
import type { Places } from "./places.ts";
import type { Room, TakenRoom } from "./taken-room.ts";

/** At most so many, but for those of who is selected. */
const MOST = 12;
const MOST_OF_SELECTED = 12;
const WIDE = 50;
const HIGH = 16;
/** Left and middle of the text from the middle of the line, in the order of liking. */
const SIDES: [dx: number, dy: number][] = [
  [6, -9],
  [6, 9],
  [-6 - WIDE, -9],
  [-6 - WIDE, 9],
];

export interface DistanceParts {
  fleet: Fleet;
  selection: Selection;
  places: Places;
  levels: number;
}

export class Distances {
  /** By the pair's number, where its distance stands. */
  private chosen = new Map<number, [dx: number, dy: number]>();

  constructor(private readonly parts: DistanceParts) {}

  /** Of the innermost level, filtered or not, and all of the selected one's: while there is room. */
  choose(camera: Camera, room: TakenRoom): void {
    const { fleet, selection, levels } = this.parts;
    const before = this.chosen;
    this.chosen = new Map();
    const own: number[] = [];
    const inner: number[] = [];
    for (let at = 0; at < fleet.pairs.length; at += PAIR_WORDS) {
      const [row, other] = [fleet.pairs[at], fleet.pairs[at + 1]];
      if (row >= fleet.size || other >= fleet.size) continue;
      if (selection.choosesPair(row, other)) {
        this.chosen.set(this.number(at), SIDES[0]);
        room.take(this.box(camera, at, ...SIDES[0]));
      } else if (selection.selected === row || selection.selected === other) own.push(at);
      else if (fleet.pairs[at + 3] >= levels) inner.push(at);
    }
    this.place(own, MOST_OF_SELECTED, camera, room, before);
    this.place(inner, MOST, camera, room, before);
  }

  *writings(palette: Palette): Generator<Writing> {
    const { fleet, levels } = this.parts;
    if (this.chosen.size === 0) return;
    for (let at = 0; at < fleet.pairs.length; at += PAIR_WORDS) {
      const side = this.chosen.get(this.number(at));
      if (!side) continue;
      const [x, y] = this.middle(at);
      const text = metres(fleet.distances[at + 2]);
      const colour = palette.levelTexts[levelLook(fleet.pairs[at + 3], levels)];
      yield { text, x, y, dx: side[0], dy: side[1], colour, bold: true };
    }
  }

  /** The nearest first; who had a place keeps it while it is free. */
  private place(
    pairs: number[],
    most: number,
    camera: Camera,
    room: TakenRoom,
    before: Map<number, [number, number]>,
  ): void {
    const { distances } = this.parts.fleet;
    pairs.sort((a, b) => distances[a + 2] - distances[b + 2]);
    let left = most;
    for (const at of pairs) {
      if (left === 0) break;
      const kept = before.get(this.number(at));
      const sides = kept ? [kept, ...SIDES] : SIDES;
      const place = room.takeFirst(sides.map(([dx, dy]) => this.box(camera, at, dx, dy)));
      if (place < 0) continue;
      this.chosen.set(this.number(at), sides[place]);
      left -= 1;
    }
  }

  private box(camera: Camera, at: number, dx: number, dy: number): Room {
    const [x, y] = this.middle(at);
    const left = camera.screenX(x, y) + dx;
    const middle = camera.screenY(x, y) + dy;
    return [left, middle - HIGH / 2, left + WIDE, middle + HIGH / 2];
  }

  /** A number of its own for each pair. */
  private number(at: number): number {
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

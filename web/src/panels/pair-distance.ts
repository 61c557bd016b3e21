/** How far apart two vehicles are now, by the best that is known. */

import type { Pair } from "../feed/messages.ts";
import type { Fleet } from "../fleet.ts";
import { pairKey } from "./pair-history.ts";

const METRES_A_DEGREE = 111_195;

/** As the frame's notices tell, which the map shows too; nan where they do not. */
export function noticedDistance(fleet: Fleet, row: number, other: number): number {
  for (let i = 0; i < fleet.pairCount; i++) {
    const [one, two] = [fleet.pairs[i * 4], fleet.pairs[i * 4 + 1]];
    if ((one === row && two === other) || (one === other && two === row)) {
      return fleet.distances[i * 4 + 2];
    }
  }
  return NaN;
}

/** Of the frame's notices, else from both places; nan where one is nowhere. */
export function distanceBetween(fleet: Fleet, pairs: Pair[], row: number, other: number): number {
  const noticed = noticedDistance(fleet, row, other);
  if (!Number.isNaN(noticed)) return noticed;
  if (!fleet.known(row) || !fleet.known(other)) return NaN;
  if (Number.isNaN(fleet.z[row] + fleet.z[other])) {
    const told = pairs.find((pair) => pairKey(pair.row, pair.other) === pairKey(row, other));
    return told?.distance ?? NaN;
  }
  const { positions, z } = fleet;
  const north = (positions[row * 2 + 1] - positions[other * 2 + 1]) * METRES_A_DEGREE;
  const narrowing = Math.cos((positions[row * 2 + 1] * Math.PI) / 180);
  const turn = ((positions[row * 2] - positions[other * 2] + 540) % 360) - 180;
  const east = turn * METRES_A_DEGREE * narrowing;
  return Math.hypot(north, east, z[row] - z[other]);
}

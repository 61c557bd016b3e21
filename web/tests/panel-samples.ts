/** Small runs for tests of the panels. */

import type { HostStatus, Reception, Roster, RunEvent, Status } from "../src/feed/messages.ts";
import { Fleet } from "../src/fleet.ts";

export const ORIGINS = { 1: "virtual", 2: "real", 3: "replayed" };

export function roster(size: number): Roster {
  const rows = Array.from({ length: size }, (_, row) => row);
  return {
    vids: rows.map((row) => row + 1),
    names: rows.map((row) => `car-${row + 1}`),
    kinds: ["ground", "aerial/fixedwing"],
    kind: rows.map((row) => row % 2),
    origin: rows.map((row) => (row % 3 === 0 ? 2 : 1)),
    length: rows.map(() => 2),
    behaviors: ["wander", "avoid"],
    missions: [],
    mission: [],
  };
}

export function fleet(size: number): Fleet {
  const made = new Fleet(roster(size));
  for (let row = 0; row < size; row++) {
    made.behavior[row] = row % 3;
    made.speed[row] = (row * 7) % 5;
  }
  return made;
}

export function status(changes: Partial<Status> = {}): Status {
  return { state: "GO", tick: 0, t: 0, duration: 600, legal: ["PAUSE", "STOP"], ...changes };
}

export function host(changes: Partial<HostStatus> = {}): HostStatus {
  return {
    host: "host-1",
    vehicles: 1,
    health: "ok",
    margin: 0.8,
    margin_p5: 0.7,
    lag: 0.001,
    worst_lag: 0.002,
    age: 0.1,
    loss: 0,
    clock_offset: 0,
    clock_uncertainty: 0.0001,
    refused: {},
    ...changes,
  };
}

export function reception(changes: Partial<Reception> = {}): Reception {
  return {
    row: 0,
    heard: "heard",
    accuracy: 3,
    age: 0.4,
    delay: 0.1,
    loss: 0,
    battery: 0.9,
    rate: 1,
    accepted: 10,
    rejected: 0,
    ...changes,
  };
}

export function event(changes: Partial<RunEvent> = {}): RunEvent {
  return { t: 0, utc: 0, kind: "state", text: "", who: "", vids: [], ...changes };
}

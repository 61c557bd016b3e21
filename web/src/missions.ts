/** Missions: which steps a vehicle has, and how far it is. */

import type { Roster } from "./feed/messages.ts";

export const OVER = 255;

export type StepState = "done" | "now" | "ahead";

/** The names of a vehicle's steps; none without a mission. */
export function stepsOf(roster: Roster, row: number): string[] {
  return roster.missions[roster.mission[row] ?? -1] ?? [];
}

export function anyMission(roster: Roster): boolean {
  return roster.mission.some((mission) => mission >= 0);
}

/** What a number of the frames means, in words; "" without a mission or before it has begun. */
export function stepWords(roster: Roster, row: number, step: number): string {
  const names = stepsOf(roster, row);
  if (!names.length || step === 0) return "";
  return names[step - 1] ?? "over";
}

/** Whether the step at a place of the mission lies behind the vehicle or before it. */
export function stepState(place: number, step: number): StepState {
  if (step === OVER || place + 1 < step) return "done";
  return place + 1 === step ? "now" : "ahead";
}

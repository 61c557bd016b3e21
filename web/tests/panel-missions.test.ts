import assert from "node:assert/strict";
import { test } from "node:test";
import { anyMission, OVER, stepState, stepWords } from "../src/missions.ts";
import { missionTitle } from "../src/panels/mission-list.ts";
import { rosterColumns } from "../src/panels/roster-columns.ts";
import { VehicleFacts } from "../src/panels/vehicle-facts.ts";
import type { Situation } from "../src/shell/situation.ts";
import { fleet, ORIGINS, roster } from "./panel-samples.ts";

const MISSIONS = { missions: [["approach", "treat"], ["search"]], mission: [0, -1, 1] };

test("a step is called as the mission calls it; beyond the last it is over", () => {
  const some = { ...roster(3), ...MISSIONS };
  assert.deepEqual([0, 1, 2, 3, OVER].map((step) => stepWords(some, 0, step)), [
    "", "approach", "treat", "over", "over",
  ]);
  assert.equal(stepWords(some, 1, 1), "");
  assert.equal(stepWords(some, 2, 1), "search");
  assert.equal(stepWords(roster(3), 0, 1), "");
});

test("steps before the present one are done, those after it ahead", () => {
  const states = (step: number) => [0, 1, 2].map((place) => stepState(place, step));
  assert.deepEqual(states(0), ["ahead", "ahead", "ahead"]);
  assert.deepEqual(states(2), ["done", "now", "ahead"]);
  assert.deepEqual(states(OVER), ["done", "done", "done"]);
});

test("a mission says where it stands", () => {
  assert.equal(missionTitle(3, 0), "Mission, not begun");
  assert.equal(missionTitle(3, 2), "Mission, step 2 of 3");
  assert.equal(missionTitle(3, OVER), "Mission over");
});

test("the list has a column of steps only where somebody has a mission", () => {
  const columns = (changes: object) => {
    const some = fleet(3);
    Object.assign(some.roster, changes);
    some.step.set([2, 0, OVER]);
    const situation = { fleet: some, hello: { roster: some.roster, origins: ORIGINS } };
    const facts = new VehicleFacts(situation as unknown as Situation);
    return rosterColumns(situation as unknown as Situation, facts);
  };
  assert.equal(columns({}).find((column) => column.id === "step"), undefined);
  assert.equal(anyMission({ ...roster(3), mission: [-1, -1, -1] }), false);
  const step = columns(MISSIONS).find((column) => column.id === "step")!;
  assert.deepEqual([0, 1, 2].map((row) => step.text(row)), ["treat", "", "over"]);
  assert.deepEqual([0, 1, 2].map((row) => step.value(row)), [2, NaN, OVER]);
});

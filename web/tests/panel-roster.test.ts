import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hello, Reception } from "../src/feed/messages.ts";
import { Health } from "../src/fleet.ts";
import type { Fleet } from "../src/fleet.ts";
import { ranks, RosterRows, sorted } from "../src/panels/roster-rows.ts";
import {
  conditionRank,
  conditionTone,
  conditionWords,
  VehicleFacts,
} from "../src/panels/vehicle-facts.ts";
import { Selection } from "../src/selection.ts";
import type { Situation } from "../src/shell/situation.ts";
import { fleet, ORIGINS, reception } from "./panel-samples.ts";

test("the list shows exactly the vehicles that the map shows, whatever the filter", () => {
  const some = fleet(60);
  const selection = new Selection(some, { origins: ORIGINS } as unknown as Hello);
  const rows = new RosterRows(some, ORIGINS);
  const { filter } = selection;
  for (const text of ["", "CAR-1", "5"]) {
    for (const kind of ["", "ground"]) {
      for (const origin of ["", "real"]) {
        for (const behavior of [null, "", "avoid"]) {
          filter.text = text;
          filter.kinds = new Set(kind ? [kind] : []);
          filter.origins = new Set(origin ? [origin] : []);
          filter.behaviors = new Set(behavior === null ? [] : [behavior]);
          const shown = Array.from({ length: 60 }, (_, row) => row).filter(
            (row) => selection.shows(row),
          );
          assert.deepEqual([...rows.passing(filter)], shown);
        }
      }
    }
  }
});

test("chips count all vehicles of a kind, origin and behavior", () => {
  const { kinds, origins, behaviors } = new RosterRows(fleet(7), ORIGINS).facets();
  assert.deepEqual([...kinds], [4, 3]);
  assert.deepEqual([origins[1], origins[2]], [4, 3]);
  assert.deepEqual([behaviors[0], behaviors[1], behaviors[2]], [3, 2, 2]);
});

test("rows are sorted by value, the unknown last in both directions, equals in their order", () => {
  const values = [3, NaN, 1, 3, 2];
  const rows = Uint32Array.of(0, 1, 2, 3, 4);
  assert.deepEqual([...sorted(rows, (row) => values[row], false)], [2, 4, 0, 3, 1]);
  assert.deepEqual([...sorted(rows, (row) => values[row], true)], [0, 3, 4, 2, 1]);
});

test("sorting agrees with the language's own on many rows", () => {
  const values = Array.from({ length: 5000 }, (_, i) => (i * 7919) % 997);
  const rows = Uint32Array.from(values, (_, i) => i);
  const expected = [...rows].sort((a, b) => values[b] - values[a] || a - b);
  assert.deepEqual([...sorted(rows, (row) => values[row], true)], expected);
});

test("numbers in names count as numbers", () => {
  assert.deepEqual([...ranks(["car-10", "car-2", "Bus-1"])], [2, 1, 0]);
});

test("a vehicle's condition is said in words, the worse the higher", () => {
  assert.equal(conditionWords(Health.Lost, 12.3, 3), "LOST 12 s");
  assert.equal(conditionWords(Health.Stale, 8, 3), "STALE 8 s");
  assert.equal(conditionWords(Health.Unheard, 0, 0), "UNHEARD");
  assert.equal(conditionWords(Health.Heard, 0, 3), "GO");
  const worse = [Health.Heard, Health.Unheard, Health.Stale, Health.Lost].map(conditionRank);
  assert.deepEqual(worse, [...worse].sort());
  assert.equal(
    new Set([Health.Heard, Health.Unheard, Health.Stale, Health.Lost].map(conditionTone)).size,
    4,
  );
});

test("a filter is told in words with how many it hides, until it is cleared", () => {
  const some = fleet(12);
  const selection = new Selection(some, { origins: ORIGINS } as unknown as Hello);
  assert.equal(selection.hiddenCount, 0);
  selection.filter.text = "car-1";
  selection.filter.kinds.add("aerial/fixedwing");
  selection.filter.behaviors.add("");
  assert.equal(selection.filterWords, "'car-1', fixedwing, no behavior");
  const shown = Array.from({ length: 12 }, (_, row) => row).filter((row) => selection.shows(row));
  assert.equal(selection.hiddenCount, 12 - shown.length);
  let told = 0;
  selection.onChange(() => (told += 1));
  selection.clearFilter();
  assert.deepEqual([selection.filtering, selection.filterWords, told], [false, "", 1]);
});

function facts(some: Fleet, heard: Partial<Record<number, Reception>> = {}): VehicleFacts {
  const hello = { roster: some.roster, origins: ORIGINS };
  const situation = { fleet: some, hello, reception: (row: number) => heard[row] };
  return new VehicleFacts(situation as unknown as Situation);
}

test("a phone that is heard before it has a place is not called unheard", () => {
  const some = fleet(3);
  const about = facts(some, { 0: reception({ age: 0.4 }), 1: reception({ heard: "never" }) });
  assert.deepEqual([0, 1, 2].map((row) => about.condition(row)), ["heard", "UNHEARD", "UNHEARD"]);
  assert.equal(about.health(0), Health.Heard);
  assert.deepEqual([0, 1, 2].map((row) => about.age(row)), [0.4, NaN, NaN]);
  some.health[0] = Health.Lost;
  some.age[0] = 9;
  assert.equal(about.condition(0), "LOST 9 s");
});

test("before GO only the measured speed of a real vehicle is told", () => {
  const some = fleet(3);
  some.positions.fill(0);
  some.speed.fill(3);
  const about = facts(some);
  for (const state of [1, 2]) {
    some.state = state;
    assert.deepEqual([0, 1].map((row) => about.speedWords(row, " m/s")), ["3.0 m/s", "–"]);
  }
  some.state = 3;
  assert.equal(about.speedWords(1), "3.0");
  some.positions.fill(NaN);
  assert.equal(about.speedWords(1), "");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { drawerOf, EventLog, toneOf } from "../src/panels/event-log.ts";
import { event } from "./panel-samples.ts";

const LEVELS = ["advisory", "caution", "warning"];

test("every kind of event lies in one drawer; unknown ones in the system's", () => {
  const drawers = ["notice", "mission", "lost", "stale", "state", "mark", "overload", "never seen before"];
  assert.deepEqual(
    drawers.map((kind) => drawerOf(event({ kind }))),
    ["notices", "missions", "vehicles", "vehicles", "operator", "marks", "system", "system"],
  );
});

test("a notice is as loud as the level its words name, not as a vehicle is called", () => {
  const tone = (text: string) => toneOf(event({ kind: "notice", text }), LEVELS);
  assert.equal(tone("a and b: advisory, 30.0 m"), "outer");
  assert.equal(tone("a and b: caution, 18.2 m"), "middle");
  assert.equal(tone("a and b: warning, 4.0 m"), "inner");
  assert.equal(tone("warning, and b: advisory, 30.0 m"), "outer");
});

test("the log keeps the newest, counts on, and begins anew when told", () => {
  const log = new EventLog();
  log.add(Array.from({ length: 6000 }, (_, t) => event({ t, vids: [t % 2] })), false);
  assert.equal(log.all.length, 5000);
  assert.equal(log.end, 6000);
  assert.equal(log.all[0].t, 1000);
  assert.deepEqual(log.of(1, 2).map((one) => one.t), [5999, 5997]);
  log.add([event({ t: 7 })], true);
  assert.deepEqual([log.all.length, log.end, log.begun], [1, 1, 1]);
});

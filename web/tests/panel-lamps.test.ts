import assert from "node:assert/strict";
import { test } from "node:test";
import type { CoreStatus, Status } from "../src/feed/messages.ts";
import { lampsOf } from "../src/shell/lamps.ts";
import { host, reception, status } from "./panel-samples.ts";

function lamp(id: string, changes: Partial<Status>): string {
  const found = lampsOf(status(changes), false).find((one) => one.id === id);
  return `${found?.tone}: ${found?.words}`;
}

function core(changes: Partial<CoreStatus>): CoreStatus {
  const well = {
    margin_p5: 0.84,
    lag: 0,
    worst_lag: 0,
    missed_ticks: 0,
    carried_ticks: 0,
    refused: {},
  };
  return { ...well, ...changes };
}

test("the Core's lamp shows its margin, and what it has missed", () => {
  assert.equal(lamp("core", { core: core({}) }), "ok: margin 84 %");
  assert.equal(lamp("core", { core: core({ margin_p5: 0.2 }) }), "caution: margin 20 %");
  assert.equal(lamp("core", { core: core({ margin_p5: 0.02 }) }), "alarm: margin 2 %");
  assert.equal(lamp("core", { core: core({ missed_ticks: 1 }) }), "caution: 1 tick missed");
  assert.equal(lamp("core", { core: core({ margin_p5: null }) }), "unknown: no margin yet");
  assert.equal(lamp("core", { core: core({}), core_silent: 5 }), "alarm: silent for 5.0 s");
});

test("the hosts' lamp counts those that are silent, gone or in trouble", () => {
  const hosts = (...health: string[]) => ({
    hosts: health.map((words) => host({ health: words })),
  });
  assert.equal(lamp("hosts", hosts("ok", "ok")), "ok: all 2 well");
  assert.equal(lamp("hosts", hosts("ok", "silent for 3.1 s")), "alarm: 1 silent");
  assert.equal(lamp("hosts", hosts("gone", "ok")), "alarm: 1 gone");
  assert.equal(lamp("hosts", hosts("gone", "silent for 2 s")), "alarm: 2 silent");
  assert.equal(lamp("hosts", hosts("ok", "is too slow for its tick")), "caution: 1 in trouble");
  assert.equal(lamp("hosts", hosts()), "caution: none here");
});

test("the links' lamp tells of real vehicles that are not heard before it tells of losses", () => {
  const hosts = [host()];
  assert.equal(lamp("links", { hosts, real: [reception()] }), "ok: 1 heard");
  const some = [reception(), reception({ heard: "stale", loss: 0.9 })];
  assert.equal(lamp("links", { hosts, real: some }), "caution: 1 of 2 not heard");
  assert.equal(
    lamp("links", { hosts, real: [reception({ loss: 0.1 })] }),
    "caution: loss up to 10 %",
  );
  assert.equal(lamp("links", { hosts: [host({ loss: 0.5 })] }), "alarm: loss up to 50 %");
  assert.equal(lamp("links", { hosts }), "ok: no loss");
});

test("a run that nobody records is worth a look", () => {
  assert.equal(lamp("recorder", { recorders: [] }), "caution: not recorded");
  assert.equal(lamp("recorder", { recorders: ["recorder"] }), "ok: recording");
});

test("after a run's end no lamp says that anything still goes well", () => {
  const ended = status({ state: "STOP", core: core({}), hosts: [host()], recorders: ["recorder"] });
  const shown = lampsOf(ended, false).map(({ tone, words }) => `${tone}: ${words}`);
  assert.deepEqual(shown, Array(4).fill("unknown: ended"));
  assert.equal(lampsOf(ended, true)[0].words, "margin 84 %");
});

test("nothing known is neither well nor ill, and a replay has no recorder", () => {
  assert.deepEqual(lampsOf(null, false).map((one) => one.tone), Array(4).fill("unknown"));
  assert.deepEqual(lampsOf(null, true).map((one) => one.id), ["core", "hosts", "links"]);
});

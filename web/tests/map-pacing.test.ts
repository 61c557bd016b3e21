import assert from "node:assert/strict";
import test from "node:test";
import { Pacing, PATIENCE } from "../src/map/pacing.ts";
import type { Clock } from "../src/map/pacing.ts";

/** A page whose refreshes and time pass by hand. */
class HandClock implements Clock {
  refreshes: (() => void)[] = [];
  timers: [number, () => void][] = [];

  atRefresh(call: () => void): void {
    this.refreshes.push(call);
  }

  after(ms: number, call: () => void): void {
    this.timers.push([ms, call]);
  }

  refresh(): void {
    for (const call of this.refreshes.splice(0)) call();
  }

  wait(): void {
    for (const [, call] of this.timers.splice(0)) call();
  }
}

test("whoever asks before a refresh is served by one drawing", async () => {
  const clock = new HandClock();
  let painted = 0;
  const pacing = new Pacing(() => (painted += 1), clock);
  const all = [pacing.request(), pacing.request(), pacing.request()];
  assert.equal(painted, 0);
  clock.refresh();
  await Promise.all(all);
  assert.equal(painted, 1);
  const next = pacing.request();
  clock.refresh();
  await next;
  assert.equal(painted, 2);
});

test("a hidden page, which is never refreshed, answers all the same", async () => {
  const clock = new HandClock();
  let painted = 0;
  const pacing = new Pacing(() => (painted += 1), clock);
  const asked = pacing.request();
  assert.deepEqual(clock.timers.map(([ms]) => ms), [PATIENCE]);
  clock.wait();
  await asked;
  assert.equal(painted, 1);
  clock.refresh();
  await Promise.resolve();
  assert.equal(painted, 1);
});

test("a drawing that fails does not end all drawing", async () => {
  const clock = new HandClock();
  let fails = true;
  const pacing = new Pacing(() => {
    if (fails) throw new Error("no");
  }, clock);
  const first = pacing.request();
  clock.refresh();
  await assert.rejects(first);
  fails = false;
  const second = pacing.request();
  clock.refresh();
  await second;
});

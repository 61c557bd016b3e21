import assert from "node:assert/strict";
import { test } from "node:test";
import { writtenKeys } from "../src/shell/keys.ts";
import type { ReplayBar } from "../src/shell/replay-bar.ts";
import { shortcutsFor } from "../src/shell/shortcuts.ts";
import type { Deeds } from "../src/shell/shortcuts.ts";
import { Throttle } from "../src/shell/throttle.ts";

function deeds(changes: Partial<Deeds>): Deeds {
  const nothing = () => undefined;
  const looks = { search: nothing, follow: nothing, goTo: nothing, fit: nothing, theme: nothing };
  const rest = {
    escape: nothing,
    help: nothing,
    mark: nothing,
    tabs: () => 5,
    tab: nothing,
    togglePanel: nothing,
  };
  const orders = { draw: nothing, send: nothing };
  return { ...looks, ...rest, orders, command: nothing, replay: {} as ReplayBar, ...changes };
}

test("no key has two meanings", () => {
  const keys = shortcutsFor(deeds({})).flatMap((shortcut) => shortcut.keys);
  assert.equal(new Set(keys).size, keys.length);
});

test("only keys with Shift act on the run, and each asks for its own state", () => {
  const asked: string[] = [];
  const all = shortcutsFor(deeds({ command: (state) => asked.push(state), replay: null }));
  for (const shortcut of all) {
    const before = asked.length;
    shortcut.run();
    if (asked.length > before) assert.match(shortcut.keys.join(""), /^[A-Z]$/);
  }
  assert.deepEqual(asked, ["READY", "SET", "GO", "PAUSE", "STOP"]);
});

test("a replay has no keys that act on a run", () => {
  assert.ok(!shortcutsFor(deeds({ command: null })).some((shortcut) => shortcut.group === "Run"));
});

test("the sheet tells of as many tabs as there are, and of marks where they can be written", () => {
  const sheet = (changes: Partial<Deeds>) => shortcutsFor(deeds(changes)).map(writtenKeys);
  assert.ok(sheet({ tabs: () => 5 }).includes("1 … 5"));
  assert.ok(sheet({ tabs: () => 6 }).includes("1 … 6"));
  assert.ok(sheet({}).includes("M"));
  assert.ok(!sheet({ mark: null }).includes("M"));
});

test("Home and End go to the ends of a recording", () => {
  const went: string[] = [];
  const bar = { toStart: () => went.push("start"), toEnd: () => went.push("end") };
  const all = shortcutsFor(deeds({ replay: bar as unknown as ReplayBar }));
  for (const key of ["Home", "End"]) all.find(({ keys }) => keys.includes(key))?.run();
  assert.deepEqual(went, ["start", "end"]);
});

test("keys are written as they are pressed", () => {
  const written = shortcutsFor(deeds({})).map(writtenKeys);
  for (const keys of ["/", "F", "Shift G", "Shift X twice", "Space", "Esc"]) {
    assert.ok(written.includes(keys), keys);
  }
});

test("of many wishes the first and the last are passed on, not too many between", async () => {
  const passed: number[] = [];
  const throttle = new Throttle<number>(20, (wish) => passed.push(wish));
  for (let i = 0; i < 30; i++) {
    throttle.want(i);
    await new Promise((go) => setTimeout(go, 2));
  }
  throttle.now();
  assert.equal(passed[0], 0);
  assert.equal(passed[passed.length - 1], 29);
  assert.ok(passed.length < 15, `${passed.length}`);
});

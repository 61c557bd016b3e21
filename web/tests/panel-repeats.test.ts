import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunEvent } from "../src/feed/messages.ts";
import { EventLog } from "../src/panels/event-log.ts";

const event = (t: number, text: string): RunEvent => ({ t, utc: t, kind: "mark", text, who: "", vids: [] });

test("a server that came back repeats itself, and the log does not", () => {
  const log = new EventLog();
  log.add([event(1, "a"), event(2, "b")], false);
  log.expectRepeats();
  log.add([event(1, "a"), event(2, "b"), event(3, "c")], false);
  assert.deepEqual(
    log.all.map(({ text }) => text),
    ["a", "b", "c"],
  );
  log.add([event(3, "c")], false);
  assert.equal(log.all.length, 4, "without an interruption nothing is taken for a repetition");
});

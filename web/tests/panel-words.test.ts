import assert from "node:assert/strict";
import { test } from "node:test";
import { markedWords } from "../src/panels/mark-field.ts";
import { linkWords } from "../src/panels/phones.ts";
import { told } from "../src/shell/banner.ts";
import type { Circumstances } from "../src/shell/banner.ts";
import { missingWords } from "../src/shell/missing.ts";
import { indexWords, otherRate, RATES, toggled } from "../src/shell/replay-bar.ts";
import { gapWords } from "../src/shell/scrub-bar.ts";
import { status } from "./panel-samples.ts";

const well: Circumstances = {
  link: "open",
  silence: 0,
  status: status(),
  replaying: false,
  recording: null,
  remarks: [],
};

test("while all is well no banner is shown, nor for a line that comes back at once", () => {
  assert.equal(told(well), null);
  assert.equal(told({ ...well, link: "lost", silence: 0.3 }), null);
});

test("a lost server is told of with how long, and that the run goes on", () => {
  const lost = told({ ...well, link: "lost", silence: 4.2 });
  assert.match(
    lost?.words ?? "",
    /not been heard for 4 s\. The run goes on without it\. Trying again/,
  );
  assert.equal(lost?.old, true);
  assert.doesNotMatch(
    told({ ...well, link: "opening", silence: 4, replaying: true })?.words ?? "",
    /run goes on/,
  );
});

test("a link that is refused, and a Core that is silent, are told of", () => {
  assert.match(told({ ...well, link: "refused" })?.words ?? "", /not valid/);
  const silent = told({ ...well, status: status({ core_silent: 7 }) });
  assert.match(silent?.words ?? "", /Core has not answered for 7 s/);
});

test("an ended run says how to replay it, and does not frighten when its console closes", () => {
  const ended = { ...well, status: status({ state: "STOP" }), recording: "runs/a.mcap" };
  assert.equal(told(ended)?.command, "movenv replay runs/a.mcap");
  const spaced = told({ ...ended, recording: "my runs/it's.mcap" });
  assert.equal(spaced?.command, "movenv replay 'my runs/it'\\''s.mcap'");
  const closed = told({ ...ended, link: "lost", silence: 60 });
  assert.equal(closed?.tone, "plain");
  assert.match(closed?.words ?? "", /console has closed/);
  assert.equal(told({ ...ended, replaying: true }), null);
});

test("an ended run's banner stays when another run's server refuses the link", () => {
  const ended = { ...well, status: status({ state: "STOP" }), recording: "runs/a.mcap" };
  const refused = told({ ...ended, link: "refused", silence: 90 });
  assert.equal(refused?.command, "movenv replay runs/a.mcap");
  assert.doesNotMatch(refused?.words ?? "", /not valid/);
});

test("a recording's remarks are told, but may be put away", () => {
  const replay = { ...well, replaying: true, remarks: ["It has no proper end.", "Take care."] };
  assert.equal(told(replay)?.words, "It has no proper end. Take care.");
  assert.deepEqual([told(replay)?.tone, told(replay)?.final], ["caution", true]);
  assert.match(told({ ...replay, link: "lost", silence: 5 })?.words ?? "", /not been heard/);
});

test("Space holds a replay that plays in either direction, and else plays it", () => {
  const replay = { t: 5, rate: 1, indexed: 1 };
  for (const direction of [1, -1] as const) {
    assert.deepEqual(toggled({ ...replay, playing: true, direction }), { playing: false });
    const wish = toggled({ ...replay, playing: false, direction });
    assert.deepEqual(wish, { playing: true, direction: 1 });
  }
});

test("a mark in a run that nobody records says so", () => {
  assert.equal(markedWords(12, ["recorder"]).words, "Marked at t = 0:12.0.");
  assert.equal(markedWords(12).tone, "ok");
  assert.equal(
    markedWords(12, []).words,
    "Marked at t = 0:12.0, but nothing records this run.",
  );
});

test("near a gap the time line says what was not recorded", () => {
  const gaps: [number, number][] = [[23.5, 24.4], [60, 60.1]];
  assert.equal(gapWords(gaps, [23.9, 24.1]), " · not recorded 23.5 to 24.4 s");
  assert.equal(gapWords(gaps, [59.5, 60.5]), " · not recorded 60.0 to 60.1 s");
  assert.equal(gapWords(gaps, [24.5, 25.5]), "");
});

test("what is missing is waited for before GO and done without after", () => {
  const missing = [{ what: "medic's phone", why: "last heard 14 s ago" }];
  assert.equal(
    missingWords(status({ state: "SET", missing })),
    "Waiting for medic's phone, last heard 14 s ago",
  );
  assert.equal(missingWords(status({ missing })), "Missing medic's phone, last heard 14 s ago");
  assert.equal(missingWords(status({ missing: [] })), "");
  assert.equal(missingWords(status({ state: "STOP", missing })), "");
});

test("a join link is connected, used, unused or revoked", () => {
  const link = { vehicle: "medic", url: "https://x", used: false, connected: false, svg: "" };
  const words = [
    link,
    { ...link, used: true },
    { ...link, used: true, connected: true },
    { ...link, url: "" },
  ].map((one) => linkWords(one).words);
  assert.deepEqual(words, ["not used yet", "used, not connected", "connected", "revoked"]);
});

test("a replay goes from rate to rate and stays at the ends", () => {
  let rate = RATES[0];
  const met = [rate];
  for (let i = 0; i < 20; i++) {
    rate = otherRate(rate, 1);
    if (rate !== met[met.length - 1]) met.push(rate);
  }
  assert.deepEqual(met, RATES);
  assert.equal(otherRate(RATES[0], -1), RATES[0]);
  assert.equal(otherRate(3, -1), 2);
});

test("the index is mentioned while it is being made", () => {
  const replay = { t: 0, playing: true, rate: 1, direction: 1 as const, indexed: 0.62 };
  assert.match(indexWords(replay), /62 %/);
  assert.match(indexWords({ ...replay, seeking: "notice" }), /looking for the notice/);
  assert.equal(indexWords({ ...replay, indexed: 1 }), "");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { linkWords } from "../src/panels/phones.ts";
import { told } from "../src/shell/banner.ts";
import type { Circumstances } from "../src/shell/banner.ts";
import { missingWords } from "../src/shell/missing.ts";
import { indexWords, otherRate, RATES } from "../src/shell/replay-bar.ts";
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

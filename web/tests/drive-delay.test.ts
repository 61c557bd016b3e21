import assert from "node:assert/strict";
import { test } from "node:test";
import { RoundTrips } from "../src/drive/delay.ts";

test("a delay is from a turn to the first answer that counts it", () => {
  const trips = new RoundTrips();
  for (const sent of [0, 30, 60, 90]) trips.sent(sent);
  trips.heard(1, 40); // 40
  trips.heard(3, 140); // 110 and 80
  trips.heard(3, 150);
  trips.heard(2, 155);
  const { median, worst, tone } = trips.delay(160, 0);
  assert.deepEqual([median, worst, tone], [80, 110, "ok"]);
});

test("only the last second counts, and the words say what it means", () => {
  const trips = new RoundTrips();
  trips.sent(0);
  trips.heard(1, 900);
  trips.sent(1000);
  trips.heard(2, 1200);
  assert.equal(trips.delay(1250, 0).worst, 900);
  const later = trips.delay(2000, 0);
  assert.deepEqual([later.median, later.worst, later.tone], [200, 200, "caution"]);
  assert.deepEqual([later.words, later.advice], ["slow", "drive gently"]);
  assert.equal(trips.delay(3000, 0).tone, "unknown");
});

test("a vehicle that does not answer is told of", () => {
  const trips = new RoundTrips();
  trips.sent(0);
  trips.sent(500);
  assert.equal(trips.delay(900, 0).tone, "unknown");
  const { median, tone, words } = trips.delay(1500, 0);
  assert.deepEqual([median, tone, words], [null, "alarm", "no answer for 1.5 s"]);
  assert.deepEqual([trips.unanswered(900), trips.unanswered(1500)], [false, true]);
  trips.stand(true);
  assert.equal(trips.unanswered(1500), false, "nobody answers while the run stands");
  trips.begin();
  trips.heard(5, 1600); // of the wheel before
  assert.equal(trips.delay(1600, 0).words, "not measured");
});

test("a run that stands is no delay, and none remains of it", () => {
  const trips = new RoundTrips();
  for (const sent of [0, 30]) trips.sent(sent);
  trips.stand(true);
  for (const sent of [60, 5000]) trips.sent(sent);
  assert.equal(trips.delay(9000, 0).words, "not measured");
  trips.stand(false);
  trips.sent(9000);
  trips.heard(4, 9040);
  assert.equal(trips.delay(9050, 0).words, "not measured");
  trips.heard(5, 9070);
  const { median, worst } = trips.delay(9080, 0);
  assert.deepEqual([median, worst], [70, 70]);
});

test("a vehicle that lives behind the run is told of, however soon it answers", () => {
  const trips = new RoundTrips();
  trips.begin();
  trips.sent(100);
  trips.heard(1, 160);
  assert.equal(trips.delay(200, 0.3).words, "good");
  const { median, tone, words, advice } = trips.delay(200, 4.2);
  assert.deepEqual([median, tone, advice], [60, "alarm", "stop"]);
  assert.match(words, /^its computer is 4\.?\d* s behind the run$/);
});

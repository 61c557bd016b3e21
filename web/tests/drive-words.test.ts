import assert from "node:assert/strict";
import { test } from "node:test";
import { gateButton, gateSaying, stripSaying } from "../src/drive/words.ts";
import { wheelWords } from "../src/panels/wheel-offer.ts";

test("who was cut off hears that it brakes, then that it waits, and takes the wheel by hand", () => {
  const seat = { at: "cut-off" } as const;
  assert.match(gateSaying(seat, "lost").words, /lost, and the vehicle brakes/);
  assert.match(gateSaying(seat, "open").words, /braked until you take the wheel again/);
  assert.equal(gateButton(seat, "lost").enabled, false);
  assert.deepEqual(gateButton(seat, "open"), { text: "Take the wheel again", enabled: true });
});

test("a link that was taken back outweighs everything else", () => {
  assert.match(gateSaying({ at: "let-go" }, "refused").words, /no longer opens/);
  assert.equal(gateButton({ at: "let-go" }, "refused").enabled, false);
});

test("nobody at the controls is told, with the handle where there is a gamepad", () => {
  const wheel = { at: "wheel" } as const;
  assert.equal(stripSaying(wheel, null, "GO", true, null).words.split(";")[1], " hold L1 or R1");
  assert.equal(stripSaying(wheel, null, "GO", false, null).tone, "caution");
  assert.match(stripSaying(wheel, "touch", "PAUSE", false, null).words, /paused/);
  assert.match(stripSaying({ at: "gate" }, "touch", "GO", false, null).words, /not at the wheel/);
});

test("a vehicle that does not answer is told of, also while somebody holds the controls", () => {
  const wheel = { at: "wheel" } as const;
  const away = stripSaying(wheel, null, "GO", false, "unanswered");
  assert.deepEqual([away.tone, /does not answer/.test(away.words)], ["alarm", true]);
  const back = stripSaying(wheel, null, "GO", true, "barred");
  assert.deepEqual([back.tone, /let go/.test(back.words)], ["caution", true]);
  assert.match(stripSaying(wheel, null, "PAUSE", false, "barred").words, /paused/);
});

test("the console says who drives, and who is gone", () => {
  const wheel = { vehicle: "car", vid: 1, who: "Ann", person: true, authority: 100 };
  assert.equal(wheelWords(undefined).words, "nobody drives it");
  assert.equal(wheelWords({ ...wheel, abandoned: false }).words, "Ann drives it");
  assert.equal(wheelWords({ ...wheel, abandoned: true }).tone, "caution");
});

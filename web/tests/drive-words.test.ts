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
  assert.equal(stripSaying(wheel, null, "GO", true).words.split(";")[1], " hold L1 or R1");
  assert.equal(stripSaying(wheel, null, "GO", false).tone, "caution");
  assert.match(stripSaying(wheel, "touch", "PAUSE", false).words, /paused/);
  assert.match(stripSaying({ at: "gate" }, "touch", "GO", false).words, /not at the wheel/);
});

test("the console says who drives, and who is gone", () => {
  const wheel = { vehicle: "car", vid: 1, who: "Ann", person: true, authority: 100 };
  assert.equal(wheelWords(undefined).words, "nobody drives it");
  assert.equal(wheelWords({ ...wheel, abandoned: false }).words, "Ann drives it");
  assert.equal(wheelWords({ ...wheel, abandoned: true }).tone, "caution");
});

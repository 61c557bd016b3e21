import assert from "node:assert/strict";
import { test } from "node:test";
import { Blend } from "../src/drive/inputs/blend.ts";
import type { Readings } from "../src/drive/inputs/blend.ts";
import { PadReader } from "../src/drive/inputs/gamepad.ts";
import type { Pad } from "../src/drive/inputs/gamepad.ts";
import { GRACE, Keyboard } from "../src/drive/inputs/keyboard.ts";
import { AT_REST, BRAKED, shifted } from "../src/drive/inputs/reading.ts";
import type { Reading, Stick } from "../src/drive/inputs/reading.ts";
import { Thumbs } from "../src/drive/inputs/touch.ts";

/** Reads a keyboard thirty times a second for so many ms; the last reading. */
function readFor(keyboard: Keyboard, from: number, ms: number): Reading {
  let reading = keyboard.read(from);
  for (let now = from; now <= from + ms; now += 33) reading = keyboard.read(now);
  return reading;
}

function pad(axes: number[], buttons: Record<number, number>): Pad {
  const all = Array.from({ length: 17 }, (_, i) => ({
    pressed: (buttons[i] ?? 0) > 0.1,
    value: buttons[i] ?? 0,
  }));
  return { axes, buttons: all };
}

function readings(some: Partial<Record<keyof Readings, Partial<Stick>>>): Readings {
  const reading = (stick?: Partial<Stick>): Reading => ({
    held: stick !== undefined,
    stick: { ...AT_REST, ...stick },
  });
  return {
    keyboard: reading(some.keyboard),
    gamepad: reading(some.gamepad),
    touch: reading(some.touch),
  };
}

test("a key steers gradually to all there is, left positive, and lets the wheel centre", () => {
  const keyboard = new Keyboard();
  keyboard.read(0);
  keyboard.press("ArrowLeft");
  const soon = readFor(keyboard, 0, 200).stick.steer;
  assert.ok(soon > 0.1 && soon < 0.5, `${soon}`);
  assert.equal(readFor(keyboard, 200, 1000).stick.steer, 1);
  keyboard.press("KeyW");
  keyboard.release("ArrowLeft", 1200);
  const centred = readFor(keyboard, 1200, 500);
  assert.equal(centred.stick.steer, 0);
  assert.ok(centred.stick.throttle > 0.7);
});

test("opposite keys cancel out, and from one side to the other it goes through the middle fast", () => {
  const keyboard = new Keyboard();
  keyboard.press("KeyA");
  assert.equal(readFor(keyboard, 0, 1000).stick.steer, 1);
  keyboard.press("KeyD");
  assert.equal(readFor(keyboard, 1000, 500).stick.steer, 0);
  keyboard.release("KeyA", 1500);
  assert.equal(readFor(keyboard, 1500, 1000).stick.steer, -1);
});

test("keys are held for a moment after the last one, then nobody holds them", () => {
  const keyboard = new Keyboard();
  keyboard.press("KeyW");
  readFor(keyboard, 0, 1000);
  keyboard.release("KeyW", 1000);
  assert.equal(keyboard.read(1000 + GRACE - 10).held, true);
  const after = keyboard.read(1000 + GRACE + 10);
  assert.equal(after.held, false);
  assert.deepEqual(after.stick, AT_REST);
  keyboard.press("KeyW");
  keyboard.forget();
  assert.equal(keyboard.read(1500).held, false, "without grace");
});

test("other keys do not hold anything", () => {
  const keyboard = new Keyboard();
  keyboard.press("KeyX");
  assert.equal(keyboard.read(0).held, false);
});

test("a gamepad moves nothing until a shoulder button is held", () => {
  const reader = new PadReader();
  const moved = pad([-1, 0, 0, 0.5], { 7: 0.8, 6: 0.2 });
  assert.deepEqual(reader.read(moved), { held: false, stick: AT_REST });
  for (const shoulder of [4, 5]) {
    const { held, stick } = reader.read(pad([-1, 0, 0, 1], { 7: 0.8, 6: 0.2, [shoulder]: 1 }));
    assert.equal(held, true);
    assert.deepEqual(stick, { steer: 1, throttle: 0.8, brake: 0.2, pitch: -1 });
  }
  assert.equal(reader.read(null).held, false);
});

test("a stick near its middle steers straight, and half way less than half", () => {
  const reader = new PadReader();
  assert.equal(reader.read(pad([0.09, 0, 0, 0], { 4: 1 })).stick.steer, 0);
  const half = reader.read(pad([0.5, 0, 0, 0], { 4: 1 })).stick.steer;
  assert.ok(half < -0.1 && half > -0.5, `${half}`);
});

test("a gamepad's button shifts once however long it is down", () => {
  const reader = new PadReader();
  const presses: Record<number, number>[] = [{}, { 1: 1 }, { 1: 1 }, {}, { 13: 1 }, {}, { 0: 1 }, { 12: 1 }];
  const shifts = presses.map((buttons) => reader.shifts(pad([0, 0, 0, 0], buttons)));
  assert.deepEqual(shifts, [0, -1, 0, 0, -1, 0, 1, 0]);
});

test("thumbs steer, accelerate and brake; one alone still holds, none does not", () => {
  const thumbs = new Thumbs();
  thumbs.put("steering", { x: 1.4, y: 0 });
  thumbs.put("pedals", { x: 0.3, y: 1 });
  assert.deepEqual(thumbs.read().stick, { steer: -1, throttle: 1, brake: 0, pitch: 0 });
  thumbs.put("pedals", { x: 0, y: -1 });
  assert.equal(thumbs.read().stick.brake, 1);
  thumbs.lift("pedals");
  assert.deepEqual(thumbs.read(), { held: true, stick: { ...AT_REST, steer: -1 } });
  thumbs.lift("steering");
  assert.deepEqual(thumbs.read(), { held: false, stick: AT_REST });
});

test("nobody at the controls, or at the page, brakes", () => {
  const blend = new Blend();
  assert.deepEqual(blend.decide(readings({}), true), { device: null, stick: BRAKED });
  const held = readings({ keyboard: { throttle: 1 } });
  assert.equal(blend.decide(held, true).stick.throttle, 1);
  assert.deepEqual(blend.decide(held, false), { device: null, stick: BRAKED });
});

test("who drives goes on driving; another device can only brake", () => {
  const blend = new Blend();
  blend.decide(readings({ keyboard: { throttle: 1 } }), true);
  const both = readings({ keyboard: { throttle: 1, steer: 0.2 }, gamepad: { steer: -1 } });
  assert.deepEqual(blend.decide(both, true), {
    device: "keyboard",
    stick: { ...AT_REST, throttle: 1, steer: 0.2 },
  });
  const braking = readings({ keyboard: { throttle: 1 }, gamepad: { brake: 0.7 } });
  assert.deepEqual(blend.decide(braking, true).stick, { ...AT_REST, brake: 0.7 });
  assert.equal(blend.decide(readings({ gamepad: {} }), true).device, "gamepad");
});

test("gears end at forward and reverse", () => {
  assert.deepEqual([shifted(1, 1), shifted(1, -1), shifted(0, -1), shifted(-1, -1)], [1, 0, -1, -1]);
});

test("what is barred moves nothing until all of it has been let go", () => {
  const blend = new Blend();
  const held = readings({ keyboard: { throttle: 1 } });
  assert.equal(blend.decide(held, true).device, "keyboard");
  blend.bar();
  assert.deepEqual(blend.decide(held, true), { device: null, stick: BRAKED });
  const other = readings({ gamepad: { throttle: 1 } });
  assert.deepEqual(blend.decide(other, true), { device: null, stick: BRAKED });
  assert.equal(blend.barred, true);
  blend.decide(readings({}), true);
  assert.equal(blend.barred, false);
  assert.equal(blend.decide(held, true).device, "keyboard");
});

test("without grace the last key that is released has let go", () => {
  const keyboard = new Keyboard();
  keyboard.press("KeyW");
  readFor(keyboard, 0, 1000);
  keyboard.release("KeyW", 1000);
  assert.equal(keyboard.read(1010, false).held, false);
  keyboard.press("KeyW");
  assert.ok(keyboard.read(1040).stick.throttle < 0.1, "it comes gradually again");
});

test("what a gamepad gives that is no number is not held and moves nothing", () => {
  const reader = new PadReader();
  const strange = pad([NaN, 0, 0, Infinity], { 4: 1, 7: NaN, 6: -Infinity });
  assert.deepEqual(reader.read(strange), { held: true, stick: AT_REST });
  const nothing = { axes: [], buttons: [{ pressed: true, value: NaN }] };
  assert.equal(reader.shifts(nothing), 0);
  const handle = { axes: [-1], buttons: Array.from({ length: 8 }, () => ({ pressed: true, value: NaN })) };
  assert.deepEqual(reader.read(handle), { held: false, stick: AT_REST });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeFrame, NotAFrame } from "../src/feed/frame.ts";
import { fleet } from "./panel-samples.ts";

test("what is no frame is refused", () => {
  assert.throws(() => decodeFrame(new ArrayBuffer(3)), NotAFrame);
  assert.throws(() => decodeFrame(new ArrayBuffer(64)), NotAFrame);
});

test("a row's first word holds its number and the step of its mission", () => {
  const some = fleet(3);
  assert.equal(some.take(frameOfRow(2, 255)), 9);
  assert.equal(some.take(frameOfRow(1, 7)), 9);
  assert.deepEqual([...some.step], [0, 7, 255]);
  assert.deepEqual([...some.positions], [NaN, NaN, 3, 4, 3, 4]);
});

test("a frame of scans replaces those before it, each with its points", () => {
  const some = fleet(3);
  const words = [2, 2, 1, 0.5, 0.25, 1, 2, 3, 4, 5, 6, 0, 0, 0, 7, 8];
  assert.equal(some.take(frameOfScans(2, words)), 9);
  const [first, second] = some.scans;
  assert.deepEqual([first.row, second.row, some.scans.length], [2, 0, 2]);
  assert.deepEqual([...first.sensor], [0.5, 0.25]);
  assert.deepEqual([...first.own], [1, 2, 3, 4]);
  assert.deepEqual([...first.altered], [5, 6]);
  assert.deepEqual([...second.sensor, ...second.own, ...second.altered], [7, 8]);
  some.take(frameOfScans(0, []));
  assert.deepEqual(some.scans, []);
});

/** Scans word by word: of each three whole numbers, then floats. */
function frameOfScans(count: number, words: number[]): ArrayBuffer {
  const frame = new DataView(new ArrayBuffer(40 + words.length * 4));
  frame.setUint16(0, 0x564d, true);
  frame.setUint8(2, 2);
  frame.setUint8(3, 3);
  frame.setUint32(4, 9, true);
  frame.setUint32(32, count, true);
  const whole = [0, 1, 2, 11, 12, 13];
  words.forEach((word, i) => {
    if (whole.includes(i)) frame.setUint32(40 + i * 4, word, true);
    else frame.setFloat32(40 + i * 4, word, true);
  });
  return frame.buffer;
}

/** A frame of one vehicle, written word by word. */
function frameOfRow(row: number, step: number): ArrayBuffer {
  const frame = new DataView(new ArrayBuffer(40 + 28));
  frame.setUint16(0, 0x564d, true);
  frame.setUint8(2, 2);
  frame.setUint8(3, 1);
  frame.setUint32(4, 9, true);
  frame.setUint32(32, 1, true);
  frame.setUint32(40, row, true);
  frame.setUint8(43, step);
  frame.setInt32(44, 4e7, true);
  frame.setInt32(48, 3e7, true);
  return frame.buffer;
}

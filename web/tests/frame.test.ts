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

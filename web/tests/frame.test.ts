import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeFrame, NotAFrame } from "../src/feed/frame.ts";

test("what is no frame is refused", () => {
  assert.throws(() => decodeFrame(new ArrayBuffer(3)), NotAFrame);
  assert.throws(() => decodeFrame(new ArrayBuffer(64)), NotAFrame);
});

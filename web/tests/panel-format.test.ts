import assert from "node:assert/strict";
import { test } from "node:test";
import * as format from "../src/format.ts";

test("simulated time is minutes and seconds, with hours from an hour on", () => {
  assert.equal(format.clock(125.34), "2:05.3");
  assert.equal(format.clock(3725, 0), "1:02:05");
  assert.equal(format.clock(59.96), "1:00.0");
  assert.equal(format.clock(-0.5), "−0:00.5");
});

test("wall clock is UTC, and nothing where there was none", () => {
  assert.equal(format.utcClock(Date.UTC(2026, 10, 15, 17, 3, 22) / 1000), "17:03:22");
  assert.equal(format.utcClock(0), "");
});

test("lengths of time have a fitting unit", () => {
  const written = [0.0004, 0.003, 0.25, 1.24, 14.4, 200, 9000].map((s) => format.span(s));
  assert.deepEqual(written, ["400 µs", "3.0 ms", "250 ms", "1.2 s", "14 s", "3 min", "2.5 h"]);
});

test("no length of time is written as a thousand of the smaller unit", () => {
  for (const s of [0.0009999, 0.0999999, 0.999999]) {
    assert.doesNotMatch(format.span(s), /^1000|^100\.0/);
  }
});

test("what is not known is written as nothing", () => {
  const { clock, span, age, metres, percent, count, heading, times } = format;
  for (const write of [clock, span, age, metres, percent, count, heading, times]) {
    for (const unknown of [null, undefined, NaN]) assert.equal(write(unknown), "");
  }
});

test("distances keep about three digits", () => {
  const written = [1.234, 12.34, 123.4, 12345].map((d) => format.metres(d));
  assert.deepEqual(written, ["1.23 m", "12.3 m", "123 m", "12.3 km"]);
});

test("small shares do not look like none", () => {
  assert.equal(format.percent(0.004), "0.4 %");
  assert.equal(format.percent(0.0001), "0.1 %");
  assert.equal(format.percent(0), "0 %");
  assert.equal(format.percent(0.843), "84 %");
});

test("a place has its hemispheres", () => {
  assert.equal(format.place(29.193111, -81.046171), "29.193111° N 81.046171° W");
});

test("headings have three digits and end before 360", () => {
  assert.equal(format.heading(7.4), "007°");
  assert.equal(format.heading(359.8), "000°");
});

test("nothing is written as minus nothing", () => {
  assert.equal(format.fixed(-0.01, 1), "0.0");
  assert.equal(format.fixed(-1.26, 1), "-1.3");
});

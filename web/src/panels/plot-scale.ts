/** Where numbers lie on a plot. */

export interface Scale {
  /** Value at the low end, value at the high end. */
  from: number;
  to: number;
  ticks: number[];
}

/** Round values about `count` to the span, none outside it. */
export function ticks(from: number, to: number, count: number): number[] {
  const raw = (to - from) / Math.max(1, count);
  if (!(raw > 0)) return [from];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5].find((factor) => power * factor >= raw * 0.999) ?? 10);
  const found: number[] = [];
  const digits = Math.max(0, -Math.floor(Math.log10(step)) + 1);
  for (let k = Math.ceil(from / step - 1e-9); k * step <= to + step * 1e-9; k++) {
    found.push(Number((k * step).toFixed(digits)));
  }
  return found;
}

const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200];

/** Times people expect on a clock, at most `count` of them, none outside the span. */
export function timeTicks(from: number, to: number, count: number): number[] {
  const raw = (to - from) / Math.max(1, count);
  const step = TIME_STEPS.find((one) => one >= raw) ?? Math.ceil(raw / 86400) * 86400;
  const found: number[] = [];
  for (let k = Math.ceil(from / step); k * step <= to; k++) found.push(k * step);
  return found;
}

/** Distances from 0 up to a round value above all that are shown. */
export function distanceScale(values: number[], lines: number[]): Scale {
  let most = 0;
  for (const value of values) if (value > most) most = value;
  // A threshold far above the curve would only flatten it.
  for (const line of lines) if (line > most && line < most * 1.6) most = line;
  if (most === 0) most = lines.length ? Math.min(...lines) : 1;
  const to = most * 1.08;
  return { from: 0, to, ticks: ticks(0, to, 4) };
}

/** The place of a value on a line from `start` to `end` pixels. */
export function at(value: number, from: number, to: number, start: number, end: number): number {
  return to === from ? start : start + ((value - from) / (to - from)) * (end - start);
}

/** The distance at which each notice level of a pair begins, outermost first. */
export function levelDistances(
  levels: Record<string, number>,
  length: number,
  otherLength: number,
): { name: string; distance: number }[] {
  const larger = Math.max(length, otherLength);
  return Object.entries(levels).map(([name, multiple]) => ({ name, distance: multiple * larger }));
}

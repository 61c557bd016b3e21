/** How far apart pairs were lately: for sparklines and the plot. */

import type { Pair } from "../feed/messages.ts";

export const REMEMBERED = 60;

export interface Trace {
  t: number[];
  distance: number[];
}

export function pairKey(row: number, other: number): string {
  return row < other ? `${row} ${other}` : `${other} ${row}`;
}

/** Add a point; what is older than a minute is forgotten. Time that went back begins anew. */
export function extend(trace: Trace, t: number, distance: number): void {
  const last = trace.t.length - 1;
  if (last >= 0 && t < trace.t[last]) trace.t.length = trace.distance.length = 0;
  else if (last >= 0 && t === trace.t[last]) return;
  trace.t.push(t);
  trace.distance.push(distance);
  let old = 0;
  while (trace.t[old] < t - REMEMBERED) old += 1;
  trace.t.splice(0, old);
  trace.distance.splice(0, old);
}

export class PairHistory {
  private readonly traces = new Map<string, Trace>();

  take(pairs: Pair[], t: number): void {
    for (const pair of pairs) {
      const key = pairKey(pair.row, pair.other);
      const trace = this.traces.get(key) ?? { t: [], distance: [] };
      this.traces.set(key, trace);
      extend(trace, t, pair.distance);
    }
    for (const [key, trace] of this.traces) {
      const last = trace.t[trace.t.length - 1];
      if (last > t || last < t - REMEMBERED) this.traces.delete(key);
    }
  }

  trace(row: number, other: number): Trace {
    return this.traces.get(pairKey(row, other)) ?? { t: [], distance: [] };
  }

  forget(): void {
    this.traces.clear();
  }
}

/**
 * Distances the server remembers, as the beginning of a trace that ends at `now`.
 * A recording is asked at its beginning: what is not of the last minute does not belong here.
 */
export function seeded(t: number[], distance: (number | null)[], now: number): Trace {
  const trace: Trace = { t: [], distance: [] };
  t.forEach((time, i) => {
    const apart = distance[i];
    if (apart === null || time > now || time < now - REMEMBERED) return;
    trace.t.push(time);
    trace.distance.push(apart);
  });
  return trace;
}

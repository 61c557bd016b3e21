/** One pair: how far apart its vehicles are, live, against the notice levels. */

import type { Situation } from "../shell/situation.ts";
import { Refused } from "../api.ts";
import { button, el, setShown, setText } from "../shell/dom.ts";
import { icon } from "../shell/icons.ts";
import { drawDistances } from "./distance-plot.ts";
import { metres } from "../format.ts";
import { extend, pairKey, seeded } from "./pair-history.ts";
import type { Trace } from "./pair-history.ts";
import { levelDistances } from "./plot-scale.ts";
import { distanceBetween } from "./pair-distance.ts";

export class PairView {
  readonly element = el("section", {
    class: "pair-view",
    label: "Distance of a pair",
    testid: "pair-view",
  });
  private readonly title = el("h3");
  private readonly number = el("strong", { class: "big number" });
  private readonly least = el("span", { class: "muted" });
  private readonly canvas = el("canvas", { class: "plot", role: "img" });
  private pair: { row: number; other: number } | null = null;
  private trace: Trace = { t: [], distance: [] };

  constructor(private readonly situation: Situation) {
    const close = { class: "icon-button", label: "Close the plot", click: () => this.close() };
    this.element.append(
      el("header", { class: "card-head" }, this.title, this.number, button(close, icon("close"))),
      this.canvas,
      this.least,
    );
    this.element.hidden = true;
  }

  shows(pair: { row: number; other: number }): boolean {
    return this.pair !== null && key(this.pair) === key(pair);
  }

  open(row: number, other: number): void {
    this.pair = { row, other };
    const known = this.situation.pairHistory.trace(row, other);
    this.trace = { t: [...known.t], distance: [...known.distance] };
    const { names } = this.situation.hello.roster;
    setText(this.title, `${names[row]} – ${names[other]}`);
    setText(this.least, "");
    setText(this.number, "");
    this.follow();
    setShown(this.element, true);
    void this.seed(this.pair);
  }

  /** Take the distance of the present frame. */
  follow(): void {
    if (!this.pair) return;
    const { fleet, pairs } = this.situation;
    const distance = distanceBetween(fleet, pairs, this.pair.row, this.pair.other);
    if (Number.isNaN(distance)) return;
    extend(this.trace, fleet.t, distance);
    setText(this.number, metres(distance));
  }

  refresh(): void {
    if (!this.pair) return;
    const { hello, fleet } = this.situation;
    const { row, other } = this.pair;
    const { length } = hello.roster;
    const lines = levelDistances(hello.run.levels, length[row], length[other]);
    drawDistances(this.canvas, this.trace, fleet.t, lines);
    const now = this.trace.distance[this.trace.distance.length - 1];
    const least = Math.min(...this.trace.distance);
    setText(
      this.least,
      Number.isFinite(least) ? `Closest in the last minute: ${metres(least)}` : "",
    );
    this.canvas.setAttribute("aria-label", `Distance over the last minute, now ${metres(now)}`);
  }

  private close(): void {
    this.pair = null;
    this.situation.selection.leavePair();
    setShown(this.element, false);
  }

  /** What the server remembers goes before what was seen here. */
  private async seed(pair: { row: number; other: number }): Promise<void> {
    const { hello, api, fleet } = this.situation;
    const { vids } = hello.roster;
    try {
      const told = await api.distances(vids[pair.row], vids[pair.other], fleet.t);
      if (this.pair !== pair) return;
      const seen = this.trace;
      const begin = seen.t[0] ?? Infinity;
      this.trace = seeded(told.t, told.distance, Math.min(fleet.t, begin - 1e-6));
      seen.t.forEach((t, i) => extend(this.trace, t, seen.distance[i]));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      setText(this.least, `Earlier distances are not known: ${error.message}`);
    }
  }
}

function key(pair: { row: number; other: number }): string {
  return pairKey(pair.row, pair.other);
}

/** The closest pairs now, and the course of one of them. */

import type { Pair } from "../feed/messages.ts";
import { levelLook } from "../levels.ts";
import type { Situation } from "../shell/situation.ts";
import { button, el, setShown, setText, setTone } from "../shell/dom.ts";
import { sparkline } from "./canvas.ts";
import { metres } from "../format.ts";
import { distanceBetween, noticedDistance } from "./pair-distance.ts";
import { PairView } from "./pair-view.ts";
import { REMEMBERED } from "./pair-history.ts";
import type { Panel } from "./panel.ts";

interface Line {
  element: HTMLButtonElement;
  names: HTMLElement;
  level: HTMLElement;
  distance: HTMLElement;
  spark: HTMLCanvasElement;
  pair: Pair | null;
}

export class PairsPanel implements Panel {
  readonly id = "pairs";
  readonly title = "Pairs";
  open = false;
  readonly element = el("div", { class: "panel-pairs" });
  private readonly list = el("div", {
    class: "pair-list",
    label: "The closest pairs",
    role: "list",
  });
  private readonly none = el("p", { class: "empty", text: "Fewer than two vehicles are placed." });
  private readonly lines: Line[] = [];
  private readonly levels: string[];
  private readonly view: PairView;

  constructor(private readonly situation: Situation) {
    this.levels = Object.keys(situation.hello.run.levels);
    this.view = new PairView(situation);
    const head = el("h3", { class: "section", text: "Closest now" });
    this.element.append(this.view.element, head, this.none, this.list);
  }

  badge(): string {
    const worst = this.situation.pairs.reduce((most, pair) => Math.max(most, pair.level), 0);
    return worst > 0 ? (this.levels[worst - 1] ?? "") : "";
  }

  available(): boolean {
    return true;
  }

  /** A frame has come: the pair that is looked at goes on, and numbers are the frame's. */
  follow(): void {
    this.view.follow();
    if (this.open) for (const line of this.lines) this.writeDistance(line);
  }

  refresh(): void {
    const { pairs } = this.situation;
    setShown(this.none, pairs.length === 0);
    while (this.lines.length < pairs.length) this.addLine();
    const top = pairs.reduce((most, pair) => Math.max(most, pair.distance), 0) * 1.5;
    this.lines.forEach((line, i) => {
      setShown(line.element, i < pairs.length);
      if (i < pairs.length) this.write(line, pairs[i], top);
    });
    this.view.refresh();
  }

  private write(line: Line, pair: Pair, top: number): void {
    const { names } = this.situation.hello.roster;
    line.pair = pair;
    const [one, other] = [names[pair.row], names[pair.other]];
    setText(line.names, `${one} – ${other}`);
    line.element.dataset.testid = `pair-${one}-${other}`;
    line.element.setAttribute("aria-pressed", String(this.view.shows(pair)));
    setText(
      line.level,
      pair.level ? (this.levels[pair.level - 1] ?? `level ${pair.level}`) : "clear",
    );
    setTone(line.level, pair.level ? levelLook(pair.level, this.levels.length) : "ok");
    this.writeDistance(line);
    const trace = this.situation.pairHistory.trace(pair.row, pair.other);
    const now = trace.t[trace.t.length - 1] ?? 0;
    sparkline(line.spark, trace.distance, top, (k) => 1 - (now - trace.t[k]) / REMEMBERED);
  }

  /** The same number as on the map and in the heading, where the frame has it. */
  private writeDistance({ pair, distance }: Line): void {
    if (!pair) return;
    const { fleet, pairs } = this.situation;
    const now = this.view.shows(pair)
      ? distanceBetween(fleet, pairs, pair.row, pair.other)
      : noticedDistance(fleet, pair.row, pair.other);
    setText(distance, metres(Number.isNaN(now) ? pair.distance : now));
  }

  private addLine(): void {
    const names = el("span", { class: "pair-names" });
    const level = el("span", { class: "tag" });
    const distance = el("span", { class: "pair-distance number" });
    const spark = el("canvas", { class: "spark", attributes: { "aria-hidden": "true" } });
    const element = button({ class: "pair" }, names, level, spark, distance);
    const line: Line = { element, names, level, distance, spark, pair: null };
    element.addEventListener("click", () => {
      if (line.pair) this.choose(line.pair);
    });
    this.lines.push(line);
    this.list.append(el("div", { role: "listitem" }, element));
  }

  private choose(pair: Pair): void {
    this.view.open(pair.row, pair.other);
    this.situation.showPair(pair.row, pair.other);
    this.refresh();
  }
}

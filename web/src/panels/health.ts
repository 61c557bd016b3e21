/** How the Core, the hosts, the recorders and this page keep up. */

import type { HostStatus } from "../feed/messages.ts";
import type { Situation } from "../shell/situation.ts";
import { el, setShown, setText, setTone } from "../shell/dom.ts";
import { hostTone, marginTone } from "../shell/lamps.ts";
import { sparkline } from "./canvas.ts";
import { age, count, fixed, percent, span } from "../format.ts";
import type { Course } from "./histories.ts";
import { NumberGrid } from "./number-grid.ts";
import type { Panel } from "./panel.ts";

interface Unit {
  element: HTMLElement;
  title: HTMLElement;
  words: HTMLElement;
  numbers: NumberGrid;
  margin: HTMLCanvasElement;
  lag: HTMLCanvasElement;
  lagTop: HTMLElement;
}

export class HealthPanel implements Panel {
  readonly id = "health";
  readonly title = "Health";
  open = false;
  readonly element = el("div", { class: "panel-health scrolls" });
  private readonly core = unit("Core");
  private readonly hosts = el("div", { class: "units" });
  private readonly units = new Map<string, Unit>();
  private readonly rest = new NumberGrid();
  private readonly silent = el("p", {
    class: "empty",
    text: "Nothing is known of the run's health.",
  });

  constructor(private readonly situation: Situation) {
    const others = el(
      "section",
      { class: "unit" },
      el("h3", { text: "Around them" }),
      this.rest.element,
    );
    this.element.append(this.silent, this.core.element, this.hosts, others);
  }

  badge(): string {
    const { status, replaying } = this.situation;
    if (status?.state === "STOP" && !replaying) return ""; // hosts leave at a run's end
    const troubled = (status?.hosts ?? []).filter((h) => hostTone(h) !== "ok");
    return troubled.length ? count(troubled.length) : "";
  }

  available(): boolean {
    return true;
  }

  refresh(): void {
    const { status, histories } = this.situation;
    this.showCore();
    const hosts = status?.hosts ?? [];
    setShown(this.silent, !status?.core && !hosts.length);
    const here = new Set(hosts.map((host) => host.host));
    for (const [name, { element }] of this.units) setShown(element, here.has(name));
    for (const host of hosts) {
      this.showHost(this.unitOf(host.host), host, histories.host(host.host));
    }
    this.showRest();
  }

  private showCore(): void {
    const core = this.situation.status?.core;
    setShown(this.core.element, core !== undefined);
    if (!core) return;
    const silence = this.situation.status?.core_silent;
    const tone = silence ? "alarm" : marginTone(core.margin_p5);
    setTone(this.core.words, tone);
    setText(this.core.words, silence ? `silent for ${span(silence)}` : MARGIN_WORDS[tone]);
    this.core.numbers.show([
      ["Margin, p5", percent(core.margin_p5)],
      ["Lag", span(core.lag)],
      ["Worst lag", span(core.worst_lag)],
      ["Missed ticks", count(core.missed_ticks)],
      ["Carried ticks", count(core.carried_ticks)],
      ["Refused", refusals(core.refused)],
    ]);
    drawCourse(this.core, this.situation.histories.core);
  }

  private showHost(shown: Unit, host: HostStatus, course: Course): void {
    setTone(shown.words, hostTone(host));
    setText(shown.words, host.health || "ok");
    const offset = host.clock_offset;
    const unsure = host.clock_uncertainty;
    shown.numbers.show([
      ["Vehicles", count(host.vehicles)],
      ["Margin", percent(host.margin)],
      ["Margin, p5", percent(host.margin_p5)],
      ["Lag", span(host.lag)],
      ["Worst lag", span(host.worst_lag)],
      ["Last heard", host.age === null ? "" : `${age(host.age)} ago`],
      ["Loss", percent(host.loss)],
      [
        "Clock",
        offset === null ? "" : `${span(offset)}${unsure === null ? "" : ` ± ${span(unsure)}`}`,
      ],
      ["Dropped", refusals(host.refused)],
    ]);
    drawCourse(shown, course);
  }

  private showRest(): void {
    const { status, replaying, framesPerSecond, hello } = this.situation;
    const recorders = status?.recorders;
    const none = replaying ? "" : "none: the run is not recorded";
    this.rest.show([
      ["Recorders", recorders ? recorders.join(", ") || none : ""],
      ["Given up", status?.given_up ? `${count(status.given_up)} processes were given up` : ""],
      ["This page", `${fixed(framesPerSecond, 1)} updates/s of ${fixed(1 / hello.run.tick, 0)}`],
      ["Status", status ? `${age((performance.now() - this.situation.statusAt) / 1000)} old` : ""],
    ]);
  }

  private unitOf(name: string): Unit {
    const found = this.units.get(name) ?? unit(name);
    if (!this.units.has(name)) {
      this.units.set(name, found);
      this.hosts.append(found.element);
    }
    return found;
  }
}

const MARGIN_WORDS = {
  ok: "keeps up",
  caution: "little margin",
  alarm: "no margin",
  unknown: "no margin yet",
};

function unit(name: string): Unit {
  const title = el("h3", { text: name });
  const words = el("span", { class: "tag" });
  const numbers = new NumberGrid();
  const margin = el("canvas", { class: "spark", attributes: { "aria-hidden": "true" } });
  const lag = el("canvas", { class: "spark", attributes: { "aria-hidden": "true" } });
  const lagTop = el("span", { class: "muted" });
  const courses = el(
    "div",
    { class: "courses" },
    el("figure", {}, el("figcaption", { text: "Margin, 0–100 %" }), margin),
    el("figure", {}, el("figcaption", {}, "Lag", lagTop), lag),
  );
  const element = el("section", { class: "unit", testid: `health-${name}` });
  element.append(el("header", { class: "card-head" }, title, words), numbers.element, courses);
  return { element, title, words, numbers, margin, lag, lagTop };
}

function drawCourse(shown: Unit, course: Course): void {
  sparkline(shown.margin, course.margin, 1);
  const most = course.lag.reduce((top, lag) => (lag > top ? lag : top), 1e-3);
  sparkline(shown.lag, course.lag, most);
  setText(shown.lagTop, `, 0–${span(most)}`);
}

function refusals(refused: Record<string, number>): string {
  const told = Object.entries(refused).filter(([, number]) => number > 0);
  return told.map(([why, number]) => `${count(number)} ${why}`).join(", ") || "none";
}

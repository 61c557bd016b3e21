/** What is run: the scenario's facts, how true to life it is, and how it went so far. */

import type { Situation } from "../shell/situation.ts";
import { el, factList, setShown } from "../shell/dom.ts";
import { fidelityView } from "./fidelity.ts";
import { clock, count, metres, place, plural, span, times, utcDay } from "../format.ts";
import { NumberGrid } from "./number-grid.ts";
import type { Panel } from "./panel.ts";

export class RunPanel implements Panel {
  readonly id = "run";
  readonly title = "Run";
  open = false;
  readonly element = el("div", { class: "panel-run scrolls" });
  private readonly summary = new NumberGrid();
  private readonly soFar: HTMLElement;
  private readonly remarkList = el("ul", { class: "plain-list" });
  private readonly remarks = section("Of the recording", this.remarkList);
  private remarked = -1;

  constructor(private readonly situation: Situation) {
    const { run } = situation.hello;
    const heading = situation.replaying ? "Up to here" : "So far";
    this.soFar = section(heading, this.summary.element);
    this.element.append(
      el("h2", { text: run.name }),
      el("p", { class: "lead", text: run.description }),
      this.remarks,
      this.soFar,
    );
    const { left_out: leftOut } = situation.hello;
    if (leftOut.length) this.element.append(section("Not on the map", sentences(leftOut)));
    if (run.fidelity) this.element.append(section("Fidelity", fidelityView(run.fidelity)));
    this.element.append(section("Notice levels", this.levels()));
    this.element.append(section("Facts", this.facts()));
    if (run.changes.length) {
      this.element.append(section("Changed for this run", changes(run.changes)));
    }
  }

  badge(): string {
    return "";
  }

  available(): boolean {
    return true;
  }

  refresh(): void {
    this.showRemarks();
    const summary = this.situation.status?.summary;
    setShown(this.soFar, summary !== undefined);
    if (!summary) return;
    const { closest, notices, detections, missions } = summary;
    const names = closest?.names.join(" – ") ?? "";
    const levels = Object.keys(this.situation.hello.run.levels);
    this.summary.show([
      ...levels.map((level): [string, string] => [level, plural(notices[level] ?? 0, "notice")]),
      ["Finds by searchers", count(detections)],
      ["Missions", missions ? `${count(missions.over)} of ${count(missions.vehicles)} over` : ""],
      [
        "Closest approach",
        closest ? `${metres(closest.distance)} at t = ${clock(closest.t)}, ${names}` : "",
      ],
    ]);
  }

  private showRemarks(): void {
    const { remarks = [] } = this.situation.happenings;
    if (remarks.length === this.remarked) return;
    this.remarked = remarks.length;
    setShown(this.remarks, remarks.length > 0);
    this.remarkList.replaceChildren(...remarks.map((words) => el("li", { text: words })));
  }

  /** From when to when a recording goes, which may be less than was planned. */
  private recorded(): string {
    const { replay } = this.situation.hello;
    if (!replay) return "";
    const { start, end } = replay;
    return `t = ${clock(start)} to ${clock(end)}, ${span(end - start)}`;
  }

  private levels(): HTMLElement {
    const entries = Object.entries(this.situation.hello.run.levels);
    return factList(
      entries.map(
        ([name, multiple]) => [name, `within ${Number(multiple)} × the larger length of the two`],
      ),
    );
  }

  private facts(): HTMLElement {
    const { hello, status } = this.situation;
    const { run, roster } = hello;
    const [lat, lon, altitude] = run.origin;
    return factList([
      [this.situation.replaying ? "Recording" : "Scenario", code(hello.source)],
      ["Recorded to", hello.recording && !this.situation.replaying ? code(hello.recording) : ""],
      ["Vehicles", count(roster.vids.length)],
      [this.situation.replaying ? "Planned" : "Duration", span(run.duration)],
      ["Recorded", this.recorded()],
      ["Tick", span(run.tick)],
      ["Speed", times(status?.speed)],
      ["Seed", String(run.seed)],
      ["Origin", `${place(lat, lon)}, ${metres(altitude)}`],
      ["Started", utcDay(run.started_utc)],
      ["Run", code(run.run_id)],
      ["movenv", run.movenv],
    ]);
  }
}

function section(title: string, ...content: Node[]): HTMLElement {
  return el("section", { class: "unit" }, el("h3", { text: title }), ...content);
}

function sentences(lines: string[]): HTMLElement {
  return el("ul", { class: "plain-list" }, ...lines.map((words) => el("li", { text: words })));
}

function code(text: string): HTMLElement {
  return el("code", { text });
}

function changes(lines: string[]): HTMLElement {
  return el("ul", { class: "plain-list" }, ...lines.map((line) => el("li", {}, code(line))));
}

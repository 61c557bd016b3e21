/** What has happened: a log that follows the newest unless somebody reads back. */

import type { RunEvent } from "../feed/messages.ts";
import type { Situation } from "../shell/situation.ts";
import { button, el, setShown, setText, setTone } from "../shell/dom.ts";
import { icon } from "../shell/icons.ts";
import { drawerOf, DRAWERS, toneOf } from "./event-log.ts";
import type { Drawer } from "./event-log.ts";
import { clock, count, plural, utcClock } from "../format.ts";
import { anyMission } from "../missions.ts";
import { MarkField } from "./mark-field.ts";
import type { Panel } from "./panel.ts";

/** Lines kept in the page. */
const SHOWN = 500;

export class EventsPanel implements Panel {
  readonly id = "events";
  readonly title = "Events";
  open = false;
  readonly element = el("div", { class: "panel-events" });
  readonly marks: MarkField;
  private readonly list = el("ol", {
    class: "log",
    role: "log",
    label: "Events",
    testid: "event-log",
  });
  private readonly none = el("p", { class: "empty", text: "Nothing has happened yet." });
  private readonly latest = button({ class: "latest", click: () => this.toEnd() });
  private readonly chips = el("div", { class: "chips", role: "group", label: "Show events" });
  private readonly hiddenDrawers = new Set<Drawer>();
  private readonly levels: string[];
  /** Not there until somebody has remarked something. */
  private readonly remarks: HTMLElement | null = null;
  private next = 0;
  private begun = 0;
  private readBack = false;
  private seen = 0;

  constructor(private readonly situation: Situation) {
    this.levels = Object.keys(situation.hello.run.levels);
    this.marks = new MarkField(situation);
    for (const [drawer, words] of Object.entries(DRAWERS)) {
      if (drawer === "missions" && !anyMission(situation.hello.roster)) continue;
      const chip = this.chip(drawer as Drawer, words);
      if (drawer === "remarks") this.remarks = chip;
      this.chips.append(chip);
    }
    if (this.remarks) setShown(this.remarks, false);
    this.list.tabIndex = 0;
    this.list.addEventListener("scroll", () => this.onScroll(), { passive: true });
    const log = el("div", { class: "log-frame" }, this.none, this.list, this.latest);
    this.element.append(this.chips, log, this.marks.element);
    this.latest.hidden = true;
  }

  /** How many came while another tab was open. */
  badge(): string {
    if (this.open) this.seen = this.situation.events.end;
    const news = this.situation.events.end - Math.min(this.seen, this.situation.events.end);
    return news ? (news > 99 ? "99+" : count(news)) : "";
  }

  available(): boolean {
    return true;
  }

  refresh(): void {
    const log = this.situation.events;
    if (log.begun !== this.begun || this.next < log.dropped) this.begin();
    const from = Math.max(this.next - log.dropped, log.all.length - SHOWN);
    const news = log.all.slice(from);
    if (this.remarks?.hidden && news.some((event) => event.kind === "remark")) {
      setShown(this.remarks, true);
    }
    const lines = news
      .filter((event) => !this.hiddenDrawers.has(drawerOf(event)))
      .map((event) => this.line(event));
    this.next = log.end;
    setShown(this.none, this.list.childElementCount + lines.length === 0);
    if (!lines.length) return;
    this.list.append(...lines);
    this.trim();
    if (!this.readBack) this.toEnd();
    else this.offerLatest(lines.length);
  }

  private begin(): void {
    this.list.replaceChildren();
    this.begun = this.situation.events.begun;
    this.next = this.situation.events.dropped;
    this.latest.dataset.news = "0";
    this.readBack = false;
    setShown(this.latest, false);
  }

  /** Old lines go, but not from under the eyes of somebody who reads them. */
  private trim(): void {
    if (this.readBack && this.list.childElementCount < 2 * SHOWN) return;
    while (this.list.childElementCount > SHOWN) this.list.firstElementChild?.remove();
  }

  private line(event: RunEvent): HTMLElement {
    const wall = utcClock(event.utc);
    const times = el(
      "span",
      { class: "log-times number", title: wall && `${wall} UTC` },
      clock(event.t),
    );
    if (wall) times.append(el("span", { class: "muted", text: wall }));
    const kind = el("span", { class: "tag" }, ...signOf(event.kind), event.kind);
    setTone(kind, toneOf(event, this.levels));
    const text = el("span", { class: "log-text", text: event.text });
    if (event.who) text.prepend(el("span", { class: "log-who", text: `${event.who} ` }));
    const open = button({ class: "log-line", click: () => this.goTo(event) }, times, kind, text);
    return el("li", {}, open);
  }

  private goTo(event: RunEvent): void {
    if (this.situation.replaying) this.situation.replay({ t: event.t });
    const [first] = event.vids;
    if (event.kind === "order") this.situation.showVehicles(event.vids);
    else if (this.situation.rowOf.has(first)) this.situation.showVehicles([first]);
  }

  private chip(drawer: Drawer, words: string): HTMLElement {
    const looks = {
      class: "chip",
      text: words,
      testid: `events-${drawer}`,
      attributes: { "aria-pressed": "true" },
    };
    const chip = button({
      ...looks,
      click: () => {
        if (!this.hiddenDrawers.delete(drawer)) this.hiddenDrawers.add(drawer);
        chip.setAttribute("aria-pressed", String(!this.hiddenDrawers.has(drawer)));
        this.begin();
        this.refresh();
      },
    });
    return chip;
  }

  private onScroll(): void {
    const { scrollTop, clientHeight, scrollHeight } = this.list;
    this.readBack = scrollTop + clientHeight < scrollHeight - 12;
    if (!this.readBack) {
      this.latest.dataset.news = "0";
      setShown(this.latest, false);
    }
  }

  private offerLatest(more: number): void {
    const news = Number(this.latest.dataset.news ?? 0) + more;
    this.latest.dataset.news = String(news);
    setText(this.latest, `${plural(news, "new event")} ↓`);
    setShown(this.latest, true);
  }

  private toEnd(): void {
    this.list.scrollTop = this.list.scrollHeight;
  }
}

/** Vehicles that speak for themselves, and orders to them, have a sign of their own. */
function signOf(kind: string): Node[] {
  if (kind === "remark") return [icon("remark")];
  return kind === "order" ? [icon("flag")] : [];
}

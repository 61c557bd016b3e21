/** Everything known of the selected vehicle. */

import type { Situation } from "../shell/situation.ts";
import { button, el, setShown, setText, setTone } from "../shell/dom.ts";
import { icon, vehicleSymbol } from "../shell/icons.ts";
import { age, clock, count, fixed, heading, metres, percent, place, span } from "../format.ts";
import { MissionList } from "./mission-list.ts";
import { NumberGrid } from "./number-grid.ts";
import { conditionTone } from "./vehicle-facts.ts";
import type { VehicleFacts } from "./vehicle-facts.ts";
import { WheelOffer } from "./wheel-offer.ts";

const EVENTS_SHOWN = 3;

export class VehicleCard {
  readonly element = el("section", {
    class: "card",
    label: "Selected vehicle",
    testid: "vehicle-card",
  });
  private readonly head = el("header", { class: "card-head" });
  private readonly symbol = vehicleSymbol();
  private readonly name = el("h3");
  private readonly what = el("span", { class: "muted" });
  private readonly condition = el("span", { class: "tag" });
  private readonly follow: HTMLButtonElement;
  private readonly facts = new NumberGrid();
  private readonly mission: MissionList;
  private readonly wheel: WheelOffer;
  private readonly lately = el("ul", { class: "lately" });
  private latelyShown = "";

  constructor(
    private readonly situation: Situation,
    private readonly about: VehicleFacts,
  ) {
    const { selection } = situation;
    this.mission = new MissionList(situation.fleet);
    this.wheel = new WheelOffer(situation);
    this.follow = button(
      {
        class: "small",
        testid: "vehicle-follow",
        title: "The map stays with it (F)",
        label: "Follow",
        click: () => selection.follow(!selection.following),
      },
      icon("follow"),
      el("span", { text: "Follow" }),
    );
    const go = {
      class: "small",
      testid: "vehicle-goto",
      label: "Go to",
      title: "Bring it into view (G)",
    };
    const goWords = el("span", { text: "Go to" });
    const close = { class: "icon-button", label: "Deselect", title: "Deselect (Esc)" };
    this.head.append(
      this.symbol.element,
      el("div", { class: "card-title" }, this.name, this.what),
      this.condition,
      this.follow,
      button({ ...go, click: () => this.goTo() }, icon("goto"), goWords),
      button({ ...close, click: () => selection.select(null) }, icon("close")),
    );
    const { head, mission, wheel, facts, lately } = this;
    this.element.append(head, mission.element, wheel.element, facts.element, lately);
    this.element.hidden = true;
  }

  refresh(): void {
    const { selection } = this.situation;
    const row = selection.selected;
    setShown(this.element, row !== null);
    if (row === null) return;
    const { about } = this;
    const roster = this.situation.hello.roster;
    this.symbol.show(about.kind(row), about.origin(row));
    setText(this.name, roster.names[row]);
    const by = about.host(row)?.host;
    const what = [about.origin(row), about.kind(row), `vid ${roster.vids[row]}`];
    setText(this.what, [...what, by ? `by ${by}` : ""].filter(Boolean).join(" · "));
    setText(this.condition, about.condition(row));
    const tone = conditionTone(about.health(row));
    setTone(this.condition, tone);
    setTone(this.head, tone);
    this.follow.setAttribute("aria-pressed", String(selection.following));
    this.mission.show(row);
    this.wheel.show(row);
    this.facts.show(this.numbers(row));
    this.showEvents(roster.vids[row]);
  }

  private numbers(row: number): [string, string][] {
    const { about } = this;
    const { fleet } = this.situation;
    const reception = this.situation.reception(row);
    const [lon, lat] = [fleet.positions[row * 2], fleet.positions[row * 2 + 1]];
    const known = fleet.known(row);
    return [
      ["Place", place(lat, lon)],
      ["Closest", this.closest(row)],
      ["Speed", about.speedWords(row, " m/s")],
      ["Height", unit(fixed(about.height(row), 1), "m")],
      ["Heading", known ? heading(fleet.heading[row]) : ""],
      ["Behavior", about.behavior(row)],
      ["Age", age(about.age(row))],
      ["Lag", span(about.lag(row))],
      ["Loss", percent(about.loss(row))],
      ["Margin", percent(about.margin(row))],
      ["Accuracy", unit(fixed(about.accuracy(row), 1), "m", "± ")],
      ["Battery", percent(about.battery(row))],
      ["Fixes", reception ? this.fixes(row) : ""],
    ];
  }

  private fixes(row: number): string {
    const reception = this.situation.reception(row);
    if (!reception) return "";
    const rate = unit(fixed(reception.rate, 1), "/s");
    const told = `${count(reception.accepted)} taken, ${count(reception.rejected)} refused`;
    return [rate, told].filter(Boolean).join(", ");
  }

  /** The nearest of the pairs that were told of: the ten closest and all under notice. */
  private closest(row: number): string {
    const { fleet, pairs, hello } = this.situation;
    let nearest = Infinity;
    let other = -1;
    const consider = (one: number, two: number, distance: number) => {
      if ((one !== row && two !== row) || distance >= nearest) return;
      nearest = distance;
      other = one === row ? two : one;
    };
    for (const pair of pairs) consider(pair.row, pair.other, pair.distance);
    for (let i = 0; i < fleet.pairCount; i++) {
      consider(fleet.pairs[i * 4], fleet.pairs[i * 4 + 1], fleet.distances[i * 4 + 2]);
    }
    return other < 0 ? "" : `${hello.roster.names[other]}, ${metres(nearest)}`;
  }

  private showEvents(vid: number): void {
    const log = this.situation.events;
    const key = `${vid} ${log.begun} ${log.end}`;
    if (key === this.latelyShown) return;
    this.latelyShown = key;
    const events = log.of(vid, EVENTS_SHOWN);
    const lines = events.map((event) =>
      el("li", {}, el("span", { class: "muted number", text: clock(event.t) }), ` ${event.text}`),
    );
    this.lately.replaceChildren(...lines);
  }

  private goTo(): void {
    const row = this.situation.selection.selected;
    if (row !== null) this.situation.map?.goTo(row);
  }
}

function unit(value: string, name: string, before = ""): string {
  return value && `${before}${value} ${name}`;
}

/** Giving orders to who is selected: where to, how, and in which formation. */

import type { Deed } from "../feed/messages.ts";
import { plural } from "../format.ts";
import type { OrderDesk } from "../orders/desk.ts";
import { FORMATIONS, refusersWords, ROADS } from "../orders/wish.ts";
import type { Situation } from "../shell/situation.ts";
import { button, el, setShown, setText, setTone } from "../shell/dom.ts";
import { icon } from "../shell/icons.ts";
import { namesInShort, unitOf } from "../units.ts";

const NAMES_SHOWN = 4;

export class OrderForm {
  readonly element = el("section", { class: "order-form", label: "Orders", testid: "order-desk" });
  private readonly whom = el("h3", { testid: "order-whom" });
  private readonly who = el("p", { class: "muted order-names" });
  private readonly refusers = el("p", { class: "answer", testid: "order-refusers" });
  private readonly where = el("span", { class: "muted", testid: "order-where" });
  private readonly away = button(
    { class: "icon-button", label: "Forget the goal", click: () => this.desk.sketch.clear() },
    icon("close"),
  );
  private readonly goal: HTMLButtonElement;
  private readonly route: HTMLButtonElement;
  private readonly order: HTMLButtonElement;
  private readonly answer = el("p", { class: "answer", role: "status", testid: "order-answer" });
  private drawing = false;

  constructor(
    private readonly situation: Situation,
    private readonly desk: OrderDesk,
  ) {
    this.goal = this.tool("Go to", "order-goal", "Place a goal on the map (O)", "goal");
    this.route = this.tool("Draw route", "order-route", "Draw a route on the map (D)", "route");
    this.order = this.deed("Order", "go", "Go there");
    this.order.classList.add("chief");
    const whither = el("div", { class: "order-row" }, this.goal, this.route, this.where, this.away);
    const deeds = el(
      "div",
      { class: "order-row" },
      this.order,
      this.deed("Form up", "form", "Keep the formation, wherever the first of them goes"),
      this.deed("Hold", "hold", "Stop, or circle (Shift H)"),
      this.deed("Resume", "resume", "Back to what they did before (Shift C)"),
    );
    const head = el("div", { class: "order-head" }, this.whom, this.who, this.refusers);
    this.element.append(head, whither, this.settings(), deeds, this.answer);
    desk.onChange(() => this.refresh());
    situation.selection.onChange(() => this.refresh());
    this.refresh();
  }

  refresh(): void {
    const { desk } = this;
    const { selection, hello } = this.situation;
    const rows = selection.members;
    const takers = desk.takers.length;
    setText(this.whom, this.title(rows));
    const names = rows.map((row) => hello.roster.names[row]);
    setText(this.who, rows.length ? namesInShort(names, NAMES_SHOWN) : howToSelect());
    setShown(this.who, rows.length !== 1);
    setText(this.refusers, refusersWords(rows.length, takers));
    setTone(this.refusers, "caution");
    this.showSketch();
    for (const one of this.element.querySelectorAll<HTMLButtonElement>("button[data-needs]")) {
      one.disabled = takers === 0;
    }
    setText(this.answer, desk.answer.words);
    setTone(this.answer, desk.answer.tone);
  }

  /** Once a goal is there, Enter sends it. */
  private showSketch(): void {
    const { sketch } = this.desk;
    const drawn = sketch.points.length;
    const words = sketch.drawing ? "Click on the map…" : "";
    setText(this.where, drawn ? plural(drawn, drawn > 1 ? "point" : "goal") : words);
    setShown(this.away, drawn > 0 || sketch.drawing !== null);
    this.goal.setAttribute("aria-pressed", String(sketch.drawing === "goal"));
    this.route.setAttribute("aria-pressed", String(sketch.drawing === "route"));
    if (this.drawing && !sketch.drawing && drawn) this.order.focus();
    this.drawing = sketch.drawing !== null;
  }

  private title(rows: number[]): string {
    const { roster } = this.situation.hello;
    if (!rows.length) return "Nobody is selected";
    if (rows.length === 1) return roster.names[rows[0]];
    const unit = roster.units?.[unitOf(roster, rows)];
    return unit ? `${unit}, ${plural(rows.length, "vehicle")}` : `${rows.length} vehicles`;
  }

  private settings(): HTMLElement {
    const { manner } = this.desk;
    const roads = choice("order-roads", ROADS.map((name) => [name, name]), (value) => {
      manner.roads = ROADS.find((name) => name === value) ?? "off";
    });
    const known = FORMATIONS.map((name): [string, string] => [name, name]);
    const formation = choice("order-formation", [["", "none"], ...known], (value) => {
      manner.formation = value;
      spacing.disabled = !value;
    });
    const speed = amount("order-speed", "own", (value) => (manner.speed = value));
    const spacing = amount("order-spacing", "own", (value) => (manner.spacing = value));
    spacing.disabled = true;
    return el(
      "div",
      { class: "order-settings" },
      field("Speed, m/s", speed),
      field("Roads", roads),
      field("Formation", formation),
      field("Spacing, m", spacing),
    );
  }

  private tool(
    words: string,
    testid: string,
    title: string,
    kind: "goal" | "route",
  ): HTMLButtonElement {
    const press = () => {
      if (this.desk.sketch.drawing === kind) this.desk.sketch.clear();
      else this.desk.draw(kind);
    };
    const looks = { class: "small", testid, title, attributes: { "data-needs": "takers" } };
    const sign = icon(kind === "goal" ? "flag" : "route");
    return button({ ...looks, click: press }, sign, el("span", { text: words }));
  }

  private deed(words: string, what: Deed, title: string): HTMLButtonElement {
    const looks = { text: words, testid: `order-${what}`, title };
    const attributes = { "data-needs": "takers" };
    return button({ ...looks, attributes, click: () => void this.desk.send(what) });
  }
}

function howToSelect(): string {
  return matchMedia("(pointer: coarse)").matches
    ? "Tap a vehicle or a unit; the box over the map selects several."
    : "Click a vehicle or a unit; Shift and a drag on the map select several.";
}

function field(words: string, control: HTMLElement): HTMLElement {
  return el("label", { class: "order-field" }, el("span", { class: "muted", text: words }), control);
}

function choice(
  testid: string,
  options: [value: string, words: string][],
  take: (value: string) => void,
): HTMLSelectElement {
  const made = el("select", { testid });
  for (const [value, words] of options) {
    made.append(el("option", { text: words, attributes: { value } }));
  }
  made.addEventListener("change", () => take(made.value));
  return made;
}

/** A number above 0; nothing where it is left empty. */
function amount(
  testid: string,
  empty: string,
  take: (value: number | null) => void,
): HTMLInputElement {
  const attributes = { type: "number", min: "0.1", step: "any", placeholder: empty };
  const made = el("input", { testid, attributes: { ...attributes, inputmode: "decimal" } });
  made.addEventListener("input", () => {
    const value = Number(made.value);
    take(made.value !== "" && value > 0 ? value : null);
  });
  return made;
}

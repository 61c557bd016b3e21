/** Over the map: who is selected, what is being drawn for them, and what became of an order. */

import type { OrderDesk } from "../orders/desk.ts";
import { refusersWords } from "../orders/wish.ts";
import { namesInShort, unitOf } from "../units.ts";
import { button, el, setShown, setText, setTone } from "./dom.ts";
import { icon } from "./icons.ts";
import type { Situation } from "./situation.ts";

const NAMES_SHOWN = 3;
const BY_MOUSE = {
  goal: "Click the goal. Esc cancels.",
  route: "Click the points; Enter or a double click ends, Backspace takes the last away.",
};
const BY_FINGER = { goal: "Tap the goal.", route: "Tap the points." };
/** How long the answer to an order is shown, ms. */
const ANSWERED = 8000;

export class SelectionBar {
  readonly element = el("div", { class: "selection-bar", testid: "selection-bar", role: "status" });
  private readonly whom = el("strong", { testid: "selection-count" });
  private readonly names = el("span", { class: "selection-names" });
  private readonly note = el("span", { class: "answer selection-note" });
  private readonly orders: HTMLElement;
  private readonly more: HTMLElement;
  private readonly drawing: HTMLElement;
  private readonly clear: HTMLButtonElement;

  /** `openOrders` shows where orders are given, unless that is open. */
  constructor(
    private readonly situation: Situation,
    private readonly desk: OrderDesk,
    openOrders: () => void,
    private readonly ordersOpen: () => boolean,
  ) {
    const { sketch } = desk;
    const small = (text: string, testid: string, click: () => void) =>
      button({ class: "small", text, testid, click });
    this.more = small("Orders", "bar-orders", openOrders);
    this.orders = el(
      "span",
      { class: "selection-tools" },
      this.more,
      small("Hold", "bar-hold", () => void desk.send("hold")),
      small("Resume", "bar-resume", () => void desk.send("resume")),
    );
    this.drawing = el(
      "span",
      { class: "selection-tools" },
      small("Done", "sketch-done", () => sketch.end()),
      small("Back", "sketch-back", () => sketch.back()),
      small("Cancel", "sketch-cancel", () => sketch.clear()),
    );
    const close = { class: "icon-button", label: "Deselect", title: "Deselect (Esc)" };
    this.clear = button(
      { ...close, click: () => situation.selection.select(null) },
      icon("close"),
    );
    const words = el("span", { class: "selection-words" }, this.whom, this.names, this.note);
    this.element.append(words, this.orders, this.drawing, this.clear);
    desk.onChange(() => this.refresh());
    situation.selection.onChange(() => this.refresh());
    this.refresh();
  }

  refresh(): void {
    const { desk, situation } = this;
    const drawing = desk.sketch.drawing !== null;
    const several = situation.selection.count > 1;
    const answered = desk.answer.words !== "" && performance.now() - desk.answer.at < ANSWERED;
    setShown(this.element, drawing || several || answered);
    setShown(this.drawing, drawing);
    setShown(this.orders, several && !drawing && desk.open && desk.takers.length > 0);
    setShown(this.more, !this.ordersOpen());
    setShown(this.clear, several && !drawing);
    setShown(this.names, several && !drawing);
    document.body.classList.toggle("drawing", drawing);
    this.element.dataset.state = drawing ? "drawing" : answered ? "answered" : "selected";
    if (drawing) this.showDrawing();
    else this.showSelected(answered);
  }

  private showDrawing(): void {
    const { sketch } = this.desk;
    const drawn = sketch.points.length;
    setText(this.whom, sketch.drawing === "goal" ? "Where to?" : "Which way?");
    const { goal, route } = matchMedia("(pointer: coarse)").matches ? BY_FINGER : BY_MOUSE;
    setText(this.note, sketch.drawing === "goal" ? goal : route);
    setTone(this.note, "plain");
    this.note.dataset.said = "here";
    const [done, back] = this.drawing.querySelectorAll("button");
    setShown(done, sketch.drawing === "route");
    setShown(back, sketch.drawing === "route");
    done.disabled = back.disabled = drawn === 0;
  }

  private showSelected(answered: boolean): void {
    const { desk, situation } = this;
    const { roster } = situation.hello;
    const rows = situation.selection.members;
    const unit = roster.units?.[unitOf(roster, rows)];
    const many = rows.length > 1;
    setText(this.whom, many ? `${unit ? `${unit}, ` : ""}${rows.length} selected` : "");
    setText(this.names, namesInShort(rows.map((row) => roster.names[row]), NAMES_SHOWN));
    const refusers = desk.open && many ? refusersWords(rows.length, desk.takers.length) : "";
    setText(this.note, answered ? desk.answer.words : refusers);
    setTone(this.note, answered ? desk.answer.tone : "caution");
    this.note.dataset.said = this.ordersOpen() ? "panel" : "here";
  }
}

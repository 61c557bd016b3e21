/** Before the wheel: who drives what, and the button that takes it. */

import type { LinkState } from "../feed/line.ts";
import { button, el, setShown, setText, setTone } from "../shell/dom.ts";
import { guide } from "./guide.ts";
import type { DriveHello, Seat } from "./session.ts";
import { gateButton, gateSaying } from "./words.ts";

const KEPT = "movenv-driver";

export class Gate {
  readonly element = el("div", { class: "gate" });
  private readonly saying = el("p", { class: "gate-saying", role: "status", testid: "saying" });
  private readonly driver = el("input", {
    id: "driver",
    testid: "driver",
    attributes: { maxlength: "60", autocomplete: "nickname", placeholder: "Your name" },
  });
  private readonly run = el("p", { class: "muted", testid: "run" });
  private readonly take = button({ class: "primary", testid: "take", attributes: { type: "submit" } });

  constructor(hello: DriveHello, flies: boolean, ask: (driver: string) => void) {
    this.driver.value = localStorage.getItem(KEPT) ?? "";
    const form = el("form", { class: "gate-form" });
    form.append(
      el("label", { text: "Driver", attributes: { for: "driver" } }),
      this.driver,
      this.take,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const driver = this.driver.value.trim();
      localStorage.setItem(KEPT, driver);
      ask(driver);
    });
    const title = el("h1", { text: `Drive ${hello.vehicle}` });
    const head = el("header", {}, title, this.run);
    const card = el("section", { class: "gate-card", label: `Drive ${hello.vehicle}` });
    card.append(head, this.saying, form, guide(flies, hello.gears));
    this.element.append(card);
  }

  setRun(name: string): void {
    setText(this.run, `in the run ${name}`);
  }

  focus(): void {
    (this.driver.value ? this.take : this.driver).focus();
  }

  refresh(seat: Seat, link: LinkState): void {
    const shown = seat.at !== "wheel";
    const back = shown && this.element.hidden;
    setShown(this.element, shown);
    const { tone, words } = gateSaying(seat, link);
    setTone(this.saying, tone);
    setText(this.saying, words);
    setShown(this.saying, words !== "");
    const { text, enabled } = gateButton(seat, link);
    setText(this.take, text);
    this.take.disabled = !enabled;
    if (back) this.focus();
  }
}

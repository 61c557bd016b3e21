/** The bar above: the vehicle, the run, the delay, and letting go. */

import type { RunStateName } from "../feed/messages.ts";
import { button, el, setText, setTone } from "../shell/dom.ts";
import { icon } from "../shell/icons.ts";
import type { ThemeChoice } from "../shell/theme.ts";
import type { Delay } from "./delay.ts";
import type { DriveHello } from "./session.ts";

export class DriveBar {
  readonly element = el("header", { class: "drive-bar" });
  private readonly run = el("span", { class: "muted" });
  private readonly state = el("span", { class: "tag", testid: "run-state", title: "Run state" });
  private readonly delay = el("span", { class: "tag delay", testid: "delay" });
  private readonly typical = el("strong");
  private readonly verdict = el("span", { testid: "delay-words" });
  private readonly advice = el("span", { class: "delay-advice" });
  private readonly worst = el("span", { class: "delay-worst" });
  private readonly letGo: HTMLButtonElement;

  constructor(hello: DriveHello, theme: ThemeChoice, letGo: () => void) {
    this.letGo = button({
      class: "let-go",
      text: "Let go",
      testid: "let-go",
      title: "Leave the wheel: the vehicle does again what it did before",
      click: letGo,
    });
    this.delay.title = "From a turn of the wheel until the vehicle shows that it lives with it";
    const now = el("span", { class: "delay-now" }, this.typical, this.verdict, this.advice);
    this.delay.append(now, this.worst);
    const name = el(
      "div",
      { class: "bar-name" },
      el("strong", { text: hello.vehicle }),
      el("span", { class: "bar-run" }, this.state, this.run),
    );
    const day = button({
      class: "icon-button",
      label: "Day or night",
      title: "Day or night",
      click: () => theme.toggle(),
    });
    theme.onChange((now) => day.replaceChildren(icon(now === "day" ? "night" : "day")));
    this.element.append(name, this.delay, day, this.letGo);
  }

  setRun(name: string): void {
    setText(this.run, name);
  }

  refresh(state: RunStateName | null, delay: Delay | null): void {
    setText(this.state, state ?? "…");
    setTone(this.state, state === "GO" ? "ok" : state === "PAUSE" ? "caution" : "unknown");
    this.letGo.disabled = delay === null;
    setTone(this.delay, delay?.tone ?? "unknown");
    const { median = null, worst = null } = delay ?? {};
    setText(this.typical, median === null ? "Delay" : `${Math.round(median)} ms`);
    setText(this.verdict, delay?.words ?? "not driving");
    setText(this.advice, delay?.advice ?? "");
    setText(this.worst, worst === null ? "" : `worst ${Math.round(worst)} ms`);
  }
}

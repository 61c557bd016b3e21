/** What one must see at a glance: which run, its state, its time, its health, and one's role. */

import { RUN_STATES } from "../feed/messages.ts";
import { age, clock, times, utcClock } from "../format.ts";
import { button, el, setShown, setText, setTone } from "./dom.ts";
import { icon } from "./icons.ts";
import { lampsOf } from "./lamps.ts";
import type { Situation } from "./situation.ts";
import type { Theme } from "./theme.ts";

/** What is shown is called old from then on, s. */
const OLD_AFTER = 2;

export interface TopBarHandlers {
  theme(): void;
  help(): void;
  health(): void;
}

export class TopBar {
  readonly element = el("header", { class: "top-bar" });
  private readonly state = el("span", { class: "pill", testid: "run-state", role: "status" });
  private readonly time = el("span", { class: "clock-t number", testid: "clock-t" });
  private readonly whole = el("span", { class: "clock-whole number" });
  private readonly speed = el("span", { class: "clock-speed number", title: "Times real time" });
  private readonly wall = el("span", { class: "clock-wall number", title: "Wall clock, UTC" });
  private readonly lamps = el("div", { class: "lamps", role: "group", label: "Health" });
  private readonly themeButton: HTMLButtonElement;

  constructor(
    private readonly situation: Situation,
    private readonly handlers: TopBarHandlers,
  ) {
    const { hello } = situation;
    const theme = { class: "icon-button", testid: "theme", click: () => handlers.theme() };
    const help = {
      class: "icon-button",
      testid: "help",
      label: "Help",
      title: "Keys and help (?)",
    };
    this.themeButton = button(theme);
    const title = el("h1", {
      class: "run-name",
      text: hello.run.name,
      title: hello.run.description,
    });
    const clocks = el("div", { class: "clocks" }, this.time, this.whole, this.speed, this.wall);
    this.element.append(
      el("div", { class: "identity" }, title, this.state),
      clocks,
      this.lamps,
      el(
        "div",
        { class: "corner" },
        this.role(),
        this.themeButton,
        button({ ...help, click: () => handlers.help() }, icon("help")),
      ),
    );
    this.refresh();
  }

  showTheme(theme: Theme): void {
    const other = theme === "day" ? "night" : "day";
    this.themeButton.replaceChildren(icon(other));
    this.themeButton.title = `Change to ${other} colours (N)`;
    this.themeButton.setAttribute("aria-label", this.themeButton.title);
  }

  /** The time only: at every frame. */
  showTime(): void {
    const { fleet, status } = this.situation;
    setText(this.time, clock(fleet.version ? fleet.t : (status?.t ?? 0)));
  }

  refresh(): void {
    const { fleet, status, hello } = this.situation;
    const state = status?.state ?? RUN_STATES[fleet.state - 1];
    setText(this.state, state ?? "…");
    this.state.dataset.state = state ?? "";
    this.showTime();
    const whole = hello.replay ? hello.replay.end : (status?.duration ?? hello.run.duration);
    setText(this.whole, Number.isFinite(whole) && whole ? `/ ${clock(whole, 0)}` : "");
    const speed = hello.replay ? status?.replay?.rate : status?.speed;
    setText(this.speed, times(speed));
    const utc = fleet.utc || status?.utc;
    const old = this.situation.silence > OLD_AFTER ? `, ${age(this.situation.silence)} old` : "";
    setText(this.wall, utc ? `${utcClock(utc)} UTC${old}` : "");
    setShown(this.wall, Boolean(utc));
    this.showLamps();
  }

  private showLamps(): void {
    lampsOf(this.situation.status, this.situation.replaying).forEach((lamp, i) => {
      const shown = (this.lamps.children[i] as HTMLElement) ?? this.addLamp(lamp.id, lamp.title);
      setTone(shown, lamp.tone);
      setText(shown.lastElementChild as HTMLElement, lamp.words);
      shown.title = `${lamp.title}: ${lamp.words}`;
    });
  }

  private addLamp(id: string, title: string): HTMLElement {
    const lamp = button(
      { class: "lamp", testid: `lamp-${id}`, click: () => this.handlers.health() },
      el("span", { class: "lamp-light", attributes: { "aria-hidden": "true" } }),
      el("span", { class: "lamp-title", text: title }),
      el("span", { class: "lamp-words" }),
    );
    this.lamps.append(lamp);
    return lamp;
  }

  private role(): HTMLElement {
    const { replaying, hello } = this.situation;
    if (replaying) return el("span", { class: "role", text: "Replay", testid: "role" });
    if (hello.role === "operator") {
      return el("span", { class: "role", text: "Operator", testid: "role" });
    }
    return el(
      "span",
      { class: "role", testid: "role", title: "This link lets you look, not act" },
      "Observer",
      el("span", { class: "muted", text: ": look only" }),
    );
  }
}

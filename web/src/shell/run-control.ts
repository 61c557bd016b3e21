/** READY, SET, GO, PAUSE, STOP; what the run waits for; and what became of a command. */

import { Refused } from "../api.ts";
import { RUN_STATES } from "../feed/messages.ts";
import type { RunStateName } from "../feed/messages.ts";
import { button, el, setShown, setText, setTone } from "./dom.ts";
import { MissingList } from "./missing.ts";
import type { Situation } from "./situation.ts";

/** For how long a first press on STOP waits for the second, ms. */
const ARMED_FOR = 4000;
const ANSWER_STAYS = 12000;
const HINTS: Record<RunStateName, [words: string, key: string]> = {
  READY: ["Everyone stands by", "Shift R"],
  SET: ["Everyone goes to the start", "Shift S"],
  GO: ["Time runs", "Shift G"],
  PAUSE: ["Time holds", "Shift P"],
  STOP: ["Ends the run for good", "Shift X twice"],
};

export class RunControl {
  readonly element = el("section", { class: "dock run-control", label: "Run control" });
  private readonly buttons = new Map<RunStateName, HTMLButtonElement>();
  private readonly why = el("p", { class: "muted", testid: "control-why" });
  private readonly answer = el("p", { class: "answer", role: "status", testid: "control-answer" });
  private readonly missing: MissingList;
  private armedUntil = 0;
  private asked: RunStateName | null = null;
  private answeredAt = 0;

  constructor(private readonly situation: Situation) {
    this.missing = new MissingList(situation);
    const row = el("div", { class: "states", role: "group", label: "Run state" });
    for (const state of RUN_STATES) row.append(this.add(state));
    const words = el(
      "div",
      { class: "control-words" },
      this.answer,
      this.missing.element,
      this.why,
    );
    this.element.append(row, words);
    this.refresh();
  }

  /** As if the button were pressed; what is not possible is said, not done. */
  press(state: RunStateName): void {
    const why = this.whyNot() || this.illegal(state);
    const armed = performance.now() < this.armedUntil;
    this.armedUntil = 0;
    if (why) return this.say("caution", why);
    if (state === "STOP" && !armed) {
      this.armedUntil = performance.now() + ARMED_FOR;
      setTimeout(() => this.refresh(), ARMED_FOR + 50);
      return this.refresh();
    }
    void this.command(state);
  }

  /** Close the list of what is missing; whether it was open. */
  close(): boolean {
    return this.missing.close();
  }

  refresh(): void {
    const { status } = this.situation;
    const why = this.whyNot();
    for (const [state, shown] of this.buttons) {
      const present = status?.state === state;
      const legal = !why && Boolean(status?.legal.includes(state)) && this.asked === null;
      const armed = state === "STOP" && legal && performance.now() < this.armedUntil;
      shown.setAttribute("aria-disabled", String(!legal));
      shown.setAttribute("aria-current", String(present));
      shown.classList.toggle("armed", armed);
      shown.classList.toggle("busy", this.asked === state);
      setText(shown.lastElementChild as HTMLElement, this.subtitle(state, present, armed));
      shown.title = why || `${HINTS[state][0]} (${HINTS[state][1]})`;
    }
    const stale = this.asked === null && performance.now() - this.answeredAt > ANSWER_STAYS;
    if (stale) setText(this.answer, "");
    const answered = this.answer.textContent !== "";
    setShown(this.answer, answered);
    // Two lines at most, so that the map does not move.
    setText(this.why, answered || status?.state === "STOP" ? "" : why);
    this.missing.refresh();
  }

  private subtitle(state: RunStateName, present: boolean, armed: boolean): string {
    if (armed) return "press again to stop";
    if (this.asked === state) return "asking…";
    return present ? "now" : "";
  }

  private whyNot(): string {
    const { hello, link } = this.situation;
    if (hello.role !== "operator") return "Observers look; the operator's link is needed to act.";
    return link === "open" ? "" : "Not possible while the server is not heard.";
  }

  private illegal(state: RunStateName): string {
    const { status } = this.situation;
    if (!status) return "The run's state is not known yet.";
    if (status.legal.includes(state)) return "";
    if (status.state === state) return `The run is in ${state} already.`;
    const next = status.legal.join(" or ") || "nothing: the run has ended";
    return `${state} cannot follow ${status.state}; possible: ${next}.`;
  }

  private async command(state: RunStateName): Promise<void> {
    if (this.asked !== null) return;
    this.asked = state;
    this.say("plain", `Asking for ${state}…`);
    try {
      const done = await this.situation.api.state(state);
      this.asked = null;
      const silent = done.silent.slice(0, 5).join(", ");
      const more = done.silent.length > 5 ? ` and ${done.silent.length - 5} more` : "";
      if (silent) this.say("caution", `${done.state}, though not heard: ${silent}${more}.`);
      else this.say("ok", `The run is in ${done.state}.`);
    } catch (error) {
      this.asked = null;
      if (!(error instanceof Refused)) throw error;
      this.say("warning", `${state} refused: ${error.message}.`);
    }
  }

  private say(tone: string, words: string): void {
    this.answeredAt = performance.now();
    setTone(this.answer, tone);
    setText(this.answer, words);
    this.refresh();
  }

  private add(state: RunStateName): HTMLButtonElement {
    const looks = { class: "state-button", testid: `state-${state}`, id: `state-${state}` };
    const shown = button(
      { ...looks, click: () => this.press(state) },
      el("span", { text: state }),
      el("span", { class: "state-note" }),
    );
    shown.dataset.state = state;
    this.buttons.set(state, shown);
    return shown;
  }
}

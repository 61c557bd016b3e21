/** The mission of one vehicle: its steps, the present one marked, those done ticked. */

import type { Fleet } from "../fleet.ts";
import { OVER, stepsOf, stepState } from "../missions.ts";
import type { StepState } from "../missions.ts";
import { el, setShown, setText } from "../shell/dom.ts";

const SIGNS: Record<StepState, string> = { done: "✓", now: "▸", ahead: "○" };
const WORDS: Record<StepState, string> = { done: "done", now: "now", ahead: "to come" };

export class MissionList {
  readonly element = el("section", { class: "mission", testid: "mission" });
  private readonly title = el("h4");
  private readonly list = el("ol", { class: "steps", label: "Steps of the mission" });
  private drawn = "";

  constructor(private readonly fleet: Fleet) {
    this.element.append(this.title, this.list);
    this.element.hidden = true;
  }

  show(row: number): void {
    const steps = stepsOf(this.fleet.roster, row);
    const step = this.fleet.step[row];
    const key = `${row} ${step}`;
    if (key === this.drawn) return;
    this.drawn = key;
    setShown(this.element, steps.length > 0);
    setText(this.title, missionTitle(steps.length, step));
    this.list.replaceChildren(...steps.map((name, i) => line(name, stepState(i, step))));
    const now = this.list.querySelector<HTMLElement>("[aria-current]");
    if (now) this.list.scrollTop = now.offsetTop - this.list.clientHeight / 2;
    else this.list.scrollTop = step === OVER ? this.list.scrollHeight : 0;
  }
}

/** Where the mission stands, in words. */
export function missionTitle(steps: number, step: number): string {
  if (step === 0) return "Mission, not begun";
  return step === OVER ? "Mission over" : `Mission, step ${step} of ${steps}`;
}

function line(name: string, state: StepState): HTMLElement {
  const sign = el("span", { class: "sign", text: SIGNS[state], attributes: { "aria-hidden": "true" } });
  const current: Record<string, string> = state === "now" ? { "aria-current": "step" } : {};
  const looks = { class: state, title: `${name}: ${WORDS[state]}`, attributes: current };
  return el("li", looks, sign, el("span", { text: name }));
}

/** Moving through a recording: play, step, jump, scrub. */

import type { ReplayStatus } from "../feed/messages.ts";
import { percent, times } from "../format.ts";
import { button, el, setShown, setText } from "./dom.ts";
import { icon } from "./icons.ts";
import type { IconName } from "./icons.ts";
import { ScrubBar } from "./scrub-bar.ts";
import type { Situation } from "./situation.ts";

export const RATES = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

/** The next rate of the row, faster or slower. */
export function otherRate(rate: number, steps: 1 | -1): number {
  const further = RATES.filter((one) => (steps > 0 ? one > rate * 1.001 : one < rate * 0.999));
  return (steps > 0 ? further[0] : further[further.length - 1]) ?? rate;
}

export class ReplayBar {
  readonly element = el("section", { class: "dock replay-bar", label: "Replay" });
  private readonly playButton: HTMLButtonElement;
  private readonly backButton: HTMLButtonElement;
  private readonly rate = el("select", {
    testid: "replay-rate",
    label: "Speed",
    title: "Speed ([ ])",
  });
  private readonly index = el("span", { class: "muted", testid: "replay-index" });
  private readonly scrub: ScrubBar;
  private playIcon = "";

  constructor(private readonly situation: Situation) {
    this.scrub = new ScrubBar(situation);
    this.playButton = this.key("play", "Play (Space)", "play", () => this.togglePlay());
    this.backButton = this.key("backwards", "Play backwards (B)", "backwards", () => this.turn());
    for (const rate of RATES) {
      this.rate.append(el("option", { text: times(rate), attributes: { value: String(rate) } }));
    }
    this.rate.addEventListener("change", () => situation.replay({ rate: Number(this.rate.value) }));
    const jump = (what: "notice" | "mark", direction: 1 | -1) => () => this.jump(what, direction);
    const keys = el(
      "div",
      { class: "transport", role: "group", label: "Move through the recording" },
      this.key("previousNotice", "Previous notice (,)", "previous-notice", jump("notice", -1)),
      this.key("stepBack", "One tick back (←)", "step-back", () => this.step(-1)),
      this.backButton,
      this.playButton,
      this.key("stepForward", "One tick on (→)", "step", () => this.step(1)),
      this.key("nextNotice", "Next notice (.)", "next-notice", jump("notice", 1)),
    );
    const marks = el(
      "div",
      { class: "transport marks", role: "group", label: "Marks" },
      this.key("left", "Previous mark (;)", "previous-mark", jump("mark", -1)),
      icon("mark"),
      this.key("right", "Next mark (')", "next-mark", jump("mark", 1)),
    );
    const words = el("div", { class: "replay-words" }, this.rate, this.index);
    this.element.append(keys, marks, this.scrub.element, words);
    this.refresh();
  }

  togglePlay(): void {
    const now = this.replay;
    const forward = now?.direction !== -1;
    if (now?.playing && forward) this.situation.replay({ playing: false });
    else this.situation.replay({ playing: true, direction: 1 });
  }

  /** Play backwards; again: hold. */
  turn(): void {
    const now = this.replay;
    if (now?.playing && now.direction === -1) this.situation.replay({ playing: false });
    else this.situation.replay({ playing: true, direction: -1 });
  }

  step(ticks: number): void {
    this.situation.replay({ step: ticks });
  }

  jump(what: "notice" | "mark", direction: 1 | -1): void {
    this.situation.replay({ jump: what, direction });
  }

  changeRate(steps: 1 | -1): void {
    this.situation.replay({ rate: otherRate(this.replay?.rate ?? 1, steps) });
  }

  /** At every frame: the hand of the scrub bar. */
  showTime(): void {
    this.scrub.showTime();
  }

  refresh(): void {
    const now = this.replay;
    const playing = now?.playing ?? false;
    const forward = playing && now?.direction !== -1;
    this.showPlaying(forward);
    this.backButton.setAttribute("aria-pressed", String(playing && !forward));
    if (now && document.activeElement !== this.rate) this.showRate(now.rate);
    setText(this.index, now ? indexWords(now) : "");
    setShown(this.index, Boolean(now && indexWords(now)));
    this.scrub.refresh();
  }

  private get replay(): ReplayStatus | undefined {
    return this.situation.status?.replay;
  }

  private showPlaying(forward: boolean): void {
    const name = forward ? "pause" : "play";
    if (this.playIcon === name) return;
    this.playIcon = name;
    this.playButton.replaceChildren(icon(name));
    this.playButton.title = `${forward ? "Hold" : "Play"} (Space)`;
    this.playButton.setAttribute("aria-label", this.playButton.title);
  }

  private showRate(rate: number): void {
    const text = String(rate);
    if (this.rate.value === text) return;
    if (!RATES.includes(rate)) {
      this.rate.append(el("option", { text: times(rate), attributes: { value: text } }));
    }
    this.rate.value = text;
  }

  private key(name: IconName, words: string, testid: string, click: () => void): HTMLButtonElement {
    const looks = { class: "icon-button", title: words, label: words, testid: `replay-${testid}` };
    return button({ ...looks, click }, icon(name));
  }
}

/** What is said of the index and of a search that waits for it. */
export function indexWords(replay: ReplayStatus): string {
  const done = replay.indexed >= 1;
  if (replay.seeking) return `looking for the ${replay.seeking}… ${percent(replay.indexed)}`;
  return done ? "" : `${percent(replay.indexed)} searched for notices`;
}

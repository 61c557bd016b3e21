/** Moving through a recording: play, step, jump, scrub. */

import type { ReplayStatus, ReplayWish } from "../feed/messages.ts";
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

/** To hold what plays, in either direction; else to play. */
export function toggled(now: ReplayStatus | undefined): ReplayWish {
  return now?.playing ? { playing: false } : { playing: true, direction: 1 };
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
    const keys = el(
      "div",
      { class: "transport", role: "group", label: "Move through the recording" },
      this.key("stepBack", "One tick back (←)", "step-back", () => this.step(-1)),
      this.backButton,
      this.playButton,
      this.key("stepForward", "One tick on (→)", "step", () => this.step(1)),
    );
    const notices = this.jumps("notice", "Notices", [",", "."]);
    const marks = this.jumps("mark", "Marks", [";", "'"]);
    const words = el("div", { class: "replay-words" }, this.rate, this.index);
    this.element.append(keys, notices, marks, this.scrub.element, words);
    this.refresh();
  }

  togglePlay(): void {
    this.situation.replay(toggled(this.replay));
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

  toStart(): void {
    this.situation.replay({ t: this.situation.hello.replay?.start ?? 0 });
  }

  toEnd(): void {
    const { replay, run } = this.situation.hello;
    this.situation.replay({ t: replay?.end ?? run.duration });
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
    this.showPlaying(playing);
    this.backButton.setAttribute("aria-pressed", String(playing && now?.direction === -1));
    if (now && document.activeElement !== this.rate) this.showRate(now.rate);
    setText(this.index, now ? indexWords(now) : "");
    setShown(this.index, Boolean(now && indexWords(now)));
    this.scrub.refresh();
  }

  private get replay(): ReplayStatus | undefined {
    return this.situation.status?.replay;
  }

  private showPlaying(playing: boolean): void {
    const name = playing ? "pause" : "play";
    if (this.playIcon === name) return;
    this.playIcon = name;
    this.playButton.replaceChildren(icon(name));
    this.playButton.title = `${playing ? "Hold" : "Play"} (Space)`;
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

  /** The one before and the one after, around the sign of what is looked for. */
  private jumps(
    what: "notice" | "mark",
    label: string,
    [before, after]: [string, string],
  ): HTMLElement {
    const back = () => this.jump(what, -1);
    const on = () => this.jump(what, 1);
    return el(
      "div",
      { class: `transport jumps ${what}s`, role: "group", label },
      this.key("left", `Previous ${what} (${before})`, `previous-${what}`, back),
      icon(what),
      this.key("right", `Next ${what} (${after})`, `next-${what}`, on),
    );
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

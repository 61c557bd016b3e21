/** What is wrong with what is shown, above all else: a line lost, a Core silent, a run ended. */

import type { LinkState } from "../feed/link.ts";
import type { Status } from "../feed/messages.ts";
import { age } from "../format.ts";
import { copied } from "./copying.ts";
import { button, el, setShown, setText, setTone } from "./dom.ts";
import { icon } from "./icons.ts";
import type { Situation } from "./situation.ts";

/** A line that comes back at once is not worth a word, s. */
const PATIENCE = 0.8;
/** ms. */
const ANSWER_STAYS = 4000;

export interface Told {
  tone: "alarm" | "caution" | "plain";
  words: string;
  /** To be copied into a terminal. */
  command?: string;
  /** Whether what is shown is old. */
  old: boolean;
  /** Whether it may be put away. */
  final: boolean;
}

export interface Circumstances {
  link: LinkState;
  /** Since when the line is not open, s. */
  silence: number;
  status: Status | null;
  replaying: boolean;
  recording: string | null;
  /** What is to be known of a recording. */
  remarks: string[];
}

/** The one thing to say; null while all is well. */
export function told(now: Circumstances): Told | null {
  const { link, silence, status, replaying } = now;
  const ended = !replaying && status?.state === "STOP";
  // Another run's server may have taken the place of the one that closed.
  if (ended && link === "refused") return end(now.recording, true);
  if (link === "refused") {
    const words = "This link is not valid (any more); open the one that movenv printed.";
    return { tone: "alarm", words, old: true, final: false };
  }
  if (link !== "open" && silence > PATIENCE) {
    if (ended) return end(now.recording, true);
    const goesOn = replaying ? "" : " The run goes on without it.";
    const heard = `The console's server has not been heard for ${age(silence)}.`;
    const words = `${heard}${goesOn} Trying again…`;
    return { tone: "alarm", words, old: true, final: false };
  }
  if (ended) return end(now.recording, false);
  if (status?.core_silent) {
    const silent = age(status.core_silent);
    const words = `The Core has not answered for ${silent}. What is shown is as old.`;
    return { tone: "alarm", words, old: true, final: false };
  }
  if (!now.remarks.length) return null;
  return { tone: "caution", words: now.remarks.join(" "), old: false, final: true };
}

function end(recording: string | null, closed: boolean): Told {
  const words = closed ? "The run has ended and its console has closed." : "The run has ended.";
  const told: Told = { tone: "plain", words, old: false, final: !closed };
  if (!recording) return told;
  return {
    ...told,
    words: `${words} To replay it:`,
    command: `movenv replay ${quoted(recording)}`,
  };
}

/** As a shell takes it for one word. */
function quoted(path: string): string {
  return /^[\w./:\\@%+=,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

export class Banner {
  readonly element = el("div", { class: "banner", testid: "banner", role: "alert" });
  private readonly words = el("p");
  private readonly command = el("code", { testid: "banner-command" });
  private readonly copy = button({ class: "small", testid: "banner-copy" }, icon("copy"));
  private readonly copyWords = el("span", { text: "Copy", role: "status" });
  private readonly away = button({ class: "icon-button", label: "Put away" }, icon("close"));
  private putAway = "";

  constructor(private readonly situation: Situation) {
    this.copy.append(this.copyWords);
    this.copy.addEventListener("click", () => void this.copyCommand());
    const told = el("div", { class: "banner-words" }, this.words, this.command, this.copy);
    this.element.append(told, this.away);
    this.element.hidden = true;
    this.away.addEventListener("click", () => {
      this.putAway = this.words.textContent ?? "";
      this.refresh();
    });
  }

  refresh(): void {
    const { link, silence, status, replaying, hello, happenings } = this.situation;
    const now = told({
      link,
      silence,
      status,
      replaying,
      recording: hello.recording ?? null,
      remarks: happenings.remarks ?? [],
    });
    const shown = now !== null && !(now.final && this.putAway === now.words);
    setShown(this.element, shown);
    document.body.classList.toggle("old", now?.old ?? false);
    if (!now) return;
    setTone(this.element, now.tone);
    setText(this.words, now.words);
    setText(this.command, now.command ?? "");
    setShown(this.command, now.command !== undefined);
    setShown(this.copy, now.command !== undefined);
    setShown(this.away, now.final);
  }

  private async copyCommand(): Promise<void> {
    const done = await copied(this.command.textContent ?? "");
    setText(this.copyWords, done ? "Copied" : "Select it to copy");
    setTimeout(() => setText(this.copyWords, "Copy"), ANSWER_STAYS);
  }
}

/** What is wrong with what is shown, above everything else: a line lost, a Core silent, a run ended. */

import type { LinkState } from "../feed/link.ts";
import type { Status } from "../feed/messages.ts";
import { age } from "../format.ts";
import { button, el, setShown, setText, setTone } from "./dom.ts";
import { icon } from "./icons.ts";
import type { Situation } from "./situation.ts";

/** A line that comes back at once is not worth a word, s. */
const PATIENCE = 0.8;

export interface Told {
  tone: "alarm" | "caution" | "plain";
  words: string;
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
}

/** The one thing to say; null while all is well. */
export function told(now: Circumstances): Told | null {
  const { link, silence, status, replaying } = now;
  const ended = !replaying && status?.state === "STOP";
  if (link === "refused") {
    const words = "This link is not valid (any more); open the one that movenv printed.";
    return { tone: "alarm", words, old: true, final: false };
  }
  if (link !== "open" && silence > PATIENCE) {
    if (ended) return { tone: "plain", words: endWords(now.recording, true), old: false, final: false };
    const goesOn = replaying ? "" : " The run goes on without it.";
    const words = `The console's server has not been heard for ${age(silence)}.${goesOn} Trying again…`;
    return { tone: "alarm", words, old: true, final: false };
  }
  if (ended) return { tone: "plain", words: endWords(now.recording, false), old: false, final: true };
  if (status?.core_silent) {
    const words = `The Core has not answered for ${age(status.core_silent)}. What is shown is as old.`;
    return { tone: "alarm", words, old: true, final: false };
  }
  return null;
}

function endWords(recording: string | null, closed: boolean): string {
  const end = closed ? "The run has ended and its console has closed." : "The run has ended.";
  return recording ? `${end} Replay it with: movenv replay ${recording}` : end;
}

export class Banner {
  readonly element = el("div", { class: "banner", testid: "banner", role: "alert" });
  private readonly words = el("p");
  private readonly away = button({ class: "icon-button", label: "Put away" }, icon("close"));
  private putAway = "";

  constructor(private readonly situation: Situation) {
    this.element.append(this.words, this.away);
    this.element.hidden = true;
    this.away.addEventListener("click", () => {
      this.putAway = this.words.textContent ?? "";
      this.refresh();
    });
  }

  refresh(): void {
    const { link, silence, status, replaying, hello } = this.situation;
    const now = told({
      link,
      silence,
      status,
      replaying,
      recording: hello.recording ?? null,
    });
    const shown = now !== null && !(now.final && this.putAway === now.words);
    setShown(this.element, shown);
    document.body.classList.toggle("old", now?.old ?? false);
    if (!now) return;
    setTone(this.element, now.tone);
    setText(this.words, now.words);
    setShown(this.away, now.final);
  }
}

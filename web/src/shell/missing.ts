/** What a run waits for, or does without. */

import type { Missing, Status } from "../feed/messages.ts";
import { count } from "../format.ts";
import { button, el, setShown, setText, setTone } from "./dom.ts";
import type { Situation } from "./situation.ts";

/** The first thing that is missing, in a sentence; empty when nothing is. */
export function missingWords(status: Status): string {
  if (status.state === "STOP") return "";
  const first = status.missing?.[0];
  if (!first) return "";
  const begun = status.state === "GO" || status.state === "PAUSE";
  return `${begun ? "Missing" : "Waiting for"} ${entryWords(first)}`;
}

function entryWords(entry: Missing): string {
  return entry.why ? `${entry.what}, ${entry.why}` : entry.what;
}

export class MissingList {
  readonly element = el("div", { class: "missing" });
  private readonly sentence = el("p", { testid: "missing" });
  private readonly more = button({ class: "quiet", click: () => this.toggle() });
  private readonly list = el("ul", { class: "popover missing-list", label: "What is missing" });
  private open = false;
  private drawn = "";

  constructor(private readonly situation: Situation) {
    this.element.append(this.sentence, this.more, this.list);
    this.more.setAttribute("aria-expanded", "false");
    this.list.hidden = true;
    document.addEventListener("pointerdown", (event) => {
      if (!this.element.contains(event.target as Node)) this.close();
    });
  }

  /** Whether there was anything to close. */
  close(): boolean {
    if (!this.open) return false;
    this.toggle();
    return true;
  }

  refresh(): void {
    const { status } = this.situation;
    const ended = status?.state === "STOP";
    const entries = ended ? [] : (status?.missing ?? []);
    const others = Math.max(0, entries.length - 1) + (ended ? 0 : (status?.missing_more ?? 0));
    const all = status?.missing && !ended ? "Nobody and nothing is missing." : "";
    setText(this.sentence, status ? missingWords(status) || all : "");
    setTone(this.sentence, entries.length ? "caution" : "plain");
    setText(this.more, `+${count(others)} more`);
    setShown(this.more, others > 0);
    if (others === 0) this.open = false;
    setShown(this.list, this.open);
    if (this.open && status) this.draw(status);
  }

  private toggle(): void {
    this.open = !this.open;
    this.more.setAttribute("aria-expanded", String(this.open));
    this.refresh();
  }

  private draw(status: Status): void {
    const entries = status.missing ?? [];
    const key = JSON.stringify([entries, status.missing_more]);
    if (key === this.drawn) return;
    this.drawn = key;
    const lines = entries.map((entry) => el("li", {}, this.entry(entry)));
    const more = status.missing_more ?? 0;
    if (more) lines.push(el("li", { class: "muted", text: `and ${count(more)} more` }));
    this.list.replaceChildren(...lines);
  }

  private entry(entry: Missing): HTMLElement {
    const row = this.situation.rowOf.get(entry.vid ?? -1);
    if (row === undefined) return el("span", { text: entryWords(entry) });
    const show = () => this.situation.showVehicle(row);
    return button({ class: "quiet", text: entryWords(entry), click: show });
  }
}

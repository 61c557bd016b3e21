/** Writing a mark into the recording. */

import { Refused } from "../api.ts";
import type { Situation } from "../shell/situation.ts";
import { button, el, setText, setTone } from "../shell/dom.ts";
import { clock } from "../format.ts";

export class MarkField {
  readonly element = el("form", { class: "mark-field", label: "Write a mark" });
  readonly input = el("input", {
    testid: "mark-input",
    label: "Text of the mark",
    attributes: {
      type: "text",
      maxlength: "500",
      placeholder: "Write a mark (M)",
      autocomplete: "off",
    },
  });
  private readonly send = button({
    text: "Mark",
    testid: "mark-send",
    attributes: { type: "submit" },
  });
  private readonly answer = el("p", { class: "answer", role: "status", testid: "mark-answer" });

  constructor(private readonly situation: Situation) {
    this.element.append(this.input, this.send, this.answer);
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.write();
    });
    if (!situation.operating) this.explain();
  }

  private explain(): void {
    this.input.disabled = this.send.disabled = true;
    this.input.placeholder = this.situation.replaying
      ? "A recording takes no more marks"
      : "Observers cannot write marks";
  }

  private async write(): Promise<void> {
    const text = this.input.value.trim();
    if (!text) return this.say("caution", "Write what you have seen first.");
    this.send.disabled = true;
    this.say("plain", "Writing…");
    try {
      const { t } = await this.situation.api.mark(text);
      this.input.value = "";
      const { tone, words } = markedWords(t, this.situation.status?.recorders);
      this.say(tone, words);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.say("warning", `Not written: ${error.message}.`);
    } finally {
      this.send.disabled = false;
    }
  }

  private say(tone: string, words: string): void {
    setTone(this.answer, tone);
    setText(this.answer, words);
  }
}

/** That a mark is made; and where nobody records the run, that it will not be kept. */
export function markedWords(t: number, recorders?: string[]): { tone: string; words: string } {
  const marked = `Marked at t = ${clock(t)}`;
  if (recorders?.length !== 0) return { tone: "ok", words: `${marked}.` };
  return { tone: "caution", words: `${marked}, but nothing records this run.` };
}

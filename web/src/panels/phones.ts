/** Links by which phones join as vehicles. */

import { Refused } from "../api.ts";
import type { JoinLink } from "../api.ts";
import type { Situation } from "../shell/situation.ts";
import { button, el, setShown, setText, setTone } from "../shell/dom.ts";
import type { Panel } from "./panel.ts";
import { linkAddress, qrCode } from "./shown-link.ts";

const ASK_EVERY = 3000;
const ASK_HIDDEN_EVERY = 15000;

/** How a link is used, in words. */
export function linkWords(link: JoinLink): { words: string; tone: string } {
  if (link.connected) return { words: "connected", tone: "ok" };
  if (!link.url) return { words: "revoked", tone: "alarm" };
  if (link.used) return { words: "used, not connected", tone: "caution" };
  return { words: "not used yet", tone: "unknown" };
}

export class PhonesPanel implements Panel {
  readonly id = "phones";
  readonly title = "Phones";
  open = false;
  readonly element = el("div", { class: "panel-phones scrolls" });
  private readonly lead = el("p", {
    class: "lead",
    text:
      "Scan a code with the phone that a vehicle carries, or send its link. " +
      "A link makes one phone that vehicle.",
  });
  private readonly answer = el("p", { class: "answer", role: "status" });
  private readonly list = el("div", { class: "phones" });
  private links: JoinLink[] = [];
  private shown = "";
  private askedAt = -Infinity;
  private asking = false;
  /** A press on revoke counts after a second one. */
  private sure = "";

  constructor(private readonly situation: Situation) {
    this.element.append(this.lead, this.answer, this.list);
  }

  badge(): string {
    const here = this.links.filter((link) => link.connected).length;
    return this.links.length ? `${here}/${this.links.length}` : "";
  }

  available(): boolean {
    return this.situation.operating && this.links.length > 0;
  }

  refresh(): void {
    this.askIfDue(ASK_EVERY);
  }

  /** Also while another tab is open, now and then: whether there are any. */
  look(): void {
    if (this.situation.operating) this.askIfDue(ASK_HIDDEN_EVERY);
  }

  private askIfDue(every: number): void {
    if (this.asking || performance.now() - this.askedAt < every) return;
    void this.ask();
  }

  private async ask(): Promise<void> {
    this.asking = true;
    try {
      this.links = await this.situation.api.links();
      this.draw();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (this.links.length) this.say("warning", `The links are not known: ${error.message}.`);
    } finally {
      this.asking = false;
      this.askedAt = performance.now();
    }
  }

  private draw(): void {
    const now = JSON.stringify([this.links, this.sure]);
    if (now === this.shown) return;
    this.shown = now;
    this.list.replaceChildren(...this.links.map((link) => this.card(link)));
  }

  private card(link: JoinLink): HTMLElement {
    const { words, tone } = linkWords(link);
    const state = el("span", { class: "tag", text: words });
    setTone(state, tone);
    const sure = this.sure === link.vehicle;
    const buttons = el(
      "div",
      { class: "row" },
      button({ class: "small", text: "Renew", click: () => void this.change(link, "renew") }),
      button({
        class: sure ? "small danger" : "small",
        text: sure ? "Press again to revoke" : "Revoke",
        click: () => this.revoke(link),
      }),
    );
    const about = el("div", { class: "phone-about" });
    about.append(el("header", { class: "card-head" }, el("h3", { text: link.vehicle }), state));
    const say = (tone: string, words: string) => this.say(tone, words);
    if (link.url) about.append(linkAddress(link.url, link.vehicle, say));
    about.append(buttons);
    const card = el("section", { class: "phone", testid: `phone-${link.vehicle}` });
    if (link.svg) card.append(qrCode(link.svg, link.vehicle));
    card.append(about);
    return card;
  }

  private revoke(link: JoinLink): void {
    if (this.sure !== link.vehicle && link.url) {
      this.sure = link.vehicle;
      this.draw();
      return;
    }
    void this.change(link, "revoke");
  }

  private async change(link: JoinLink, action: "renew" | "revoke"): Promise<void> {
    this.sure = "";
    try {
      await this.situation.api.changeLink(link.vehicle, action);
      const renewed = `${link.vehicle} has a new link; the old one is worthless.`;
      this.say("ok", action === "renew" ? renewed : `${link.vehicle}'s link is worthless now.`);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.say("warning", `Not done: ${error.message}.`);
    }
    await this.ask();
  }

  private say(tone: string, words: string): void {
    setTone(this.answer, tone);
    setText(this.answer, words);
    setShown(this.answer, words !== "");
  }
}

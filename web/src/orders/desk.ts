/** The operator's desk: for whom an order is, what is drawn for it, and giving it. */

import { Refused } from "../api.ts";
import type { Deed, StandingOrder } from "../feed/messages.ts";
import { clock, plural } from "../format.ts";
import type { Situation } from "../shell/situation.ts";
import { Sketch } from "./sketch.ts";
import type { SketchKind } from "./sketch.ts";
import { DEEDS, notYet, orderWish } from "./wish.ts";
import type { Manner } from "./wish.ts";

export interface OrderAnswer {
  tone: "plain" | "ok" | "caution" | "warning";
  words: string;
  /** When it was said, ms of the page's clock. */
  at: number;
}

export class OrderDesk {
  readonly sketch = new Sketch();
  readonly manner: Manner = { speed: null, roads: "off", formation: "", spacing: null };
  /** Whether the map shows everyone's standing orders, not only those of who is selected. */
  showAll = false;
  answer: OrderAnswer = { tone: "plain", words: "", at: -Infinity };
  private readonly listeners = new Set<() => void>();

  constructor(private readonly situation: Situation) {
    this.sketch.onChange(() => this.changed());
    situation.selection.onChange(() => this.forgetWithoutAnyone());
  }

  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** Whether there is anybody to give orders to, and this page may. */
  get open(): boolean {
    const { operating, hello } = this.situation;
    return operating && (hello.obeys ?? []).some(Boolean);
  }

  /** Of those selected the rows that take orders. */
  get takers(): number[] {
    const { hello, selection } = this.situation;
    return selection.members.filter((row) => hello.obeys?.[row]);
  }

  get standing(): StandingOrder[] {
    return this.situation.status?.orders ?? [];
  }

  setShowAll(on: boolean): void {
    this.showAll = on;
    this.changed();
  }

  /** Begin to draw where the selected are to go; says why not. */
  draw(kind: SketchKind): void {
    if (!this.open) return;
    const { selection } = this.situation;
    const why = notYet("hold", selection.count, this.takers.length, 0, this.manner);
    if (why) return this.say("caution", why);
    this.say("plain", "");
    this.sketch.begin(kind);
  }

  async send(what: Deed): Promise<void> {
    if (!this.open) return;
    const { takers, manner, sketch } = this;
    const { selection, hello, api } = this.situation;
    if (sketch.drawing) sketch.end();
    const why = notYet(what, selection.count, takers.length, sketch.points.length, manner);
    if (why) return this.say("caution", why);
    this.say("plain", "Sending…");
    try {
      const wish = orderWish(
        what,
        hello.roster,
        selection.members,
        takers,
        sketch.points,
        manner,
      );
      const { number, t } = await api.order(wish);
      const whom = plural(takers.length, "vehicle");
      this.say("ok", `Order ${number} at t = ${clock(t)}: ${DEEDS[what].toLowerCase()}, ${whom}.`);
      if (what === "go") sketch.clear();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.say("warning", `Refused: ${error.message.replace(/\.$/, "")}.`);
    }
  }

  private say(tone: OrderAnswer["tone"], words: string): void {
    this.answer = { tone, words, at: performance.now() };
    this.changed();
  }

  /** A goal is for somebody. */
  private forgetWithoutAnyone(): void {
    const { sketch } = this;
    const empty = this.situation.selection.count === 0;
    if (empty && (sketch.drawing || sketch.points.length)) sketch.clear();
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}

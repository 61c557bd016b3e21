/** Handing the selected vehicle out to a driver, and who drives it now. */

import { Refused } from "../api.ts";
import type { DriveLink } from "../api.ts";
import type { WheelStatus } from "../feed/messages.ts";
import { button, el, setShown, setText, setTone } from "../shell/dom.ts";
import type { Situation } from "../shell/situation.ts";
import { linkAddress, qrCode } from "./shown-link.ts";

/** Who drives, in words. */
export function wheelWords(wheel: WheelStatus | undefined): { words: string; tone: string } {
  if (!wheel) return { words: "nobody drives it", tone: "unknown" };
  if (wheel.abandoned) return { words: `${wheel.who} is gone: it brakes`, tone: "caution" };
  return { words: `${wheel.who} drives it`, tone: "ok" };
}

export class WheelOffer {
  readonly element = el("section", {
    class: "wheel-offer",
    label: "Driving by hand",
    testid: "wheel-offer",
  });
  private readonly driver = el("span", { class: "tag", testid: "wheel-driver" });
  private readonly handOut = button({
    class: "small",
    testid: "wheel-hand-out",
    title: "A link by which somebody drives it; links before it open nothing",
    click: () => void this.act((vehicle) => this.give(vehicle)),
  });
  private readonly takeBack = button({
    class: "small",
    text: "Take back",
    testid: "wheel-take-back",
    title: "Its links open nothing, and it does again what it did before",
    click: () => void this.act((vehicle) => this.take(vehicle)),
  });
  private readonly link = el("div", { class: "wheel-link" });
  private readonly answer = el("p", { class: "answer", role: "status" });
  private readonly links = new Map<string, DriveLink>();
  private vehicle = "";
  private drawn: DriveLink | undefined;

  constructor(private readonly situation: Situation) {
    const row = el("div", { class: "row" }, this.driver, this.handOut, this.takeBack);
    this.element.append(row, this.link, this.answer);
  }

  show(row: number): void {
    const { hello, operating, status } = this.situation;
    const vid = hello.roster.vids[row];
    const wheel = status?.wheels?.find((one) => one.vid === vid);
    setShown(this.element, Boolean(hello.driven?.[row]) && !this.situation.replaying);
    if (this.vehicle !== hello.roster.names[row]) this.say("", "");
    this.vehicle = hello.roster.names[row];
    const { words, tone } = wheelWords(wheel);
    setText(this.driver, words);
    setTone(this.driver, tone);
    const link = this.links.get(this.vehicle);
    setText(this.handOut, link ? "Another link" : "Hand out the wheel");
    setShown(this.handOut, operating);
    setShown(this.takeBack, operating && (link !== undefined || wheel !== undefined));
    this.draw(link);
  }

  private draw(link: DriveLink | undefined): void {
    if (link === this.drawn) return;
    this.drawn = link;
    if (!link) return this.link.replaceChildren();
    const say = (tone: string, words: string) => this.say(tone, words);
    const here = /^https?:\/\/(127\.|localhost|\[::1\])/.test(link.url);
    const words = here
      ? "The link opens on this machine only; for phones start the run with --open."
      : "Scan the code with a phone, or open the link where there is a gamepad.";
    const lead = el("p", { class: "muted", text: words });
    const about = el("div", {}, lead, linkAddress(link.url, link.vehicle, say));
    this.link.replaceChildren(qrCode(link.svg, link.vehicle), about);
  }

  private async give(vehicle: string): Promise<string> {
    this.links.set(vehicle, await this.situation.api.handOut(vehicle));
    return "";
  }

  private async take(vehicle: string): Promise<string> {
    await this.situation.api.takeBack(vehicle);
    this.links.delete(vehicle);
    return `${vehicle} is taken back: it does again what it did before.`;
  }

  private async act(deed: (vehicle: string) => Promise<string>): Promise<void> {
    try {
      this.say("ok", await deed(this.vehicle));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.say("warning", `Not done: ${error.message}.`);
    }
    const row = this.situation.selection.selected;
    if (row !== null) this.show(row);
  }

  private say(tone: string, words: string): void {
    setTone(this.answer, tone);
    setText(this.answer, words);
    setShown(this.answer, words !== "");
  }
}

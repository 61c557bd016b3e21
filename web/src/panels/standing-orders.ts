/** Orders that hold: what, to whom, since when. A click selects who was told. */

import type { StandingOrder } from "../feed/messages.ts";
import { clock } from "../format.ts";
import type { OrderDesk } from "../orders/desk.ts";
import { orderedWords, orderWords } from "../orders/wish.ts";
import type { Situation } from "../shell/situation.ts";
import { button, el, setShown, setText } from "../shell/dom.ts";

/** Lines kept in the page. */
const SHOWN = 200;

export class StandingOrders {
  readonly element = el("section", { class: "standing", testid: "standing-orders" });
  private readonly list = el("ol", { class: "standing-list" });
  private readonly none = el("p", { class: "empty", text: "No order stands." });
  private readonly more = el("p", { class: "muted standing-more" });
  private readonly all = el("input", {
    testid: "orders-all",
    attributes: { type: "checkbox" },
  });
  private drawn = "";

  constructor(
    private readonly situation: Situation,
    private readonly desk: OrderDesk,
  ) {
    const words = "all on the map";
    const choice = el("label", { class: "standing-all" }, this.all, words);
    this.all.addEventListener("change", () => desk.setShowAll(this.all.checked));
    const title = el("h3", { text: "Standing orders" });
    const head = el("header", { class: "standing-head" }, title, choice);
    this.element.append(head, this.none, this.list, this.more);
  }

  refresh(): void {
    const { standing } = this.desk;
    setShown(this.none, standing.length === 0);
    const key = JSON.stringify(standing.map((one) => [one.number, one.vids.length, one.arrived]));
    if (key === this.drawn) return;
    this.drawn = key;
    const newest = [...standing].sort((a, b) => b.number - a.number);
    this.list.replaceChildren(...newest.slice(0, SHOWN).map((order) => this.line(order)));
    const over = newest.length - SHOWN;
    setText(this.more, over > 0 ? `and ${over} older` : "");
  }

  private line(order: StandingOrder): HTMLElement {
    const { rowOf, hello } = this.situation;
    const nameOf = (vid: number) => hello.roster.names[rowOf.get(vid) ?? -1] ?? `vid ${vid}`;
    const since = `since ${clock(order.t)}${order.who ? `, ${order.who}` : ""}`;
    const looks = { class: "standing-line", testid: `standing-${order.number}` };
    const line = button(
      { ...looks, click: () => this.show(order) },
      el("span", { class: "standing-number muted number", text: String(order.number) }),
      el("span", { class: "standing-whom", text: orderedWords(order, nameOf) }),
      el("span", { class: "standing-what", text: orderWords(order) }),
      el("span", { class: "muted standing-since", text: since }),
    );
    return el("li", {}, line);
  }

  private show(order: StandingOrder): void {
    this.situation.showVehicles(order.vids);
  }
}

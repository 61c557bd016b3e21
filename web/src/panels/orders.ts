/** Orders: giving them, where this page may, and those that hold. */

import { count } from "../format.ts";
import type { OrderDesk } from "../orders/desk.ts";
import type { Situation } from "../shell/situation.ts";
import { el } from "../shell/dom.ts";
import { OrderForm } from "./order-form.ts";
import type { Panel } from "./panel.ts";
import { StandingOrders } from "./standing-orders.ts";
import { UnitList } from "./unit-list.ts";

export class OrdersPanel implements Panel {
  readonly id = "orders";
  readonly title = "Orders";
  open = false;
  readonly element = el("div", { class: "panel-orders scrolls" });
  private readonly units: UnitList;
  private readonly form: OrderForm | null;
  private readonly standing: StandingOrders;
  private seen = false;

  constructor(
    situation: Situation,
    private readonly desk: OrderDesk,
  ) {
    this.units = new UnitList(situation, "orders-unit");
    this.form = desk.open ? new OrderForm(situation, desk) : null;
    this.standing = new StandingOrders(situation, desk);
    if (this.form) this.element.append(this.units.element, this.form.element);
    this.element.append(this.standing.element);
  }

  badge(): string {
    const { standing } = this.desk;
    return standing.length ? count(standing.length) : "";
  }

  /** Whoever cannot give orders has it once there are some. */
  available(): boolean {
    this.seen ||= this.desk.standing.length > 0;
    return this.desk.open || this.seen;
  }

  refresh(): void {
    this.units.refresh();
    this.form?.refresh();
    this.standing.refresh();
  }
}

/** The vehicle and what is around it, from above. */

import { Link } from "../feed/link.ts";
import type { Hello, Message, Status } from "../feed/messages.ts";
import { Fleet } from "../fleet.ts";
import { FleetMap } from "../map/map.ts";
import { Sketch } from "../orders/sketch.ts";
import { Selection } from "../selection.ts";
import { button, el } from "../shell/dom.ts";

const KEPT = "movenv-drive-turning";
/** Drivers give no orders. */
const NO_ORDERS = { sketch: new Sketch(), standing: [], showAll: false, onChange: () => {} };

export class MapView {
  readonly element = el("section", { class: "map-view", label: "Map" });
  status: Status | null = null;
  fleet: Fleet | null = null;
  private readonly surface = el("div", { class: "map" });
  private readonly turning = button({
    class: "small",
    text: "Ahead is up",
    testid: "map-turning",
    title: "The map turns with the vehicle; else north is up",
    click: () => this.setTurning(!this.selection?.turning),
  });
  private readonly link: Link;
  private selection: Selection | null = null;
  private map: FleetMap | null = null;
  private run = "";
  private aimed = false;

  constructor(
    private readonly token: string,
    private readonly row: number,
    private readonly greeted: (hello: Hello) => void,
  ) {
    this.element.append(this.surface, this.turning);
    this.link = new Link(token, {
      message: (message) => this.take(message),
      frame: (data) => void this.show(data),
      state: () => {}, // the line to the vehicle tells enough
    });
  }

  takeColours(): void {
    this.map?.takeColours();
  }

  private take(message: Message): void {
    if (message.hello) this.begin(message.hello);
    if (message.status) this.status = message.status;
  }

  private begin(hello: Hello): void {
    const run = `${hello.run.run_id} ${hello.run.started_utc}`;
    if (this.run && this.run !== run) location.reload();
    if (!this.run) this.build(hello);
    this.run = run;
    this.link.watchScans([this.row]);
  }

  private build(hello: Hello): void {
    const fleet = new Fleet(hello.roster);
    const selection = new Selection(fleet, hello);
    selection.select(this.row);
    const handlers = {
      view: (box: [number, number, number, number]) => this.link.lookAt(box, [this.row]),
      select: () => {},
      selectAround: () => {},
    };
    const headers = { Authorization: `Bearer ${this.token}` };
    this.map = new FleetMap(this.surface, hello, fleet, selection, headers, handlers, NO_ORDERS);
    [this.fleet, this.selection] = [fleet, selection];
    this.setTurning(localStorage.getItem(KEPT) !== "no");
    this.greeted(hello);
  }

  private async show(data: ArrayBuffer): Promise<void> {
    if (!this.fleet || !this.map) return;
    const sequence = this.fleet.take(data);
    await this.map.draw();
    if (!this.aimed && this.fleet.known(this.row)) this.aim();
    this.link.acknowledge(sequence);
  }

  /** The map has shown everyone once; from now on it stays with the vehicle. */
  private aim(): void {
    this.aimed = true;
    this.map?.goTo(this.row);
    this.selection?.follow(true);
  }

  private setTurning(on: boolean): void {
    if (!this.selection) return;
    localStorage.setItem(KEPT, on ? "yes" : "no");
    this.selection.turning = on;
    this.selection.changed();
    this.turning.setAttribute("aria-pressed", String(on));
  }
}

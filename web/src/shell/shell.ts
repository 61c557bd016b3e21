/** The page around the map: bars, panels, keys. */

import type { Api } from "../api.ts";
import type { Happenings, Hello, Pair, ReplayWish, RunEvent, Status } from "../feed/messages.ts";
import type { LinkState } from "../feed/link.ts";
import type { Fleet } from "../fleet.ts";
import type { FleetMap } from "../map/map.ts";
import { EventsPanel } from "../panels/events.ts";
import { OrderDesk } from "../orders/desk.ts";
import { heedSketchKeys } from "../orders/sketch-keys.ts";
import { HealthPanel } from "../panels/health.ts";
import { OrdersPanel } from "../panels/orders.ts";
import { PairsPanel } from "../panels/pairs.ts";
import { PhonesPanel } from "../panels/phones.ts";
import { RunPanel } from "../panels/run.ts";
import { VehiclesPanel } from "../panels/vehicles.ts";
import type { Selection } from "../selection.ts";
import { Banner } from "./banner.ts";
import { el } from "./dom.ts";
import { FrameRate } from "./frame-rate.ts";
import { Help } from "./help.ts";
import { Keys } from "./keys.ts";
import { MapTools } from "./map-tools.ts";
import { ReplayBar } from "./replay-bar.ts";
import { RunControl } from "./run-control.ts";
import { SelectionBar } from "./selection-bar.ts";
import { shortcutsFor } from "./shortcuts.ts";
import type { OrderDeeds } from "./shortcuts.ts";
import { SidePanel } from "./side-panel.ts";
import { Situation } from "./situation.ts";
import { ThemeChoice } from "./theme.ts";
import { Toasts } from "./toasts.ts";
import { TopBar } from "./top-bar.ts";

/** Panels are brought up to date so often, ms. */
const REFRESH_EVERY = 250;

export interface ShellParts {
  hello: Hello;
  fleet: Fleet;
  selection: Selection;
  api: Api;
  replay(wish: ReplayWish): void;
}

const theme = new ThemeChoice();

export class Shell {
  /** Where the map goes. */
  readonly mapElement = el("div", { class: "map", id: "map" });
  readonly desk: OrderDesk;
  private readonly bar: SelectionBar;
  private readonly mapTools: MapTools;
  private readonly situation: Situation;
  private readonly topBar: TopBar;
  private readonly banner: Banner;
  private readonly toasts = new Toasts();
  private readonly vehicles: VehiclesPanel;
  private readonly events: EventsPanel;
  private readonly pairs: PairsPanel;
  private readonly phones: PhonesPanel;
  private readonly side: SidePanel;
  private readonly control: RunControl | null;
  private readonly replayBar: ReplayBar | null;
  private readonly help: Help;
  private readonly frameRate = new FrameRate();
  private jumps = 0;

  constructor(
    root: HTMLElement,
    readonly parts: ShellParts,
  ) {
    const { hello, fleet, selection, api } = parts;
    const situation = new Situation(hello, fleet, selection, api, (wish) => parts.replay(wish));
    this.situation = situation;
    this.desk = new OrderDesk(situation);
    this.topBar = new TopBar(situation, {
      theme: () => theme.toggle(),
      help: () => this.help.toggle(),
      health: () => this.side.openPanel("health"),
    });
    this.mapTools = new MapTools(selection);
    this.banner = new Banner(situation);
    this.vehicles = new VehiclesPanel(situation);
    this.pairs = new PairsPanel(situation);
    this.events = new EventsPanel(situation);
    this.phones = new PhonesPanel(situation);
    const orders = new OrdersPanel(situation, this.desk);
    const rest = [orders, new HealthPanel(situation), this.phones, new RunPanel(situation)];
    this.side = new SidePanel([this.vehicles, this.pairs, this.events, ...rest]);
    const openOrders = () => this.side.openPanel("orders");
    this.bar = new SelectionBar(situation, this.desk, openOrders, () => orders.open);
    this.control = hello.replay ? null : new RunControl(situation);
    this.replayBar = hello.replay ? new ReplayBar(situation) : null;
    const keys = new Keys(this.shortcuts());
    this.help = new Help(keys.shortcuts, hello);
    heedSketchKeys(this.desk.sketch);
    this.build(root);
    theme.onChange((chosen) => this.topBar.showTheme(chosen));
    setInterval(() => this.refresh(), REFRESH_EVERY);
  }

  /** The map is there: for buttons and keys that move it. */
  attach(map: FleetMap): void {
    this.situation.map = map;
    this.mapTools.attach(map, (words) => this.say(words));
    theme.onChange(() => map.takeColours());
    for (const words of this.situation.hello.left_out) this.say(words);
  }

  setLink(state: LinkState): void {
    this.situation.link = state;
    this.refreshBars();
  }

  setStatus(status: Status): void {
    this.situation.takeStatus(status);
    this.refreshBars();
  }

  /** The server came back: go on as before. */
  resume(): void {
    this.situation.events.expectRepeats();
    const replay = this.situation.status?.replay;
    if (!replay) return;
    const { t, rate, direction, playing } = replay;
    this.situation.replay({ t, rate, direction, playing });
  }

  addEvents(events: RunEvent[], forget: boolean): void {
    this.situation.events.add(events, forget);
  }

  setHappenings(happenings: Happenings): void {
    this.situation.happenings = happenings;
  }

  setPairs(pairs: Pair[], t: number): void {
    this.situation.heardAt = performance.now();
    this.situation.pairs = pairs;
    this.situation.pairHistory.take(pairs, t);
  }

  say(words: string): void {
    this.toasts.say(words);
  }

  /** The fleet has changed; called at every frame, so do little here. */
  tick(): void {
    const { situation } = this;
    situation.heardAt = performance.now();
    situation.framesPerSecond = this.frameRate.count(situation.heardAt);
    if (situation.fleet.jumps !== this.jumps) {
      this.jumps = situation.fleet.jumps;
      situation.pairHistory.forget();
    }
    this.topBar.showTime();
    this.replayBar?.showTime();
    this.pairs.follow();
  }

  private refresh(): void {
    if (document.hidden) return;
    this.refreshBars();
    this.phones.look();
    this.mapTools.refresh();
    this.bar.refresh();
    this.side.refresh();
  }

  private refreshBars(): void {
    this.topBar.refresh();
    this.banner.refresh();
    this.control?.refresh();
    this.replayBar?.refresh();
  }

  private build(root: HTMLElement): void {
    const low = el("div", { class: "map-low" }, this.bar.element);
    const over = el("div", { class: "map-over" }, this.mapTools.element, low, this.toasts.element);
    const stage = el("main", { class: "stage" }, this.mapElement, this.banner.element, over);
    const dock = this.control?.element ?? this.replayBar?.element ?? "";
    document.title = `${this.parts.hello.run.name} – MoVE console`;
    root.classList.add("console");
    root.replaceChildren(this.topBar.element, stage, this.side.element, dock, this.help.element);
  }

  private shortcuts() {
    const { selection } = this.parts;
    return shortcutsFor({
      search: () => {
        this.side.openPanel("vehicles");
        this.vehicles.search.focus();
      },
      follow: () => this.withSelected(() => selection.follow(!selection.following)),
      goTo: () => this.withSelected((row) => this.situation.map?.goTo(row)),
      fit: () => this.situation.map?.fit(),
      theme: () => theme.toggle(),
      escape: () => this.escape(),
      help: () => this.help.toggle(),
      mark: this.situation.operating ? () => this.writeMark() : null,
      tabs: () => this.side.count,
      tab: (place) => this.side.openPlace(place),
      togglePanel: () => this.side.toggle(),
      orders: this.desk.open ? this.orderDeeds() : null,
      command: this.situation.operating ? (state) => this.control?.press(state) : null,
      replay: this.replayBar,
    });
  }

  private orderDeeds(): OrderDeeds {
    return {
      draw: (kind) => {
        this.side.openPanel("orders");
        this.desk.draw(kind);
      },
      send: (what) => void this.desk.send(what),
    };
  }

  private writeMark(): void {
    this.side.openPanel("events");
    this.events.marks.input.focus();
  }

  private withSelected(act: (row: number) => void): void {
    const { selected } = this.parts.selection;
    if (selected === null) this.say("Select a vehicle first: click it, or search with /.");
    else act(selected);
  }

  /** Close what is open; leave off drawing; leave a field; then deselect. */
  private escape(): void {
    if (this.help.close() || this.mapTools.close() || this.control?.close()) return;
    const field = document.activeElement;
    if (this.desk.sketch.drawing) this.desk.sketch.clear();
    else if (field instanceof HTMLInputElement) field.blur();
    else this.parts.selection.select(null);
  }
}

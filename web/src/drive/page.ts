/** The drive page: one vehicle, one driver. */

import type { Hello } from "../feed/messages.ts";
import { el, setText, setTone } from "../shell/dom.ts";
import { ThemeChoice } from "../shell/theme.ts";
import { CameraView } from "./camera-view.ts";
import { Dashboard } from "./dashboard.ts";
import { DriveBar } from "./drive-bar.ts";
import { Gate } from "./gate.ts";
import { Hands } from "./hands.ts";
import { MapView } from "./map-view.ts";
import type { DriveHello, DriveSession } from "./session.ts";
import { TouchPads } from "./touch-pads.ts";
import { stripSaying } from "./words.ts";

/** Turns a second. */
const RATE = 30;

/** Whether pitch means anything for a kind. */
export function flies(kind: string): boolean {
  return /^(aerial|underwater)\b/.test(kind);
}

export class DrivePage {
  private readonly hands: Hands;
  private readonly bar: DriveBar;
  private readonly gate: Gate;
  private readonly camera: CameraView;
  private readonly map: MapView;
  private readonly dashboard: Dashboard;
  private readonly pads: TouchPads;
  private readonly strip = el("p", { class: "strip", role: "status", testid: "strip" });

  constructor(
    root: HTMLElement,
    token: string,
    private readonly hello: DriveHello,
    private readonly session: DriveSession,
  ) {
    const theme = new ThemeChoice();
    const tilts = flies(hello.kind);
    this.hands = new Hands(hello.gears, { driving: () => session.driving, dropped: () => this.beat() });
    this.bar = new DriveBar(hello, theme, () => session.letGo());
    this.gate = new Gate(hello, tilts, (driver) => this.take(driver));
    this.camera = new CameraView(hello.cameras, (camera) => session.look(camera));
    this.map = new MapView(token, hello.row, (run) => this.setRun(run));
    this.dashboard = new Dashboard(tilts, hello.gears, (gear) => (this.hands.gear = gear));
    this.pads = new TouchPads(this.hands.thumbs, tilts, () => this.beat());
    root.replaceChildren(this.layout());
    theme.onChange(() => this.map.takeColours());
    setInterval(() => this.beat(), 1000 / RATE);
    this.beat();
    this.gate.focus();
  }

  showPicture(data: ArrayBuffer): void {
    void this.camera.show(data);
  }

  private layout(): HTMLElement {
    const views = el("main", { class: "views" }, this.camera.element, this.map.element);
    views.dataset.camera = this.hello.cameras.length ? "yes" : "no";
    const { bar, strip, dashboard, pads, gate } = this;
    const cockpit = el("div", { class: "cockpit" });
    const { steering, pedals } = pads;
    cockpit.append(views, strip, dashboard.element, steering, pedals, gate.element);
    return el("div", { class: "drive" }, bar.element, cockpit);
  }

  private setRun({ run }: Hello): void {
    this.bar.setRun(run.name);
    this.gate.setRun(run.name);
    document.title = `${this.hello.vehicle} · MoVE`;
  }

  private take(driver: string): void {
    this.hands.gear = 1;
    this.session.ask(driver);
  }

  /** Read the hands, send what they do, and show both. */
  private beat(): void {
    const now = performance.now();
    const { session, hands, map } = this;
    const state = map.status?.state ?? null;
    session.trips.stand(state !== null && state !== "GO");
    const unanswered = session.driving && session.trips.unanswered(now);
    if (unanswered) hands.bar(); // it must not drive off as it answers again
    const { device, stick } = hands.read(now);
    session.turn(stick, hands.gear);
    const seen = map.fleet?.known(this.hello.row) ? map.fleet.speed[this.hello.row] : null;
    const behind = map.fleet?.known(this.hello.row) ? map.fleet.age[this.hello.row] : 0;
    this.bar.refresh(state, session.driving ? session.trips.delay(now, behind) : null);
    this.gate.refresh(session.seat, session.link);
    const motion = unanswered ? null : session.motion;
    this.dashboard.show(session.driving ? stick : null, hands.gear, motion, unanswered ? null : seen);
    this.camera.refresh(now);
    this.pads.refresh();
    const trouble = unanswered ? "unanswered" : hands.barred ? "barred" : null;
    const { tone, words } = stripSaying(session.seat, device, state, hands.hasGamepad, trouble);
    setTone(this.strip, tone);
    setText(this.strip, hands.hasStrangePad ? `${words} · this gamepad's layout is not known` : words);
  }
}

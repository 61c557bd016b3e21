/** The console: one page to watch, run and replay a test. */

import "./style/console.css";
import { Api } from "./api.ts";
import { Link } from "./feed/link.ts";
import type { LinkState } from "./feed/link.ts";
import type { Hello, Message } from "./feed/messages.ts";
import { Fleet } from "./fleet.ts";
import { FleetMap } from "./map/map.ts";
import type { MapHandlers } from "./map/map.ts";
import { Selection } from "./selection.ts";
import { Shell } from "./shell/shell.ts";
import { takeToken } from "./token.ts";

/** The server shows the scans of so many. */
const MOST_SCANNED = 32;

class Console {
  private fleet: Fleet | null = null;
  private shell: Shell | null = null;
  private map: FleetMap | null = null;
  private run = "";
  private readonly link: Link;
  private box: [number, number, number, number] | null = null;
  private selection: Selection | null = null;
  private readonly complaints = new Set<string>();
  private linkState: LinkState = "opening";

  constructor(private readonly token: string) {
    this.link = new Link(token, {
      message: (message) => this.take(message),
      frame: (data) => void this.show(data),
      state: (state) => {
        this.linkState = state;
        this.shell?.setLink(state);
        if (!this.shell) document.body.dataset.link = state;
      },
    });
  }

  private take(message: Message): void {
    if (message.hello) this.begin(message.hello);
    const shell = this.shell;
    if (!shell) return;
    if (message.status) {
      shell.setStatus(message.status);
      void this.drawMap(); // orders may have changed, also in a run that stands still
    }
    if (message.events) shell.addEvents(message.events, message.forget ?? false);
    if (message.sighted) this.map?.setSighted(message.sighted);
    if (message.happenings) shell.setHappenings(message.happenings);
    if (message.pairs) shell.setPairs(message.pairs, message.t ?? 0);
    if (message.refused) shell.say(message.refused);
  }

  /** A server that came back shows the same run: everything stays as the user left it. */
  private begin(hello: Hello): void {
    const run = `${hello.run.run_id} ${hello.run.started_utc} ${hello.source} ${hello.role}`;
    if (this.run && this.run !== run) location.reload();
    if (!this.run) this.build(hello);
    else this.shell?.resume();
    this.run = run;
    this.shell?.setLink(this.linkState);
    this.lookAgain();
  }

  private build(hello: Hello): void {
    const fleet = new Fleet(hello.roster);
    const selection = new Selection(fleet, hello);
    const api = new Api(this.token);
    const replay = (wish: object) => this.link.replay(wish);
    this.shell = new Shell(document.body, { hello, fleet, selection, api, replay });
    const handlers: MapHandlers = {
      view: (box) => {
        this.box = box;
        this.lookAgain();
      },
      select: (row, more) => {
        if (!more) selection.select(row);
        else if (row !== null) selection.toggle(row);
      },
      selectAround: (rows) => selection.add(rows),
    };
    this.map = new FleetMap(
      this.shell.mapElement,
      hello,
      fleet,
      selection,
      api.headers,
      handlers,
      this.shell.desk,
    );
    this.shell.attach(this.map);
    selection.onChange(() => this.lookAgain());
    this.fleet = fleet;
    this.selection = selection;
  }

  private lookAgain(): void {
    if (this.box) this.link.lookAt(this.box, this.selection?.rows ?? []);
    if (this.selection) this.link.watchScans(this.selection.scanned.slice(0, MOST_SCANNED));
  }

  private async show(data: ArrayBuffer): Promise<void> {
    if (!this.fleet || !this.map) return;
    try {
      const sequence = this.fleet.take(data);
      await this.draw();
      this.link.acknowledge(sequence);
    } catch (error) {
      this.complain(error);
    }
  }

  private async draw(): Promise<void> {
    try {
      this.shell?.tick();
    } catch (error) {
      this.complain(error);
    }
    await this.drawMap();
  }

  private async drawMap(): Promise<void> {
    try {
      await this.map?.draw();
    } catch (error) {
      this.complain(error);
    }
  }

  /** A frame that cannot be drawn must not stop the feed; the same trouble is told once. */
  private complain(error: unknown): void {
    const words = error instanceof Error ? error.message : String(error);
    if (this.complaints.has(words)) return;
    this.complaints.add(words);
    console.error(error);
    this.shell?.say(`This page cannot show everything: ${words}`);
  }
}

const token = await takeToken();
if (token) new Console(token);
else document.body.dataset.link = "none";

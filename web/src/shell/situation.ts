/** All that the page knows of the run now; panels read it. */

import type { Api } from "../api.ts";
import type { LinkState } from "../feed/link.ts";
import type { Happenings, Hello, Pair, Reception, ReplayWish, Status } from "../feed/messages.ts";
import type { Fleet } from "../fleet.ts";
import type { FleetMap } from "../map/map.ts";
import { EventLog } from "../panels/event-log.ts";
import { Histories } from "../panels/histories.ts";
import { PairHistory } from "../panels/pair-history.ts";
import type { Selection } from "../selection.ts";

export class Situation {
  status: Status | null = null;
  /** When it came, ms of the page's clock. */
  statusAt = -Infinity;
  link: LinkState = "opening";
  /** When the server was last heard, ms of the page's clock. */
  heardAt = performance.now();
  /** Frames drawn a second, lately. */
  framesPerSecond = 0;
  pairs: Pair[] = [];
  happenings: Happenings = { notices: [], marks: [] };
  map: FleetMap | null = null;
  readonly events = new EventLog();
  readonly pairHistory = new PairHistory();
  readonly histories = new Histories();
  readonly rowOf: Map<number, number>;
  private hostOf: number[] = [];
  private readonly receptions = new Map<number, Reception>();

  constructor(
    readonly hello: Hello,
    readonly fleet: Fleet,
    readonly selection: Selection,
    readonly api: Api,
    readonly replay: (wish: ReplayWish) => void,
  ) {
    this.rowOf = new Map(hello.roster.vids.map((vid, row) => [vid, row]));
  }

  get replaying(): boolean {
    return this.hello.replay !== null;
  }

  /** Whether this page may act on the run. */
  get operating(): boolean {
    return this.hello.role === "operator" && !this.replaying;
  }

  takeStatus(status: Status): void {
    if (status.host_of) this.hostOf = status.host_of;
    this.status = status;
    this.statusAt = this.heardAt = performance.now();
    this.receptions.clear();
    for (const reception of status.real ?? []) this.receptions.set(reception.row, reception);
    this.histories.take(status);
  }

  /** For how long the server has not been heard, s; 0 while the line is open. */
  get silence(): number {
    return this.link === "open" ? 0 : (performance.now() - this.heardAt) / 1000;
  }

  /** How a real vehicle is heard, where somebody says. */
  reception(row: number): Reception | undefined {
    return this.receptions.get(row);
  }

  /** Who brings a vehicle, as an index into the hosts; -1 where nobody says. */
  hostIndex(row: number): number {
    return this.hostOf[row] ?? -1;
  }

  /** Look at a pair, with both of it in view. */
  showPair(row: number, other: number): void {
    this.selection.selectPair(row, other);
    this.map?.show([row, other]);
  }

  /** Select some by their vids, and bring them into view. */
  showVehicles(vids: number[]): void {
    const rows = vids.map((vid) => this.rowOf.get(vid)).filter((row) => row !== undefined);
    if (rows.length === 1) return this.showVehicle(rows[0]);
    this.selection.selectMany(rows);
    this.map?.show(rows);
  }

  /** Select a vehicle and bring it into view. */
  showVehicle(row: number): void {
    this.selection.select(row);
    this.map?.goTo(row);
  }
}

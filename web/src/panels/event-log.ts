/** What has happened, sorted into a few drawers so that it can be filtered. */

import type { RunEvent } from "../feed/messages.ts";
import { levelLook } from "../levels.ts";
import type { LevelLook } from "../levels.ts";

export type Drawer =
  | "notices"
  | "missions"
  | "remarks"
  | "vehicles"
  | "operator"
  | "marks"
  | "system";
export const DRAWERS: Record<Drawer, string> = {
  notices: "Notices",
  missions: "Missions",
  remarks: "Remarks",
  vehicles: "Joins and losses",
  operator: "Operator",
  marks: "Marks",
  system: "System",
};
const DRAWER_OF: Record<string, Drawer> = {
  notice: "notices",
  mission: "missions",
  remark: "remarks",
  host: "vehicles",
  lost: "vehicles",
  heard: "vehicles",
  stale: "vehicles",
  ack: "vehicles",
  state: "operator",
  order: "operator",
  mark: "marks",
};
const KEPT = 5000;

export type Tone = "plain" | "ok" | "caution" | "warning" | "mark" | "order" | LevelLook;

export function drawerOf(event: RunEvent): Drawer {
  return DRAWER_OF[event.kind] ?? "system";
}

/** How loud an event is. `levels` are the names of notice levels, outermost first. */
export function toneOf(event: RunEvent, levels: string[]): Tone {
  if (event.kind === "notice") return noticeLook(event.text, levels) ?? "plain";
  if (["lost", "missed", "overload"].includes(event.kind)) return "warning";
  if (["stale", "refused", "core"].includes(event.kind)) return "caution";
  if (event.kind === "mark" || event.kind === "order") return event.kind;
  if (event.kind === "remark") return event.text.endsWith(": arrived") ? "ok" : "caution";
  if (event.kind === "heard" || event.kind === "host") return "ok";
  return "plain";
}

/** The look of the level that a notice's words name; null for none. */
export function noticeLook(text: string, levels: string[]): LevelLook | null {
  const after = text.slice(text.lastIndexOf(": ") + 2);
  const place = levels.findIndex((name) => after.startsWith(`${name},`));
  return place < 0 ? null : levelLook(place + 1, levels.length);
}

export class EventLog {
  /** Oldest first. */
  readonly all: RunEvent[] = [];
  /** How many were ever dropped from the front: `all[i]` is number `dropped + i`. */
  dropped = 0;
  /** Counts how often the log began anew. */
  begun = 0;
  private repeats = false;

  /** The server came back: what it tells next may be known already. */
  expectRepeats(): void {
    this.repeats = true;
  }

  add(events: RunEvent[], forget: boolean): void {
    if (forget) {
      this.all.length = 0;
      this.dropped = 0;
      this.begun += 1;
    }
    this.all.push(...(this.repeats ? this.unknown(events) : events));
    this.repeats = false;
    const over = this.all.length - KEPT;
    if (over > 0) {
      this.all.splice(0, over);
      this.dropped += over;
    }
  }

  private unknown(events: RunEvent[]): RunEvent[] {
    const same = ({ t, utc, kind, text }: RunEvent) => `${t} ${utc} ${kind} ${text}`;
    const known = new Set(this.all.map(same));
    return events.filter((event) => !known.has(same(event)));
  }

  get end(): number {
    return this.dropped + this.all.length;
  }

  /** The newest events of one vehicle, newest first. */
  of(vid: number, most: number): RunEvent[] {
    const found: RunEvent[] = [];
    for (let i = this.all.length - 1; i >= 0 && found.length < most; i--) {
      if (this.all[i].vids.includes(vid)) found.push(this.all[i]);
    }
    return found;
  }
}

/** What has happened, sorted into a few drawers so that it can be filtered. */

import type { RunEvent } from "../feed/messages.ts";

export type Drawer = "notices" | "vehicles" | "operator" | "marks" | "system";
export const DRAWERS: Record<Drawer, string> = {
  notices: "Notices",
  vehicles: "Joins and losses",
  operator: "Operator",
  marks: "Marks",
  system: "System",
};
const DRAWER_OF: Record<string, Drawer> = {
  notice: "notices",
  host: "vehicles",
  lost: "vehicles",
  heard: "vehicles",
  stale: "vehicles",
  ack: "vehicles",
  state: "operator",
  mark: "marks",
};
const KEPT = 5000;

export type Tone = "plain" | "ok" | "caution" | "warning" | "mark";

export function drawerOf(event: RunEvent): Drawer {
  return DRAWER_OF[event.kind] ?? "system";
}

/** How loud an event is. `levels` are the names of notice levels, outermost first. */
export function toneOf(event: RunEvent, levels: string[]): Tone {
  if (event.kind === "notice") return levelTone(levelNamed(event.text, levels), levels.length);
  if (["lost", "missed", "overload"].includes(event.kind)) return "warning";
  if (["stale", "refused", "core"].includes(event.kind)) return "caution";
  if (event.kind === "mark") return "mark";
  if (event.kind === "heard" || event.kind === "host") return "ok";
  return "plain";
}

/** The innermost of all levels warns, those before it call for caution, the outermost is plain. */
export function levelTone(level: number, levels: number): Tone {
  if (level <= 0) return "plain";
  if (level >= levels) return "warning";
  return level === 1 && levels > 2 ? "plain" : "caution";
}

/** The number of the level a notice's words name; 0 for none. */
function levelNamed(text: string, levels: string[]): number {
  const after = text.slice(text.lastIndexOf(": ") + 2);
  return levels.findIndex((name) => after.startsWith(`${name},`)) + 1;
}

export class EventLog {
  /** Oldest first. */
  readonly all: RunEvent[] = [];
  /** How many were ever dropped from the front: `all[i]` is number `dropped + i`. */
  dropped = 0;
  /** Counts how often the log began anew. */
  begun = 0;

  add(events: RunEvent[], forget: boolean): void {
    if (forget) {
      this.all.length = 0;
      this.dropped = 0;
      this.begun += 1;
    }
    this.all.push(...events);
    const over = this.all.length - KEPT;
    if (over > 0) {
      this.all.splice(0, over);
      this.dropped += over;
    }
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

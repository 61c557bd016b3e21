/** Health at a glance: what each lamp shows for a status. */

import type { CoreStatus, HostStatus, Status } from "../feed/messages.ts";
import { count, percent, plural, span } from "../format.ts";

/** ok, look at it soon, act now, and nothing known. */
export type LampTone = "ok" | "caution" | "alarm" | "unknown";

export interface Lamp {
  id: "core" | "hosts" | "links" | "recorder";
  title: string;
  tone: LampTone;
  words: string;
}

/** Of a tick's time left over: less is worth a look, or leaves nothing for a busy moment. */
const LOW_MARGIN = 0.3;
const NO_MARGIN = 0.1;
/** Shares of messages lost. */
const SOME_LOSS = 0.05;
const MUCH_LOSS = 0.25;

export function lampsOf(status: Status | null, replaying: boolean): Lamp[] {
  const lamps: Lamp[] = [coreLamp(status), hostsLamp(status), linksLamp(status)];
  if (!replaying) lamps.push(recorderLamp(status));
  const ended = !replaying && status?.state === "STOP";
  return ended ? lamps.map((lamp) => ({ ...lamp, tone: "unknown", words: "ended" })) : lamps;
}

function coreLamp(status: Status | null): Lamp {
  const lamp = (tone: LampTone, words: string): Lamp => ({
    id: "core",
    title: "Core",
    tone,
    words,
  });
  if (status?.core_silent) return lamp("alarm", `silent for ${span(status.core_silent)}`);
  const core = status?.core;
  if (!core) return lamp("unknown", "not known");
  const tone = marginTone(core.margin_p5);
  if (tone === "ok" && core.missed_ticks > 0) {
    return lamp("caution", `${plural(core.missed_ticks, "tick")} missed`);
  }
  return lamp(
    tone,
    core.margin_p5 === null ? "no margin yet" : `margin ${percent(core.margin_p5)}`,
  );
}

export function marginTone(margin: CoreStatus["margin_p5"] | undefined): LampTone {
  if (margin === null || margin === undefined) return "unknown";
  if (margin < NO_MARGIN) return "alarm";
  return margin < LOW_MARGIN ? "caution" : "ok";
}

/** A host is well, says that it has trouble, or is not heard. */
export function hostTone(host: HostStatus): LampTone {
  if (/^(gone|silent|lost)\b/.test(host.health)) return "alarm";
  return host.health === "ok" || host.health === "" ? "ok" : "caution";
}

function hostsLamp(status: Status | null): Lamp {
  const lamp = (tone: LampTone, words: string): Lamp => ({
    id: "hosts",
    title: "Hosts",
    tone,
    words,
  });
  const hosts = status?.hosts;
  if (!hosts) return lamp("unknown", "not known");
  if (!hosts.length) return lamp("caution", "none here");
  const silent = hosts.filter((host) => hostTone(host) === "alarm");
  const gone = silent.filter((host) => host.health.startsWith("gone"));
  if (silent.length) {
    return lamp(
      "alarm",
      `${count(silent.length)} ${gone.length === silent.length ? "gone" : "silent"}`,
    );
  }
  const strained = hosts.filter((host) => hostTone(host) === "caution");
  if (strained.length) return lamp("caution", `${count(strained.length)} in trouble`);
  return lamp("ok", hosts.length === 1 ? "1 well" : `all ${count(hosts.length)} well`);
}

function linksLamp(status: Status | null): Lamp {
  const lamp = (tone: LampTone, words: string): Lamp => ({
    id: "links",
    title: "Links",
    tone,
    words,
  });
  const { hosts, real } = status ?? {};
  if (!hosts && !real) return lamp("unknown", "not known");
  const silent = (real ?? []).filter((one) => one.heard !== "heard").length;
  if (silent) return lamp("caution", `${count(silent)} of ${count(real?.length)} not heard`);
  const worst = Math.max(0, ...(real ?? []).map(lossOf), ...(hosts ?? []).map(lossOf));
  const loss = `loss up to ${percent(worst)}`;
  if (worst >= SOME_LOSS) return lamp(worst >= MUCH_LOSS ? "alarm" : "caution", loss);
  return lamp("ok", real?.length ? `${count(real.length)} heard` : "no loss");
}

function lossOf(one: { loss: number | null }): number {
  return one.loss ?? 0;
}

function recorderLamp(status: Status | null): Lamp {
  const lamp = (tone: LampTone, words: string): Lamp => ({
    id: "recorder",
    title: "Recorder",
    tone,
    words,
  });
  const recorders = status?.recorders;
  if (!recorders) return lamp("unknown", "not known");
  if (!recorders.length) return lamp("caution", "not recorded");
  return lamp("ok", recorders.length === 1 ? "recording" : `${recorders.length} recording`);
}

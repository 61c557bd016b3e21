/** What the page says about who drives: for the gate before the wheel, and for the strip beside it. */

import type { LinkState } from "../feed/line.ts";
import type { RunStateName } from "../feed/messages.ts";
import type { Device } from "./inputs/blend.ts";
import type { Seat } from "./session.ts";

export interface Saying {
  tone: "ok" | "caution" | "alarm" | "unknown";
  words: string;
}

/** Why the driver is not at the wheel, in sentences; nothing before the first time. */
export function gateSaying(seat: Seat, link: LinkState): Saying {
  if (link === "refused") {
    const ask = "The operator has taken the vehicle back or made another link; ask for it.";
    return { tone: "alarm", words: `This link no longer opens the vehicle. ${ask}` };
  }
  if (link === "lost" || link === "opening") {
    const cut = seat.at === "cut-off" ? "The link is lost, and the vehicle brakes. " : "";
    return { tone: "alarm", words: `${cut}Connecting…` };
  }
  switch (seat.at) {
    case "cut-off":
      return {
        tone: "caution",
        words: "The link was lost and is back. The vehicle is braked until you take the wheel again.",
      };
    case "let-go":
      return { tone: "ok", words: "You let go. The vehicle does again what it did before." };
    case "ousted":
      return { tone: "alarm", words: `You have lost the wheel: ${seat.why}.` };
    case "refused":
      return { tone: "alarm", words: `Not now: ${seat.why}.` };
    default:
      return { tone: "unknown", words: "" };
  }
}

/** What the big button says, and whether it does anything now. */
export function gateButton(seat: Seat, link: LinkState): { text: string; enabled: boolean } {
  const again = ["let-go", "ousted", "cut-off"].includes(seat.at);
  if (seat.at === "asking") return { text: "Asking…", enabled: false };
  return { text: again ? "Take the wheel again" : "Take the wheel", enabled: link === "open" };
}

const BY: Record<Device, string> = {
  keyboard: "You drive by keyboard",
  gamepad: "You drive by gamepad",
  touch: "You drive by touch",
};
const STANDS: Partial<Record<RunStateName, string>> = {
  READY: "The run has not begun",
  SET: "The run is about to begin",
  PAUSE: "The run is paused",
  STOP: "The run has ended",
};

/** The vehicle does not answer; or it did not, and the driver has yet to let go of everything. */
export type Trouble = "unanswered" | "barred";

/** Who drives now. */
export function stripSaying(
  seat: Seat,
  device: Device | null,
  state: RunStateName | null,
  handle: boolean,
  trouble: Trouble | null,
): Saying {
  if (seat.at !== "wheel") return { tone: "unknown", words: "You are not at the wheel" };
  const stands = state && STANDS[state];
  if (stands) return { tone: "unknown", words: `${stands}: nothing moves` };
  if (trouble === "unanswered") {
    return { tone: "alarm", words: "Braking: the vehicle does not answer" };
  }
  if (trouble === "barred") {
    return { tone: "caution", words: "Braking: it was silent; let go, then drive on" };
  }
  if (device) return { tone: "ok", words: BY[device] };
  const hint = handle ? "; hold L1 or R1" : "";
  return { tone: "caution", words: `Braking: nobody holds the controls${hint}` };
}

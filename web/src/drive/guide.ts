/** How to drive, in short. */

import { el } from "../shell/dom.ts";

type Line = [keys: string[], does: string];

const KEYS: Line[] = [
  [["←", "→"], "or A D: steer"],
  [["↑", "↓"], "or W S: throttle, brake"],
];
const KEYS_OF_GEARS: Line = [["Q", "E"], "gear down, up; R: reverse and back"];
const PAD: Line[] = [
  [["L1", "R1"], "hold one of them: the dead man's handle"],
  [["left stick"], "steer"],
  [["RT", "LT"], "throttle, brake"],
];
const PAD_OF_GEARS: Line = [["A", "B"], "or the cross: gear up, down"];

export function guide(flies: boolean, geared: boolean): HTMLElement {
  const lines = (common: Line[], ofGears: Line, ofTilt: Line): Line[] => [
    ...common,
    ...(geared ? [ofGears] : []),
    ...(flies ? [ofTilt] : []),
  ];
  return el(
    "div",
    { class: "guide" },
    part("Keyboard", "for-keys", lines(KEYS, KEYS_OF_GEARS, [["I", "K"], "nose up, down"])),
    part("Gamepad", "for-keys", lines(PAD, PAD_OF_GEARS, [["right stick"], "nose up, down"])),
    part("Touch", "for-touch", [
      [["left thumb"], flies ? "steers; up and down: nose" : "steers"],
      [["right thumb"], "up: throttle, down: brake"],
    ]),
    el("p", {
      class: "muted",
      text:
        "Take your hands off, or look at another window, and the vehicle brakes. " +
        "“Let go” leaves the wheel: it does again what it did before you came.",
    }),
  );
}

function part(name: string, kind: string, lines: Line[]): HTMLElement {
  const list = el("dl", { class: "keys" });
  for (const [keys, does] of lines) {
    const marks = keys.map((key) => el("kbd", { text: key }));
    list.append(el("dt", {}, ...marks), el("dd", { text: does }));
  }
  return el("section", { class: kind }, el("h3", { text: name }), list);
}

/** How to drive, in short. */

import { el } from "../shell/dom.ts";

type Line = [keys: string[], does: string];

const KEYS: Line[] = [
  [["←", "→"], "or A D: steer"],
  [["↑", "↓"], "or W S: throttle, brake"],
  [["Q", "E"], "gear down, up; R: reverse and back"],
];
const PAD: Line[] = [
  [["L1", "R1"], "hold one of them: the dead man's handle"],
  [["left stick"], "steer"],
  [["RT", "LT"], "throttle, brake"],
  [["A", "B"], "or the cross: gear up, down"],
];
const TOUCH: Line[] = [
  [["left thumb"], "steers"],
  [["right thumb"], "up: throttle, down: brake"],
];

export function guide(flies: boolean): HTMLElement {
  const tilt = (keys: string[], does: string): Line[] => (flies ? [[keys, does]] : []);
  return el(
    "div",
    { class: "guide" },
    part("Keyboard", "for-keys", [...KEYS, ...tilt(["I", "K"], "nose up, down")]),
    part("Gamepad", "for-keys", [...PAD, ...tilt(["right stick"], "nose up, down")]),
    part("Touch", "for-touch", [...TOUCH, ...tilt(["left thumb"], "up and down: nose")]),
    el("p", {
      class: "muted",
      text: "Whoever lets go of everything, or looks at another window, brakes.",
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

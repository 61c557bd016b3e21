/** How true a run is to life: five numbers from 0 to 3, as a star and as bars. */

import type { Fidelity } from "../feed/messages.ts";
import { el } from "../shell/dom.ts";
import { svg } from "../shell/icons.ts";

const AXES: (keyof Fidelity)[] = ["vehicle", "sensors", "algorithms", "environment", "pedestrians"];
const MOST = 3;
const RADIUS = 44;
const MIDDLE = 52;

export function fidelitySum(fidelity: Fidelity): number {
  return AXES.reduce((sum, axis) => sum + fidelity[axis], 0);
}

/** Corners of the star's polygon for a value on each axis; the first axis points up. */
export function corners(values: number[], radius: number, middle: number): [number, number][] {
  return values.map((value, i) => {
    const turn = (i / values.length) * 2 * Math.PI;
    const far = (value / MOST) * radius;
    return [middle + far * Math.sin(turn), middle - far * Math.cos(turn)];
  });
}

export function fidelityView(fidelity: Fidelity): HTMLElement {
  const rows = AXES.map((axis) => bar(axis, fidelity[axis]));
  const sum = el(
    "p",
    { class: "fidelity-sum" },
    el("strong", { class: "big number", text: String(fidelitySum(fidelity)) }),
    el("span", { class: "muted", text: ` of ${MOST * AXES.length}` }),
  );
  const words = AXES.map((axis) => `${axis} ${fidelity[axis]}`).join(", ");
  const picture = el("div", { class: "fidelity-star" }, star(fidelity, words), sum);
  return el("div", { class: "fidelity" }, picture, el("div", { class: "bars" }, ...rows));
}

function bar(axis: string, value: number): HTMLElement {
  const steps = Array.from({ length: MOST }, (_, i) =>
    el("span", { class: i < value ? "bar-step full" : "bar-step" }),
  );
  return el(
    "div",
    { class: "bar" },
    el("span", { text: axis }),
    el("span", { class: "bar-steps", attributes: { "aria-hidden": "true" } }, ...steps),
    el("span", { class: "number", text: String(value) }),
  );
}

function star(fidelity: Fidelity, words: string): SVGElement {
  const size = 2 * MIDDLE;
  const picture = svg("svg", { viewBox: `0 0 ${size} ${size}`, class: "star", role: "img" });
  picture.setAttribute("aria-label", `Fidelity: ${words}`);
  for (let ring = 1; ring <= MOST; ring++) {
    picture.append(polygon(AXES.map(() => ring), "star-ring"));
  }
  for (const [x, y] of corners(AXES.map(() => MOST), RADIUS, MIDDLE)) {
    const ends = { x1: MIDDLE, y1: MIDDLE, x2: x, y2: y };
    const texts = Object.entries(ends).map(([name, value]) => [name, String(value)]);
    picture.append(svg("line", { ...Object.fromEntries(texts), class: "star-ring" }));
  }
  picture.append(polygon(AXES.map((axis) => fidelity[axis]), "star-shape"));
  return picture;
}

function polygon(values: number[], look: string): SVGElement {
  const points = corners(values, RADIUS, MIDDLE).map((corner) => corner.join(",")).join(" ");
  return svg("polygon", { points, class: look });
}

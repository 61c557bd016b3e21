/** Drawn signs: strokes on a 16 × 16 grid, in the colour of the text around them. */

import { OUTLINES, shapeOfKind } from "../shapes.ts";

const NAMESPACE = "http://www.w3.org/2000/svg";

const STROKES = {
  day:
    "M8 1.5v1.7M8 12.8v1.7M1.5 8h1.7M12.8 8h1.7M3.4 3.4l1.2 1.2M11.4 11.4l1.2 1.2" +
    "M3.4 12.6l1.2-1.2M11.4 4.6l1.2-1.2M5.2 8a2.8 2.8 0 1 0 5.6 0a2.8 2.8 0 1 0-5.6 0",
  night: "M13.5 9.8A6 6 0 0 1 6.2 2.5 6 6 0 1 0 13.5 9.8Z",
  help: "M5.6 5.8a2.4 2.4 0 1 1 3.6 2.1c-.8.5-1.2.9-1.2 1.9M8 12.2v.6",
  close: "M4 4l8 8M12 4l-8 8",
  fit: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10M8 6.6v2.8M6.6 8h2.8",
  layers: "M8 2.2 14 5.4 8 8.6 2 5.4ZM2.4 8.2 8 11.2l5.6-3M2.4 10.9 8 13.9l5.6-3",
  right: "M6 3l5 5-5 5",
  left: "M10 3L5 8l5 5",
  down: "M3 6l5 5 5-5",
  up: "M3 10l5-5 5 5",
  follow: "M8 1.5v3M8 11.5v3M1.5 8h3M11.5 8h3M4 8a4 4 0 1 0 8 0a4 4 0 1 0-8 0",
  goto:
    "M8 14.2C5 10.8 3.6 8.6 3.6 6.4a4.4 4.4 0 0 1 8.8 0c0 2.2-1.4 4.4-4.4 7.8Z" +
    "M6.6 6.4a1.4 1.4 0 1 0 2.8 0a1.4 1.4 0 1 0-2.8 0",
  search: "M2.5 7a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0M10.4 10.4 14 14",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  mark: "M4 14.5V2M4 2.8h8.2L10 5.6l2.2 2.8H4",
  flag: "M4 14.5V2M4 2.6l8.5 3L4 8.6",
  route: "M2.5 13.5 6 6l4.5 4 3-7.5M2.5 13.5h.01M6 6h.01M10.5 10h.01",
  several: "M2.5 4.5v-2h2M7 2.5h2M11.5 2.5h2v2M13.5 7v2M13.5 11.5v2h-2M9 13.5H7M4.5 13.5h-2v-2M2.5 9V7",
  remark: "M2.5 3h11v7.5H8l-3 3v-3H2.5Z",
  notice: "M8 2 14.6 13.6H1.4ZM8 6.2v3.6M8 11.7v.1",
} as const;

const SOLIDS = {
  play: "M4 2.5 13.5 8 4 13.5Z",
  backwards: "M12 2.5 2.5 8 12 13.5Z",
  pause: "M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z",
  stepForward: "M3 2.5h2.4v11H3zM7 2.5 14 8 7 13.5Z",
  stepBack: "M10.6 2.5H13v11h-2.4zM9 2.5 2 8 9 13.5Z",
} as const;

export type IconName = keyof typeof STROKES | keyof typeof SOLIDS;

export function icon(name: IconName): SVGSVGElement {
  const solid = name in SOLIDS;
  const drawing = svg("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" });
  const path = solid ? SOLIDS[name as keyof typeof SOLIDS] : STROKES[name as keyof typeof STROKES];
  const looks: Record<string, string> = solid
    ? { fill: "currentColor" }
    : { fill: "none", stroke: "currentColor", "stroke-width": "1.5" };
  const joins = { "stroke-linecap": "round", "stroke-linejoin": "round" };
  drawing.append(svg("path", { d: path, ...looks, ...joins }));
  return drawing as SVGSVGElement;
}

export function svg(tag: string, attributes: Record<string, string>): SVGElement {
  const made = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

export interface VehicleSymbol {
  element: SVGSVGElement;
  show(kind: string, origin: string): void;
}

export function vehicleSymbol(): VehicleSymbol {
  const drawing = svg("svg", { viewBox: "-11 -11 22 22", class: "symbol", role: "img" });
  const path = svg("path", { "stroke-linejoin": "round" });
  drawing.append(path);
  let shown = "";
  const show = (kind: string, origin: string) => {
    if (shown === `${origin} ${kind}`) return;
    shown = `${origin} ${kind}`;
    path.setAttribute("d", OUTLINES[shapeOfKind(kind)]);
    drawing.setAttribute("data-origin", origin);
    drawing.setAttribute("aria-label", shown);
  };
  return { element: drawing as SVGSVGElement, show };
}

/** Outlines of the run's own areas, routes with their slow stretches, and obstacles. */

import { featurePaths } from "./base/features.ts";
import type { LineTable } from "./line-table.ts";
import type { Anchor } from "./mercator.ts";
import { fade, packColour, roleColour } from "./palette.ts";
import type { Palette } from "./palette.ts";

/** Pixels. */
const WIDTHS: Record<string, number> = { area: 1.25, route: 2, slow: 7, obstacle: 1.75 };
/** A slow stretch lies pale beneath its route. */
const PALE = 0.4;
const DASH_OF_ROUTES = 7;

export function addOutlines(
  table: LineTable,
  features: GeoJSON.Feature[],
  anchor: Anchor,
  palette: Palette,
): void {
  for (const feature of features) {
    const role = String(feature.properties?.role ?? "area");
    const whole = packColour(roleColour(palette, role));
    const colour = role === "slow" ? fade(whole, PALE) : whole;
    const dash = role === "route" ? DASH_OF_ROUTES : 0;
    for (const path of featurePaths(feature)) {
      const places = path.map(([lon, lat]) => [anchor.offsetX(lon), anchor.offsetY(lat)]);
      for (let i = 1; i < places.length; i++) {
        const [[x0, y0], [x1, y1]] = [places[i - 1], places[i]];
        table.add(x0, y0, x1, y1, colour, WIDTHS[role] ?? 1, dash);
      }
    }
  }
}

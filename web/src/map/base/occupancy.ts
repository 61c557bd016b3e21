/** A map of occupied cells as an image beneath the vehicles, each cell with a sharp edge. */

import type { Palette } from "../palette.ts";
import { cellImage } from "./cell-image.ts";
import type { Content } from "./style.ts";

const ID = "movenv-occupancy";
/** Tones of cells that are free, occupied and unknown, in the order of their numbers. */
export const CELL_TONES = ["free", "occupied", "unknown"] as const;

/** The map of occupied cells among some features. */
export function occupancyOf(features: GeoJSON.Feature[]): GeoJSON.Feature | undefined {
  return features.find((one) => one.properties?.kind === "map");
}

/** What draws it. */
export function occupancyContent(feature: GeoJSON.Feature, palette: Palette): Content {
  const colours = CELL_TONES.map((tone) => palette.ground[tone]);
  return cellImage(ID, feature, colours, (words) => words, "nearest");
}

/** Reading GeoJSON that somebody else has written. */

import { LayerTrouble } from "./trouble.ts";

const TYPES = [
  "FeatureCollection",
  "Feature",
  "Point",
  "MultiPoint",
  "LineString",
  "MultiLineString",
  "Polygon",
  "MultiPolygon",
  "GeometryCollection",
];

/** What a text holds; where that is something else, the layer of this name cannot be shown. */
export function featuresIn(text: string, name: string): GeoJSON.GeoJSON {
  let found: { type?: string; features?: unknown } | null;
  try {
    found = JSON.parse(text);
  } catch {
    found = null;
  }
  const whole = found?.type !== "FeatureCollection" || Array.isArray(found.features);
  if (!TYPES.includes(found?.type ?? "") || !whole) {
    throw new LayerTrouble(`${name} is not GeoJSON`);
  }
  return found as GeoJSON.GeoJSON;
}

/** How features of a GeoJSON or of vector tiles look: by their role, else by their geometry. */

import type { FilterSpecification, LayerSpecification } from "maplibre-gl";
import type { Palette } from "../palette.ts";

export const HATCH = "movenv-hatch";

const POLYGON = ["==", ["geometry-type"], "Polygon"];
const LINE = ["==", ["geometry-type"], "LineString"];
const POINT = ["==", ["geometry-type"], "Point"];
const role = (name: string) => ["==", ["get", "role"], name];
const both = (...parts: unknown[]) => ["all", ...parts] as unknown as FilterSpecification;
const plain = ["!", ["in", ["get", "role"], ["literal", ["area", "route", "obstacle"]]]];

/** Layers that draw a source; `sourceLayer` for one of vector tiles. */
export function featureLayers(
  source: string,
  palette: Palette,
  opacity = 1,
  sourceLayer?: string,
): LayerSpecification[] {
  const id = (name: string) => [source, sourceLayer, name].filter(Boolean).join(" ");
  const from = { source, ...(sourceLayer ? { "source-layer": sourceLayer } : {}) };
  const line = (name: string, filter: FilterSpecification, colour: string, more: object = {}) =>
    ({
      id: id(name),
      type: "line",
      ...from,
      filter,
      paint: { "line-color": colour, "line-width": 1.2, "line-opacity": opacity, ...more },
    }) as LayerSpecification;
  const fill = (name: string, filter: FilterSpecification, paint: object) =>
    ({ id: id(name), type: "fill", ...from, filter, paint }) as LayerSpecification;
  const tint = (colour: string, share: number) => ({
    "fill-color": colour,
    "fill-opacity": share * opacity,
    "fill-antialias": false,
  });
  return [
    fill("fills", both(POLYGON, plain), tint(palette.layer, 0.18)),
    fill("areas", both(POLYGON, role("area")), tint(palette.area, 0.05)),
    fill("obstacles", both(POLYGON, role("obstacle")), { "fill-pattern": HATCH }),
    line("lines", both(["!=", ["geometry-type"], "Point"], plain), palette.layer),
    line("edges of areas", both(role("area")), palette.area),
    line("edges of obstacles", both(role("obstacle")), palette.obstacle, { "line-width": 1.8 }),
    line("routes", both(LINE, role("route")), palette.route, {
      "line-width": 2,
      "line-dasharray": [3, 2],
    }),
    {
      id: id("points"),
      type: "circle",
      ...from,
      filter: both(POINT),
      paint: {
        "circle-radius": 3.5,
        "circle-color": palette.layer,
        "circle-opacity": opacity,
        "circle-stroke-width": 1,
        "circle-stroke-color": palette.background,
      },
    } as LayerSpecification,
  ];
}

/** The pattern of obstacles: slanted lines. */
export function hatch(colour: string): ImageData {
  const side = 12;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = side;
  const paper = canvas.getContext("2d")!;
  paper.strokeStyle = colour;
  paper.lineWidth = 1.4;
  for (const shift of [-side, 0, side]) {
    paper.beginPath();
    paper.moveTo(shift - 1, side + 1);
    paper.lineTo(shift + side + 1, -1);
    paper.stroke();
  }
  return paper.getImageData(0, 0, side, side);
}

export interface PlacedName {
  text: string;
  role: string;
  lon: number;
  lat: number;
}

/** Features that are drawn above the ground: areas, routes, stops, obstacles. */
export function aboveGround(features: GeoJSON.Feature[]): GeoJSON.Feature[] {
  return features.filter((one) => one.properties?.role !== "terrain");
}

/** Names of features, each at its northernmost place. */
export function featureNames(features: GeoJSON.Feature[]): PlacedName[] {
  const names: PlacedName[] = [];
  for (const feature of features) {
    const text = feature.properties?.name;
    if (typeof text !== "string" || !feature.geometry) continue;
    const tops = topOf(coordinatesOf(feature.geometry));
    const role = String(feature.properties?.role ?? "");
    if (tops) names.push({ text, role, ...tops });
  }
  return names;
}

/** Names of more routes than this would bury the map and everybody's names. */
const MOST_ROUTES = 40;

/** The same without the names of routes, where there are too many. */
export function uncrowded(names: PlacedName[]): PlacedName[] {
  const routes = names.filter(({ role }) => role === "route").length;
  return routes > MOST_ROUTES ? names.filter(({ role }) => role !== "route") : names;
}

/** Where routes stop, as longitude and latitude. */
export function stopsOf(features: GeoJSON.Feature[]): GeoJSON.Position[] {
  return features.flatMap(({ properties, geometry }) =>
    properties?.role === "stop" && geometry?.type === "Point" ? [geometry.coordinates] : [],
  );
}

/** The middle of what lies furthest north. */
function topOf(points: number[][]): { lon: number; lat: number } | null {
  if (points.length === 0) return null;
  const north = points.reduce((most, [, lat]) => Math.max(most, lat), -Infinity);
  const south = points.reduce((least, [, lat]) => Math.min(least, lat), Infinity);
  const tops = points.filter(([, lat]) => lat >= north - (north - south) * 0.001);
  const lons = tops.map(([lon]) => lon);
  return { lon: (Math.min(...lons) + Math.max(...lons)) / 2, lat: north };
}

function coordinatesOf(geometry: GeoJSON.Geometry): number[][] {
  if (geometry.type === "GeometryCollection") return geometry.geometries.flatMap(coordinatesOf);
  let found: unknown = geometry.coordinates;
  if (geometry.type === "Point") found = [found];
  while (Array.isArray((found as unknown[][][])[0]?.[0])) found = (found as unknown[][]).flat();
  return found as number[][];
}

/** The lines of which features are drawn: rings and paths, each a list of places. */
export function featurePaths(feature: GeoJSON.Feature): number[][][] {
  return feature.geometry ? pathsOf(feature.geometry) : [];
}

function pathsOf(geometry: GeoJSON.Geometry): number[][][] {
  switch (geometry.type) {
    case "LineString":
      return [geometry.coordinates];
    case "MultiLineString":
    case "Polygon":
      return geometry.coordinates;
    case "MultiPolygon":
      return geometry.coordinates.flat();
    case "GeometryCollection":
      return geometry.geometries.flatMap(pathsOf);
    default:
      return [];
  }
}

/** West, south, east, north of features; null for none. */
export function featureBounds(
  features: GeoJSON.Feature[],
): [number, number, number, number] | null {
  const points = features.flatMap((one) => (one.geometry ? coordinatesOf(one.geometry) : []));
  if (points.length === 0) return null;
  const [lons, lats] = [points.map((one) => one[0]), points.map((one) => one[1])];
  const least = (values: number[]) => values.reduce((a, b) => Math.min(a, b));
  const most = (values: number[]) => values.reduce((a, b) => Math.max(a, b));
  return [least(lons), least(lats), most(lons), most(lats)];
}

/** How the ground looks: water, woods, buildings, roads; calm, beneath everything else. */

import type {
  DataDrivenPropertyValueSpecification,
  FilterSpecification,
  LayerSpecification,
  Map as BaseMap,
} from "maplibre-gl";
import type { Palette } from "../palette.ts";
import { metresPerPixel } from "../mercator.ts";

export const TERRAIN = "movenv-terrain";

/** Colours that the ground needs, as palette.css names them after `terrain-`. */
export const GROUND_TONES = [
  "soil",
  "water",
  "shore",
  "land",
  "wood",
  "thicket",
  "tree",
  "building",
  "wall",
  "tower",
  "road",
  "verge",
  "bridge",
  "ford",
  "free",
  "occupied",
  "unknown",
  "lit",
  "shade",
] as const;
export type GroundTone = (typeof GROUND_TONES)[number];

/** Each kind of feature as a legend has it: its words, its colour and that of its edge. */
export const GROUND_KINDS: Record<string, [words: string, tone: GroundTone, edge: GroundTone]> = {
  river: ["river", "water", "shore"],
  lake: ["lake", "water", "shore"],
  island: ["island", "land", "shore"],
  canopy: ["canopy", "wood", "wood"],
  tree_line: ["tree line", "thicket", "thicket"],
  tree: ["tree", "tree", "tree"],
  building: ["building", "building", "wall"],
  tower: ["tower", "tower", "wall"],
  road: ["road", "road", "verge"],
  bridge: ["bridge", "bridge", "wall"],
  ford: ["ford", "ford", "shore"],
  soil: ["soft soil", "soil", "soil"],
};

/** Zooms between which sizes are worked out; beyond, they stay. */
const FAR = 8;
const NEAR = 24;
/** A road is never thinner than this, pixels; nor a tower smaller. */
const THINNEST = 1;

/** The run's features that are ground. */
export function groundOf(world: GeoJSON.FeatureCollection): GeoJSON.Feature[] {
  return world.features.filter((one) => one.properties?.role === "terrain");
}

/** Its kinds that occur, in the legend's order. */
export function groundKinds(world: GeoJSON.FeatureCollection): string[] {
  const found = new Set(groundOf(world).map((one) => String(one.properties?.kind)));
  return Object.keys(GROUND_KINDS).filter((kind) => found.has(kind));
}

/** Layers whose features have names: of what is large, and of what is few. */
const NAMED = ["soil", "water", "woods", "fords", "roads", "bridges", "buildings", "towers"].map(
  (name) => `${TERRAIN} ${name}`,
);

/** What lies on the ground at a pixel of the map, in words; "" for nothing. */
export function groundName(map: BaseMap, x: number, y: number): string {
  if (!map.getLayer(NAMED[0])) return "";
  const [top] = map.queryRenderedFeatures([x, y], { layers: NAMED });
  if (!top) return "";
  const { name, kind } = top.properties;
  const words = GROUND_KINDS[kind]?.[0] ?? String(kind);
  return name ? `${name} (${words})` : words;
}

/** Layers that draw the ground, the lowest first; `lat` is where the run is. */
export function groundLayers(palette: Palette, lat: number): LayerSpecification[] {
  const { ground } = palette;
  const tone = byKind(ground, 1);
  const edge = byKind(ground, 2);
  const roadWidth = onGround("width", 1, lat, THINNEST);
  return [
    fill("soil", ["soil"], ground.soil, { "fill-opacity": softness() }),
    fill("water", ["river", "lake"], tone, { "fill-outline-color": ground.shore }),
    fill("woods", ["island", "canopy", "tree_line", "tree"], tone, { "fill-outline-color": edge }),
    fill("fords", ["ford"], tone, { "fill-outline-color": edge }),
    line("verges", ground.verge, { "line-width": onGround("width", 1.2, lat, THINNEST + 1) }),
    line("roads", ground.road, { "line-width": roadWidth }),
    fill("bridges", ["bridge"], tone, { "fill-outline-color": edge }),
    disc("trees", ["tree"], ground.tree, { "circle-radius": onGround("radius", 1, lat, 0.7) }),
    fill("buildings", ["building", "tower"], tone, { "fill-outline-color": ground.wall }),
    disc("towers", ["tower"], ground.tower, {
      "circle-radius": onGround("radius", 1, lat, 2.5),
      "circle-stroke-width": 1,
      "circle-stroke-color": ground.wall,
    }),
  ];
}

type Colour = DataDrivenPropertyValueSpecification<string>;

function fill(name: string, kinds: string[], colour: Colour, more: object): LayerSpecification {
  const paint = { "fill-color": colour, ...more };
  return { ...layer(name, kinds, "Polygon"), type: "fill", paint } as LayerSpecification;
}

function line(name: string, colour: Colour, more: object): LayerSpecification {
  const layout = { "line-cap": "butt", "line-join": "round" };
  const paint = { "line-color": colour, ...more };
  return { ...layer(name, ["road"], "LineString"), type: "line", layout, paint } as LayerSpecification;
}

function disc(name: string, kinds: string[], colour: Colour, more: object): LayerSpecification {
  const paint = { "circle-color": colour, ...more };
  return { ...layer(name, kinds, "Point"), type: "circle", paint } as LayerSpecification;
}

function layer(name: string, kinds: string[], geometry: string): object {
  const of = ["in", ["get", "kind"], ["literal", kinds]];
  const shaped = ["in", ["geometry-type"], ["literal", [geometry, `Multi${geometry}`]]];
  const filter = ["all", shaped, of] as unknown as FilterSpecification;
  return { id: `${TERRAIN} ${name}`, source: TERRAIN, filter };
}

function byKind(ground: Palette["ground"], part: 1 | 2): Colour {
  const cases = Object.entries(GROUND_KINDS).flatMap(([kind, look]) => [kind, ground[look[part]]]);
  return ["match", ["get", "kind"], ...cases, ground.land] as unknown as Colour;
}

/** The less a soil lets vehicles move, the more of its colour it has. */
function softness(): unknown {
  return ["interpolate", ["linear"], ["get", "mobility"], 0, 1, 1, 0.25];
}

/** Pixels of so many metres of a property, at every zoom; `least` pixels are always there. */
function onGround(property: string, share: number, lat: number, least: number): unknown {
  const at = (zoom: number) => ["*", ["get", property], share / metresPerPixel(lat, zoom)];
  const sizes = [];
  // One stop a zoom, for between two of them a least size would bend the curve.
  for (let zoom = FAR; zoom <= NEAR; zoom++) sizes.push(zoom, ["max", least, at(zoom)]);
  return ["interpolate", ["exponential", 2], ["zoom"], ...sizes];
}

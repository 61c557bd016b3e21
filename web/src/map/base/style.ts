/** The style of the map beneath the vehicles: background, chosen layers, the run's obstacles. */

import type { LayerSpecification, SourceSpecification, StyleSpecification } from "maplibre-gl";
import type { Palette } from "../palette.ts";
import { HATCH } from "./features.ts";
import { occupancyContent, occupancyOf } from "./occupancy.ts";
import { reliefContent, reliefOf } from "./relief.ts";
import { groundLayers, groundOf, TERRAIN } from "./terrain.ts";

const OBSTACLES = "movenv-obstacles";

/** What a layer of the map brings into the style. */
export interface Content {
  /** A whole style; what it shows lies beneath all other layers. */
  style?: StyleSpecification;
  sources?: Record<string, SourceSpecification>;
  layers?: LayerSpecification[];
}

/** Features of the run that are filled; their outlines, like areas and routes, are drawn above. */
export function filled(world: GeoJSON.FeatureCollection): GeoJSON.FeatureCollection {
  const features = world.features.filter((one) => one.properties?.role === "obstacle");
  return { type: "FeatureCollection", features };
}

/** The run's ground, its shaded heights lowest, then cells; nothing where there is none. */
function groundContents(
  world: GeoJSON.FeatureCollection,
  palette: Palette,
  lat: number,
): Content[] {
  const ground = groundOf(world);
  const relief = reliefOf(ground);
  const cells = occupancyOf(ground);
  const contents = [
    ...(relief ? [reliefContent(relief, palette)] : []),
    ...(cells ? [occupancyContent(cells, palette)] : []),
  ];
  const features = ground.filter((one) => one !== cells && one !== relief);
  if (!features.length) return contents;
  const data: GeoJSON.FeatureCollection = { type: "FeatureCollection", features };
  const source = { type: "geojson", data, maxzoom: 16, tolerance: 0.2 } as const;
  return [...contents, { sources: { [TERRAIN]: source }, layers: groundLayers(palette, lat) }];
}

/** One style of all that is shown, the first lowest; `lat` is where the run is. */
export function composeStyle(
  maps: Content[],
  world: GeoJSON.FeatureCollection,
  palette: Palette,
  lat = 0,
): StyleSpecification {
  const contents = [...maps, ...groundContents(world, palette, lat)];
  const obstacles = filled(world);
  const hatched: LayerSpecification = {
    id: OBSTACLES,
    type: "fill",
    source: OBSTACLES,
    paint: { "fill-pattern": HATCH },
  };
  const whole = contents.findLast((content) => content.style)?.style;
  const background: LayerSpecification = {
    id: "movenv-background",
    type: "background",
    paint: { "background-color": palette.background },
  };
  return {
    version: 8,
    ...(whole?.glyphs ? { glyphs: whole.glyphs } : {}),
    ...(whole?.sprite ? { sprite: whole.sprite } : {}),
    sources: Object.assign(
      {},
      whole?.sources,
      ...contents.map((content) => content.sources),
      obstacles.features.length ? { [OBSTACLES]: { type: "geojson", data: obstacles } } : {},
    ),
    layers: [
      ...(contents.length || obstacles.features.length ? [background] : []),
      ...(whole?.layers ?? []),
      ...contents.flatMap((content) => content.layers ?? []),
      ...(obstacles.features.length ? [hatched] : []),
    ],
  };
}

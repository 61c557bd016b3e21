/** The style of the map beneath the vehicles: background, chosen layers, the run's areas. */

import type { LayerSpecification, SourceSpecification, StyleSpecification } from "maplibre-gl";
import type { Palette } from "../palette.ts";
import { featureLayers } from "./features.ts";

export const WORLD = "movenv-world";

/** What a layer of the map brings into the style. */
export interface Content {
  /** A whole style; what it shows lies beneath all other layers. */
  style?: StyleSpecification;
  sources?: Record<string, SourceSpecification>;
  layers?: LayerSpecification[];
}

/** One style of all that is shown, the first lowest. */
export function composeStyle(
  contents: Content[],
  world: GeoJSON.FeatureCollection,
  palette: Palette,
): StyleSpecification {
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
      { [WORLD]: { type: "geojson", data: world } },
    ),
    layers: [
      background,
      ...(whole?.layers ?? []),
      ...contents.flatMap((content) => content.layers ?? []),
      ...featureLayers(WORLD, palette),
    ],
  };
}

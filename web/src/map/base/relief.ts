/** The height map beneath everything, shaded as if the sun stood in the north-west. */

import type { Palette } from "../palette.ts";
import { cellImage } from "./cell-image.ts";
import type { Content } from "./style.ts";

const ID = "movenv-relief";
const BRIGHTEST = 255;

/** The height map among some features. */
export function reliefOf(features: GeoJSON.Feature[]): GeoJSON.Feature | undefined {
  return features.find((one) => one.properties?.kind === "relief");
}

/** What draws it. */
export function reliefContent(feature: GeoJSON.Feature, palette: Palette): Content {
  const colours = [palette.ground.shade, palette.ground.lit];
  return cellImage(ID, feature, colours, ramp, "linear");
}

/** Words of pixels by brightness, from the first colour to the last. */
export function ramp([dark, bright]: number[]): Uint32Array {
  return Uint32Array.from({ length: BRIGHTEST + 1 }, (_, brightness) => {
    const share = brightness / BRIGHTEST;
    const parts = [0, 8, 16, 24].map((shift) => {
      const [low, high] = [(dark >>> shift) & 0xff, (bright >>> shift) & 0xff];
      return Math.round(low + share * (high - low)) << shift;
    });
    return parts.reduce((word, part) => word | part) >>> 0;
  });
}

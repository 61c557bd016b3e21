/** The height map beneath everything, shaded as if the sun stood in the north-west. */

import type { Palette } from "../palette.ts";
import { cellImage } from "./cell-image.ts";
import { SOIL_TONES } from "./soils.ts";
import type { SoilTone } from "./soils.ts";
import type { Content } from "./style.ts";

const ID = "movenv-relief";
const BRIGHTEST = 255;
/** How bright level ground is: the sun stands halfway up. */
const LEVEL = Math.SQRT1_2;
const PARTS = [0, 8, 16];
const OPAQUE = 0xff000000;

/** The height map among some features. */
export function reliefOf(features: GeoJSON.Feature[]): GeoJSON.Feature | undefined {
  return features.find((one) => one.properties?.kind === "relief");
}

/** The tones of what it is made of, by the numbers of its soils; none where it does not say. */
export function reliefTones(feature: GeoJSON.Feature | undefined): SoilTone[] {
  const tones: SoilTone[] = feature?.properties?.tones ?? [];
  return tones.map((tone) => (SOIL_TONES.includes(tone) ? tone : "hard"));
}

/** What draws it. */
export function reliefContent(feature: GeoJSON.Feature, palette: Palette): Content {
  const soils = reliefTones(feature).map((tone) => palette.soils[tone]);
  const colours = [palette.ground.shade, palette.ground.lit, ...soils];
  return cellImage(ID, feature, colours, ramps, "linear");
}

/**
 * Words of pixels by brightness, from the first colour to the second. Where soils follow, as many
 * for each of them: its own colour where it is level, elsewhere as much brighter or darker.
 */
export function ramps([dark, bright, ...soils]: number[]): Uint32Array {
  const shades = PARTS.map((shift) => [partOf(dark, shift), partOf(bright, shift)]);
  const level = shades.map(([low, high]) => low + LEVEL * (high - low));
  const shifts = soils.map((soil) => PARTS.map((shift, i) => partOf(soil, shift) - level[i]));
  const table = (shifts.length ? shifts : [[0, 0, 0]]).map((more) =>
    Array.from({ length: BRIGHTEST + 1 }, (_, brightness) => {
      const share = brightness / BRIGHTEST;
      return wordOf(shades.map(([low, high], i) => low + share * (high - low) + more[i]));
    }),
  );
  return Uint32Array.from(table.flat());
}

function partOf(word: number, shift: number): number {
  return (word >>> shift) & 0xff;
}

/** An opaque pixel of these parts, held to what there is. */
function wordOf(parts: number[]): number {
  const held = parts.map((one) => Math.round(Math.min(Math.max(one, 0), 255)));
  return held.reduce((word, one, i) => word | (one << PARTS[i]), OPAQUE) >>> 0;
}

/** A map of occupied cells as an image beneath the vehicles, each cell with a sharp edge. */

import { addProtocol } from "maplibre-gl";
import type { Palette } from "../palette.ts";
import type { Content } from "./style.ts";

const SCHEME = "movenv-cells";
const ID = "movenv-occupancy";
/** Tones of cells that are free, occupied and unknown, in the order of their numbers. */
export const CELL_TONES = ["free", "occupied", "unknown"] as const;
type Corner = [number, number];

interface CellFacts {
  rows: number;
  columns: number;
  /** Compressed, as text; rows from the north. */
  cells: string;
}

/** The map of occupied cells among some features. */
export function occupancyOf(features: GeoJSON.Feature[]): GeoJSON.Feature | undefined {
  return features.find((one) => one.properties?.kind === "map");
}

/** What draws it; its colours stand in the address of its image, so that others make it anew. */
export function occupancyContent(feature: GeoJSON.Feature, palette: Palette): Content {
  const facts = feature.properties as CellFacts;
  const [ring] = (feature.geometry as GeoJSON.Polygon).coordinates;
  const tones = CELL_TONES.map((tone) => palette.ground[tone].slice(1));
  addProtocol(SCHEME, async ({ url }) => {
    const colours = url.slice(`${SCHEME}://`.length).split("-");
    return { data: await picture(facts, colours) };
  });
  const coordinates = ring.slice(0, 4) as [Corner, Corner, Corner, Corner];
  return {
    sources: { [ID]: { type: "image", url: `${SCHEME}://${tones.join("-")}`, coordinates } },
    layers: [
      {
        id: ID,
        type: "raster",
        source: ID,
        paint: { "raster-resampling": "nearest", "raster-fade-duration": 0 },
      },
    ],
  };
}

async function picture(facts: CellFacts, colours: string[]): Promise<ImageBitmap> {
  const cells = await unpacked(facts.cells);
  const tones = colours.map((colour) => toneOf(colour));
  const image = new ImageData(facts.columns, facts.rows);
  const pixels = new Uint32Array(image.data.buffer);
  for (let i = 0; i < pixels.length; i++) pixels[i] = tones[cells[i]];
  return createImageBitmap(image);
}

async function unpacked(text: string): Promise<Uint8Array> {
  const packed = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** rrggbb as a pixel's word. */
function toneOf(colour: string): number {
  const [r, g, b] = [0, 2, 4].map((from) => parseInt(colour.slice(from, from + 2), 16));
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

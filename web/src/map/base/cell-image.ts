/** Cells of the ground as an image beneath the vehicles. */

import { addProtocol } from "maplibre-gl";
import type { Content } from "./style.ts";

type Corner = [number, number];

interface CellFacts {
  rows: number;
  columns: number;
  /** Compressed, as text; rows from the north. */
  cells: string;
  /** Some have a second number for each cell; then the table goes on with its next 256. */
  soils?: string;
}

/** The colours of cells by their numbers, as words of pixels. */
export type Tones = (colours: number[]) => ArrayLike<number>;

/**
 * What draws a feature's cells. The colours, #rrggbb, stand in the address of its image, so that
 * others make it anew.
 */
export function cellImage(
  id: string,
  feature: GeoJSON.Feature,
  colours: string[],
  tones: Tones,
  resampling: "nearest" | "linear",
): Content {
  const facts = feature.properties as CellFacts;
  const [ring] = (feature.geometry as GeoJSON.Polygon).coordinates;
  addProtocol(id, async ({ url }) => {
    const words = url.slice(`${id}://`.length).split("-").map(wordOf);
    return { data: await picture(facts, tones(words)) };
  });
  const url = `${id}://${colours.map((colour) => colour.slice(1)).join("-")}`;
  const coordinates = ring.slice(0, 4) as [Corner, Corner, Corner, Corner];
  const paint = { "raster-resampling": resampling, "raster-fade-duration": 0 };
  return {
    sources: { [id]: { type: "image", url, coordinates } },
    layers: [{ id, type: "raster", source: id, paint }],
  };
}

async function picture(facts: CellFacts, tones: ArrayLike<number>): Promise<ImageBitmap> {
  const cells = await unpacked(facts.cells);
  const soils = facts.soils === undefined ? null : await unpacked(facts.soils);
  const image = new ImageData(facts.columns, facts.rows);
  const pixels = new Uint32Array(image.data.buffer);
  for (let i = 0; i < pixels.length; i++) {
    pixels[i] = tones[cells[i] | (soils ? soils[i] << 8 : 0)];
  }
  return createImageBitmap(image);
}

async function unpacked(text: string): Promise<Uint8Array> {
  const packed = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** rrggbb as a pixel's word. */
function wordOf(colour: string): number {
  const [r, g, b] = [0, 2, 4].map((from) => parseInt(colour.slice(from, from + 2), 16));
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

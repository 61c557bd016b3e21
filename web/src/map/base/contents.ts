/** What each kind of map layer brings into the style. Loads what must be known first. */

import { addProtocol } from "maplibre-gl";
import type { LayerSpecification, SourceSpecification, StyleSpecification } from "maplibre-gl";
import { FetchSource, FileSource, PMTiles, Protocol, TileType } from "pmtiles";
import type { MapLayerFacts } from "../../feed/messages.ts";
import type { Palette } from "../palette.ts";
import { featureLayers } from "./features.ts";
import { featuresIn } from "./geojson.ts";
import type { Content } from "./style.ts";
import { LayerTrouble } from "./trouble.ts";

/** Whatever had to be loaded; colours and opaqueness are put to it later. */
export interface Loaded {
  content(id: string, palette: Palette, opacity: number): Content;
}

export interface LayerOrigin {
  /** For files of the console's own server. */
  authorization: Record<string, string>;
  /** Picked or dropped by the user. */
  file?: File;
  /** Whether the server has the file. */
  served: boolean;
}

let archives: Protocol | null = null;

export function load(facts: MapLayerFacts, origin: LayerOrigin): Promise<Loaded> {
  if (facts.missing) return Promise.reject(new LayerTrouble(facts.missing));
  return LOADERS[facts.kind](facts, origin);
}

type Loader = (facts: MapLayerFacts, origin: LayerOrigin) => Promise<Loaded>;

const LOADERS: Record<MapLayerFacts["kind"], Loader> = {
  raster: async (facts) => raster(facts, { tiles: [facts.url], tileSize: facts.tile_size }),
  vector: async (facts) => loadVector(facts),
  style: async (facts) => {
    const style = withoutRelative((await fetchJson(facts.url)) as StyleSpecification, facts.url);
    return { content: () => ({ style }) };
  },
  google: async (facts) => loadGoogle(facts),
  pmtiles: (facts, origin) => loadArchive(facts, origin),
  geojson: (facts, origin) => loadFeatures(facts, origin),
};

function raster(
  facts: MapLayerFacts,
  from: { tiles?: string[]; url?: string; tileSize: number },
): Loaded {
  const source: SourceSpecification = {
    type: "raster",
    ...from,
    ...(from.tiles ? { maxzoom: facts.max_zoom } : {}),
    ...(facts.attribution ? { attribution: escaped(facts.attribution) } : {}),
  };
  return {
    content: (id, palette, opacity) => ({
      sources: { [id]: source },
      layers: [
        {
          id,
          type: "raster",
          source: id,
          paint: {
            "raster-opacity": opacity,
            "raster-brightness-max": 1 - palette.rasterDimming,
            "raster-saturation": -palette.rasterDimming * 0.6,
            "raster-fade-duration": 0,
          },
        },
      ],
    }),
  };
}

function vector(source: SourceSpecification, sourceLayers: string[]): Loaded {
  return {
    content: (id, palette, opacity) => ({
      sources: { [id]: source },
      layers: sourceLayers.flatMap((name): LayerSpecification[] =>
        featureLayers(id, palette, opacity, name),
      ),
    }),
  };
}

async function loadVector(facts: MapLayerFacts): Promise<Loaded> {
  const attribution = escaped(facts.attribution);
  if (facts.url.includes("{z}")) {
    if (facts.source_layers.length === 0) {
      throw new LayerTrouble("say which layers within its tiles to draw");
    }
    const tiles = { tiles: [facts.url], maxzoom: facts.max_zoom, attribution };
    return vector({ type: "vector", ...tiles }, facts.source_layers);
  }
  const told = (await fetchJson(facts.url)) as { vector_layers?: { id: string }[] };
  const names = facts.source_layers.length
    ? facts.source_layers
    : (told.vector_layers ?? []).map((one) => one.id);
  return vector({ type: "vector", url: facts.url, attribution }, names);
}

async function loadGoogle(facts: MapLayerFacts): Promise<Loaded> {
  if (!facts.key) throw new LayerTrouble("Google's maps need a key");
  const key = encodeURIComponent(facts.key);
  const [language, region = "US"] = navigator.language.split("-");
  const terrain = facts.google === "terrain" ? { layerTypes: ["layerRoadmap"] } : {};
  const wish = { mapType: facts.google, language, region: region.toUpperCase(), ...terrain };
  const base = "https://tile.googleapis.com/v1";
  const told = (await fetchJson(`${base}/createSession?key=${key}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(wish),
  })) as { session: string; tileWidth?: number };
  const session = encodeURIComponent(told.session);
  const tiles = [`${base}/2dtiles/{z}/{x}/{y}?session=${session}&key=${key}`];
  const credited = { ...facts, attribution: facts.attribution || "Map data © Google" };
  return raster({ ...credited, max_zoom: 22 }, { tiles, tileSize: told.tileWidth ?? 256 });
}

async function loadArchive(facts: MapLayerFacts, origin: LayerOrigin): Promise<Loaded> {
  if (!archives) {
    archives = new Protocol();
    addProtocol("pmtiles", archives.tile);
  }
  const source = origin.file
    ? new FileSource(origin.file)
    : new FetchSource(
      addressOf(facts, origin),
      new Headers(origin.served ? origin.authorization : {}),
    );
  const archive = new PMTiles(source);
  let header;
  try {
    header = await archive.getHeader();
  } catch (error) {
    throw new LayerTrouble(`no PMTiles archive can be read: ${wordsOf(error)}`);
  }
  archives.add(archive);
  const url = `pmtiles://${source.getKey()}`;
  if (header.tileType !== TileType.Mvt && header.tileType !== TileType.Mlt) {
    return raster(facts, { url, tileSize: facts.tile_size });
  }
  const told = (await archive.getMetadata()) as { vector_layers?: { id: string }[] };
  const names = facts.source_layers.length
    ? facts.source_layers
    : (told.vector_layers ?? []).map((one) => one.id);
  const encoding = header.tileType === TileType.Mlt ? ({ encoding: "mlt" } as const) : {};
  return vector({ type: "vector", url, ...encoding }, names);
}

async function loadFeatures(facts: MapLayerFacts, origin: LayerOrigin): Promise<Loaded> {
  let data: GeoJSON.GeoJSON;
  if (origin.file) data = featuresIn(await origin.file.text(), facts.name);
  else {
    const headers = origin.served ? origin.authorization : {};
    const response = await fetched(addressOf(facts, origin), { headers });
    data = featuresIn(await response.text(), facts.name);
  }
  return {
    content: (id, palette, opacity) => ({
      sources: { [id]: { type: "geojson", data } },
      layers: featureLayers(id, palette, opacity),
    }),
  };
}

function addressOf(facts: MapLayerFacts, origin: LayerOrigin): string {
  if (!origin.served) return facts.url;
  return new URL(`api/layers/${encodeURIComponent(facts.name)}`, location.href).href;
}

async function fetched(url: string, request?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, request);
  } catch {
    throw new LayerTrouble(`${hostOf(url)} cannot be reached`);
  }
  if (!response.ok) throw new LayerTrouble(`${hostOf(url)} answers ${response.status}`);
  return response;
}

async function fetchJson(url: string, request?: RequestInit): Promise<unknown> {
  const response = await fetched(url, request);
  try {
    return await response.json();
  } catch {
    throw new LayerTrouble(`${hostOf(url)} answers something else`);
  }
}

function hostOf(url: string): string {
  return new URL(url, location.href).host;
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What MapLibre tells of a tile that does not come. */
export interface FetchTrouble {
  message: string;
  status?: number;
  url?: string;
}

export function troubleWords({ message, status, url }: FetchTrouble): string {
  if (url && status) return `${hostOf(url)} answers ${status}`;
  return url ? `${hostOf(url)} cannot be reached` : message;
}

/** Attributions are set as HTML by MapLibre; ours are text. */
function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Addresses within a style are told from where it lies. */
function withoutRelative(style: StyleSpecification, url: string): StyleSpecification {
  const base = new URL(url, location.href);
  const whole = (part: string) => decodeURI(new URL(part, base).href);
  const { sprite, glyphs } = style;
  return {
    ...style,
    ...(typeof sprite === "string" ? { sprite: whole(sprite) } : {}),
    ...(glyphs ? { glyphs: whole(glyphs) } : {}),
  };
}

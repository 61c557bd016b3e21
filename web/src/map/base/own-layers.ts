/** Layers that the user has added on this page; the browser keeps them. */

import type { MapLayerFacts } from "../../feed/messages.ts";

const KEPT = "movenv-map-layers";

/** What a user says of a layer. */
export interface LayerWish {
  name: string;
  /** Of tiles with {z}, {x} and {y}, of a MapLibre style, a TileJSON, a .pmtiles or .geojson. */
  url?: string;
  /** Layers within vector tiles to draw. */
  sourceLayers?: string[];
  /** Google's maps, with the user's key. */
  google?: "satellite" | "roadmap" | "terrain";
  key?: string;
  attribution?: string;
}

/** The kind of what lies at an address. */
export function kindOfUrl(url: string): MapLayerFacts["kind"] {
  const path = url.split(/[?#]/)[0].toLowerCase();
  if (path.endsWith(".pmtiles")) return "pmtiles";
  if (path.endsWith(".geojson")) return "geojson";
  if (/\.(pbf|mvt)$/.test(path)) return "vector";
  if (path.includes("{z}")) return "raster";
  return path.includes("tilejson") || path.endsWith("tiles.json") ? "vector" : "style";
}

export function factsOf(wish: LayerWish): MapLayerFacts {
  const url = (wish.url ?? "").trim();
  const facts = {
    name: wish.name.trim() || (url ? new URL(url, "http://here").host : "Google"),
    url,
    google: wish.google ?? null,
    key: wish.key?.trim() ?? "",
    source_layers: wish.sourceLayers ?? [],
    attribution: wish.attribution ?? "",
    tile_size: 256,
    max_zoom: 19,
    shown: true,
    missing: null,
  };
  return { ...facts, kind: wish.google ? "google" : kindOfUrl(url) };
}

export function keptLayers(): MapLayerFacts[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one) => typeof one?.name === "string") : [];
  } catch {
    return []; // written by something else; nothing of the user's is lost
  }
}

export function keepLayers(layers: MapLayerFacts[]): void {
  localStorage.setItem(KEPT, JSON.stringify(layers));
}

/** The layers beneath the vehicles: which there are, which are shown, and adding some. */

import type { Map as BaseMap } from "maplibre-gl";
import type { Hello, MapLayerFacts } from "../feed/messages.ts";
import { load, troubleWords, wordsOf } from "./base/contents.ts";
import type { FetchTrouble, Loaded } from "./base/contents.ts";
import { HATCH, hatch } from "./base/features.ts";
import { factsOf, keepLayers, keptLayers } from "./base/own-layers.ts";
import type { LayerWish } from "./base/own-layers.ts";
import { composeStyle, filled } from "./base/style.ts";
import { groundOf } from "./base/terrain.ts";
import type { Palette } from "./palette.ts";

export type { LayerWish } from "./base/own-layers.ts";

/** A layer as a menu shows it. */
export interface MapLayer {
  readonly id: string;
  readonly name: string;
  readonly kind: MapLayerFacts["kind"] | "grid" | "world" | "terrain";
  /** Of the scenario, added by the user by its address, or a file of the user's. */
  readonly from: "scenario" | "user" | "file" | "console";
  readonly shown: boolean;
  /** 0 to 1. */
  readonly opacity: number;
  /** Why it cannot be shown, in words. */
  readonly trouble: string | null;
}

interface Entry extends MapLayer {
  shown: boolean;
  opacity: number;
  trouble: string | null;
  facts: MapLayerFacts | null;
  file?: File;
  loaded?: Loaded;
}

const GRID = "grid";
const WORLD = "world";
const GROUND = "terrain";
/** Pixels drawn for one of the screen while there is nothing to see. */
const EMPTY_RATIO = 1 / 16;

export class BaseLayers {
  private readonly entries: Entry[] = [];
  private readonly listeners = new Set<() => void>();
  private readonly troubleListeners = new Set<(name: string, words: string) => void>();
  private readonly world: GeoJSON.FeatureCollection;
  private readonly lat: number;
  private made = 0;
  /** The map's first style is there; before, it takes no other. */
  private ready = false;

  constructor(
    private readonly map: BaseMap,
    hello: Pick<Hello, "layers" | "world" | "left_out" | "run">,
    private readonly authorization: Record<string, string>,
    private palette: Palette,
  ) {
    this.enter({ name: "Grid", kind: "grid", from: "console", shown: true, facts: null });
    this.world = hello.world;
    this.lat = hello.run.origin[0];
    const ground = groundOf(hello.world).length;
    if (ground) this.enter({ name: "Terrain", kind: GROUND, from: "console", shown: true });
    const more = hello.world.features.length > ground;
    if (more || hello.left_out.length) this.enterWorld(hello.left_out);
    for (const facts of hello.layers) this.enter({ ...brief(facts), from: "scenario" });
    for (const facts of keptLayers()) this.enter({ ...brief(facts), from: "user" });
    map.setMissingStyleImageResolver((id) => {
      if (id === HATCH) map.addImage(HATCH, hatch(this.palette.obstacle));
    });
    map.on("error", (event) => this.hear(event));
    map.once("style.load", () => {
      this.ready = true;
      this.compose();
      for (const entry of this.entries) if (entry.shown && entry.facts) void this.show(entry);
    });
  }

  /** Lowest first. */
  get list(): readonly MapLayer[] {
    return this.entries;
  }

  get gridShown(): boolean {
    return this.entries[0].shown;
  }

  /** Whether the run's own areas and routes are shown. */
  get worldShown(): boolean {
    return this.entries.some((entry) => entry.kind === WORLD && entry.shown);
  }

  get terrainShown(): boolean {
    return this.entries.some((entry) => entry.kind === GROUND && entry.shown);
  }

  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** A layer that was wanted cannot be shown: its name, and why. */
  onTrouble(listener: (name: string, words: string) => void): void {
    this.troubleListeners.add(listener);
  }

  /** Show a layer or leave it out. */
  choose(id: string, shown: boolean): void {
    const entry = this.find(id);
    entry.shown = shown;
    this.keep();
    if (shown) void this.show(entry);
    else this.changed();
  }

  setOpacity(id: string, opacity: number): void {
    this.find(id).opacity = Math.min(1, Math.max(0, opacity));
    this.changed();
  }

  /** Add a layer by its address, and show it; the browser keeps it. Returns its id. */
  add(wish: LayerWish): string {
    const entry = this.enter({ ...brief(factsOf(wish)), from: "user" });
    this.keep();
    void this.show(entry);
    return entry.id;
  }

  /** Show a file of the user's, .geojson or .pmtiles; it stays on this machine. */
  addFile(file: File): string {
    const kind = file.name.toLowerCase().endsWith(".pmtiles") ? "pmtiles" : "geojson";
    const facts = { ...factsOf({ name: file.name, url: "" }), kind } as const;
    const entry = this.enter({ ...brief(facts), from: "file", file });
    void this.show(entry);
    return entry.id;
  }

  remove(id: string): void {
    const entry = this.find(id);
    if (entry.from === "scenario" || entry.from === "console") return this.choose(id, false);
    this.entries.splice(this.entries.indexOf(entry), 1);
    this.keep();
    this.changed();
  }

  setPalette(palette: Palette): void {
    this.palette = palette;
    if (this.map.hasImage(HATCH)) this.map.updateImage(HATCH, hatch(palette.obstacle));
    this.compose();
  }

  private enterWorld(leftOut: string[]): void {
    const what = { name: "Areas and routes", kind: WORLD, from: "console", shown: true } as const;
    this.enter({ ...what, trouble: leftOut.join("; ") || null });
  }

  private enter(what: Partial<Entry> & Pick<Entry, "name" | "kind" | "from" | "shown">): Entry {
    const own = what.kind === GRID || what.kind === WORLD || what.kind === GROUND;
    const id = own ? what.kind : `layer-${this.made++}`;
    const entry = { id, opacity: 1, trouble: null, facts: null, ...what } as Entry;
    this.entries.push(entry);
    return entry;
  }

  private async show(entry: Entry): Promise<void> {
    if (entry.facts) entry.trouble = null;
    try {
      if (entry.facts && !entry.loaded) {
        entry.loaded = await load(entry.facts, {
          authorization: this.authorization,
          file: entry.file,
          served: entry.from === "scenario",
        });
      }
    } catch (error) {
      this.fail(entry, wordsOf(error));
    }
    this.changed();
  }

  private fail(entry: Entry, words: string): void {
    if (entry.trouble === words) return;
    entry.trouble = words;
    for (const listener of this.troubleListeners) listener(entry.name, words);
  }

  /** Of what goes wrong in MapLibre, what belongs to a layer; the map goes on. */
  private hear(event: { error?: FetchTrouble; sourceId?: string }): void {
    const entry = this.entries.find((one) => one.shown && one.id === event.sourceId);
    if (!entry) return console.warn("map:", event.error?.message);
    if (entry.trouble) return;
    this.fail(entry, event.error ? troubleWords(event.error) : "it cannot be loaded");
    for (const listener of this.listeners) listener();
  }

  private find(id: string): Entry {
    const entry = this.entries.find((one) => one.id === id);
    if (!entry) throw new Error(`there is no layer '${id}'`);
    return entry;
  }

  private keep(): void {
    const own = this.entries.filter((entry) => entry.from === "user");
    keepLayers(own.map((entry) => ({ ...entry.facts!, shown: entry.shown })));
  }

  private changed(): void {
    this.compose();
    for (const listener of this.listeners) listener();
  }

  /** Even a map with nothing on it is dear without a graphics card, so it is made very small. */
  private lay(empty: boolean): void {
    this.map.getCanvas().style.opacity = empty ? "0" : "1";
    const ratio = empty ? EMPTY_RATIO : devicePixelRatio || 1;
    if (this.map.getPixelRatio() !== ratio) this.map.setPixelRatio(ratio);
  }

  private compose(): void {
    const contents = this.entries
      .filter((entry) => entry.shown && entry.loaded)
      .map((entry) => entry.loaded!.content(entry.id, this.palette, entry.opacity));
    if (!this.ready) return;
    const world = this.worldParts();
    const bare = filled(world).features.length + groundOf(world).length === 0;
    this.lay(contents.length === 0 && bare);
    this.map.setStyle(composeStyle(contents, world, this.palette, this.lat), { diff: true });
  }

  /** Of the run's own features those that are shown. */
  private worldParts(): GeoJSON.FeatureCollection {
    const ground = this.terrainShown ? groundOf(this.world) : [];
    const rest = this.worldShown ? filled(this.world).features : [];
    return { ...this.world, features: [...ground, ...rest] };
  }
}

function brief(facts: MapLayerFacts): Pick<Entry, "name" | "kind" | "shown" | "trouble" | "facts"> {
  const { name, kind, shown, missing } = facts;
  return { name, kind, shown, trouble: missing, facts };
}

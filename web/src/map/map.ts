/** The map: everyone on it, and what lies beneath. */

import "maplibre-gl/dist/maplibre-gl.css";
import "../style/map.css";
import type { Map as BaseMap } from "maplibre-gl";
import type { Hello, Sighted } from "../feed/messages.ts";
import type { Fleet } from "../fleet.ts";
import type { ScansOf, Selection } from "../selection.ts";
import { BaseLayers } from "./base-layers.ts";
import { makeBaseMap } from "./base-map.ts";
import { aboveGround, featureBounds, featureNames, stopsOf, uncrowded } from "./base/features.ts";
import { groundName } from "./base/terrain.ts";
import { BoxSelect } from "./box-select.ts";
import { coveredRoom } from "./covered.ts";
import { acceptDrops } from "./dropping.ts";
import { drawsInSoftware } from "./graphics.ts";
import { Grid } from "./grid.ts";
import { offerForTests } from "./handle.ts";
import { Glyphs } from "./glyphs.ts";
import { LetterTable } from "./letter-table.ts";
import { LineTable } from "./line-table.ts";
import { Anchor, Camera } from "./mercator.ts";
import { addOrders } from "./order-lines.ts";
import type { Flag, OrderScene } from "./order-lines.ts";
import { addOutlines } from "./outlines.ts";
import { Overlay } from "./overlay.ts";
import { Pacing } from "./pacing.ts";
import { readPalette } from "./palette.ts";
import type { Palette } from "./palette.ts";
import { Places } from "./places.ts";
import { Pointer, REACH } from "./pointer.ts";
import { fillRelations } from "./relations.ts";
import { ScanTable } from "./scan-table.ts";
import { SymbolTable } from "./symbols/symbol-table.ts";
import { Tails } from "./tails/tails.ts";
import { nearZoom, Viewing } from "./viewing.ts";
import { Writings } from "./writings.ts";

export interface MapHandlers {
  /** The view has changed: west, south, east, north, with some margin. */
  view(box: [number, number, number, number]): void;
  /** A click; `more` adds to who is selected, or takes away. */
  select(row: number | null, more: boolean): void;
  /** A box was drawn around these. */
  selectAround(rows: number[]): void;
}

/** Tails at first, s. */
const TAIL = 15;
/** Segments of tails that are drawn with ease: by a graphics card, and without one. */
const SEGMENTS = 400_000;
const SEGMENTS_IN_SOFTWARE = 15_000;
/** The filter is applied anew after this time, ms, since behaviors change by themselves. */
const FILTER_EVERY = 500;
/** A map that moved within this time, ms, is moving still. */
const MOVING = 80;

export class FleetMap {
  /** The layers beneath the vehicles: for a menu. */
  readonly layers: BaseLayers;
  private readonly map: BaseMap;
  private readonly places: Places;
  private readonly symbols: SymbolTable;
  private readonly relations = new LineTable();
  private readonly scans = new ScanTable();
  private readonly letters = new LetterTable(new Glyphs());
  private readonly grid: Grid;
  private readonly tails: Tails;
  private readonly overlay: Overlay;
  private readonly writings: Writings;
  private readonly viewing: Viewing;
  private readonly pointer: Pointer;
  private readonly pacing = new Pacing(() => this.paint());
  private readonly levels: number;
  private readonly shown: Uint8Array;
  private readonly stopPlaces: GeoJSON.Position[];
  private readonly rowOf: Map<number, number>;
  private flags: Flag[] = [];
  private filteredAt = -Infinity;
  private sighted: Sighted[] = [];
  private palette: Palette;
  private drawnVersion = -1;
  private movedAt = -Infinity;
  private readonly counts = { frames: 0, updates: 0 };

  constructor(
    readonly element: HTMLElement,
    readonly hello: Hello,
    readonly fleet: Fleet,
    readonly selection: Selection,
    readonly authorization: Record<string, string>,
    readonly handlers: MapHandlers,
    readonly orders: OrderScene,
  ) {
    element.classList.add("fleet-map");
    this.palette = readPalette(element, hello.origins);
    const [lat, lon] = hello.run.origin;
    this.levels = Object.keys(hello.run.levels).length;
    this.map = makeBaseMap(element, hello, this.palette);
    this.layers = new BaseLayers(this.map, hello, authorization, this.palette);
    this.places = new Places(fleet, new Anchor(lon, lat));
    this.shown = new Uint8Array(fleet.size).fill(1);
    this.stopPlaces = stopsOf(hello.world.features);
    this.rowOf = new Map(fleet.roster.vids.map((vid, row) => [vid, row]));
    const segments = drawsInSoftware(this.map) ? SEGMENTS_IN_SOFTWARE : SEGMENTS;
    this.tails = new Tails(fleet, this.places, TAIL, segments);
    this.symbols = new SymbolTable(fleet, this.places);
    const gridLines = new LineTable();
    this.grid = new Grid(lat, lon, gridLines, (table, palette) => {
      addOutlines(table, this.world, this.places.anchor, palette);
    });
    this.overlay = new Overlay(
      this.map,
      {
        anchor: this.places.anchor,
        grid: gridLines,
        tails: this.tails,
        relations: this.relations,
        scans: this.scans,
        symbols: this.symbols,
        letters: this.letters,
        vehicles: fleet.size,
      },
      () => (this.counts.frames += 1),
    );
    this.writings = this.makeWritings();
    this.viewing = this.makeViewing();
    this.pointer = this.makePointer();
    this.listen();
  }

  /** The run's own areas and routes, as far as they are shown. */
  private get world(): GeoJSON.Feature[] {
    return this.layers.worldShown ? aboveGround(this.hello.world.features) : [];
  }

  /** Draw what `fleet` holds now; resolves when it is on the screen. */
  draw(): Promise<void> {
    return this.pacing.request();
  }

  /** Searchers' finds that hold now. */
  setSighted(sighted: Sighted[]): void {
    this.sighted = sighted.filter((one) => one.row < this.fleet.size);
    void this.draw();
  }

  /** Take over the page's colours: day or night has come. */
  takeColours(): void {
    this.palette = readPalette(this.element, this.hello.origins);
    this.layers.setPalette(this.palette);
    this.tails.forget();
    void this.draw();
  }

  /** How long tails are, s; 0 for none. Large fleets have shorter ones. */
  get tailLength(): number {
    return this.tails.length;
  }

  set tailLength(seconds: number) {
    this.tails.setLength(seconds);
    void this.draw();
  }

  /** Whose scans are shown; in a recording there are none. */
  get scansOf(): ScansOf | undefined {
    return this.hello.replay ? undefined : this.selection.scansOf;
  }

  set scansOf(whose: ScansOf) {
    this.selection.scansOf = whose;
    this.selection.changed();
  }

  /** Show everyone. */
  fit(): void {
    this.viewing.fit();
  }

  /** Bring a vehicle into view. */
  goTo(row: number): void {
    this.viewing.goTo(row);
  }

  /** Bring some vehicles into view together. */
  show(rows: number[]): void {
    this.viewing.show(rows);
  }

  private makeWritings(): Writings {
    const { fleet, selection, places, grid, letters, levels } = this;
    const names = uncrowded(featureNames(aboveGround(this.hello.world.features)));
    const areas = () => (this.layers.worldShown ? names : []);
    const covered = () => coveredRoom(this.element);
    return new Writings({ fleet, selection, places, grid, letters, areas, levels, covered });
  }

  private makeViewing(): Viewing {
    const around = () => featureBounds(this.hello.world.features);
    const tell = this.handlers.view.bind(this.handlers);
    const recorded = this.hello.replay !== null;
    const longest = this.fleet.roster.length.reduce((most, one) => Math.max(most, one), 0);
    const near = nearZoom(longest);
    return new Viewing(this.map, this.places, this.selection, around, recorded, near, tell);
  }

  private makePointer(): Pointer {
    const { map, element, fleet, selection } = this;
    new BoxSelect(map, element, {
      applies: (shift) => !this.orders.sketch.drawing && (shift || selection.several),
      take: (...box) => {
        this.handlers.selectAround(this.places.within(this.camera(), box, this.shown));
      },
    });
    return new Pointer(map, element, fleet, this.orders.sketch, {
      nearest: (x, y) =>
        this.places.nearest(this.camera(), x, y, REACH, (row) => this.shown[row] !== 0),
      select: (row, more) => this.handlers.select(row, more || selection.several),
      goTo: (row) => this.goTo(row),
      redraw: () => void this.draw(),
      groundAt: (x, y) => (this.layers.terrainShown ? groundName(map, x, y) : ""),
    });
  }

  private listen(): void {
    acceptDrops(this.element, (file) => this.layers.addFile(file));
    this.layers.onChange(() => {
      this.grid.forget();
      this.writings.forget();
      void this.draw();
    });
    this.selection.onChange(() => {
      this.filteredAt = -Infinity;
      this.writings.forget();
      this.drawnVersion = -1;
      void this.draw();
    });
    this.map.on("move", () => {
      this.movedAt = performance.now();
      this.handOver();
    });
    this.orders.onChange(() => void this.draw());
    offerForTests(this, this.map, this.counts, (row) => this.project(row));
  }

  private camera(): Camera {
    const { lng, lat } = this.map.getCenter();
    const { clientWidth, clientHeight } = this.map.getContainer();
    const look = {
      longitude: lng,
      latitude: lat,
      zoom: this.map.getZoom(),
      bearing: this.map.getBearing(),
      width: clientWidth,
      height: clientHeight,
    };
    return new Camera(look, this.places.anchor);
  }

  /** Everything as it is now. While the map moves by itself, its own frames show it. */
  private paint(): void {
    this.places.update();
    this.filter();
    this.tails.update(this.palette, this.shown);
    const stops = this.layers.worldShown ? this.stopPlaces : [];
    this.relate();
    this.scans.fill(this.fleet.scans, this.palette);
    const { palette, shown, sighted, flags } = this;
    this.symbols.fill(palette, shown, this.selection.rows, sighted, stops, flags);
    const moved = this.viewing.update();
    if (this.fleet.version !== this.drawnVersion) this.counts.updates += 1;
    this.drawnVersion = this.fleet.version;
    // A map that moves draws by itself; one that is only held does not.
    if (moved || performance.now() - this.movedAt < MOVING) return;
    this.handOver();
    this.overlay.redraw();
    this.pointer.update();
  }

  private relate(): void {
    const { fleet, places, palette, levels, sighted, shown, selection, relations } = this;
    fillRelations(relations, { fleet, places, palette, levels, sighted, shown, selection });
    const { orders: scene, rowOf } = this;
    this.flags = addOrders(relations, { places, palette, scene, rowOf, selection });
  }

  /** Give the tables to deck.gl; grid and words for what the map shows now. */
  private handOver(): void {
    const camera = this.camera();
    this.grid.update(camera, this.palette, this.layers.gridShown);
    this.writings.write(camera, this.palette, this.shown);
    this.overlay.update(this.palette, this.fleet.t);
  }

  private filter(): void {
    const now = performance.now();
    if (now - this.filteredAt < FILTER_EVERY) return;
    this.filteredAt = now;
    let changed = false;
    for (let row = 0; row < this.shown.length; row++) {
      const shows = this.selection.shows(row) ? 1 : 0;
      changed ||= this.shown[row] !== shows;
      this.shown[row] = shows;
    }
    if (changed) this.tails.forget();
  }

  private project(row: number): { x: number; y: number } {
    const camera = this.camera();
    const [x, y] = this.places.offsets.subarray(row * 2, row * 2 + 2);
    const { left, top } = this.map.getContainer().getBoundingClientRect();
    return { x: left + camera.screenX(x, y), y: top + camera.screenY(x, y) };
  }
}

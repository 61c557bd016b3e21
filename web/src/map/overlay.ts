/** What moves, drawn by deck.gl over the map: grid, tails, lines, scans, symbols, words. */

import type { Layer } from "@deck.gl/core";
import { MapboxOverlay } from "@deck.gl/mapbox";
import type { Map as BaseMap } from "maplibre-gl";
import { FLAT } from "./layers/table-layer.ts";
import { LettersLayer } from "./layers/letters-layer.ts";
import { LinesLayer } from "./layers/lines-layer.ts";
import { PointsLayer } from "./layers/points-layer.ts";
import { SymbolsLayer } from "./layers/symbols-layer.ts";
import { TailsLayer } from "./layers/tails-layer.ts";
import type { LetterTable } from "./letter-table.ts";
import type { LineTable } from "./line-table.ts";
import type { Anchor } from "./mercator.ts";
import type { Palette } from "./palette.ts";
import type { ScanTable } from "./scan-table.ts";
import type { SymbolTable } from "./symbols/symbol-table.ts";
import type { Tails } from "./tails/tails.ts";

/** From this many vehicles on, fine screens are not drawn on finely. */
const MANY = 1500;

export interface Drawn {
  anchor: Anchor;
  grid: LineTable;
  tails: Tails;
  relations: LineTable;
  scans: ScanTable;
  symbols: SymbolTable;
  letters: LetterTable;
  vehicles: number;
}

export class Overlay {
  private readonly overlay: MapboxOverlay;
  private layers: Layer[] = [];

  constructor(
    map: BaseMap,
    private readonly drawn: Drawn,
    onFrame: () => void,
  ) {
    const fine = Math.min(devicePixelRatio || 1, 2);
    this.overlay = new MapboxOverlay({
      interleaved: false,
      layers: [],
      useDevicePixels: drawn.vehicles > MANY ? 1 : fine,
      deviceProps: { type: "webgl", webgl: { antialias: false, depth: false, stencil: false } },
      parameters: FLAT,
      getCursor: () => "",
      onAfterRender: onFrame,
    });
    map.addControl(this.overlay);
  }

  /** Hand over the tables as they are now. */
  update(palette: Palette, t: number): void {
    const { anchor, grid, tails, relations, scans, symbols, letters, vehicles } = this.drawn;
    const flat = { anchor, pickable: false, parameters: FLAT } as const;
    const layers = [
      new LinesLayer({ ...flat, id: "grid", table: grid, changed: grid.changed }),
      ...(tails.ring ? [tailsLayer(tails, flat, t)] : []),
      new LinesLayer({ ...flat, id: "relations", table: relations, changed: relations.changed }),
      new PointsLayer({ ...flat, id: "scans", table: scans, changed: scans.changed }),
      new SymbolsLayer({
        ...flat,
        id: "symbols",
        table: symbols,
        changed: symbols.changed,
        outline: (palette.outline & 0xff) / 255,
        vehicles,
      }),
      new LettersLayer({
        ...flat,
        id: "letters",
        table: letters,
        changed: letters.changed,
        glyphs: letters.glyphs,
        sheet: letters.glyphs.changed,
        halo: (palette.halo & 0xff) / 255,
      }),
    ];
    const before = this.layers[0]?.context;
    this.layers = layers;
    this.overlay.setProps({ layers: this.layers });
    // Else they would be taken at the next refresh only, and the frame in between drawn twice.
    before?.layerManager.updateLayers();
  }

  /** Draw now, not only at the next refresh. */
  redraw(): void {
    const deck = this.layers[0].context?.deck;
    if (deck?.isInitialized) deck.redraw();
  }
}

function tailsLayer(
  tails: Tails,
  flat: { anchor: Anchor; pickable: false; parameters: typeof FLAT },
  t: number,
): Layer {
  const ring = tails.ring!;
  return new TailsLayer({
    ...flat,
    id: "tails",
    table: ring,
    changed: ring.changed,
    now: ring.time(t),
    duration: ring.duration,
  });
}

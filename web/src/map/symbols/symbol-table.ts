/** Everyone's symbol as bytes for the graphics card. */

import type { Sighted } from "../../feed/messages.ts";
import { Health } from "../../fleet.ts";
import type { Fleet } from "../../fleet.ts";
import { shapeOfKind } from "../../shapes.ts";
import { SYMBOL_BYTES } from "../layers/symbols-layer.ts";
import type { VertexTable } from "../layers/table-layer.ts";
import { fade, packColour } from "../palette.ts";
import type { Packed, Palette } from "../palette.ts";
import type { Flag } from "../order-lines.ts";
import type { Places } from "../places.ts";
import { shapeNumber } from "./atlas.ts";

const WORDS = SYMBOL_BYTES / 4;
const RAD = Math.PI / 180;
const UPRIGHT = 1 << 16;
/** Bodies, as the shader knows them. */
const FILLED = 0;
const HOLLOW = 1 << 8;
const STRIPED = 2 << 8;
/** How opaque somebody is who is lost, not heard yet, or left out by the filter. */
const LOST = 0.65;
const UNHEARD = 0.5;
const FILTERED = 0.12;
/** How large the stop of a route, and the flag of an order, is beside a vehicle. */
const STOP = 0.6;
const FLAG = 1.2;

export class SymbolTable implements VertexTable {
  bytes: Uint8Array;
  count = 0;
  changed = 0;
  readonly indices = null;
  private floats: Float32Array;
  private words: Uint32Array;
  private readonly shapes: Uint8Array;
  private readonly ringed: Uint8Array;

  constructor(
    private readonly fleet: Fleet,
    private readonly places: Places,
  ) {
    const shapes = fleet.roster.kinds.map((kind) => shapeNumber(shapeOfKind(kind)));
    this.shapes = Uint8Array.from(fleet.roster.kind, (kind) => shapes[kind]);
    this.ringed = new Uint8Array(fleet.size);
    const room = new ArrayBuffer((fleet.size + 64) * SYMBOL_BYTES);
    this.bytes = new Uint8Array(room);
    this.floats = new Float32Array(room);
    this.words = new Uint32Array(room);
  }

  takeNews(): [number, number][] {
    return [[0, this.count * SYMBOL_BYTES]];
  }

  /**
   * Fill anew. `shown` has 0 for rows that the filter leaves out; who is chosen has a ring.
   * `stops` are those of routes: longitude and latitude; `flags` those of orders.
   */
  fill(
    palette: Palette,
    shown: Uint8Array,
    chosen: number[],
    sighted: Sighted[],
    stops: GeoJSON.Position[] = [],
    flags: Flag[] = [],
  ): void {
    const marks = sighted.length + chosen.length + stops.length + flags.length;
    this.reserve(this.fleet.size + marks);
    this.count = 0;
    this.changed += 1;
    this.ringed.fill(0);
    for (const row of chosen) this.ringed[row] = 1;
    const { anchor } = this.places;
    for (const [lon, lat] of stops) {
      const colour = packColour(palette.route);
      this.addMark(anchor.offsetX(lon), anchor.offsetY(lat), shapeNumber("stop"), colour, STOP);
    }
    for (const one of sighted) this.addSighted(one, palette);
    for (let row = 0; row < this.fleet.size; row++) {
      if (!this.ringed[row]) this.addVehicle(row, palette, shown[row] !== 0, 1);
    }
    for (const row of chosen) {
      const [x, y] = this.places.offsets.subarray(row * 2, row * 2 + 2);
      this.addMark(x, y, shapeNumber("ring"), palette.ring, 1.5);
      this.addVehicle(row, palette, true, 1.15);
    }
    for (const { x, y, last } of flags) {
      this.addMark(x, y, shapeNumber(last ? "flag" : "point"), palette.order, FLAG);
    }
  }

  private addVehicle(row: number, palette: Palette, shown: boolean, size: number): void {
    const { fleet, floats, words } = this;
    const x = this.places.offsets[row * 2];
    if (Number.isNaN(x)) return;
    const at = this.count++ * WORDS;
    const health = fleet.health[row];
    let colour = palette.origins[fleet.roster.origin[row]] ?? palette.unknownOrigin;
    let body = FILLED;
    if (health === Health.Lost || health === Health.Unheard) {
      body = HOLLOW;
      colour = fade(colour, health === Health.Lost ? LOST : UNHEARD);
    } else if (health === Health.Stale) body = STRIPED;
    floats[at] = x;
    floats[at + 1] = this.places.offsets[row * 2 + 1];
    floats[at + 2] = fleet.heading[row] * RAD;
    floats[at + 3] = size;
    words[at + 4] = shown ? colour : fade(colour, FILTERED);
    words[at + 5] = this.shapes[row] | body;
  }

  private addSighted(one: Sighted, palette: Palette): void {
    const { anchor } = this.places;
    const shape = shapeNumber(one.sighting === "lost" ? "gone" : one.sighting);
    const colour = palette.sighted[one.sighting];
    this.addMark(anchor.offsetX(one.lon), anchor.offsetY(one.lat), shape, colour, 1);
  }

  private addMark(x: number, y: number, shape: number, colour: Packed, size: number): void {
    if (Number.isNaN(x)) return;
    const at = this.count++ * WORDS;
    this.floats[at] = x;
    this.floats[at + 1] = y;
    this.floats[at + 2] = 0;
    this.floats[at + 3] = size;
    this.words[at + 4] = colour;
    this.words[at + 5] = shape | UPRIGHT;
  }

  private reserve(symbols: number): void {
    if (symbols * SYMBOL_BYTES <= this.bytes.byteLength) return;
    const room = new ArrayBuffer(symbols * 2 * SYMBOL_BYTES);
    this.bytes = new Uint8Array(room);
    this.floats = new Float32Array(room);
    this.words = new Uint32Array(room);
  }
}

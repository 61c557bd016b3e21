/** Binary frames: little-endian, on whole words; made by movenv.web.frame. */

const MAGIC = 0x564d;
const VERSION = 2;
const HEAD = 40;
const ROW_WORDS = 7;
const PAIR_WORDS = 4;
const JUMPED = 0x100;
export const NOWHERE = -(2 ** 31);
/** A row's first word: its number, and in the highest byte the step of its mission. */
export const ROW_MASK = 0xffffff;
export const STEP_SHIFT = 24;

export interface StatesFrame {
  kind: "states";
  sequence: number;
  t: number;
  utc: number;
  tick: number;
  runState: number;
  /** Time made a jump: tails begin anew. */
  jumped: boolean;
  /** Rows that changed. All five views lie on the same bytes. */
  count: number;
  words: Int32Array;
  floats: Float32Array;
  shorts: Uint16Array;
  bytes: Uint8Array;
  pairs: Uint32Array;
  distances: Float32Array;
}

export interface TailsFrame {
  kind: "tails";
  sequence: number;
  vehicles: number;
  t: Float64Array;
  /** Latitude and longitude in ten-millionths of a degree, vehicle by vehicle, time by time. */
  places: Int32Array;
}

/** The points of one scan: x and y in turn, offsets to the run's origin in Web Mercator. */
export interface ScanPoints {
  row: number;
  sensor: Float32Array;
  own: Float32Array;
  /** Where a virtual vehicle was put into the scan. */
  altered: Float32Array;
}

export interface ScansFrame {
  kind: "scans";
  sequence: number;
  /** All that are to be seen. */
  scans: ScanPoints[];
}

export class NotAFrame extends Error {}

export function decodeFrame(data: ArrayBuffer): StatesFrame | TailsFrame | ScansFrame {
  if (data.byteLength < HEAD) throw new NotAFrame("too short");
  const head = new DataView(data, 0, HEAD);
  if (head.getUint16(0, true) !== MAGIC || head.getUint8(2) !== VERSION) {
    throw new NotAFrame("of another version; reload the page");
  }
  const kind = head.getUint8(3);
  const sequence = head.getUint32(4, true);
  const vehicles = head.getUint32(32, true);
  const rest = head.getUint32(36, true);
  if (kind === 2) {
    const t = new Float64Array(data, HEAD, rest);
    const places = new Int32Array(data, HEAD + rest * 8, rest * vehicles * 2);
    return { kind: "tails", sequence, vehicles, t, places };
  }
  if (kind === 3) return { kind: "scans", sequence, scans: decodeScans(data, vehicles) };
  const flags = head.getUint32(28, true);
  const pairsAt = HEAD + vehicles * ROW_WORDS * 4;
  return {
    kind: "states",
    sequence,
    t: head.getFloat64(8, true),
    utc: head.getFloat64(16, true),
    tick: head.getUint32(24, true),
    runState: flags & 0xff,
    jumped: (flags & JUMPED) !== 0,
    count: vehicles,
    words: new Int32Array(data, HEAD, vehicles * ROW_WORDS),
    floats: new Float32Array(data, HEAD, vehicles * ROW_WORDS),
    shorts: new Uint16Array(data, HEAD, vehicles * ROW_WORDS * 2),
    bytes: new Uint8Array(data, HEAD, vehicles * ROW_WORDS * 4),
    pairs: new Uint32Array(data, pairsAt, rest * PAIR_WORDS),
    distances: new Float32Array(data, pairsAt, rest * PAIR_WORDS),
  };
}

function decodeScans(data: ArrayBuffer, count: number): ScanPoints[] {
  const scans: ScanPoints[] = [];
  let at = HEAD;
  const points = (number: number) => {
    const found = new Float32Array(data, at, number * 2);
    at += found.byteLength;
    return found;
  };
  for (let i = 0; i < count; i++) {
    const [row, own, altered] = new Uint32Array(data, at, 3);
    at += 12;
    scans.push({ row, sensor: points(1), own: points(own), altered: points(altered) });
  }
  return scans;
}

export { PAIR_WORDS, ROW_WORDS };

/** Web Mercator: the whole globe is a square of side 1, y goes south. */

const TILE = 512;
const RADIUS_OF_EARTH = 6378137;

export function mercatorX(lon: number): number {
  return lon / 360 + 0.5;
}

export function mercatorY(lat: number): number {
  return 0.5 - Math.log(Math.tan(Math.PI / 4 + (lat * Math.PI) / 360)) / (2 * Math.PI);
}

export function lonOf(x: number): number {
  return (x - 0.5) * 360;
}

export function latOf(y: number): number {
  return (Math.atan(Math.exp((0.5 - y) * 2 * Math.PI)) * 360) / Math.PI - 90;
}

/** A difference of two x, the short way around the globe. */
export function around(difference: number): number {
  return difference - Math.round(difference);
}

/** Metres on the ground that a pixel shows. */
export function metresPerPixel(lat: number, zoom: number): number {
  const around = 2 * Math.PI * RADIUS_OF_EARTH * Math.cos((lat * Math.PI) / 180);
  return around / (TILE * 2 ** zoom);
}

/**
 * A fixed place that positions are told from, so that single precision is enough for the
 * graphics card: to millimetres within tens of kilometres of it.
 */
export class Anchor {
  readonly x: number;
  readonly y: number;

  constructor(lon: number, lat: number) {
    this.x = mercatorX(lon);
    this.y = mercatorY(lat);
  }

  offsetX(lon: number): number {
    return around(mercatorX(lon) - this.x);
  }

  offsetY(lat: number): number {
    return mercatorY(lat) - this.y;
  }
}

/** What the map looks at, as deck.gl and MapLibre both tell it. */
export interface Look {
  longitude: number;
  latitude: number;
  zoom: number;
  bearing: number;
  width: number;
  height: number;
}

/** From offsets to the anchor to pixels of the map, seen straight from above. */
export class Camera {
  /** Pixels = turn · offset + shift, told from the middle of the map. */
  readonly turn: [number, number, number, number];
  readonly shift: [number, number];

  constructor(
    readonly look: Look,
    readonly anchor: Anchor,
  ) {
    const size = TILE * 2 ** look.zoom;
    const angle = (look.bearing * Math.PI) / 180;
    const [cos, sin] = [Math.cos(angle) * size, Math.sin(angle) * size];
    this.turn = [cos, sin, -sin, cos];
    const dx = around(anchor.x - mercatorX(look.longitude));
    const dy = anchor.y - mercatorY(look.latitude);
    this.shift = [cos * dx + sin * dy, -sin * dx + cos * dy];
  }

  screenX(x: number, y: number): number {
    return this.turn[0] * x + this.turn[1] * y + this.shift[0] + this.look.width / 2;
  }

  screenY(x: number, y: number): number {
    return this.turn[2] * x + this.turn[3] * y + this.shift[1] + this.look.height / 2;
  }

  /** Longitude and latitude under a pixel. */
  under(screenX: number, screenY: number): [number, number] {
    const [a, b] = this.turn;
    const size2 = a * a + b * b;
    const px = screenX - this.look.width / 2 - this.shift[0];
    const py = screenY - this.look.height / 2 - this.shift[1];
    const x = (a * px - b * py) / size2;
    const y = (b * px + a * py) / size2;
    return [lonOf(this.anchor.x + x), latOf(this.anchor.y + y)];
  }
}

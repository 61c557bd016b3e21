/** The run's own metres, east and north of its origin, on the globe (WGS 84). */

const A = 6378137;
const E2 = 6.69437999014e-3;
const RAD = Math.PI / 180;

export class LocalFrame {
  private readonly centre: [number, number, number];
  private readonly sinLat: number;
  private readonly cosLat: number;
  private readonly sinLon: number;
  private readonly cosLon: number;

  constructor(lat: number, lon: number) {
    this.sinLat = Math.sin(lat * RAD);
    this.cosLat = Math.cos(lat * RAD);
    this.sinLon = Math.sin(lon * RAD);
    this.cosLon = Math.cos(lon * RAD);
    this.centre = earthCentred(lat, lon);
  }

  /** Longitude and latitude of a place on the plane that touches the globe at the origin. */
  toGlobe(east: number, north: number): [number, number] {
    const outward = -this.sinLat * north;
    const x = this.centre[0] - this.sinLon * east + this.cosLon * outward;
    const y = this.centre[1] + this.cosLon * east + this.sinLon * outward;
    const z = this.centre[2] + this.cosLat * north;
    return geodetic(x, y, z);
  }

  /** East and north of a place on the globe. */
  toLocal(lon: number, lat: number): [number, number] {
    const [x, y, z] = earthCentred(lat, lon);
    const [dx, dy, dz] = [x - this.centre[0], y - this.centre[1], z - this.centre[2]];
    const outward = this.cosLon * dx + this.sinLon * dy;
    return [-this.sinLon * dx + this.cosLon * dy, this.cosLat * dz - this.sinLat * outward];
  }
}

function earthCentred(lat: number, lon: number): [number, number, number] {
  const sin = Math.sin(lat * RAD);
  const cos = Math.cos(lat * RAD);
  const normal = A / Math.sqrt(1 - E2 * sin * sin);
  return [
    normal * cos * Math.cos(lon * RAD),
    normal * cos * Math.sin(lon * RAD),
    normal * (1 - E2) * sin,
  ];
}

function geodetic(x: number, y: number, z: number): [number, number] {
  const across = Math.hypot(x, y);
  let lat = Math.atan2(z, across * (1 - E2));
  for (let i = 0; i < 4; i++) {
    const sin = Math.sin(lat);
    const normal = A / Math.sqrt(1 - E2 * sin * sin);
    lat = Math.atan2(z + E2 * normal * sin, across);
  }
  return [Math.atan2(y, x) / RAD, lat / RAD];
}

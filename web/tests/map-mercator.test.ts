import assert from "node:assert/strict";
import test from "node:test";
import { LocalFrame } from "../src/map/local-frame.ts";
import { Anchor, Camera, latOf, lonOf, mercatorX, mercatorY } from "../src/map/mercator.ts";

test("the square of the globe ends where Web Mercator ends", () => {
  assert.ok(Math.abs(mercatorY(85.0511287798)) < 1e-9);
  assert.ok(Math.abs(mercatorY(-85.0511287798) - 1) < 1e-9);
  assert.equal(mercatorX(-180), 0);
  for (const lat of [-70, 0, 29.2, 60]) assert.ok(Math.abs(latOf(mercatorY(lat)) - lat) < 1e-10);
  assert.ok(Math.abs(lonOf(mercatorX(8.5)) - 8.5) < 1e-12);
});

test("with north up, the middle is the middle and a pixel is what Mercator says", () => {
  const look = { longitude: 8, latitude: 47, zoom: 16, bearing: 0, width: 800, height: 600 };
  const camera = new Camera(look, new Anchor(8.01, 47.01));
  const anchor = camera.anchor;
  const at = (lon: number, lat: number) => {
    const [x, y] = [anchor.offsetX(lon), anchor.offsetY(lat)];
    return [camera.screenX(x, y), camera.screenY(x, y)];
  };
  assert.deepEqual(at(8, 47).map((p) => Math.round(p * 1e3) / 1e3), [400, 300]);
  const degree = (512 * 2 ** 16) / 360;
  assert.ok(Math.abs(at(8.001, 47)[0] - 400 - 0.001 * degree) < 1e-3);
  assert.ok(at(8, 47.001)[1] < 300, "north is up");
});

test("turned to the east, north lies left", () => {
  const look = { longitude: 8, latitude: 47, zoom: 16, bearing: 90, width: 800, height: 600 };
  const camera = new Camera(look, new Anchor(8, 47));
  const y = camera.anchor.offsetY(47.001);
  assert.ok(camera.screenX(0, y) < 390);
  assert.ok(Math.abs(camera.screenY(0, y) - 300) < 1e-6);
  const [lon, lat] = camera.under(camera.screenX(0, y), camera.screenY(0, y));
  assert.ok(Math.abs(lon - 8) < 1e-9 && Math.abs(lat - 47.001) < 1e-9);
});

test("across the date line the short way is taken", () => {
  const look = { longitude: -179.999, latitude: 0, zoom: 14, bearing: 0, width: 800, height: 600 };
  const camera = new Camera(look, new Anchor(179.999, 0));
  assert.ok(Math.abs(camera.screenX(0, 0) - 400) < 100);
});

test("local metres and the globe agree, and are of the right length", () => {
  const frame = new LocalFrame(29.193111, -81.046171);
  const [lon, lat] = frame.toGlobe(3000, -2000);
  const [east, north] = frame.toLocal(lon, lat);
  assert.ok(Math.abs(east - 3000) < 0.01 && Math.abs(north + 2000) < 0.01);
  // 111132.954 - 559.822 cos 2φ + 1.175 cos 4φ metres are a degree of latitude on WGS 84.
  const [, further] = frame.toGlobe(0, 1108.39);
  assert.ok(Math.abs(further - 29.203111) < 1e-7);
});

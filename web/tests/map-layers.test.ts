import assert from "node:assert/strict";
import test from "node:test";
import type { CircleLayerSpecification } from "maplibre-gl";
import {
  aboveGround,
  featureBounds,
  featureLayers,
  featureNames,
  featurePaths,
  stopsOf,
} from "../src/map/base/features.ts";
import { factsOf, kindOfUrl } from "../src/map/base/own-layers.ts";
import { composeStyle } from "../src/map/base/style.ts";
import { ramps, reliefTones } from "../src/map/base/relief.ts";
import { SOIL_TONES } from "../src/map/base/soils.ts";
import { GROUND_KINDS, GROUND_TONES, groundKinds } from "../src/map/base/terrain.ts";
import { WIDTH_STEPS } from "../src/map/layers/lines-layer.ts";
import { LineTable } from "../src/map/line-table.ts";
import { Anchor } from "../src/map/mercator.ts";
import { addOutlines } from "../src/map/outlines.ts";
import { fade, packColour } from "../src/map/palette.ts";
import type { Palette } from "../src/map/palette.ts";
import { featuresIn } from "../src/map/base/geojson.ts";
import { together, widened } from "../src/map/viewing.ts";
import type { Box } from "../src/map/viewing.ts";
import { contrast, palettes } from "./palette-samples.ts";

const PALETTE = {
  background: "#ffffff",
  area: "#111111",
  route: "#222222",
  obstacle: "#333333",
  layer: "#444444",
} as Palette;
const NOTHING: GeoJSON.FeatureCollection = { type: "FeatureCollection", features: [] };

function square(role: string, name = ""): GeoJSON.Feature {
  const ring = [[0, 0], [2, 0], [2, 1], [0, 1], [0, 0]];
  return {
    type: "Feature",
    properties: { role, name },
    geometry: { type: "Polygon", coordinates: [ring] },
  };
}

test("addresses tell what lies there", () => {
  const kinds = {
    "https://a.example/{z}/{x}/{y}.png?key=1": "raster",
    "https://a.example/{z}/{x}/{y}": "raster",
    "https://a.example/{z}/{x}/{y}.pbf?key=1": "vector",
    "https://a.example/{z}/{x}/{y}.mvt": "vector",
    "https://a.example/v1/tiles.json": "vector",
    "https://a.example/styles/bright/style.json": "style",
    "https://a.example/town.pmtiles": "pmtiles",
    "https://a.example/fences.geojson": "geojson",
  };
  for (const [url, kind] of Object.entries(kinds)) assert.equal(kindOfUrl(url), kind, url);
  const named = factsOf({ name: " ", url: "https://a.example/{z}/{x}/{y}.png" });
  assert.equal(named.name, "a.example");
  assert.equal(factsOf({ name: "G", google: "satellite", key: " k " }).key, "k");
});

test("a style with nothing in it draws nothing; obstacles are filled", () => {
  assert.deepEqual(composeStyle([], NOTHING, PALETTE).layers, []);
  const world = { ...NOTHING, features: [square("area"), square("obstacle")] };
  const style = composeStyle([], world, PALETTE);
  assert.deepEqual(style.layers.map((layer) => layer.type), ["background", "fill"]);
});

test("layers lie upon one another in their order, a whole style beneath them", () => {
  const tiles = (id: string) => ({
    sources: { [id]: { type: "raster" as const, tiles: [] } },
    layers: [{ id, type: "raster" as const, source: id }],
  });
  const whole = {
    style: {
      version: 8 as const,
      glyphs: "https://a.example/{fontstack}/{range}.pbf",
      sources: {},
      layers: [{ id: "sea", type: "background" as const }],
    },
  };
  const style = composeStyle([tiles("a"), whole, tiles("b")], NOTHING, PALETTE);
  assert.deepEqual(style.layers.map((layer) => layer.id), ["movenv-background", "sea", "a", "b"]);
  assert.equal(style.glyphs, whole.style.glyphs);
  assert.deepEqual(Object.keys(style.sources), ["a", "b"]);
});

test("every layer of features has an id of its own", () => {
  const ids = [undefined, "roads", "water"].flatMap((name) =>
    featureLayers("town", PALETTE, 1, name).map((layer) => layer.id),
  );
  assert.equal(new Set(ids).size, ids.length);
});

test("a name is written at the middle of the northern edge", () => {
  const name = { text: "field", role: "area", lon: 1, lat: 1 };
  assert.deepEqual(featureNames([square("area", "field")]), [name]);
});

test("only points that are stops are marked as such", () => {
  const point = (role: string): GeoJSON.Feature => ({
    type: "Feature",
    properties: { role },
    geometry: { type: "Point", coordinates: [3, 4] },
  });
  assert.deepEqual(stopsOf([square("area"), point("stop"), point("tree")]), [[3, 4]]);
  assert.deepEqual(stopsOf([square("stop")]), []);
});

test("a route lies dashed over its slow stretches, which are wide and pale", () => {
  const line = (role: string): GeoJSON.Feature => ({
    type: "Feature",
    properties: { role },
    geometry: { type: "LineString", coordinates: [[0, 0], [1, 0], [1, 1]] },
  });
  const table = new LineTable();
  addOutlines(table, [line("slow"), line("route")], new Anchor(0, 0), PALETTE);
  const words = new Uint32Array(table.bytes.buffer);
  const looks = [0, 1, 2, 3].map((i) => words.subarray(i * 24, i * 24 + 6));
  const wide = looks.map((one) => (one[5] & 255) / WIDTH_STEPS);
  assert.deepEqual(wide, [7, 7, 2, 2]);
  assert.deepEqual(looks.map((one) => one[5] >> 8 !== 0), [false, false, true, true]);
  assert.deepEqual(looks.map((one) => one[4] & 0xffffff), [0x222222, 0x222222, 0x222222, 0x222222]);
  assert.ok(looks[0][4] >>> 24 < 128 && looks[2][4] >>> 24 === 255);
});

test("bounds and outlines hold all parts of a feature", () => {
  const many: GeoJSON.Feature = {
    type: "Feature",
    properties: {},
    geometry: {
      type: "MultiPolygon",
      coordinates: [[[[0, 0], [1, 0], [1, 1], [0, 0]]], [[[5, 5], [6, 5], [6, 7], [5, 5]]]],
    },
  };
  assert.deepEqual(featureBounds([many]), [0, 0, 6, 7]);
  assert.equal(featurePaths(many).length, 2);
  assert.equal(featureBounds([]), null);
});

test("colours are packed as the graphics card reads them", () => {
  assert.deepEqual(
    [...new Uint8Array(Uint32Array.of(packColour("#0102037f")).buffer)],
    [1, 2, 3, 127],
  );
  assert.equal(packColour("#ffffff"), 0xffffffff);
  assert.equal(fade(packColour("#010203ff"), 0.5) >>> 24, 128);
  assert.throws(() => packColour("red"));
});

test("the box that is told is half as wide again, and stays on the globe", () => {
  assert.deepEqual(widened([0, 0, 4, 8]), [-1, -2, 5, 10]);
  assert.equal(widened([0, 80, 4, 90])[3], 90);
});

test("what is no GeoJSON is called by its layer's name", () => {
  const fine = JSON.stringify({ type: "FeatureCollection", features: [square("area")] });
  assert.equal(featuresIn(fine, "fences").type, "FeatureCollection");
  assert.equal(featuresIn('{"type": "Point", "coordinates": [0, 0]}', "fences").type, "Point");
  const wrong = ["", "{", "null", "7", "[]", "{}", '{"type": "Topology"}', "<html></html>"];
  for (const text of [...wrong, '{"type": "FeatureCollection"}']) {
    assert.throws(() => featuresIn(text, "fences"), { message: "fences is not GeoJSON" }, text);
  }
});

test("a recording is first seen with its areas, however small its beginning", () => {
  const start: Box = [0, 0, 1, 1];
  const areas: Box = [-5, -5, 9, 5];
  assert.deepEqual(together(start, areas), start);
  assert.deepEqual(together(start, areas, Infinity), areas);
  assert.deepEqual(together(null, areas), areas);
});

test("the ground is one source beneath the run's obstacles, whatever kinds it has", () => {
  const ground = Object.fromEntries(GROUND_TONES.map((tone) => [tone, "#123456"]));
  const palette = { ...PALETTE, ground } as Palette;
  const kinds = Object.keys(GROUND_KINDS);
  const some = kinds.map((kind): GeoJSON.Feature => {
    const plain = square("terrain");
    return { ...plain, properties: { role: "terrain", kind } };
  });
  const world = { ...NOTHING, features: [...some, square("obstacle"), square("area")] };
  const style = composeStyle([], world, palette, 50);
  const [source] = Object.values(style.sources) as { data: GeoJSON.FeatureCollection }[];
  assert.equal(source.data.features.length, kinds.length);
  assert.equal(style.layers[0].type, "background");
  assert.equal(style.layers.at(-1)?.id, "movenv-obstacles");
  const drawn = JSON.stringify(style.layers.slice(1, -1).map((one) => "filter" in one && one.filter));
  for (const kind of kinds) assert.ok(drawn.includes(`"${kind}"`), kind);
  assert.deepEqual(groundKinds(world), kinds);
  assert.deepEqual(featureNames(aboveGround(world.features)).length, 2);
});

test("a tree is as large on the map as on the ground", () => {
  const ground = Object.fromEntries(GROUND_TONES.map((tone) => [tone, "#123456"]));
  const tree = { ...square("terrain"), properties: { role: "terrain", kind: "tree", radius: 3 } };
  const world = { ...NOTHING, features: [tree] };
  const style = composeStyle([], world, { ...PALETTE, ground } as Palette, 60);
  const trees = style.layers.find((one) => one.id.endsWith(" trees")) as CircleLayerSpecification;
  const sizes = trees.paint?.["circle-radius"] as unknown as unknown[];
  const [, , factor] = (sizes[sizes.indexOf(20) + 1] as [string, number, [string, unknown, number]])[2];
  // A pixel of zoom 20 shows 40,075,017 m · cos 60° / (512 · 2^20).
  assert.ok(Math.abs(3 * factor - (3 * 512 * 2 ** 20) / (40_075_017 / 2)) < 0.1);
});

test("heights are shaded in even steps from the dark colour to the bright one", () => {
  const tones = ramps([0xff000000, 0xff6432ff]);
  assert.equal(tones.length, 256);
  assert.deepEqual([tones[0], tones[51], tones[255]], [0xff000000, 0xff140a33, 0xff6432ff]);
});

test("a soil has its own colour where it is level, and is shaded around that", () => {
  const [dark, bright] = [0xff202020, 0xffe0e0e0];
  const [grass, snow] = [0xff20a040, 0xfffafafa];
  const tones = ramps([dark, bright, grass, snow]);
  const level = Math.round(255 * Math.SQRT1_2);
  assert.equal(tones.length, 512);
  assert.deepEqual([tones[level], tones[256 + level]], [grass, snow]);
  const green = (word: number) => (word >>> 8) & 0xff;
  // 0xc0 from the darkest to the brightest, for soils as for bare ground; none beyond white.
  assert.equal(green(tones[level]) - green(tones[level - 64]), Math.round((64 / 255) * 0xc0));
  assert.equal(green(tones[256 + 255]), 255);
});

test("soils of a height map that the palette does not know are hard", () => {
  const relief = { ...square("terrain"), properties: { tones: ["grass", "lava"] } };
  assert.deepEqual(reliefTones(relief), ["grass", "hard"]);
  assert.deepEqual(reliefTones(square("terrain")), []);
  for (const palette of palettes()) {
    for (const tone of SOIL_TONES) assert.ok(palette[`soil-${tone}`], tone);
  }
});

test("vehicles stand out from every soil by day and by night", () => {
  for (const palette of palettes()) {
    for (const tone of SOIL_TONES) {
      for (const over of ["virtual", "real"]) {
        const found = contrast(palette[over], palette[`soil-${tone}`]);
        assert.ok(found >= 2.3, `${over} on ${tone}: ${found}`);
      }
    }
  }
});

test("shaded heights lie beneath all other ground", () => {
  const ground = Object.fromEntries(GROUND_TONES.map((tone) => [tone, "#123456"]));
  const made = (kind: string): GeoJSON.Feature => ({
    ...square("terrain"),
    properties: { role: "terrain", kind },
  });
  const world = { ...NOTHING, features: [made("building"), made("map"), made("relief")] };
  const style = composeStyle([], world, { ...PALETTE, ground } as Palette, 50);
  const [background, ...drawn] = style.layers.map((one) => one.id);
  assert.equal(background, "movenv-background");
  assert.deepEqual(drawn.slice(0, 2), ["movenv-relief", "movenv-occupancy"]);
  assert.ok(drawn.length > 2);
});

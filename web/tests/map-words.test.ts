import assert from "node:assert/strict";
import test from "node:test";
import { gridSpacing, steps } from "../src/map/grid.ts";
import { Anchor, Camera } from "../src/map/mercator.ts";
import { chooseNames } from "../src/map/names.ts";
import type { Naming } from "../src/map/names.ts";
import { TakenRoom } from "../src/map/taken-room.ts";

const LOOK = { longitude: 0, latitude: 0, zoom: 16, bearing: 0, width: 800, height: 600 };
const open = () => new TakenRoom(LOOK.width, LOOK.height);
const PIXEL = 1 / (512 * 2 ** 16);

function naming(places: [number, number][], more: Partial<Naming> = {}): Naming {
  return {
    camera: new Camera(LOOK, new Anchor(0, 0)),
    offsets: Float64Array.from(places.flatMap(([x, y]) => [x * PIXEL, y * PIXEL])),
    radius: 10,
    text: (row) => `vehicle-${row}`,
    width: (text) => text.length * 7,
    weight: () => 1,
    visible: () => true,
    ...more,
  };
}

function boxes(names: ReturnType<typeof chooseNames>, places: [number, number][]): number[][] {
  return names.map(({ row, text, dx, dy }) => {
    const [x, y] = [places[row][0] + dx, places[row][1] + dy];
    return [x, y - 7, x + text.length * 7, y + 7];
  });
}

test("names never lie over one another, however close vehicles are", () => {
  const places = Array.from({ length: 120 }, (_, i): [number, number] => {
    return [((i * 37) % 700) - 350, ((i * 53) % 500) - 250];
  });
  const names = chooseNames(naming(places), [], open());
  assert.ok(names.length > 10 && names.length <= 70, String(names.length));
  const all = boxes(names, places);
  all.forEach((a, i) =>
    all.slice(i + 1).forEach((b) => {
      assert.ok(a[0] >= b[2] || b[0] >= a[2] || a[1] >= b[3] || b[1] >= a[3]);
    }),
  );
});

test("few vehicles far apart all have their name", () => {
  const places: [number, number][] = [[-200, 0], [0, 100], [200, -50]];
  assert.equal(chooseNames(naming(places), [], open()).length, 3);
});

test("in a crowd only who matters has one, and the selected one always", () => {
  const places = Array.from({ length: 500 }, (_, i): [number, number] => [i % 30, i % 20]);
  const weight = (row: number) => (row === 77 ? Infinity : 1);
  const names = chooseNames(naming(places, { weight }), [], open());
  assert.deepEqual(names.map((name) => name.row), [77]);
});

test("who is out of view or left out by the filter has none", () => {
  const places: [number, number][] = [[0, 0], [900, 0], [100, 100]];
  const names = chooseNames(naming(places, { visible: (row) => row !== 2 }), [], open());
  assert.deepEqual(names.map((name) => name.row), [0]);
});

test("names lie neither beyond the edge nor over what is taken already", () => {
  const [rim] = chooseNames(naming([[390, 0]]), [], open());
  assert.ok(rim.dx + 390 + 9 * 7 <= 400, String(rim.dx));
  const room = open();
  room.take([400, 280, 500, 320]);
  const [beside] = chooseNames(naming([[0, 0]]), [], room);
  assert.ok(beside.dx + 9 * 7 <= 0, String(beside.dx));
});

test("a name stays at its side while there is room", () => {
  const before = chooseNames(naming([[0, 0], [8, 0]]), [], open());
  const kept = before.find((name) => name.row === before[0].row)!;
  const after = chooseNames(naming([[0, 1], [9, 0]]), before, open());
  const same = after.find((name) => name.row === kept.row)!;
  assert.deepEqual([same.dx, same.dy], [kept.dx, kept.dy]);
});

test("lines of the grid are 1, 2 or 5 times a power of ten apart, never too close", () => {
  for (const metres of [0.003, 0.07, 0.3, 1, 2.4, 17, 90]) {
    const spacing = gridSpacing(metres);
    const digit = Number(spacing.toExponential()[0]);
    assert.ok([1, 2, 5].includes(digit), String(spacing));
    assert.ok(spacing / metres >= 69.9 && spacing / metres <= 70 * 2.5 + 0.1);
  }
});

test("the grid's numbers are whole multiples, and zero has no sign", () => {
  assert.deepEqual(steps(-0.25, 0.25, 0.1), [-0.2, -0.1, 0, 0.1, 0.2]);
  assert.ok(Object.is(steps(-10, 10, 10)[1], 0));
  assert.deepEqual(steps(3, 4, 10), []);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hello, Roster, StandingOrder } from "../src/feed/messages.ts";
import { uncrowded } from "../src/map/base/features.ts";
import { LineTable } from "../src/map/line-table.ts";
import { addOrders, nearestOn } from "../src/map/order-lines.ts";
import { Anchor } from "../src/map/mercator.ts";
import type { Palette } from "../src/map/palette.ts";
import { Places } from "../src/map/places.ts";
import { Sketch } from "../src/orders/sketch.ts";
import { notYet, orderWish, orderWords, refusersWords } from "../src/orders/wish.ts";
import type { Manner } from "../src/orders/wish.ts";
import { drawerOf, toneOf } from "../src/panels/event-log.ts";
import { Selection } from "../src/selection.ts";
import { nameHas, namesInShort, unitOf, unitsInOrder } from "../src/units.ts";
import { event, fleet, ORIGINS, roster } from "./panel-samples.ts";

const FREELY: Manner = { speed: null, roads: "off", formation: "", spacing: null };
const UNITS: Roster = { ...roster(6), units: ["alpha", "bravo"], unit: [0, 0, 0, 1, 1, -1] };

test("a unit is who is all of it and nobody else", () => {
  assert.equal(unitOf(UNITS, [2, 0, 1]), 0);
  assert.equal(unitOf(UNITS, [3, 4]), 1);
  for (const rows of [[0, 1], [0, 1, 2, 3], [5], []]) assert.equal(unitOf(UNITS, rows), -1);
  assert.equal(unitOf(roster(3), [0, 1, 2]), -1);
});

test("units are listed as people count, and found by parts of their names", () => {
  const units = ["tanks-10", "tanks-2", "Tanks-1", "apc-3"];
  const sorted = unitsInOrder({ ...UNITS, units }).map((unit) => units[unit]);
  assert.deepEqual(sorted, ["apc-3", "Tanks-1", "tanks-2", "tanks-10"]);
  assert.deepEqual(units.filter((name) => nameHas(name, "TANKS 1")), ["tanks-10", "Tanks-1"]);
  assert.equal(units.filter((name) => nameHas(name, "")).length, 4);
});

test("the names of many routes are left out, those of areas are not", () => {
  const named = (role: string, text: string) => ({ text, role, lon: 0, lat: 0 });
  const routes = Array.from({ length: 41 }, (_, i) => named("route", `way-${i}`));
  const field = named("area", "field");
  assert.deepEqual(uncrowded([field, ...routes]), [field]);
  assert.equal(uncrowded([field, ...routes.slice(1)]).length, 41);
});

test("an order names its unit, or else each vehicle that takes it", () => {
  const whole = orderWish("hold", UNITS, [0, 1, 2], [0, 2], [], FREELY);
  assert.deepEqual(whole, { what: "hold", vehicles: [], unit: "alpha", to: [] });
  const some = orderWish("resume", UNITS, [0, 1, 3], [0, 3], [], FREELY);
  assert.deepEqual(some.vehicles, ["car-1", "car-4"]);
  assert.equal(some.unit, null);
});

test("only who goes is told where to, and nothing that was left open", () => {
  const places = [[8, 50], [9, 51]] as const;
  const manner: Manner = { speed: 7.5, roads: "prefer", formation: "wedge", spacing: 30 };
  const go = orderWish("go", UNITS, [5], [5], places, manner);
  assert.deepEqual(go.to, [{ lat: 50, lon: 8 }, { lat: 51, lon: 9 }]);
  const { speed, roads, formation, spacing } = go;
  assert.deepEqual({ speed, roads, formation, spacing }, manner);
  assert.deepEqual(orderWish("form", UNITS, [5], [5], places, manner).to, []);
  const plain = orderWish("go", UNITS, [5], [5], places, FREELY);
  assert.deepEqual(Object.keys(plain), ["what", "vehicles", "unit", "to", "roads"]);
  const loose = orderWish("go", UNITS, [5], [5], places, { ...manner, formation: "" });
  assert.ok(!("spacing" in loose), "without a formation there is no spacing");
});

test("what an order still lacks is said before it is sent", () => {
  const wedge = { ...FREELY, formation: "wedge" };
  assert.match(notYet("hold", 0, 0, 0, FREELY), /Select/);
  assert.match(notYet("hold", 3, 0, 0, FREELY), /takes orders/);
  assert.match(notYet("go", 3, 3, 0, FREELY), /goal/);
  assert.match(notYet("form", 3, 3, 0, FREELY), /formation/);
  assert.match(notYet("form", 3, 1, 0, wedge), /two/);
  for (const ready of [
    notYet("go", 1, 1, 1, FREELY),
    notYet("form", 3, 2, 0, wedge),
    notYet("hold", 2, 1, 0, FREELY),
  ]) {
    assert.equal(ready, "");
  }
});

test("who takes no orders is counted", () => {
  assert.equal(refusersWords(15, 12), "3 of 15 take no orders.");
  assert.equal(refusersWords(2, 1), "1 of 2 takes no orders.");
  assert.equal(refusersWords(1, 0), "It takes no orders.");
  assert.equal(refusersWords(4, 4), "");
});

test("clicks add and take away, and the details shown are of one who is selected", () => {
  const selection = new Selection(fleet(9), { origins: ORIGINS } as unknown as Hello);
  selection.select(3);
  selection.toggle(5);
  assert.deepEqual([selection.members, selection.selected], [[3, 5], 5]);
  selection.toggle(5);
  assert.deepEqual([selection.members, selection.selected], [[3], 3]);
  selection.add([7, 3, 8]);
  assert.deepEqual([selection.members, selection.selected], [[3, 7, 8], 3]);
  selection.toggle(3);
  assert.deepEqual([selection.members, selection.selected], [[7, 8], 8]);
  selection.select(null);
  assert.deepEqual([selection.members, selection.selected, selection.rows], [[], null, []]);
});

test("to look at a pair selects its first only, and shows both", () => {
  const selection = new Selection(fleet(9), { origins: ORIGINS } as unknown as Hello);
  selection.selectMany([1, 2, 3]);
  selection.selectPair(4, 6);
  assert.deepEqual([selection.members, selection.rows], [[4], [4, 6]]);
  selection.toggle(5);
  assert.deepEqual(selection.rows, [4, 5]);
});

test("a goal is one point, a route as many as it has, less those taken back", () => {
  const sketch = new Sketch();
  sketch.put([1, 1]);
  assert.deepEqual(sketch.points, [], "nothing is being drawn");
  sketch.begin("goal");
  sketch.put([1, 1]);
  assert.deepEqual([sketch.points, sketch.drawing], [[[1, 1]], null]);
  sketch.begin("route");
  for (const at of [1, 2, 3]) sketch.put([at, at]);
  sketch.back();
  sketch.end();
  assert.deepEqual(sketch.points, [[1, 1], [2, 2]]);
  sketch.begin("route");
  sketch.clear();
  assert.deepEqual([sketch.points, sketch.drawing], [[], null]);
});

function order(changes: Partial<StandingOrder>): StandingOrder {
  const plain = { number: 1, what: "go", t: 0, who: "", vids: [1], places: [[0.001, 0]] } as const;
  return { ...plain, vids: [1], places: [[0.001, 0]], ...changes } as StandingOrder;
}

function drawn(standing: StandingOrder[], members: number[], showAll = false) {
  const some = fleet(4);
  some.positions.fill(0);
  some.version += 1;
  const places = new Places(some, new Anchor(0, 0));
  places.update();
  const selection = new Selection(some, { origins: ORIGINS } as unknown as Hello);
  selection.selectMany(members);
  const rowOf = new Map(some.roster.vids.map((vid, row) => [vid, row]));
  const scene = { sketch: new Sketch(), standing, showAll, onChange: () => undefined };
  const table = new LineTable();
  const palette = { order: 0 } as Palette;
  const flags = addOrders(table, { places, palette, scene, rowOf, selection });
  return { lines: table.count / 6, flags: flags.length };
}

test("the map shows the orders of who is selected, and on demand those of all", () => {
  const two = [order({ vids: [1] }), order({ number: 2, vids: [2, 3] })];
  assert.deepEqual(drawn(two, []), { lines: 0, flags: 0 });
  assert.deepEqual(drawn(two, [0]), { lines: 1, flags: 1 });
  assert.deepEqual(drawn(two, [1]), { lines: 1, flags: 1 });
  assert.deepEqual(drawn(two, [], true), { lines: 3, flags: 2 });
});

test("of a formation only the leader is tied to its way, and a hold has none", () => {
  const places: [number, number][] = [[0.001, 0], [0.001, 0.001], [0, 0.002]];
  const led = order({ vids: [1, 2, 3], formation: "wedge", leader: 2, places });
  assert.deepEqual(drawn([led], [2]), { lines: 3, flags: 3 });
  assert.deepEqual(drawn([order({ what: "hold", places: [] })], [0]), { lines: 0, flags: 0 });
});

test("the nearest point of a way lies between its places, or is one of them", () => {
  const path: [number, number][] = [[0, 0], [10, 0], [10, 10]];
  assert.deepEqual(nearestOn(path, [4, 3]), [4, 0]);
  assert.deepEqual(nearestOn(path, [-5, 2]), [0, 0]);
  assert.deepEqual(nearestOn(path, [12, 7]), [10, 7]);
  assert.deepEqual(nearestOn([[3, 3]], [9, 9]), [3, 3]);
});

test("orders and remarks are told in words and lie in drawers of their own", () => {
  const words = orderWords(
    order({ places: [[0, 0], [1, 1]], formation: "wedge", speed: 8, roads: "only", arrived: true }),
  );
  assert.equal(words, "Go · 2 places · wedge · 8.0 m/s · on roads only · arrived");
  const remark = event({ kind: "remark", text: "car-1: no way to (120, 40)" });
  assert.equal(drawerOf(remark), "remarks");
  assert.equal(toneOf(remark, []), "caution");
  assert.equal(toneOf(event({ kind: "remark", text: "car-1: arrived" }), []), "ok");
  assert.equal(drawerOf(event({ kind: "order" })), "operator");
  assert.equal(namesInShort(["a", "b", "c", "d"], 2), "a, b and 2 more");
});

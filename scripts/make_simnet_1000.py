"""Write the shipped scenario simnet-1000: a thousand vehicles of mixed kinds on one battlefield.

python scripts/make_simnet_1000.py > src/movenv/scenario/shipped/simnet-1000.yaml
"""

import math
from collections.abc import Iterator
from itertools import pairwise

HEAD = """\
# A thousand vehicles of mixed kinds under one operator, after SIMNET's semi-automated forces:
# units on both banks of a river with three bridges and a ford, lakes, woods and a town, while
# aircraft circle above and two people with phones walk among them. Units that change banks queue
# before the bridges. Written by scripts/make_simnet_1000.py.
#
#   movenv run simnet-1000 --rehearse      plays the two phones on this machine
#   movenv order go --unit tanks-3 --to 1500,-900 --formation wedge
name: simnet-1000
description: a thousand vehicles in units, with obstacles, and two live phones
origin: {lat: 37.891, lon: -85.963, alt: 220}
seed: 1000
time: {duration: 600}
awareness: {range: 300}
notices:
  levels: {caution: 2.0, warning: 1.0}
areas:
  woods: {rectangle: [3400, 4600], center: [1700, 0]}
  lake-waters: {rectangle: [700, 400], center: [2150, -1250]}
"""

RIVER = [(-60, -3200), (40, -2200), (-30, -1200), (60, -200), (-40, 800), (50, 1800), (-20, 3200)]
BRIDGES = {"south-bridge": -1800, "old-bridge": 0, "north-bridge": 1900}
FORD = 1000
WEST, EAST = -3000.0, 2900.0


def river_x(y: float) -> float:
    """Where the river's middle line is."""
    for (x0, y0), (x1, y1) in pairwise(RIVER):
        if y0 <= y <= y1:
            return x0 + (x1 - x0) * (y - y0) / (y1 - y0)
    raise ValueError(y)


def point(x: float, y: float) -> str:
    return f"[{x:g}, {y:g}]"


def points(*places: tuple[float, float]) -> str:
    return "[" + ", ".join(point(*place) for place in places) + "]"


def feature(kind: str, name: str, **traits: str) -> str:
    said = "".join(f", {key}: {value}" for key, value in traits.items())
    return f"    - {{kind: {kind}, name: {name}{said}}}"


LAKE = points((1700, -1450), (2600, -1450), (2650, -1100), (2200, -1000), (1650, -1100))
NORTH_WOOD = points((500, 1150), (1300, 1100), (1450, 1600), (900, 1700), (450, 1550))
SOUTH_WOOD = points((400, -1000), (1100, -1100), (1200, -600), (600, -450))
MEADOW = points((-260, -1500), (-120, -1500), (-120, -500), (-260, -500))
PIT = points((1500, 2200), (2100, 2200), (2100, 2600), (1500, 2600))
MASTS = [(300, 2300), (2400, 600), (900, 300), (1400, -2300), (2800, 2500)]


def water_and_roads() -> Iterator[str]:
    yield feature("river", "salt-river", width="40", line=points(*RIVER))
    for name, y in BRIDGES.items():
        x = river_x(y)
        yield feature("bridge", name, width="16", line=points((x - 60, y), (x + 60, y)))
        way = points((WEST, y), (x - 40, y), (x + 40, y), (EAST, y))
        yield feature("road", f"road-{name}", width="8", line=way)
    x = river_x(FORD)
    ford = points((x - 60, FORD), (x + 60, FORD))
    yield feature("ford", "mill-ford", width="30", soil="shallows", line=ford)
    for name, x in (("east-street", 2700), ("west-street", -700)):
        yield feature("road", name, width="8", line=points((x, -1800), (x, 1900)))
    yield feature("lake", "mirror-lake", polygon=LAKE)


def terrain() -> Iterator[str]:
    yield "terrain:"
    yield "  soil: grass"
    yield "  features:"
    yield from water_and_roads()
    yield feature("canopy", "north-wood", polygon=NORTH_WOOD)
    yield feature("canopy", "south-wood", polygon=SOUTH_WOOD)
    yield feature("soil", "water-meadow", soil="mud", polygon=MEADOW)
    yield feature("soil", "gravel-pit", soil="sand", polygon=PIT)
    for k in range(10):
        x, y = 300 + 260 * k, -300 + 90 * (k % 3)
        hedge = points((x, y), (x + 130, y + 60))
        yield feature("tree_line", f"hedge-{k + 1}", width="4", line=hedge)
    for row in range(5):
        for column in range(8):
            at = point(1500 + 60 * column, 420 + 60 * row)
            name = f"house-{row + 1}{column + 1}"
            yield feature("building", name, at=at, rectangle="[24, 18]", height="9")
    for k, place in enumerate(MASTS):
        yield feature("tower", f"mast-{k + 1}", at=point(*place), radius="3", height="60")
    yield "  scatter:"
    yield "    - {kind: tree, count: 600, within: woods, radius: [0.5, 1.5], apart: 25}"
    yield "  hills:"
    yield "    - {at: [1900, 1900], height: 60, radius: 700}"
    yield "    - {at: [-1900, -600], height: 40, radius: 600}"


def grid(x: float, y: float, spacing: float, columns: int, heading: float) -> str:
    return (
        f"{{grid: {{center: {point(x, y)}, spacing: {spacing:g}, columns: {columns}}}, "
        f"heading_deg: {heading:g}, speed: 0}}"
    )


class Writer:
    """Collects routes and vehicles as it goes over the units."""

    def __init__(self) -> None:
        self.routes: list[str] = []
        self.vehicles: list[str] = []
        self.count = 0

    def unit(self, name: str, count: int, lines: list[str]) -> None:
        self.vehicles += [f"  - name: {name}", f"    count: {count}", f"    unit: {name}"]
        self.vehicles += [f"    {line}" for line in lines]
        self.count += count

    def route(self, name: str, *places: tuple[float, float]) -> None:
        self.routes.append(f"  {name}: {{closed: true, points: {points(*places)}}}")


AVOID = "avoid: {method: reciprocal}"


def ground_units(out: Writer) -> None:
    """Companies on both banks that change sides."""
    lanes = 40
    kinds = [("tanks", 14, "tank", "wedge", 20.0, "off")] * 24 + [
        ("carriers", 12, "carrier", "line", 18.0, "off")
    ] * 16
    for k, (name, count, build, shape, spacing, roads) in enumerate(kinds):
        west = k % 2 == 0
        y = -2700.0 + 5400.0 * (k // 2) / (lanes / 2 - 1)
        x, far, heading = (WEST, EAST, 90) if west else (EAST + 400, WEST + 400, 270)
        label = f"{name}-{sum(1 for other in kinds[: k + 1] if other[0] == name)}"
        out.route(f"way-{label}", (far, y), (x, y))
        out.unit(label, count, [
            "kind: ground",
            f"model: {{type: ground, build: {build}}}",
            f"start: {grid(x, y, spacing, 4, heading)}",
            "behaviors:",
            "  obey: {}",
            f"  formation: {{priority: 2, shape: {shape}, spacing: {spacing:g}}}",
            f"  move_to: {{route: way-{label}, visibility: 250, roads: {roads}, laps: forever}}",
            f"  {AVOID}",
        ])  # fmt: skip


def road_units(out: Writer) -> None:
    """Convoys and scouts that keep to the roads, and civilian cars."""
    for k in range(10):
        y = list(BRIDGES.values())[k % 3] + 30.0 * (1 + k // 3)
        x = -1200.0 - 260.0 * (k // 3)
        label = f"convoy-{k + 1}"
        out.route(f"way-{label}", (2500.0 - 60 * k, list(BRIDGES.values())[(k + 1) % 3]), (x, y))
        out.unit(label, 10, [
            "kind: ground",
            "model: {type: ground, build: truck}",
            f"start: {grid(x, y, 18.0, 10, 90)}",
            "behaviors:",
            "  obey: {}",
            "  formation: {priority: 2, shape: column, spacing: 20}",
            f"  move_to: {{route: way-{label}, visibility: 250, roads: prefer, laps: forever}}",
            f"  {AVOID}",
        ])  # fmt: skip
    for k in range(10):
        y = -2300.0 + 500.0 * k
        label = f"scouts-{k + 1}"
        out.route(f"way-{label}", (2300.0, 0.3 * y), (-1600.0, y))
        out.unit(label, 6, [
            "kind: ground",
            "model: {type: ground, build: jeep}",
            f"start: {grid(-1000.0, y, 16.0, 2, 90)}",
            "behaviors:",
            "  obey: {}",
            "  formation: {priority: 2, shape: echelon, spacing: 18}",
            f"  move_to: {{route: way-{label}, visibility: 300, laps: forever}}",
            f"  {AVOID}",
        ])  # fmt: skip
    for k in range(60):
        road = k % 3
        y = list(BRIDGES.values())[road]
        x = 400.0 + 110.0 * (k // 3)
        out.route(f"trip-{k + 1}", (-600.0 - 20 * k, y), (x, y))
        out.vehicles += [
            f"  - name: car-{k + 1}",
            "    kind: ground",
            "    model: {type: ground, build: car}",
            f"    start: {{at: {point(x, y)}, heading_deg: 270, speed: 0}}",
            "    behaviors:",
            "      obey: {}",
            f"      move_to: {{route: trip-{k + 1}, roads: only, laps: forever}}",
            f"      {AVOID}",
        ]
        out.count += 1


def foot_units(out: Writer) -> None:
    """Squads on foot around the town."""
    for k in range(14):
        turn = math.tau * k / 14
        x, y = 1700 + 520 * math.cos(turn), 540 + 420 * math.sin(turn)
        label = f"squad-{k + 1}"
        goal = (1700 - 520 * math.cos(turn), 540 - 420 * math.sin(turn))
        out.route(f"way-{label}", (round(goal[0]), round(goal[1])), (round(x), round(y)))
        out.unit(label, 12, [
            "kind: pedestrian",
            f"start: {grid(round(x), round(y), 4.0, 4, 90)}",
            "characteristic_length: 1.0",
            "behaviors:",
            "  obey: {}",
            "  formation: {priority: 2, shape: vee, spacing: 5}",
            f"  move_to: {{route: way-{label}, visibility: 120, laps: forever}}",
            f"  {AVOID}",
        ])  # fmt: skip


def flying_units(out: Writer) -> None:
    """Helicopters in echelon, aircraft that circle and keep apart by speed alone."""
    for k in range(8):
        label = f"helicopters-{k + 1}"
        y = -2600.0 + 700.0 * k
        out.route(f"way-{label}", (2600.0, -y), (-2600.0, y))
        out.unit(label, 4, [
            "kind: aerial/rotorcraft",
            "model: {length: 12, speed: 40, max_acceleration: 4, floor: 20}",
            f"start: {{grid: {{center: {point(-2600.0, y)}, spacing: 60, columns: 2}}, "
            f"z: {100 + 15 * k}, heading_deg: 90}}",
            "behaviors:",
            "  obey: {}",
            "  formation: {priority: 2, shape: echelon, spacing: 60}",
            f"  move_to: {{route: way-{label}, visibility: 300, within: 30, laps: forever}}",
            f"  {AVOID}",
        ])  # fmt: skip
    for k in range(32):
        ring, place = divmod(k, 4)
        turn = math.tau * place / 4
        centre = (-1800.0 + 1200.0 * (ring % 4), -1500.0 + 3000.0 * (ring // 4))
        radius = 420.0
        x, y = centre[0] + radius * math.cos(turn), centre[1] + radius * math.sin(turn)
        heading = (360 - math.degrees(turn)) % 360
        out.vehicles += [
            f"  - name: aircraft-{k + 1}",
            f"    unit: flight-{ring + 1}",
            "    kind: aerial/fixedwing",
            "    model: {type: fixedwing, airframe: trainer}",
            f"    start: {{at: [{x:.0f}, {y:.0f}, {350 + 60 * ring}], heading_deg: {heading:.0f}}}",
            "    behaviors:",
            "      obey: {}",
            f"      circle: {{center: {point(*centre)}, radius: {radius:g}}}",
            "      avoid: {method: arc_line}",
        ]
        out.count += 1


def boats(out: Writer) -> None:
    for k in range(3):
        label = f"boats-{k + 1}"
        y = -1400.0 + 110.0 * k
        out.route(f"way-{label}", (2450.0, y), (1850.0, y))
        out.unit(label, 6, [
            "kind: surface",
            f"start: {grid(1900.0, y, 22.0, 3, 90)}",
            "behaviors:",
            "  obey: {}",
            "  formation: {priority: 2, shape: column, spacing: 25}",
            f"  move_to: {{route: way-{label}, within: 15, laps: forever}}",
            f"  {AVOID}",
        ])  # fmt: skip


PHONES = """\
  - name: medic
    kind: pedestrian
    live: {type: phone_udp, own_port: true}
    start: {at: [1600, 360]}
    characteristic_length: 2.0
    behaviors: {move_to: {route: way-medic, laps: forever}}
  - name: observer
    kind: pedestrian
    live: {type: phone_http}
    start: {at: [1250, 700]}
    characteristic_length: 2.0
    behaviors: {move_to: {route: way-observer, laps: forever}}"""


def main() -> None:
    out = Writer()
    for part in (ground_units, road_units, foot_units, flying_units, boats):
        part(out)
    out.route("way-medic", (1600.0, 360.0), (1900.0, 360.0), (1900.0, 700.0))
    out.route("way-observer", (1250.0, 700.0), (1700.0, 720.0), (1500.0, 360.0))
    out.count += 2
    if out.count != 1000:
        raise SystemExit(f"{out.count} vehicles, not a thousand")
    print(HEAD, end="")
    print("routes:")
    print("\n".join(out.routes))
    print("\n".join(terrain()))
    print("vehicles:")
    print(PHONES)
    print("\n".join(out.vehicles))


if __name__ == "__main__":
    main()

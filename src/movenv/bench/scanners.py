"""Laser scanners: how many vehicles that carry one see each other and a map in real time."""

import math
import time
from collections.abc import Callable

import numpy as np

from movenv.bench.measure import Row, best_time
from movenv.parts import Passage, Readings, SensorSetup, VehicleStates
from movenv.sensors.lidar import Lidar, LidarConfig
from movenv.terrain.boxes import BOX
from movenv.terrain.features import Terrain
from movenv.terrain.grid_map import FREE, OCCUPIED, GridMap
from movenv.world.columns import F8, U1
from movenv.world.kinds import Kind
from movenv.world.messages import Health, Roster
from movenv.world.model import BODY, MOTION

VEHICLES = 100
TICK = 0.1
CELL = 0.05
SIDE = 2000
"""Cells along a side of the map: 100 m."""
SPACING = 3.0
"""Between vehicles, m; within range of each are some 35 others."""


def hall(chance: np.random.Generator) -> U1:
    """A map with walls around it and pillars in it."""
    cells = np.full((SIDE, SIDE), FREE, np.uint8)
    cells[[0, -1], :] = cells[:, [0, -1]] = OCCUPIED
    for row, column in chance.integers(0, SIDE - 10, (400, 2)):
        cells[row : row + 8, column : column + 8] = OCCUPIED
    return cells


class Fleet:
    """Vehicles in a hall, each with a Hokuyo UST-10LX."""

    def __init__(self, vehicles: int = VEHICLES, speed: float = 2.0, noise: float = 0.01) -> None:
        chance = np.random.default_rng(8)
        self.grid = GridMap(hall(chance), CELL, -50.0, -50.0)
        vids = np.arange(1, vehicles + 1, dtype=np.uint32)
        sides = {
            name: np.full(vehicles, side) for name, side in zip(BODY, (1.0, 0.5, 0.5), strict=True)
        }
        kind = np.zeros(vehicles, np.uint8)
        names = [f"car-{vid}" for vid in vids]
        roster = Roster(vids, names, [Kind("ground")], kind, kind, sides["body_length"], [],
                        build=sides)  # fmt: skip
        config = LidarConfig(type="lidar", noise=noise)
        setup = SensorSetup("scan", vids, config, roster, {}, Terrain(grid=self.grid))
        self.lidar = Lidar(setup)
        self.layout = config.layout
        before = _placed(vehicles, speed, chance)
        after = before.copy()
        after[:2] += TICK * before[7:9]
        after[3] += 0.05 * speed * chance.standard_normal(vehicles)
        self.passage = Passage(1, 0.0, TICK, 1, vids, before, after)
        columns = {name: np.zeros(vehicles, kind) for name, kind in VehicleStates.dtypes.items()}
        columns |= dict(zip(MOTION, before, strict=True))
        columns["vid"] = vids
        columns["health"] = np.full(vehicles, Health.HEARD)
        self.others = VehicleStates(columns)
        self.boxes = np.array([*before[[0, 1, 3]], sides[BODY[0]], sides[BODY[1]]]).T
        assert self.boxes.shape[1] == len(BOX)

    def sense(self) -> Readings | None:
        return self.lidar.sense(self.passage, self.others)


def _placed(vehicles: int, speed: float, chance: np.random.Generator) -> F8:
    """MOTION of vehicles in rows and files, turned any way."""
    wide = math.ceil(math.sqrt(vehicles))
    found = np.zeros((len(MOTION), vehicles))
    found[0] = SPACING * (np.arange(vehicles) % wide - wide / 2)
    found[1] = SPACING * (np.arange(vehicles) // wide - wide / 2)
    found[3] = chance.uniform(-np.pi, np.pi, vehicles)
    found[6] = speed
    found[7], found[8] = speed * np.cos(found[3]), speed * np.sin(found[3])
    return found


def plain_scan(fleet: Fleet, row: int) -> F8:
    """One scan as it is plainly done in NumPy: standing still, all beams against all boxes, and a
    march through the map by half a cell."""
    layout, grid = fleet.layout, fleet.grid
    x, y, yaw = fleet.boxes[row, :3]
    angle = yaw + layout.angle_min + layout.angle_increment * np.arange(layout.beams)
    cos, sin = np.cos(angle), np.sin(angle)
    far = _march(grid, x, y, cos, sin, layout.range_max)
    for box in np.delete(fleet.boxes, row, axis=0):
        c, s = math.cos(box[2]), math.sin(box[2])
        px, py = x - box[0], y - box[1]
        with np.errstate(divide="ignore"):
            along, across = 1.0 / (cos * c + sin * s), 1.0 / (sin * c - cos * s)
        ox, oy = px * c + py * s, py * c - px * s
        one = np.sort([(-box[3] / 2 - ox) * along, (box[3] / 2 - ox) * along], axis=0)
        two = np.sort([(-box[4] / 2 - oy) * across, (box[4] / 2 - oy) * across], axis=0)
        enter, leave = np.maximum(one[0], two[0]), np.minimum(one[1], two[1])
        far = np.where((enter <= leave) & (leave >= 0), np.minimum(far, np.maximum(enter, 0)), far)
    return np.where(far <= layout.range_max, far, np.inf)


def _march(grid: GridMap, x: float, y: float, cos: F8, sin: F8, most: float) -> F8:
    far = np.full(len(cos), np.inf)
    going = np.arange(len(cos))
    rows, columns = grid.cells.shape
    for step in np.arange(0.0, most, 0.5 * grid.resolution):
        column = ((x + step * cos[going] - grid.west) / grid.resolution).astype(int)
        row = ((y + step * sin[going] - grid.south) / grid.resolution).astype(int)
        inside = (column >= 0) & (column < columns) & (row >= 0) & (row < rows)
        hit = inside & (grid.cells[row * inside, column * inside] == OCCUPIED)
        far[going[hit]] = step
        going = going[~hit]
        if not len(going):
            break
    return far


def _processor_time(job: Callable[[], object], repeats: int) -> float:
    """Of all threads together, s: what others do on the machine does not count."""
    best = math.inf
    for _ in range(repeats):
        began = time.process_time()
        job()
        best = min(best, time.process_time() - began)
    return best


def measure(quick: bool) -> list[Row]:
    fleet = Fleet()
    fleet.sense()
    repeats = 10 if quick else 50
    share = best_time(fleet.sense, repeats) / TICK
    rate = fleet.lidar.Config(type="lidar").rate
    spent = _processor_time(fleet.sense, repeats) / (VEHICLES * TICK * rate)

    def plain() -> F8:
        return plain_scan(fleet, VEHICLES // 2)

    baseline = "NumPy: a march through the map and every beam against every box"
    said = "1,081-beam 40 Hz scanner"
    return [
        Row(f"vehicles with a {said} in real time, each seeing a map and the others",
            VEHICLES / share, "vehicles", 100.0, "higher", f"{baseline}, one thread",
            1.0 / (best_time(plain, 3 if quick else 10) * rate)),
        # 4,000 scans a second on two processors leave so much for each.
        Row("processor time of one such scan", 1e6 * spent, "µs", 500.0, "lower", baseline,
            1e6 * _processor_time(plain, 3 if quick else 10)),
    ]  # fmt: skip

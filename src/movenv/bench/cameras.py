"""Cameras: how often four of them take a picture of a town on a map of heights."""

import numpy as np

from movenv.bench.measure import Row, best_time
from movenv.parts import Passage, Readings, SensorSetup, VehicleStates
from movenv.sensors.camera import Camera, CameraConfig
from movenv.terrain.features import Terrain
from movenv.terrain.relief import Relief
from movenv.terrain.relief_rays import Ground, ground
from movenv.world.columns import F4, F8
from movenv.world.frames import rotation
from movenv.world.kinds import Kind
from movenv.world.messages import Health, Roster
from movenv.world.model import BODY, MOTION

CAMERAS = 4
TICK = 0.1
CELL = 0.25
SIDE = 2000
"""Crossings along a side of the map: 500 m."""
BLOCK, STREET = 160, 60
"""From one block of buildings to the next, and how wide the street between them is, in cells."""
UP = 1.6


def town() -> F4:
    """Blocks of buildings of many heights, and streets between them that rise and fall."""
    chance = np.random.default_rng(9)
    along = np.arange(SIDE)
    heights = 4.0 * np.sin(along[None, :] / 300) + 3.0 * np.cos(along[:, None] / 250)
    for south in range(STREET, SIDE - BLOCK, BLOCK):
        for west in range(STREET, SIDE - BLOCK, BLOCK):
            end = BLOCK - STREET
            heights[south : south + end, west : west + end] += chance.uniform(5.0, 25.0)
    return heights.astype(np.float32)


class Street:
    """Cars in the streets of the town, each with a camera."""

    def __init__(self, cars: int = CAMERAS, **settings: int) -> None:
        self.relief = Relief(0.0, 0.0, CELL, town(), np.empty((0, 4)))
        terrain = Terrain()
        terrain.drawn[Ground] = ground(self.relief)
        vids = np.arange(1, cars + 1, dtype=np.uint32)
        build = {
            name: np.full(cars, side) for name, side in zip(BODY, (4.5, 1.8, 1.6), strict=True)
        }
        kind = np.zeros(cars, np.uint8)
        names = [f"car-{vid}" for vid in vids]
        roster = Roster(vids, names, [Kind("ground")], kind, kind, build[BODY[0]], [], build=build)
        config = CameraConfig.model_validate({"type": "camera", "mount": {"z": UP}, **settings})
        self.layout = config.layout
        self.camera = Camera(SensorSetup("eye", vids, config, roster, {}, terrain))
        motion = np.zeros((len(MOTION), cars))
        motion[0] = CELL * (BLOCK * (2 + np.arange(cars)) + 0.5 * STREET)
        motion[1] = CELL * (BLOCK * 5 + 0.5 * STREET)
        motion[3] = np.arange(cars) * 0.4
        rows, columns = (motion[1] / CELL).astype(int), (motion[0] / CELL).astype(int)
        motion[2] = self.relief.heights[rows, columns]
        self.passage = Passage(1, 0.0, TICK, 1, vids, motion, motion)
        table = {name: np.zeros(cars, dtype) for name, dtype in VehicleStates.dtypes.items()}
        table |= dict(zip(MOTION, motion, strict=True))
        self.others = VehicleStates(table | {"vid": vids, "health": np.full(cars, Health.HEARD)})

    def take(self) -> Readings | None:
        return self.camera.sense(self.passage, self.others)


def plain_depth(street: Street, row: int, most: float, step: float) -> F8:
    """A depth picture as it is plainly made in NumPy: all rays march over the map together."""
    layout, relief = street.layout, street.relief
    place, yaw = street.passage.after[:3, row] + [0.0, 0.0, UP], street.passage.after[3, row]
    left = (0.5 * layout.width - np.arange(layout.width) - 0.5) / layout.focal
    up = (0.5 * layout.height - np.arange(layout.height) - 0.5) / layout.focal
    own = np.array([np.ones((layout.height, layout.width)), *np.meshgrid(left, up)])
    toward = np.einsum("ij,jk->ik", rotation(yaw), own.reshape(3, -1))
    depth, going = np.full(toward.shape[1], np.inf), np.arange(toward.shape[1])
    for far in np.arange(0.0, most, step):
        x, y, z = place[:, None] + far * toward[:, going]
        i = np.clip(np.rint(x / relief.cell).astype(int), 0, SIDE - 1)
        j = np.clip(np.rint(y / relief.cell).astype(int), 0, SIDE - 1)
        met = z <= relief.heights[j, i]
        depth[going[met]] = far
        going = going[~met]
    return depth.reshape(layout.height, layout.width)


def measure(quick: bool) -> list[Row]:
    street = Street()
    street.take()
    rate = 1.0 / best_time(street.take, 5 if quick else 20)

    def plain() -> None:
        for row in range(CAMERAS):
            plain_depth(street, row, 200.0, CELL)

    return [
        Row(f"pictures of 320 × 240 a second of each of {CAMERAS} cameras in a town", rate, "Hz",
            10.0, "higher", "NumPy: depth alone, a march by a cell at a time as far as 200 m",
            1.0 / best_time(plain, 1 if quick else 2)),
    ]  # fmt: skip

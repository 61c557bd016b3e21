"""A sensor on vehicles that are put where the test wants them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from movenv.parts import Passage, Readings, Sensor, SensorSetup, VehicleStates
from movenv.terrain.area import Area
from movenv.terrain.features import NO_TERRAIN, Terrain
from movenv.world.columns import F8
from movenv.world.frames import Frame
from movenv.world.kinds import Kind
from movenv.world.messages import Health, Roster
from movenv.world.model import BODY, MOTION


def motion(x: float = 0.0, y: float = 0.0, yaw: float = 0.0, **more: float) -> list[float]:
    """One vehicle's MOTION; what is not given is 0."""
    given = {"x": x, "y": y, "yaw": yaw, **more}
    return [float(given.get(name, 0.0)) for name in MOTION]


def roster_of(
    vids: Sequence[int], sides: tuple[float, float] = (2.0, 1.0), height: float = 1.5
) -> Roster:
    count = len(vids)
    return Roster(
        vids=np.array(vids, np.uint32),
        names=[f"v{vid}" for vid in vids],
        kinds=[Kind("ground", "")],
        kind=np.zeros(count, np.uint8),
        origin=np.zeros(count, np.uint8),
        length=np.full(count, sides[0]),
        behaviors=[],
        build={
            name: np.full(count, side) for name, side in zip(BODY, (*sides, height), strict=True)
        },
    )


def states(vids: Sequence[int], table: F8) -> VehicleStates:
    """Everyone as the Core tells it; `table` is (MOTION, vehicles)."""
    count = len(vids)
    columns: dict[str, Any] = {
        name: np.zeros(count, dtype) for name, dtype in VehicleStates.dtypes.items()
    }
    columns |= dict(zip(MOTION, np.asarray(table, float).reshape(len(MOTION), count), strict=True))
    columns["vid"] = np.array(vids, np.uint32)
    columns["health"] = np.full(count, Health.HEARD, np.uint8)
    return VehicleStates(columns)


@dataclass
class Rig:
    """Sensors of one kind on the first vehicles of a roster."""

    part: type[Sensor]
    settings: Mapping[str, Any]
    vids: Sequence[int] = (1,)
    everyone: Sequence[int] = (1,)
    terrain: Terrain = NO_TERRAIN
    areas: Mapping[str, Area] = field(default_factory=dict)
    roster: Roster | None = None
    frame: Frame | None = None
    name: str = "s"
    seed: int = 7

    def __post_init__(self) -> None:
        config = self.part.Config(type="x", **self.settings)
        roster = self.roster or roster_of(self.everyone)
        vids = np.array(self.vids, np.uint32)
        self.setup = SensorSetup(
            self.name, vids, config, roster, self.areas, self.terrain, self.frame
        )
        self.sensor = self.part(self.setup)

    def sense(
        self,
        before: Sequence[Sequence[float]],
        after: Sequence[Sequence[float]] | None = None,
        others: VehicleStates | None = None,
        start: float = 0.0,
        end: float = 0.1,
    ) -> Readings | None:
        """One tick; vehicles that are not said to move stand."""
        first = np.array(before, float).T
        last = first if after is None else np.array(after, float).T
        vids = np.array(self.vids, np.uint32)
        passage = Passage(round(end / (end - start)), start, end, self.seed, vids, first, last)
        return self.sensor.sense(passage, VehicleStates.empty() if others is None else others)

"""What a behavior is given when a run is built."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from movenv.parts.config import BehaviorConfig, Point, SensorConfig
from movenv.terrain.area import Area
from movenv.terrain.features import NO_TERRAIN, Terrain
from movenv.terrain.route import Route
from movenv.world.columns import F8, U4
from movenv.world.frames import Frame
from movenv.world.messages import Roster


class ConfigColumns:
    """A behavior's settings, one array a field and one row a vehicle.

    Vehicles of one group share a config object, so that a group of 100,000 costs one.
    """

    def __init__(self, configs: list[BehaviorConfig], group: NDArray[np.intp]) -> None:
        """`group[i]` is the place of vehicle i's config in `configs`."""
        self._configs = configs
        self._group = group

    def __getattr__(self, name: str) -> NDArray[Any]:
        values = self.distinct(name)
        if (values and isinstance(values[0], str | list | dict)) or None in values:
            column = np.empty(len(values), object)
            column[:] = values
        else:
            column = np.array(values)
        spread: NDArray[Any] = column[self._group]
        setattr(self, name, spread)
        return spread

    def distinct(self, name: str) -> list[Any]:
        """One setting of each distinct config."""
        return [getattr(config, name) for config in self._configs]

    def each(self) -> tuple[list[BehaviorConfig], NDArray[np.intp]]:
        """The distinct configs, and which one each vehicle has."""
        return self._configs, self._group


@dataclass(frozen=True)
class Setup:
    """Everything a behavior may know when it is made."""

    vids: U4
    """Its vehicles, in the order of every column it will see."""
    config: ConfigColumns
    abilities: Mapping[str, F8]
    """Of each vehicle's build: length, cruise_speed, max_steer, ... as `Own` has them."""
    areas: Mapping[str, Area]
    routes: Mapping[str, Route]
    levels: Mapping[str, int]
    """Notice levels by name, 1 the outermost."""
    roster: Roster
    payload: NDArray[np.object_]
    """What each vehicle carries: the mapping that its group has in the scenario, read-only."""
    local: Callable[[Point], tuple[float, float, float | None]]
    """A place of the scenario in local metres; z is None where the file does not say."""
    terrain: Terrain = NO_TERRAIN
    began: F8 = field(default_factory=lambda: np.empty((3, 0)))
    """Where each was placed when the run began, (3, vehicles), m."""
    resumed: U4 = field(default_factory=lambda: np.empty(0, np.uint32))
    """The vids of those who were doing this under a host that was lost, and go on with it."""
    awareness: float = math.inf
    """How far off others are told of in a live run, m."""
    sensors: NDArray[np.object_] = field(default_factory=lambda: np.empty(0, object))
    """What each vehicle has: a mapping from the names of its sensors to their types, read-only."""

    def vid_of(self, name: str) -> int:
        """The number of a vehicle by its name."""
        return int(self.roster.vids[self.roster.names.index(name)])


@dataclass(frozen=True)
class SensorSetup:
    """Everything a sensor may know when it is made."""

    name: str
    """What it is called on its vehicles."""
    vids: U4
    """Its vehicles, in the order of every column it will see."""
    config: SensorConfig
    """The same for all of them."""
    roster: Roster
    """Of everybody; `build` has everyone's box: body_length, body_width and body_height."""
    areas: Mapping[str, Area]
    terrain: Terrain = NO_TERRAIN
    frame: Frame | None = None
    """Where local metres are on the globe; None where nobody says."""

"""Sharing out vehicles among hosts, each with its models and behaviors."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from movenv.parts.config import Point
from movenv.parts.registry import in_words
from movenv.parts.setup import ConfigColumns, SensorSetup, Setup
from movenv.scenario.document import Path_
from movenv.scenario.load import ChosenBehavior, LoadedScenario
from movenv.scenario.missions import Programs
from movenv.terrain.area import Area
from movenv.terrain.features import Terrain
from movenv.terrain.route import Route
from movenv.world.arbiter import OFF, precedence
from movenv.world.behavior import Behavior
from movenv.world.columns import F8, U1, U4, Rows
from movenv.world.frames import Frame
from movenv.world.host import Host, TimeGrid
from movenv.world.messages import Roster
from movenv.world.mission import Missions
from movenv.world.model import ABILITIES, Model
from movenv.world.sensor import Carried
from movenv.world.stride import AdaptiveStep
from movenv.world.switches import Assignment


@dataclass(frozen=True)
class Cast:
    """Everyone who takes part, placed. Rows are those of the roster."""

    loaded: LoadedScenario
    frame: Frame
    adaptive: AdaptiveStep | None
    roster: Roster
    group: NDArray[np.intp]
    """The entry of `vehicles:` that each row comes from."""
    areas: Mapping[str, Area]
    routes: Mapping[str, Route]
    terrain: Terrain
    missions: Programs
    local: Callable[[Point], tuple[float, float, float | None]]
    start: F8
    """The first MOTION, (MOTION, rows)."""
    began: F8
    """The same as it was when the run began."""
    resumed: bool
    """Whether the run goes on from `start`, under a new host."""
    steps: U1
    """The step each begins its mission with; 0 for the first."""

    def parameters(self, names: tuple[str, ...]) -> F8:
        """(names, groups); a group whose model lacks one has 0 there."""
        groups = self.loaded.groups
        return np.array([[group.parameters.get(name, 0.0) for group in groups] for name in names])

    def abilities(self, rows: Rows) -> dict[str, F8]:
        """What behaviors may know of the build of these rows."""
        renamed = {"cruise_speed": "speed"}
        table = self.parameters(tuple(renamed.get(name, name) for name in ABILITIES))
        return dict(zip(ABILITIES, table[:, self.group[rows]], strict=True))

    def payload(self, rows: Rows) -> NDArray[np.object_]:
        """What these rows carry."""
        return self._of_groups([group.spec.payload for group in self.loaded.groups], rows)

    def sensors(self, rows: Rows) -> NDArray[np.object_]:
        """The types of the sensors of these rows by name."""
        types = [{s.name: s.config.type for s in group.sensors} for group in self.loaded.groups]
        return self._of_groups(types, rows)

    def _of_groups(self, each: list[dict[str, Any]], rows: Rows) -> NDArray[np.object_]:
        """One read-only object serves a whole group."""
        of_group = np.empty(len(each), object)
        of_group[:] = [MappingProxyType(one) for one in each]
        found: NDArray[np.object_] = of_group[self.group[rows]]
        return found


def shares(vehicles: int, hosts: int) -> list[Rows]:
    """Runs of neighbouring rows, one for each host that gets any."""
    return np.array_split(np.arange(vehicles), min(hosts, vehicles))


def make_host(cast: Cast, name: str, rows: Rows, time: TimeGrid) -> Host:
    """A host for some rows of the roster, regrouped so that each model's vehicles adjoin.

    Raises ScenarioError.
    """
    part_of_group = [group.model for group in cast.loaded.groups]
    parts = sorted(set(part_of_group), key=lambda part: part.__name__)
    part_number = np.array([parts.index(part) for part in part_of_group])
    rows = rows[np.argsort(part_number[cast.group[rows]], kind="stable")]
    group = cast.group[rows]
    models: list[Model] = []
    for i, part in enumerate(parts):
        mine = part_number[group] == i
        if mine.any():
            table = cast.parameters(part.parameter_names)
            model = part(table[:, group[mine]], cast.start[:, rows[mine]])
            model.stand_on(cast.terrain)
            models.append(model)
    return Host(
        name=name,
        vids=cast.roster.vids[rows],
        models=models,
        abilities=cast.abilities(rows),
        assignments=_assignments(cast, rows),
        time=time,
        seed=cast.loaded.scenario.seed,
        missions=Missions(cast.missions.programs, cast.missions.of_group[group], cast.steps[rows]),
        sensors=_sensors(cast, rows),
        adaptive=cast.adaptive,
    )


@dataclass(frozen=True)
class _Carried:
    """A behavior as one group carries it: always, or in one step of its mission."""

    path: Path_
    chosen: ChosenBehavior
    precedence: int
    in_steps: dict[int, int]


def _carried(cast: Cast, group: int) -> dict[tuple[str, int], _Carried]:
    """By name and slot: 0 for the vehicle's own, 1, 2, ... for the steps in which it occurs."""
    spec = cast.loaded.groups[group]
    first = cast.missions.first_step(group)
    path: Path_ = ("vehicles", group)
    ahead = max((len(step.do) for step in spec.steps), default=0)  # what a step says goes first
    found: dict[tuple[str, int], _Carried] = {}
    for rank, chosen in enumerate(spec.behaviors, start=ahead):
        changes = {
            first + k: OFF if how == "off" else precedence(how.priority, rank)
            for k, step in enumerate(spec.steps)
            for reference, how in step.spec.change.items()
            if reference == chosen.reference
        }
        where = (*path, "behaviors", chosen.reference)
        value = precedence(chosen.config.priority, rank)
        found[chosen.name, 0] = _Carried(where, chosen, value, changes)
    for k, step in enumerate(spec.steps):
        for rank, chosen in enumerate(step.do):
            slot = 1 + sum(name == chosen.name and number > 0 for name, number in found)
            where = (*path, "mission", k, "do", chosen.reference)
            switched = {first + k: precedence(chosen.config.priority, rank)}
            found[chosen.name, slot] = _Carried(where, chosen, OFF, switched)
    return found


def _assignments(cast: Cast, rows: Rows) -> list[Assignment]:
    """One behavior object for each behavior and slot on these rows, whichever groups carry it."""
    count = len(cast.loaded.groups)
    here = np.isin(np.arange(count), cast.group[rows])
    by_group = [_carried(cast, group) if here[group] else {} for group in range(count)]
    numbers = {name: number for number, name in enumerate(cast.roster.behaviors, start=1)}
    assignments = []
    for name, slot in sorted({key for carried in by_group for key in carried}):
        carriers = {
            g: carried[name, slot] for g, carried in enumerate(by_group) if (name, slot) in carried
        }
        mine = np.flatnonzero(np.isin(cast.group[rows], list(carriers)))
        if not len(mine):
            continue
        config_of_group = np.full(count, -1)
        config_of_group[list(carriers)] = np.arange(len(carriers))
        config = config_of_group[cast.group[rows[mine]]]
        each = list(carriers.values())
        assignments.append(
            Assignment(
                number=numbers[name],
                name=name,
                behavior=_behavior(cast, each, rows[mine], config),
                rows=None if len(mine) == len(rows) else mine,
                precedence=np.array([carried.precedence for carried in each])[config],
                ends=np.array([c.chosen.part.ends(c.chosen.config) for c in each])[config],
                in_steps={k: v for carried in each for k, v in carried.in_steps.items()},
            )
        )
    return assignments


def _sensors(cast: Cast, rows: Rows) -> list[Carried]:
    """One sensor object for each that a group on these rows carries."""
    found = []
    group = cast.group[rows]
    for number in np.unique(group):
        mine = np.flatnonzero(group == number)
        for chosen in cast.loaded.groups[number].sensors:
            setup = SensorSetup(
                name=chosen.name,
                vids=cast.roster.vids[rows[mine]],
                config=chosen.config,
                roster=cast.roster,
                areas=cast.areas,
                terrain=cast.terrain,
                frame=cast.frame,
            )
            try:
                sensor = chosen.part(setup)
            except (Exception, SystemExit) as error:
                document = cast.loaded.document
                said = f"sensor '{chosen.name}' cannot be set up: {in_words(error)}"
                path = ("vehicles", int(number), "sensors", chosen.name)
                raise document.error([document.problem(path, said)]) from error
            found.append(Carried(chosen.name, sensor, None if len(mine) == len(rows) else mine))
    return found


def _resumed(cast: Cast, carried: list[_Carried], rows: Rows, config: Rows) -> U4:
    """The vids of those who had this behavior on when their host was lost."""
    if not cast.resumed:
        return np.empty(0, np.uint32)
    first = np.array([cast.missions.first_step(g) for g in range(len(cast.loaded.groups))])
    step = first[cast.group[rows]] + np.maximum(cast.steps[rows].astype(np.intp), 1) - 1
    now = np.array([c.precedence for c in carried])[config]
    for number, c in enumerate(carried):
        for when, value in c.in_steps.items():
            now[(config == number) & (step == when)] = value
    resumed: U4 = cast.roster.vids[rows[now != OFF]]
    return resumed


def _behavior(cast: Cast, carried: list[_Carried], rows: Rows, config: Rows) -> Behavior:
    chosen = carried[0].chosen
    setup = Setup(
        vids=cast.roster.vids[rows],
        config=ConfigColumns([c.chosen.config for c in carried], config),
        abilities=cast.abilities(rows),
        areas=cast.areas,
        routes=cast.routes,
        terrain=cast.terrain,
        began=cast.began[:3, rows],
        resumed=_resumed(cast, carried, rows, config),
        awareness=cast.loaded.scenario.awareness.range,
        local=cast.local,
        levels={name: i + 1 for i, name in enumerate(cast.loaded.scenario.notices.levels)},
        roster=cast.roster,
        payload=cast.payload(rows),
        sensors=cast.sensors(rows),
    )
    try:
        return chosen.part(setup)  # type: ignore[call-arg]
    except (Exception, SystemExit) as error:
        document = cast.loaded.document
        said = f"behavior '{chosen.name}' cannot be set up: {in_words(error)}"
        raise document.error([document.problem(carried[0].path, said)]) from error

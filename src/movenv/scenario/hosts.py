"""Sharing out vehicles among hosts, each with its models and behaviors."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from movenv.parts.registry import in_words
from movenv.parts.setup import ConfigColumns, Setup
from movenv.scenario.load import ChosenBehavior, LoadedScenario
from movenv.terrain.area import Area
from movenv.world.arbiter import precedence
from movenv.world.behavior import Behavior
from movenv.world.columns import F8, Rows
from movenv.world.host import Host, TimeGrid
from movenv.world.messages import Roster
from movenv.world.model import ABILITIES, Model
from movenv.world.switches import Assignment


@dataclass(frozen=True)
class Cast:
    """Everyone who takes part, placed. Rows are those of the roster."""

    loaded: LoadedScenario
    roster: Roster
    group: NDArray[np.intp]
    """The entry of `vehicles:` that each row comes from."""
    areas: Mapping[str, Area]
    start: F8
    """The first MOTION, (MOTION, rows)."""

    def parameters(self, names: tuple[str, ...]) -> F8:
        """(names, groups); a group whose model lacks one has 0 there."""
        groups = self.loaded.groups
        return np.array([[group.parameters.get(name, 0.0) for group in groups] for name in names])

    def payload(self, rows: Rows) -> NDArray[np.object_]:
        """What these rows carry; one object serves a whole group."""
        of_group = np.empty(len(self.loaded.groups), object)
        of_group[:] = [MappingProxyType(group.spec.payload) for group in self.loaded.groups]
        carried: NDArray[np.object_] = of_group[self.group[rows]]
        return carried


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
            models.append(part(table[:, group[mine]], cast.start[:, rows[mine]]))
    renamed = {"cruise_speed": "speed"}
    ability = cast.parameters(tuple(renamed.get(n, n) for n in ABILITIES))[:, group]
    return Host(
        name=name,
        vids=cast.roster.vids[rows],
        models=models,
        abilities=dict(zip(ABILITIES, ability, strict=True)),
        assignments=_assignments(cast, rows),
        time=time,
        seed=cast.loaded.scenario.seed,
    )


def _assignments(cast: Cast, rows: Rows) -> list[Assignment]:
    """One behavior object for each behavior on these rows, whichever groups carry it."""
    groups = cast.loaded.groups
    assignments = []
    for number, name in enumerate(cast.roster.behaviors, start=1):
        carried = {
            i: (rank, chosen)
            for i, group in enumerate(groups)
            for rank, chosen in enumerate(group.behaviors)
            if chosen.name == name
        }
        mine = np.flatnonzero(np.isin(cast.group[rows], list(carried)))
        if not len(mine):
            continue
        config_of_group = np.full(len(groups), -1)
        config_of_group[list(carried)] = np.arange(len(carried))
        config = config_of_group[cast.group[rows[mine]]]
        ranks, chosen = zip(*carried.values(), strict=True)
        priority = np.array([c.config.priority for c in chosen])
        assignments.append(
            Assignment(
                number=number,
                name=name,
                behavior=_behavior(cast, next(iter(carried)), list(chosen), rows[mine], config),
                rows=None if len(mine) == len(rows) else mine,
                precedence=precedence(priority, np.array(ranks))[config],
            )
        )
    return assignments


def _behavior(
    cast: Cast, group: int, chosen: list[ChosenBehavior], rows: Rows, config: Rows
) -> Behavior:
    setup = Setup(
        vids=cast.roster.vids[rows],
        config=ConfigColumns([c.config for c in chosen], config),
        areas=cast.areas,
        levels={name: i + 1 for i, name in enumerate(cast.loaded.scenario.notices.levels)},
        roster=cast.roster,
        payload=cast.payload(rows),
    )
    try:
        return chosen[0].part(setup)  # type: ignore[call-arg]
    except (Exception, SystemExit) as error:
        document = cast.loaded.document
        path = ("vehicles", group, "behaviors", chosen[0].reference)
        said = f"behavior '{chosen[0].name}' cannot be set up: {in_words(error)}"
        raise document.error([document.problem(path, said)]) from error

"""From a checked scenario to the objects of a run: frame, roster, Core, hosts."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from movenv.behaviors.gathering import Gathering
from movenv.gateways.config import Entry
from movenv.gateways.part import Gateway
from movenv.parts.config import Point
from movenv.scenario.agreement import disagreements
from movenv.scenario.areas import area_of
from movenv.scenario.document import Path_
from movenv.scenario.errors import Problem
from movenv.scenario.footprints import body
from movenv.scenario.goals import goal_problems
from movenv.scenario.hosts import Cast, make_host, shares
from movenv.scenario.load import LoadedScenario
from movenv.scenario.missions import compile_missions, named_vehicles
from movenv.scenario.orders import ScriptedOrder, script_of
from movenv.scenario.placement import local
from movenv.scenario.route_files import RouteFileError
from movenv.scenario.routes import route_of
from movenv.scenario.schema import Scenario
from movenv.scenario.starts import Starts, metres
from movenv.scenario.steps import adaptive_step, step_problems
from movenv.scenario.terrain import TerrainError, terrain_of
from movenv.terrain.area import Area
from movenv.terrain.features import NO_TERRAIN, Terrain
from movenv.terrain.route import Route
from movenv.terrain.trespass import Trespass
from movenv.world.columns import F8, U1, U4, Rows
from movenv.world.core import Core
from movenv.world.frames import Frame
from movenv.world.host import Host, TimeGrid, no_steps
from movenv.world.kinds import Kind, Origin
from movenv.world.messages import Roster
from movenv.world.model import ABILITIES, BODY, LIMITS, MOTION
from movenv.world.natural_order import in_natural_order
from movenv.world.proximity import EXACT_UP_TO, Proximity
from movenv.world.radio import Radio


@dataclass(frozen=True)
class Run:
    """A scenario ready to go."""

    scenario: Scenario
    text: str
    """The scenario file as it was read."""
    files: dict[str, str]
    """The texts of the files that it names."""
    frame: Frame
    roster: Roster
    time: TimeGrid
    ticks: int
    core: Core
    hosts: list[Host]
    every_pair: bool
    script: list[ScriptedOrder]
    """Orders that the scenario gives, in order of time."""
    gathering: Gathering

    @property
    def level_names(self) -> list[str]:
        return list(self.scenario.notices.levels)


@dataclass(frozen=True)
class RealVehicle:
    """A vehicle that moves in the world, and how it is heard."""

    gateway: type[Gateway]
    entry: Entry


def build(loaded: LoadedScenario, hosts: int | Callable[[int], int] = 1) -> Run:
    """Place everyone and make the objects, with virtual vehicles in the place of real ones.

    Raises ScenarioError.
    `hosts` is how many hosts share the vehicles, or says so for a number of vehicles.
    """
    stage = Stage(loaded, real=False)
    return stage.run(hosts if isinstance(hosts, int) else hosts(len(stage.vids)))


class Stage:
    """A scenario with everyone placed, from which the pieces of a run are made.

    In a live run each process makes its own pieces. Raises ScenarioError.
    """

    def __init__(self, loaded: LoadedScenario, real: bool = True) -> None:
        """`real`: vehicles with `live:` are real; else their models and behaviors move them."""
        self._real = real
        self.loaded = loaded
        self.scenario = loaded.scenario
        self.document = loaded.document
        self.groups = loaded.groups
        origin = self.scenario.origin
        self.frame = Frame(origin.lat, origin.lon, origin.alt)
        self.problems: list[Problem] = []
        self.areas = self._areas()
        self._stop_at_problems()
        self.problems += [
            self.document.problem(*found) for found in step_problems(loaded, self.areas)
        ]
        self._stop_at_problems()
        self.terrain = self._terrain()
        self._stop_at_problems()
        self.vids, self.group = self._number()
        self._stop_at_problems()
        self.roster = self._roster()
        self.problems += [self.document.problem(*found) for found in disagreements(self.groups)]
        self._stop_at_problems()
        self.routes = self._routes()
        self.start = self._place()
        self.missions = compile_missions(self.groups, self.roster, self.group, self.local)
        self.problems += [self.document.problem(*stuck) for stuck in self.missions.problems]
        self._stop_at_problems()
        self.script = script_of(self)
        self._stop_at_problems()

    def local(self, point: Point) -> tuple[float, float, float | None]:
        """A place of the scenario in local metres; z is None where the file does not say.

        Raises ValueError for one that is not of this world.
        """
        x, y, z = local(self.frame, point)
        far, radius = float(np.hypot(x, y)), self.scenario.world.radius
        if not far <= radius:
            if np.isnan(far):
                raise ValueError("its coordinates are no numbers")
            away = f"{metres(far)} from the origin" if np.isfinite(far) else "nowhere near"
            raise ValueError(f"a place {away}, outside the world ({radius:,.0f} m)")
        if z is not None and np.isfinite(z) and abs(z) > radius:
            side = "above" if z > 0 else "below"
            away = f"{metres(abs(z))} {side} the origin"
            raise ValueError(f"a place {away}, outside the world ({radius:,.0f} m)")
        return x, y, z

    def watched(self, rows: Rows) -> Rows:
        """Whom these rows must be told of however far away: those their settings name, and all of
        their units."""
        groups = np.unique(self.group[rows])
        names = {name for i in groups for name in named_vehicles(self.groups[i])}
        named = np.array([name in names for name in self.roster.names])
        if not self.roster.unit:
            return np.flatnonzero(named)
        unit = np.array(self.roster.unit)
        mine = unit[rows]
        return np.flatnonzero(named | np.isin(unit, mine[mine >= 0]))

    @property
    def text(self) -> str:
        """The scenario file as it was read."""
        return self.document.text

    @property
    def files(self) -> dict[str, str]:
        """The texts of the files that the scenario names."""
        return self.document.files

    @property
    def time(self) -> TimeGrid:
        time = self.scenario.time
        return TimeGrid(time.step, time.steps, time.tick)

    @property
    def every_pair(self) -> bool:
        """Whether all pairs are looked at."""
        search = self.scenario.notices.search
        return search == "exact" or (search == "auto" and len(self.roster) <= EXACT_UP_TO)

    def run(self, hosts: int) -> Run:
        return Run(
            scenario=self.scenario,
            text=self.text,
            files=self.files,
            frame=self.frame,
            roster=self.roster,
            time=self.time,
            ticks=self.scenario.time.ticks,
            core=self.core(),
            hosts=[
                self.host(f"host-{i + 1}", rows)
                for i, rows in enumerate(shares(len(self.roster), hosts))
            ],
            every_pair=self.every_pair,
            script=self.script,
            gathering=self.gathering,
        )

    @cached_property
    def gathering(self) -> Gathering:
        """Who gets which place where several are told to go to one."""
        return Gathering(self.roster, self.terrain)

    def core(self) -> Core:
        roster = self.roster
        multiples = np.array(list(self.scenario.notices.levels.values()))
        proximity = Proximity(roster.vids, roster.length, multiples, self.every_pair)
        period, seed = self.time.period, self.scenario.seed
        radio = Radio(roster.vids, seed, period, **self.scenario.radio.model_dump())
        carry = self.scenario.link_loss.after
        asked, trespass = self.missions.asked, Trespass(self.terrain, roster)
        return Core(self.frame, roster, proximity, period, radio, carry, asked, trespass.look)

    def host(self, name: str, rows: Rows, start: F8 | None = None, steps: U1 | None = None) -> Host:
        """A host for some rows of the roster.

        `start` is everyone's MOTION to begin with, `steps` everyone's step of their mission.
        """
        cast = Cast(
            loaded=self.loaded,
            adaptive=adaptive_step(self.loaded, self.areas),
            frame=self.frame,
            roster=self.roster,
            group=self.group,
            areas=self.areas,
            routes=self.routes,
            terrain=self.terrain,
            missions=self.missions,
            local=self.local,
            start=self.start if start is None else start,
            began=self.start,
            resumed=start is not None,
            steps=no_steps(len(self.vids)) if steps is None else steps,
        )
        return make_host(cast, name, rows, self.time)

    def _problem(self, path: Path_, message: str) -> None:
        self.problems.append(self.document.problem(path, message))

    def _stop_at_problems(self) -> None:
        if self.problems:
            raise self.document.error(self.problems)

    def _areas(self) -> dict[str, Area]:
        areas = {}
        for name, spec in self.scenario.areas.items():
            try:
                areas[name] = area_of(name, spec, self.frame)
            except ValueError as error:
                self._problem(("areas", name), str(error))
        return areas

    def _terrain(self) -> Terrain:
        try:
            return terrain_of(self.scenario, self.frame, self.document, self.areas)
        except TerrainError as error:
            self.problems += [self.document.problem(*found) for found in error.problems]
            return NO_TERRAIN

    def _routes(self) -> dict[str, Route]:
        routes = {}
        for name, spec in self.scenario.routes.items():
            try:
                routes[name] = route_of(name, spec, self.frame, self.document)
            except RouteFileError as error:
                self._problem(("routes", name, "file"), str(error))
            except ValueError as error:
                self._problem(("routes", name), str(error))
        return routes

    def _number(self) -> tuple[U4, NDArray[np.intp]]:
        """Give everyone a vid: explicit ones first, then the next free in file order."""
        taken: dict[int, str] = {}
        for i, group in enumerate(self.groups):
            if group.spec.vid is None:
                continue
            for vid in range(group.spec.vid, group.spec.vid + group.spec.count):
                if vid in taken:
                    self._problem(
                        ("vehicles", i, "vid"), f"vid {vid} is already taken by '{taken[vid]}'"
                    )
                    break
                taken[vid] = group.spec.name
        vids: list[NDArray[np.int64]] = []
        next_free = 1
        for group in self.groups:
            spec = group.spec
            if spec.vid is not None:
                vids.append(np.arange(spec.vid, spec.vid + spec.count))
                continue
            free: list[int] = []
            while len(free) < spec.count:
                if next_free not in taken:
                    free.append(next_free)
                next_free += 1
            vids.append(np.array(free))
        of_group = np.repeat(np.arange(len(vids)), [len(v) for v in vids])
        numbers = np.concatenate(vids)
        if numbers.max() > np.iinfo(np.uint32).max:
            self._problem(("vehicles",), "a vid above 4294967295 would be needed")
        order = np.argsort(numbers, kind="stable")
        return numbers[order].astype(np.uint32), of_group[order]

    def _roster(self) -> Roster:
        names: list[str] = [""] * len(self.vids)
        seen: dict[str, int] = {}
        for i, group in enumerate(self.groups):
            spec = group.spec
            for name, row in zip(spec.names, np.flatnonzero(self.group == i), strict=True):
                if name in seen:
                    self._problem(("vehicles", i, "name"), f"two vehicles are called '{name}'")
                    break
                seen[name] = names[row] = name  # type: ignore[assignment]
        kinds: list[Kind] = []
        for group in self.groups:
            if group.spec.parsed_kind not in kinds:
                kinds.append(group.spec.parsed_kind)
        kinds.sort(key=str)
        kind = np.array([kinds.index(g.spec.parsed_kind) for g in self.groups], np.uint8)
        length = np.array(
            [g.spec.characteristic_length or g.parameters["length"] for g in self.groups]
        )
        on_mission = [i for i, group in enumerate(self.groups) if group.steps]
        mission = np.full(len(self.groups), -1)
        mission[on_mission] = np.arange(len(on_mission))
        units = in_natural_order({g.spec.unit for g in self.groups if g.spec.unit})
        unit = np.array([units.index(g.spec.unit) if g.spec.unit else -1 for g in self.groups])
        obeys = np.array([any(c.part.obeys() for c in g.carried) for g in self.groups])
        origin = self._origins()
        obeying = obeys[self.group] & (origin == Origin.VIRTUAL)
        driven = np.array([any(c.part.is_driven() for c in g.carried) for g in self.groups])
        drivable = driven[self.group] & (origin == Origin.VIRTUAL)
        return Roster(
            vids=self.vids,
            names=names,
            kinds=kinds,
            kind=kind[self.group],
            origin=origin,
            length=length[self.group],
            behaviors=sorted({b.name for g in self.groups for b in g.carried}),
            missions=[[step.name for step in self.groups[i].steps] for i in on_mission],
            mission=mission[self.group].tolist() if on_mission else [],
            units=units,
            unit=unit[self.group].tolist() if units else [],
            build=self._builds(),
            obeys=obeying.tolist() if obeying.any() else [],
            driven=drivable.tolist() if drivable.any() else [],
        )

    def _builds(self) -> dict[str, F8]:
        """What everyone's model can do, so that those who meet can count on it."""
        given = {name: name for name in (*ABILITIES, *LIMITS)} | {"cruise_speed": "speed"}
        of_groups = {
            name: np.array([g.parameters.get(source, 0.0) for g in self.groups])
            for name, source in given.items()
        }
        boxes = np.array([body(g) for g in self.groups]).reshape(-1, len(BODY))
        of_groups |= dict(zip(BODY, boxes.T, strict=True))
        return {name: column[self.group] for name, column in of_groups.items()}

    def _origins(self) -> U1:
        live = np.array([self._real and group.live is not None for group in self.groups])
        origins: U1 = np.where(live, Origin.REAL, Origin.VIRTUAL).astype(np.uint8)[self.group]
        return origins

    @property
    def real(self) -> list[RealVehicle]:
        """The real vehicles, with the gateways they are heard through."""
        roster, found = self.roster, []
        for row in np.flatnonzero(roster.origin == Origin.REAL):
            live = self.groups[self.group[row]].live
            assert live is not None
            kind = roster.kinds[roster.kind[row]]
            entry = Entry(int(roster.vids[row]), roster.names[row], kind, live.config)
            found.append(RealVehicle(live.part, entry))
        return found

    def _place(self) -> F8:
        """The first MOTION of everyone, in the order of the roster."""
        starts = Starts(self.loaded, self.frame, self.areas, self.terrain, self.roster, self.group)
        self.problems += [self.document.problem(*found) for found in starts.problems]
        if starts.standing is not None and not starts.problems:
            z = starts.motion[MOTION.index("z")]
            rows = [np.flatnonzero(self.group == i) for i in range(len(self.groups))]
            lowest = [mine[np.argmin(z[mine])] for mine in rows]
            named = [(self.roster.names[row], float(z[row])) for row in lowest]
            found = goal_problems(self.groups, named, self.routes, starts.standing, self.frame)
            self.problems += [self.document.problem(*problem) for problem in found]
        return starts.motion

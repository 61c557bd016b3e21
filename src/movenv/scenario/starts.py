"""Everyone at their places, checked against the world, the ground and each other."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from movenv.scenario.document import Path_
from movenv.scenario.load import Group, LoadedScenario
from movenv.scenario.placement import place
from movenv.scenario.standing_room import TOGETHER, StandingRoom
from movenv.scenario.terrain_items import place_in_words
from movenv.terrain.area import Area
from movenv.terrain.features import Terrain
from movenv.terrain.heights import heights_of
from movenv.vehicles.hulls import AFLOAT
from movenv.vehicles.standing import STANDING
from movenv.world.columns import F8, Mask, Rows
from movenv.world.frames import Frame
from movenv.world.messages import Roster
from movenv.world.model import MOTION

MOST_TOLD = 5
"""Of the overlaps of one entry; the others are counted."""


class Starts:
    """Where vehicles begin. `problems` are the places in the scenario and what is wrong there."""

    def __init__(
        self,
        loaded: LoadedScenario,
        frame: Frame,
        areas: Mapping[str, Area],
        terrain: Terrain,
        roster: Roster,
        group: NDArray[np.intp],
    ) -> None:
        """`group` is the entry of `vehicles:` that each row of the roster comes from."""
        self._scenario, self._groups = loaded.scenario, loaded.groups
        self._frame, self._areas, self._roster = frame, dict(areas), roster
        self._rows = [np.flatnonzero(group == i) for i in range(len(self._groups))]
        longest = max(map(_length, self._groups))
        self._terrain = terrain
        self._room = StandingRoom(terrain, longest)
        self.standing = None if terrain.empty else self._room
        """Where there are obstacles: what they and those who have been placed leave."""
        self.problems: list[tuple[Path_, str]] = []
        self.motion: F8 = np.zeros((len(MOTION), len(group)))
        """The first MOTION of everyone, in the order of the roster."""
        # Whoever is drawn at random makes way for those whose places are given.
        for random in (False, True):
            for i, entry in enumerate(self._groups):
                if (entry.spec.start.within is not None) == random:
                    self._place(i, entry)

    def _place(self, i: int, group: Group) -> None:
        here: Path_ = ("vehicles", i, "start")
        rows = self._rows[i]
        random = group.spec.start.within is not None
        try:
            placed = place(
                self._frame,
                self._areas,
                group.spec,
                self._roster.vids[rows],
                self._scenario.seed,
                self._taking(group, rows) if random else None,
                heights_of(self._terrain) if self._stands(group) else None,
            )
        except ValueError as error:
            self.problems.append((here, str(error)))
            return
        speed = self._speed(group, here)
        column = {name: self.motion[k] for k, name in enumerate(MOTION)}
        for name, values in zip(("x", "y", "z", "yaw"), placed, strict=True):
            column[name][rows] = values
        column["speed"][rows] = speed
        column["vx"][rows] = speed * np.cos(placed[3])
        column["vy"][rows] = speed * np.sin(placed[3])
        said = [*self._beyond(group, placed, rows), *self._off_the_map(group, placed, rows)]
        if not random and not said:
            said += self._in_the_way(group, placed, rows)
        self.problems += [(here, text) for text in said]

    def _taking(self, group: Group, rows: Rows) -> "Taking | None":
        if self.standing is None:
            return None
        return Taking(self.standing, group, rows)

    def _speed(self, group: Group, here: Path_) -> float:
        parameters = group.parameters
        speed = group.spec.start.speed
        if speed is None:
            return parameters["speed"] if group.behaviors else parameters["min_speed"]
        if not parameters["min_speed"] <= speed <= parameters["max_speed"]:
            said = (
                f"start speed {speed:g} is outside the model's {parameters['min_speed']:g} "
                f"to {parameters['max_speed']:g}"
            )
            self.problems.append(((*here, "speed"), said))
        return speed

    def _beyond(self, group: Group, placed: F8, rows: Rows) -> Iterator[str]:
        """Who starts outside the world, or at a height where its model cannot be."""
        radius = self._scenario.world.radius
        far = np.hypot(placed[0], placed[1])
        if not (far <= radius).all():
            who = int(np.argmax(~(far <= radius)))
            name, away = self._roster.names[rows[who]], f"{metres(far[who])} from the origin"
            yield f"'{name}' starts {away}, outside the world ({radius:,.0f} m)"
        low, high = group.parameters["floor"], group.parameters["ceiling"]
        wrong = (placed[2] < low) | (placed[2] > high)
        if wrong.any():
            z = placed[2][int(np.argmax(wrong))]
            yield f"{group.spec.kind} cannot start at z {z:g}: its model allows {low:g} to {high:g}"

    def _stands(self, group: Group) -> bool:
        """Whether it stands on a height map."""
        return self._terrain.relief is not None and group.spec.parsed_kind.name in STANDING

    def _off_the_map(self, group: Group, placed: F8, rows: Rows) -> Iterator[str]:
        """Who stands on a height map but starts beside it; who starts in the ground."""
        relief = self._terrain.relief
        if relief is None:
            return
        x, y, z = placed[:3]
        west, south, east, north = relief.bounds
        beside = ~((west <= x) & (x <= east) & (south <= y) & (y <= north))
        if self._stands(group) and beside.any():
            who = int(np.argmax(beside))
            there = place_in_words(float(x[who]), float(y[who]))
            yield (
                f"'{self._roster.names[rows[who]]}' starts at {there}, where the height map has no "
                f"ground: it ends at x {west:.1f} and {east:.1f}, y {south:.1f} and {north:.1f}"
            )
        ground = heights_of(self._terrain).at(x, y)
        below = z < ground
        if group.spec.parsed_kind.name == "aerial" and below.any():
            who = int(np.argmax(below))
            name, least = self._roster.names[rows[who]], f"which is at {ground[who]:.1f}"
            yield f"'{name}' starts at z {z[who]:.1f}, below the ground, {least}"
        keel = z - group.parameters.get("draught", 0.0)
        aground = keel < ground
        if relief.has_bed and group.spec.parsed_kind.name in AFLOAT and aground.any():
            who = int(np.argmax(aground))
            there = place_in_words(float(x[who]), float(y[who]))
            name = self._roster.names[rows[who]]
            yield (
                f"'{name}' starts aground at {there}: its keel is at z {keel[who]:.1f}, "
                f"the ground at {ground[who]:.1f}"
            )

    def _in_the_way(self, group: Group, placed: F8, rows: Rows) -> Iterator[str]:
        """Who starts in an obstacle or in somebody else."""
        kind, names = group.spec.parsed_kind, self._roster.names
        anywhere = group.live is not None and "start" not in group.spec.model_fields_set
        stopped_by = [] if anywhere else self._room.stopped_by(kind, placed)
        for k, by in enumerate(stopped_by):
            if by:
                place_ = place_in_words(*placed[:2, k].tolist())
                yield f"'{names[rows[k]]}' starts inside {by} at {place_}"
        if group.live is not None:
            return  # where it really is nobody knows yet: its start is for rehearsals
        length = np.full(len(rows), _least_room(group))
        overlaps = self._room.claim(kind, placed, length, rows)
        for first, second in overlaps[:MOST_TOLD]:
            yield self._overlap(first, second, kind.name not in TOGETHER)
        if len(overlaps) > MOST_TOLD:
            more = len(overlaps) - MOST_TOLD
            yield f"{more:,} more of '{group.spec.name}' start in another vehicle"

    def _overlap(self, first: int, second: int, high: bool) -> str:
        names = self._roster.names
        x, y, z = self.motion[:3, second].tolist()
        across = self.motion[: 3 if high else 2, first] - self.motion[: 3 if high else 2, second]
        gap = float(np.linalg.norm(across))
        near = "in one place" if gap < 0.05 else f"{gap:.1f} m apart, in each other,"
        there = place_in_words(x, y) + (f", z {z:.1f}" if high else "")
        return f"'{names[first]}' and '{names[second]}' start {near} at {there}"


class Taking:
    """Draws places that are free for the vehicles of one group."""

    def __init__(self, standing: StandingRoom, group: Group, rows: Rows) -> None:
        self._standing, self._rows = standing, rows
        self._kind = group.spec.parsed_kind
        self._length = _length(group)

    def __call__(self, places: F8, mine: Rows) -> Mask:
        length = np.full(len(mine), self._length)
        return self._standing.take(self._kind, places, length, self._rows[mine])


def _length(group: Group) -> float:
    """Of the longer side of one of them, m; of its footprint where the scenario gives one."""
    given = group.spec.footprint
    return max(given) if given is not None else group.parameters["length"]


def _least_room(group: Group) -> float:
    """Two that are nearer to each other than this are in each other, however they stand, m."""
    given = group.spec.footprint
    return min(given) if given is not None else group.parameters["length"]


def metres(distance: float) -> str:
    return f"{distance:,.0f} m" if distance < 1e9 else f"{distance:g} m"

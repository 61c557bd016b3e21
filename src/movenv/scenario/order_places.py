"""Where orders lead, and whether vehicles can go there."""

import math
from typing import TYPE_CHECKING

import numpy as np
import shapely

from movenv.parts.registry import suggestion
from movenv.scenario.order_schema import MOST_PLACES
from movenv.scenario.order_wish import OrderRefused, OrderWish
from movenv.terrain.features import Obstacle
from movenv.world.columns import F8
from movenv.world.kinds import Kind
from movenv.world.orders import LEVEL

if TYPE_CHECKING:
    from movenv.scenario.build import Stage


class Destinations:
    """Places of orders in the world of a stage."""

    def __init__(self, stage: "Stage") -> None:
        self._stage, self._roster = stage, stage.roster
        self._barriers: dict[str, Barriers] = {}

    def points(self, wish: OrderWish) -> F8:
        """(n, 3), local metres; z is nan where a vehicle keeps its height."""
        if wish.what != "go":
            return np.empty((0, 3))
        if wish.route:
            routes = self._stage.routes
            if wish.route not in routes:
                hint = suggestion(wish.route, list(routes)) or " The scenario has no routes."
                raise OrderRefused("to", f"no route is called '{wish.route}'.{hint}")
            return np.array(routes[wish.route].corners[:, :3], float)
        if not 0 < len(wish.to) <= MOST_PLACES:
            said = f"go where? {len(wish.to):,} places; at least 1 and at most {MOST_PLACES:,}"
            raise OrderRefused("to", said)
        found = []
        for number, point in enumerate(wish.to, start=1):
            try:
                x, y, z = self._stage.local(point)
            except ValueError as error:
                raise OrderRefused("to", f"place {number}: {error}") from None
            if z is not None and not math.isfinite(z):
                raise OrderRefused("to", f"place {number}: its height is no number")
            found.append((x, y, math.nan if z is None else z))
        return np.array(found)

    def check(self, points: F8, goers: list[int], z: F8 | None, asked: bool) -> None:
        """Whether these rows can go there; `z` is everyone's height now. Raises OrderRefused.

        `asked`: somebody means the heights of the points, which those of a route need not be.
        """
        z = self._stage.start[2] if z is None else z
        self._check_heights(points, goers)
        if asked:
            self._check_climbs(points, goers, z)
        self._check_places(points, goers, z)

    def _check_climbs(self, points: F8, goers: list[int], z: F8) -> None:
        """Nobody is sent to a height when none of them can climb; slopes take everyone up."""
        stage = self._stage
        able = [group.parameters.get("max_pitch", 0.0) > 0 for group in stage.groups]
        if not stage.terrain.level or any(able[group] for group in np.unique(stage.group[goers])):
            return
        far = np.abs(points[:, 2] - float(z[goers[0]])) > LEVEL
        if far.any():
            number = int(far.argmax())
            height = f"place {number + 1} is at {points[number, 2]:g} m"
            name = self._roster.names[goers[0]]
            raise OrderRefused("to", f"{height}, and '{name}' cannot climb: leave the height out")

    def _check_heights(self, points: F8, goers: list[int]) -> None:
        """Nobody is sent higher or lower than it can be."""
        stage = self._stage
        _, first = np.unique(stage.group[goers], return_index=True)
        for row in (goers[i] for i in first.tolist()):
            able = stage.groups[stage.group[row]].parameters
            low, high = able.get("floor", -math.inf), able.get("ceiling", math.inf)
            outside = (points[:, 2] < low) | (points[:, 2] > high)
            if outside.any():
                number = int(outside.argmax())
                said = f"place {number + 1} is at {points[number, 2]:g} m, where"
                limits = f"its z is {low:g} to {high:g} m"
                name = self._roster.names[row]
                raise OrderRefused("to", f"{said} '{name}' cannot be: {limits}")

    def _check_places(self, points: F8, goers: list[int], z: F8) -> None:
        """Nobody is sent into something that stops it."""
        terrain, roster = self._stage.terrain, self._roster
        if not terrain.obstacles:
            return
        for kind in set(roster.kind[goers].tolist()):
            mine = [row for row in goers if roster.kind[row] == kind]
            lowest = min(mine, key=lambda row: float(z[row]))
            word = roster.kinds[kind]
            barriers = self._barriers.get(word.name)
            if barriers is None:
                barriers = self._barriers[word.name] = Barriers(terrain.barriers(word, -math.inf))
            for number, point in enumerate(points, start=1):
                height = float(z[lowest]) if math.isnan(point[2]) else float(point[2])
                obstacle = barriers.at(point, word, height)
                if obstacle is not None:
                    who = roster.names[lowest]
                    said = f"place {number} lies in '{obstacle.name}' ({obstacle.kind})"
                    raise OrderRefused("to", f"{said}, where '{who}' cannot go")


class Barriers:
    """What stops vehicles of a kind, to be asked for places."""

    def __init__(self, found: list[tuple[Obstacle, shapely.Polygon]]) -> None:
        self._found = found
        self._tree = shapely.STRtree([polygon for _, polygon in found])

    def at(self, point: F8, kind: Kind, height: float) -> Obstacle | None:
        """The obstacle that a place lies in, for who is at a height; None where it is free."""
        here = shapely.Point(point[0], point[1])
        for i in sorted(self._tree.query(here, predicate="within").tolist()):
            obstacle: Obstacle = self._found[i][0]
            if kind.name != "aerial" or height < obstacle.height:
                return obstacle
        return None

"""Whether an order can be carried out, and what it then is: in scripts and in live runs alike."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, cast, get_args

import numpy as np
import shapely

from movenv.behaviors.stations import SHAPES
from movenv.parts.config import Point
from movenv.parts.registry import suggestion
from movenv.scenario.order_schema import FASTEST, MOST_PLACES, WIDEST
from movenv.terrain.features import Obstacle
from movenv.world.columns import F8
from movenv.world.kinds import Kind, Origin
from movenv.world.orders import Deed, Order, Roads

if TYPE_CHECKING:
    from movenv.scenario.build import Stage
    from movenv.scenario.order_schema import Order as OrderSpec

SCRIPT = "script"
"""Who gives the orders of a scenario."""


class OrderRefused(ValueError):
    """An order that cannot be carried out; the message is for the user."""

    def __init__(self, about: str, message: str) -> None:
        """`about` is the key of the order that is wrong."""
        super().__init__(message)
        self.about = about


@dataclass(frozen=True)
class OrderWish:
    """An order as somebody says it: names for vehicles, any kind of place."""

    what: str
    vehicles: Sequence[str] = ()
    """Names, or patterns such as tank-*: a pattern picks those that take orders."""
    unit: str = ""
    to: Sequence[Point] = ()
    route: str = ""
    speed: float | None = None
    roads: str = "off"
    formation: str = ""
    spacing: float | None = None
    leader: str = ""

    @classmethod
    def of(cls, spec: "OrderSpec") -> "OrderWish":
        return cls(
            what=spec.what,
            vehicles=spec.vehicles,
            unit=spec.unit or "",
            to=() if spec.to is None or isinstance(spec.to, str) else spec.to,
            route=spec.to if isinstance(spec.to, str) else "",
            speed=spec.speed,
            roads=spec.roads,
            formation=spec.formation or "",
            spacing=spec.spacing,
            leader=spec.leader or "",
        )


class OrderDesk:
    """Turns wishes into orders for the vehicles of a stage."""

    def __init__(self, stage: "Stage") -> None:
        self._stage, self._roster = stage, stage.roster
        self._row = {name: row for row, name in enumerate(self._roster.names)}
        self._obeys = np.zeros(len(self._roster), np.bool_)
        if self._roster.obeys:
            self._obeys[:] = self._roster.obeys
        self._barriers: dict[str, Barriers] = {}

    @cached_property
    def _patterns(self) -> list[str]:
        return [name for name, row in self._row.items() if self._obeys[row]]

    def order(self, wish: OrderWish, number: int, who: str, z: F8 | None = None) -> Order:
        """The order that a wish is; `z` is everyone's height now. Raises OrderRefused."""
        if wish.what not in get_args(Deed):
            raise OrderRefused("what", f"'{wish.what}' is no order; go, form, hold and resume are")
        if wish.roads not in get_args(Roads):
            raise OrderRefused("roads", f"roads '{wish.roads}': off, prefer and only there are")
        self._check_numbers(wish)
        rows = list(dict.fromkeys(self._named(wish)))
        if not rows:
            raise OrderRefused("vehicles", "an order needs somebody: vehicles, or a unit")
        points = self._points(wish)
        leader = self._leader(wish, rows)
        vids = self._roster.vids
        if len(points):
            goers = rows if leader is None else [leader]
            self._check_places(points, goers, self._stage.start[2] if z is None else z)
        inside = wish.unit and set(rows) <= set(self._roster.members(wish.unit).tolist())
        return Order(
            number=number,
            what=cast(Deed, wish.what),
            vids=vids[rows],
            points=points,
            speed=math.nan if wish.speed is None else wish.speed,
            roads=cast(Roads, wish.roads),
            formation=wish.formation,
            spacing=math.nan if wish.spacing is None else wish.spacing,
            leader=0 if leader is None else int(vids[leader]),
            who=who,
            unit=wish.unit if inside else "",
        )

    def _check_numbers(self, wish: OrderWish) -> None:
        for name, most in (("speed", FASTEST), ("spacing", WIDEST)):
            value = getattr(wish, name)
            if value is not None and not 0 < value <= most:
                raise OrderRefused(name, f"{name} {value:g} is not above 0 and at most {most:g}")
        if wish.roads == "only" and not self._stage.terrain.roads:
            raise OrderRefused("roads", "there are no roads to keep to")

    # --- who

    def _named(self, wish: OrderWish) -> Iterator[int]:
        for name in wish.vehicles:
            if name in self._row:
                yield self._taker(name)
            elif any(letter in name for letter in "*?["):
                yield from self._matching(name)
            else:
                raise OrderRefused("vehicles", self._nobody(name))
        if wish.unit:
            if wish.unit not in self._roster.units:
                units = self._roster.units
                hint = suggestion(wish.unit, units) if units else " There are no units."
                raise OrderRefused("unit", f"no unit is called '{wish.unit}'.{hint}")
            takers = [r for r in self._roster.members(wish.unit).tolist() if self._obeys[r]]
            if not takers:
                raise OrderRefused("unit", f"nobody in unit '{wish.unit}' takes orders")
            yield from takers

    def _nobody(self, name: str) -> str:
        hint = suggestion(name, self._roster.names)
        return f"no vehicle is called '{name}'.{hint}"

    def _taker(self, name: str) -> int:
        row = self._row[name]
        if self._roster.origin[row] == Origin.REAL:
            said = f"'{name}' is real and goes where its driver wants; orders go to virtual ones"
            raise OrderRefused("vehicles", said)
        if not self._obeys[row]:
            said = f"'{name}' takes no orders: it carries no behavior obey"
            raise OrderRefused("vehicles", said)
        return row

    def _matching(self, pattern: str) -> list[int]:
        found = [self._row[name] for name in self._patterns if fnmatchcase(name, pattern)]
        if not found:
            raise OrderRefused("vehicles", f"nobody who takes orders matches '{pattern}'")
        return found

    def _leader(self, wish: OrderWish, rows: list[int]) -> int | None:
        """The row that leads the formation; None without one."""
        if wish.what not in ("go", "form") or not (wish.formation or wish.what == "form"):
            if wish.formation:
                raise OrderRefused("formation", f"{wish.what} keeps no formation")
            return None
        if wish.formation not in SHAPES:
            found = f"no formation is called '{wish.formation}'" if wish.formation else "form how"
            raise OrderRefused("formation", f"{found}: {', '.join(SHAPES)} there are")
        leader = rows[0]
        if wish.leader:
            if wish.leader not in self._row:
                raise OrderRefused("leader", self._nobody(wish.leader))
            leader = self._row[wish.leader]
        elif wish.unit and wish.what == "form":
            leader = int(self._roster.members(wish.unit)[0])
        if wish.what == "go" and leader not in rows:
            name = self._roster.names[leader]
            raise OrderRefused("leader", f"'{name}' leads, but is not among those who go")
        if len({*rows, leader}) < 2:
            raise OrderRefused("formation", "a formation needs at least two vehicles")
        return leader

    # --- where to

    def _points(self, wish: OrderWish) -> F8:
        """(n, 3), local metres; z is nan where a vehicle keeps its height."""
        if wish.what != "go":
            if wish.to or wish.route:
                raise OrderRefused("to", f"{wish.what} leads nowhere; go does")
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


@dataclass(frozen=True)
class ScriptedOrder:
    """An order that a scenario gives at a tick."""

    tick: int
    order: Order


def script_of(stage: "Stage") -> list[ScriptedOrder]:
    """The orders of a scenario in order of time; what is wrong becomes the stage's problems."""
    desk, period = OrderDesk(stage), stage.time.period
    found: list[ScriptedOrder] = []
    specs = stage.scenario.orders
    for i in sorted(range(len(specs)), key=lambda i: specs[i].at):
        try:
            order = desk.order(OrderWish.of(specs[i]), len(found) + 1, SCRIPT)
        except OrderRefused as error:
            stage.problems.append(stage.document.problem(("orders", i, error.about), str(error)))
            continue
        tick = math.ceil(specs[i].at / period - 1e-9)
        found.append(ScriptedOrder(tick, order))
    return found

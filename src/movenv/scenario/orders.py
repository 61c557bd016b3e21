"""Whether an order can be carried out, and what it then is: in scripts and in live runs alike."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, cast, get_args

import numpy as np

from movenv.behaviors.muster import LARGEST
from movenv.behaviors.stations import SHAPES
from movenv.parts.registry import suggestion
from movenv.scenario.order_places import Destinations
from movenv.scenario.order_schema import (
    FASTEST,
    LONGEST_NAME,
    MOST_NAMES,
    MOST_PATTERNS,
    WIDEST,
)
from movenv.scenario.order_wish import OrderRefused, OrderWish
from movenv.world.columns import F8
from movenv.world.kinds import Origin
from movenv.world.orders import Deed, Order, Roads

if TYPE_CHECKING:
    from movenv.scenario.build import Stage

__all__ = ["OrderDesk", "OrderRefused", "OrderWish", "ScriptedOrder", "script_of"]

SCRIPT = "script"
"""Who gives the orders of a scenario."""
LONGEST_HINT = 200
"""Names of all there are help nobody where there are many."""


class OrderDesk:
    """Turns wishes into orders for the vehicles of a stage.

    Any thread may ask: what it keeps is only found once more where two ask at the same time.
    """

    def __init__(self, stage: "Stage") -> None:
        self._stage, self._roster = stage, stage.roster
        self._row = {name: row for row, name in enumerate(self._roster.names)}
        self._obeys = np.zeros(len(self._roster), np.bool_)
        if self._roster.obeys:
            self._obeys[:] = self._roster.obeys
        self._destinations = Destinations(stage)

    @cached_property
    def _takers(self) -> list[str]:
        return [name for name, row in self._row.items() if self._obeys[row]]

    def order(self, wish: OrderWish, number: int, who: str, z: F8 | None = None) -> Order:
        """The order that a wish is; `z` is everyone's height now. Raises OrderRefused."""
        if wish.what not in get_args(Deed):
            raise OrderRefused("what", f"'{wish.what}' is no order; go, form, hold and resume are")
        if wish.roads not in get_args(Roads):
            raise OrderRefused("roads", f"roads '{wish.roads}': say off, prefer or only")
        self._check_numbers(wish)
        self._check_sense(wish)
        rows = list(dict.fromkeys(self._named(wish)))
        if not rows:
            raise OrderRefused("vehicles", "an order needs somebody: vehicles, or a unit")
        points = self._destinations.points(wish)
        leader = self._leader(wish, rows)
        vids = self._roster.vids
        if len(points):
            goers = rows if leader is None else [leader]
            self._destinations.check(points, goers, z, asked=not wish.route)
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

    def _check_sense(self, wish: OrderWish) -> None:
        """Nothing is said that the deed has no use for."""
        if wish.what != "go":
            if wish.to or wish.route:
                raise OrderRefused("to", f"{wish.what} leads nowhere; go does")
            if wish.roads != "off":
                raise OrderRefused("roads", f"{wish.what} leads along no roads; go does")
        if wish.what in ("hold", "resume"):
            for name in ("formation", "speed"):
                if getattr(wish, name):
                    raise OrderRefused(name, f"{wish.what} keeps no {name}")
        if wish.what != "form" and not wish.formation:
            for name in ("leader", "spacing"):
                if getattr(wish, name):
                    raise OrderRefused(name, f"a {name} without a formation")

    # --- who

    def _named(self, wish: OrderWish) -> Iterator[int]:
        self._check_names(wish)
        for name in wish.vehicles:
            if name in self._row:
                yield self._taker(name)
            elif _is_pattern(name):
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

    def _check_names(self, wish: OrderWish) -> None:
        count = len(wish.vehicles)
        if count > MOST_NAMES:
            raise OrderRefused("vehicles", f"{count:,} names; {MOST_NAMES:,} are the most")
        for name in (*wish.vehicles, wish.unit, wish.leader):
            if len(name) > LONGEST_NAME:
                said = f"'{name[:20]}...' has {len(name):,} letters; {LONGEST_NAME} are the most"
                raise OrderRefused("vehicles", said)
        patterns = sum(name not in self._row and _is_pattern(name) for name in wish.vehicles)
        if patterns > MOST_PATTERNS:
            raise OrderRefused("vehicles", f"{patterns:,} patterns; {MOST_PATTERNS} are the most")

    def _nobody(self, name: str) -> str:
        hint = suggestion(name, self._roster.names)
        return f"no vehicle is called '{name}'.{hint if len(hint) <= LONGEST_HINT else ''}"

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
        found = [self._row[name] for name in self._takers if fnmatchcase(name, pattern)]
        if not found:
            raise OrderRefused("vehicles", f"nobody who takes orders matches '{pattern}'")
        return found

    def _leader(self, wish: OrderWish, rows: list[int]) -> int | None:
        """The row that leads the formation; None without one."""
        if wish.what != "form" and not wish.formation:
            return None
        if wish.formation not in SHAPES:
            found = f"no formation is called '{wish.formation}'" if wish.formation else "form how"
            raise OrderRefused("formation", f"{found}: say {_one_of(SHAPES)}")
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
        count = len({*rows, leader})
        if count < 2:
            raise OrderRefused("formation", "a formation needs at least two vehicles")
        if count > LARGEST:
            said = f"a formation of {count:,} vehicles: {LARGEST} is the most"
            raise OrderRefused("formation", said)
        return leader


def _is_pattern(name: str) -> bool:
    return any(letter in name for letter in "*?[")


def _one_of(names: Iterable[str]) -> str:
    *some, last = names
    return f"{', '.join(some)} or {last}"


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
        found.append(ScriptedOrder(_tick_of(specs[i].at, period), order))
    return found


def never_obeyed(stage: "Stage") -> list[str]:
    """Orders of a scenario that come when its run is over, each with its place in the file."""
    time = stage.scenario.time
    end = f"the run ends at {time.ticks * time.tick:g} s"
    late = [
        stage.document.problem(("orders", i, "at"), f"nobody obeys an order at {at:g} s: {end}")
        for i, at in enumerate(spec.at for spec in stage.scenario.orders)
        if _tick_of(at, time.tick) >= time.ticks
    ]
    return stage.document.error(late).lines()


def _tick_of(at: float, period: float) -> int:
    return math.ceil(at / period - 1e-9)

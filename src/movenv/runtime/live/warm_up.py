"""Loading everything before time counts: kernels, behaviors, whatever they import."""

import numpy as np

from movenv.gateways.fix import Fix
from movenv.gateways.tracker import Trackers
from movenv.scenario.build import Stage
from movenv.world.awareness import Others, completed, near_any
from movenv.world.behavior import Moment
from movenv.world.columns import Rows
from movenv.world.messages import VehicleStates
from movenv.world.orders import Order, Roads


def warm_up(stage: Stage) -> None:
    """Let one vehicle of each group live some ticks, so that all is loaded before time counts.

    Where any take orders they are given some of every kind. In the end every behavior is begun,
    for what only a later step of a mission needs must not be compiled while others wait.
    """
    rows = _some_of_each(stage)
    twin, core = stage.host("warm-up", rows), stage.core()
    core.take(twin.set())
    told = core.tick(0, 0.0)
    # What was measured in the first tick is told in the second, and driven by from then on.
    ticks = [(), (), *_orders(stage, rows), (), ()]
    for tick, orders in enumerate(ticks, start=1):
        if tick == len(ticks) - 1:
            twin.begin_all(Moment(tick - 1, stage.time.t(tick - 1), stage.time.period, 0))
        others = _seen(stage, told.snapshot.vehicles, rows)
        core.take(twin.tick(tick, others, told.notices, told.inbox, told.finds, orders))
        told = core.tick(tick, stage.time.t(tick))
    near_any(told.snapshot.vehicles, rows, 1.0)
    if stage.real:
        _warm_up_trackers(stage)


def _seen(stage: Stage, everyone: VehicleStates, rows: Rows) -> VehicleStates:
    known = Others(dict(everyone.take(rows).columns()))
    return completed(known, stage.frame).sealed()


def _some_of_each(stage: Stage) -> Rows:
    """The first of each group, and one more of those who take orders: one alone forms nothing."""
    _, first = np.unique(stage.group, return_index=True)
    return np.union1d(first, np.flatnonzero(np.array(stage.roster.obeys, np.bool_))[:2])


def _orders(stage: Stage, rows: Rows) -> list[tuple[Order, ...]]:
    """Of every kind one, tick by tick, for those of some rows who take orders."""
    if not stage.roster.obeys:
        return []
    mine = rows[np.array(stage.roster.obeys)[rows]]
    vids, leader = stage.roster.vids[mine], int(stage.roster.vids[mine[0]])
    points = np.array([[*stage.start[:2, mine[0]], np.nan]])
    ways: list[Roads] = ["off", "prefer"] if stage.terrain.roads else ["off"]
    given = [Order(1, "go", vids, points, roads=roads) for roads in ways]
    if len(mine) > 1:
        given.append(Order(2, "form", vids, formation="wedge", leader=leader))
    given.append(Order(3, "hold", vids))
    return [(order,) for order in given]


def _warm_up_trackers(stage: Stage) -> None:
    trackers = Trackers(stage.frame, [stage.real[0].entry])
    here = Fix(stage.frame.lat, stage.frame.lon, 1.0)
    trackers.take(trackers.vids.tolist(), [here], [1.0])
    trackers.state(2.0)

"""The fast driver: one process calls hosts and Core in turn, as fast as it can."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Protocol

from movenv.scenario.build import Run
from movenv.world.core import Update
from movenv.world.host import Host
from movenv.world.run_state import RunState
from movenv.world.summary import Summary


class Sink(Protocol):
    """Somewhere that the happenings of a run go."""

    def run_state(self, t: float, state: RunState) -> None: ...

    def update(self, update: Update) -> None: ...


VEHICLES_A_HOST = 5_000
"""From twice as many vehicles on, a second core is worth its trouble."""


def suitable_hosts(vehicles: int) -> int:
    """Into how many hosts to share out vehicles; what they do does not depend on it."""
    return max(1, min(os.cpu_count() or 1, vehicles // VEHICLES_A_HOST))


def updates(run: Run) -> Iterator[Update]:
    """The run, tick by tick: first the initial conditions in SET, then GO to the end.

    What hosts know at tick k is what the Core said at tick k - 1, so they can live through a
    tick side by side: each has a thread, and their kernels run outside Python's lock.
    """
    core = run.core
    core.move(RunState.SET)
    for host in run.hosts:
        core.take(host.set())
    latest = _scripted(run, core.tick(0, run.time.t(0)))
    yield latest
    core.move(RunState.GO)
    pool = ThreadPoolExecutor(len(run.hosts))
    each = pool.map if len(run.hosts) > 1 else map
    try:
        for tick in range(1, run.ticks + 1):
            live = partial(
                Host.tick,
                tick=tick,
                others=latest.snapshot.vehicles,
                notices=latest.notices,
                inbox=latest.inbox,
                finds=latest.finds,
                orders=latest.orders,
            )
            for report in each(live, run.hosts):
                core.take(report)
            latest = _scripted(run, core.tick(tick, run.time.t(tick)))
            yield latest
    finally:
        # A host stuck in somebody's behavior must not keep the others from ending.
        pool.shutdown(wait=False, cancel_futures=True)


def _scripted(run: Run, update: Update) -> Update:
    """The same with what the scenario orders at this tick."""
    if not run.script:
        return update
    here = update.snapshot
    due = tuple(
        run.gathering.given_out(given.order, here.vehicles)
        for given in run.script
        if given.tick == here.tick
    )
    return replace(update, orders=due) if due else update


class FastRun:
    """Drives a run and tells the sinks of every tick."""

    def __init__(self, run: Run, sinks: list[Sink]) -> None:
        self._run = run
        self._sinks = sinks
        self.summary = Summary(run.roster, run.level_names, run.every_pair)

    def run(self, progress: Callable[[int], None] = lambda tick: None) -> Summary:
        """To the end of the scenario."""
        for host in self._run.hosts:
            host.looked_at = lambda _sensor: False  # scans and pictures are not recorded
        self._announce(0.0, RunState.READY)
        self._announce(0.0, RunState.SET)
        for update in updates(self._run):
            for sink in self._sinks:
                sink.update(update)
            if update.snapshot.run_state == RunState.GO:
                self.summary.add(update)
            else:
                self._announce(0.0, RunState.GO)
            progress(update.snapshot.tick)
        self.stop()
        return self.summary

    def stop(self) -> None:
        """STOP, at the end or before it."""
        self._run.core.move(RunState.STOP)
        self._announce(self.summary.simulated, RunState.STOP)

    def _announce(self, t: float, state: RunState) -> None:
        for sink in self._sinks:
            sink.run_state(t, state)

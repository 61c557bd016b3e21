"""The fast driver: one process calls hosts and Core in turn, as fast as it can."""

from collections.abc import Callable, Iterator
from typing import Protocol

from movenv.scenario.build import Run
from movenv.world.core import Update
from movenv.world.run_state import RunState
from movenv.world.summary import Summary


class Sink(Protocol):
    """Somewhere that the happenings of a run go."""

    def run_state(self, t: float, state: RunState) -> None: ...

    def update(self, update: Update) -> None: ...


def updates(run: Run) -> Iterator[Update]:
    """The run, tick by tick: first the initial conditions in SET, then GO to the end.

    What hosts know at tick k is what the Core said at tick k - 1.
    """
    core = run.core
    core.move(RunState.SET)
    for host in run.hosts:
        core.take(host.set())
    latest = core.tick(0, run.time.t(0))
    yield latest
    core.move(RunState.GO)
    for tick in range(1, run.ticks + 1):
        others, notices = latest.snapshot.vehicles, latest.notices
        for host in run.hosts:
            core.take(host.tick(tick, others, notices))
        latest = core.tick(tick, run.time.t(tick))
        yield latest


class FastRun:
    """Drives a run and tells the sinks of every tick."""

    def __init__(self, run: Run, sinks: list[Sink]) -> None:
        self._run = run
        self._sinks = sinks
        self.summary = Summary(run.roster, run.level_names, run.every_pair)

    def run(self, progress: Callable[[int], None] = lambda tick: None) -> Summary:
        """To the end of the scenario."""
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

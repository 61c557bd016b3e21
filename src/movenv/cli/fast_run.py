"""A run in one process, as fast as it goes."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from movenv.cli import FAILED, INTERRUPTED
from movenv.cli.attached import SAME_KEYSTROKE

if TYPE_CHECKING:
    from movenv.cli.goal import Goal
    from movenv.recording.writer import RecordingWriter
    from movenv.scenario.build import Run
    from movenv.scenario.load import LoadedScenario
    from movenv.world.summary import Summary


def fast_run(
    loaded: "LoadedScenario",
    changes: list[str],
    hosts: int | None,
    goal: "Goal | None",
    as_json: bool,
) -> None:
    """Run a scenario to its end or to Ctrl-C, and tell what it came to."""
    from movenv.runtime.fast import suitable_hosts
    from movenv.runtime.recorded import open_recording
    from movenv.scenario.build import build

    ready = build(loaded, hosts or suitable_hosts)
    writer = open_recording(goal.path, ready, time.time(), changes) if goal else None
    summary, watch, interrupted = _drive(ready, writer, quiet=as_json)
    all_there = goal.reach(quiet=as_json) if goal else True
    _tell(ready, changes, summary, watch, goal, interrupted, as_json)
    if not all_there:
        sys.exit(FAILED)
    if interrupted:
        sys.stdout.flush()
        os._exit(INTERRUPTED)  # whatever thread may still be stuck in a behavior


def _drive(
    ready: "Run", writer: "RecordingWriter | None", quiet: bool
) -> tuple["Summary", "Stopwatch", bool]:
    """Run to the end or to Ctrl-C; the recording is closed in any case."""
    from movenv.cli.progress import progress_bar
    from movenv.runtime.fast import FastRun
    from movenv.world.kernel import COMPILED_BEFORE

    if not (quiet or COMPILED_BEFORE) and sys.stderr.isatty():
        print(
            "First run: compiling the kernels, once; ten seconds, with forces a minute or two.",
            file=sys.stderr,
        )

    driver = FastRun(ready, [writer] if writer else [])
    watch = Stopwatch()
    interrupted = False
    try:
        with (
            calm_ctrl_c() as asked,
            progress_bar(ready.scenario.name, ready.ticks, quiet) as advance,
        ):

            def ticked(tick: int) -> None:
                watch.tick(tick)
                advance(tick)
                if asked():
                    raise KeyboardInterrupt

            driver.run(ticked)
    except KeyboardInterrupt:
        interrupted = True
        driver.stop()
    except BaseException:
        if writer:
            writer.abandon()
        raise
    if writer:
        writer.close(driver.summary.simulated, driver.summary.as_dict())
    watch.stop()
    return driver.summary, watch, interrupted


@contextmanager
def calm_ctrl_c() -> Iterator[Callable[[], bool]]:
    """Let the first Ctrl-C wait for the end of a tick; a second one is immediate.

    Raised anywhere, the interruption could be lost in somebody's code, or tear a tick in two.
    """
    asked_at: float | None = None

    def interrupt(_signal: int, _frame: object) -> None:
        nonlocal asked_at
        if asked_at is None:
            asked_at = time.monotonic()
        elif time.monotonic() - asked_at > SAME_KEYSTROKE:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield lambda: asked_at is not None
    finally:
        signal.signal(signal.SIGINT, before)


class Stopwatch:
    """Wall time of a run, with the first tick apart: kernels are compiled or loaded in it."""

    def __init__(self) -> None:
        self._began = self._first = self._ended = time.perf_counter()

    def tick(self, tick: int) -> None:
        if tick == 1:
            self._first = time.perf_counter()

    def stop(self) -> None:
        self._ended = time.perf_counter()

    @property
    def starting(self) -> float:
        return self._first - self._began

    @property
    def running(self) -> float:
        return self._ended - self._first


def _tell(
    ready: "Run",
    changes: list[str],
    summary: "Summary",
    watch: Stopwatch,
    goal: "Goal | None",
    interrupted: bool,
    as_json: bool,
) -> None:
    from movenv.cli.summary import json_text, print_summary, rating_facts
    from movenv.review.fidelity import rate_plan
    from movenv.runtime.recorded import run_record

    facts: dict[str, Any] = {
        "scenario": ready.scenario.name,
        "seed": ready.scenario.seed,
        **summary.as_dict(),
        "starting_s": watch.starting,
        "running_s": watch.running,
        "real_time_factor": max(summary.simulated - ready.time.period, 0.0) / watch.running,
        "interrupted": interrupted,
        **rating_facts(rate_plan(run_record(ready, 0.0, changes))),
        **(goal.facts if goal else {"recording": None}),
    }
    if as_json:
        print(json_text(facts))
    else:
        print_summary(facts)

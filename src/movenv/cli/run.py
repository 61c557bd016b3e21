"""movenv run: run a scenario."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from movenv.cli import INTERRUPTED

if TYPE_CHECKING:
    from movenv.recording.writer import RecordingWriter
    from movenv.scenario.build import Run
    from movenv.world.summary import Summary

SAME_KEYSTROKE = 0.3
"""A wrapper may pass on a Ctrl-C that the terminal has sent already, s."""
HELP = """Run a scenario in one process, as fast as it goes, and record it.

SCENARIO is a file or the name of a shipped scenario. The run ends with the
scenario's duration; Ctrl-C ends it early and closes the recording.

\b
Examples:
  movenv run three-uavs --fast
  movenv run three-uavs --fast --seed 8 --set vehicles.uav.count=30
  movenv run my.yaml --fast --duration 600 --record test.mcap --json
"""


def register(app: typer.Typer) -> None:
    app.command("run", help=HELP)(run)


def run(
    scenario: Annotated[str, typer.Argument(metavar="SCENARIO", help="A file or a shipped name.")],
    fast: Annotated[
        bool, typer.Option("--fast", help="In one process, as fast as it goes.")
    ] = False,
    duration: Annotated[float | None, typer.Option(help="Length of the run, s.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of all random numbers.")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Change the scenario.")
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Recording; default: recordings/NAME-TIME.mcap."),
    ] = None,
    no_record: Annotated[bool, typer.Option("--no-record", help="Do not record.")] = False,
    hosts: Annotated[
        int | None,
        typer.Option(
            min=1, max=1000, help="Share vehicles among N hosts; default: by their number."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    from movenv.runtime.fast import suitable_hosts
    from movenv.runtime.recorded import open_recording
    from movenv.scenario.build import build
    from movenv.scenario.load import load

    if not fast:
        raise typer.BadParameter("only fast runs exist so far: add --fast", param_hint="--fast")
    if record is not None and no_record:
        raise typer.BadParameter(
            "--record and --no-record exclude each other", param_hint="--record"
        )
    changes = list(set_ or [])
    said = {}
    if duration is not None:
        said[f"time.duration={duration}"] = f"--duration {duration:g}"
    if seed is not None:
        said[f"seed={seed}"] = f"--seed {seed}"
    changes += said
    ready = build(load(scenario, changes, said), hosts or suitable_hosts)
    started = time.time()
    writer = None
    if not no_record:
        path = record or _default_path(ready.scenario.name, started)
        writer = open_recording(path, ready, started, changes)
    summary, watch, interrupted = _drive(ready, writer, quiet=json)
    _tell(ready, summary, watch, writer, interrupted, json)
    if interrupted:
        sys.stdout.flush()
        os._exit(INTERRUPTED)  # whatever thread may still be stuck in a behavior


def _default_path(name: str, started: float) -> Path:
    from movenv.recording.writer import RecordingRefused

    stamp = datetime.fromtimestamp(started, UTC).strftime("%Y%m%dT%H%M%S.%f")[:-3]
    path = Path("recordings") / f"{name}-{stamp}Z.mcap"
    try:
        path.parent.mkdir(exist_ok=True)
    except OSError as error:
        raise RecordingRefused(f"cannot make {path.parent}: {error.strerror}") from None
    return path


def _drive(
    ready: "Run", writer: "RecordingWriter | None", quiet: bool
) -> tuple["Summary", "Stopwatch", bool]:
    """Run to the end or to Ctrl-C; the recording is closed in any case."""
    from movenv.cli.progress import progress_bar
    from movenv.runtime.fast import FastRun
    from movenv.world.kernel import COMPILED_BEFORE

    if not (quiet or COMPILED_BEFORE) and sys.stderr.isatty():
        print("First run: compiling the kernels, once; some ten seconds.", file=sys.stderr)

    driver = FastRun(ready, [writer] if writer else [])
    watch = Stopwatch()
    interrupted = False
    try:
        with (
            _calm_ctrl_c() as asked,
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
def _calm_ctrl_c() -> Iterator[Callable[[], bool]]:
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
    summary: "Summary",
    watch: Stopwatch,
    writer: "RecordingWriter | None",
    interrupted: bool,
    as_json: bool,
) -> None:
    from movenv.cli.summary import json_text, print_summary

    facts: dict[str, Any] = {
        "scenario": ready.scenario.name,
        "seed": ready.scenario.seed,
        **summary.as_dict(),
        "starting_s": watch.starting,
        "running_s": watch.running,
        "real_time_factor": max(summary.simulated - ready.time.period, 0.0) / watch.running,
        "interrupted": interrupted,
        "fidelity": ready.scenario.fidelity.model_dump() if ready.scenario.fidelity else None,
        "recording": str(writer.path) if writer else None,
    }
    if as_json:
        print(json_text(facts))
    else:
        print_summary(facts)

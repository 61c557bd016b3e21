"""movenv record: the recorder of a live run by itself."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from movenv.cli import FAILED
from movenv.cli.attached import (
    DEFAULT_CORE,
    CoreOption,
    KeysOption,
    credentials,
    leave,
    on_end,
)
from movenv.cli.goal import Goal

HELP = """Record a live run into a file, a database or both, until it stops.

Where the file is there already and of the same run, the recording goes on in a
further part beside it: movenv info and export read the parts as one.

\b
Examples:
  movenv record test.mcap --core tls/192.168.1.5:7450 --keys operator
  movenv record test.mcap mongodb://localhost:27017/tests
"""


def register(app: typer.Typer) -> None:
    app.command("record", help=HELP)(record)


def record(
    where: Annotated[
        list[str], typer.Argument(metavar="FILE|mongodb://…", help="What to record into.")
    ],
    core: CoreOption = DEFAULT_CORE,
    keys: KeysOption = None,
    name: Annotated[str, typer.Option(help="Name of this recorder.")] = "recorder",
) -> None:
    from movenv.runtime.live.bus import Bus
    from movenv.runtime.live.record_process import RecordProcess

    goal = Goal.of(where, _spool)
    on_end(leave)
    with Bus.connect(core, credentials(keys), patience=30) as bus:
        process = RecordProcess(bus, goal.path, name)
        print(f"recording into {process.path}", flush=True)
        with _fed(goal, ["--core", core, *(["--keys", str(keys)] if keys else [])]):
            process.run()
    if not goal.reach():
        raise typer.Exit(FAILED)
    if goal.database:
        print(f"the run is in {goal.facts['database']}", flush=True)


def _spool() -> Path:
    """A file for the time until all is in the database."""
    return Path(f"movenv-{time.time_ns()}.mcap")


@contextmanager
def _fed(goal: Goal, link: list[str]) -> Iterator[None]:
    """Feed the database meanwhile, if there is one."""
    if goal.database is None:
        yield
        return
    words = ["upload", str(goal.path), "--follow", *link]
    feeder = subprocess.Popen([sys.executable, "-m", "movenv", *words])
    try:
        yield
    finally:
        feeder.kill()  # what it has not done yet, we do
        feeder.wait()

"""A recorder that can be killed: `python continued.py FILE RUN_ID FIRST SETTLED`.

Writes the ticks of three-uavs from FIRST on. Once SETTLED is written it waits longer than the
writer may hold anything back, says so, and goes on until it is killed.
"""

import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from movenv.recording.parts import open_next_part
from movenv.recording.writer import RecordingWriter
from movenv.runtime.fast import updates
from movenv.runtime.recorded import run_record
from movenv.scenario.build import Run, build
from movenv.scenario.load import load
from movenv.world.core import Update
from movenv.world.run_state import RunState
from movenv.world.summary import Summary

STARTED = 1_700_000_000.0


def three_uavs() -> Run:
    return build(load("three-uavs", ["time.duration=60"]))


def next_part(file: Path, run: Run, run_id: str) -> RecordingWriter:
    return open_next_part(file, run_record(run, STARTED, [], run_id))


def live(writer: RecordingWriter, ticks: list[Update], summary: Summary) -> None:
    """Record as a live run does: with a summary every ten ticks."""
    for update in ticks:
        writer.update(update)
        if update.snapshot.run_state == RunState.GO:
            summary.add(update)
        if update.snapshot.tick % 10 == 0:
            writer.summary(update.snapshot.t, summary.as_record())


def new_summary(run: Run) -> Summary:
    return Summary(run.roster, run.level_names, run.every_pair)


def main(file: str, run_id: str, first: str, settled: str) -> None:
    run = three_uavs()
    writer = next_part(Path(file), run, run_id)
    print(writer.path.name, flush=True)
    rest: Iterator[Update] = islice(updates(run), int(first), None)
    for update in rest:
        writer.update(update)
        if update.snapshot.tick == int(settled):
            time.sleep(1.5)
            print("settled", flush=True)
        time.sleep(0.01)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A recorder that can be killed: `python continued.py FILE RUN_ID FIRST SETTLED`.

Writes the ticks of three-uavs from FIRST on. Once SETTLED is written it waits longer than the
writer may hold anything back, says so, and goes on until it is killed.
"""

import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from movenv.recording.container import walk
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


def write(file: Path, run: Run, part: list[Update], run_id: str = "r", closed: bool = True) -> Path:
    writer = next_part(file, run, run_id)
    summary = new_summary(run)
    live(writer, part, summary)
    writer.close(summary.simulated, summary.as_record())
    if not closed:
        cut_off(writer.path)
    return writer.path


def cut_off(file: Path) -> None:
    """As kill -9 leaves it: the last chunk is whole, and half a record follows."""
    with file.open("rb") as opened:
        end = max(place.end for place in walk(opened) if place.opcode == 6)
    file.write_bytes(file.read_bytes()[: end + 20])


def info(file: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "movenv", "info", str(file)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


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

"""Opening a recording for a run."""

from collections.abc import Sequence
from pathlib import Path

from movenv import __version__
from movenv.recording.layouts import FORMAT_VERSION, RosterRecord, RunRecord
from movenv.recording.writer import RecordingWriter
from movenv.scenario.build import Run, Stage


def open_recording(path: Path, run: Run, started_utc: float, changes: list[str]) -> RecordingWriter:
    """Begin a recording with what is known before the run. Raises RecordingError."""
    return RecordingWriter(path, run_record(run, started_utc, changes))


def run_record(
    run: Run | Stage,
    started_utc: float,
    changes: list[str],
    run_id: str = "",
    rehearsed: Sequence[str] = (),
) -> RunRecord:
    """What a recording says of a run; with a `run_id` it can be continued in further parts."""
    scenario = run.scenario
    return RunRecord(
        format=FORMAT_VERSION,
        movenv=__version__,
        scenario=run.text,
        name=scenario.name,
        seed=scenario.seed,
        started_utc=started_utc,
        origin=(run.frame.lat, run.frame.lon, run.frame.alt),
        tick=run.time.period,
        levels=scenario.notices.levels,
        every_pair=run.every_pair,
        fidelity=scenario.fidelity.claimed or None,
        changes=changes,
        roster=RosterRecord.of(run.roster),
        run_id=run_id,
        rehearsed=list(rehearsed),
        files=run.files,
    )

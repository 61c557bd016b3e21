"""movenv export: a recording as a table."""

import os
import signal
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

HELP = """Write a recording, all its parts, as a table: one row a vehicle and tick.

\b
Columns: t, utc, vid, name, kind, origin, run_state, behavior, x, y, z, lat,
lon, alt, yaw, pitch, roll, heading_deg, speed, vx, vy, vz, subkind, age.

\b
Examples:
  movenv export test.mcap --to csv
  movenv export test.mcap --to parquet -o test.parquet
"""


class Form(StrEnum):
    CSV = "csv"
    PARQUET = "parquet"


def register(app: typer.Typer) -> None:
    app.command("export", help=HELP)(export)


def export(
    recording: Annotated[
        str, typer.Argument(metavar="RECORDING", help="A .mcap file or mongodb://HOST/DB?run=ID.")
    ],
    to: Annotated[Form, typer.Option("--to", help="Format.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="File; default: beside the recording.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
) -> None:
    from movenv.cli.progress import progress_bar
    from movenv.recording.export import export as write
    from movenv.recording.reference import beside, open_recording, shown

    with open_recording(recording) as opened:
        target = output or beside(recording, opened, f".{to.value}")
        _check_target(target, [part.path for part in opened.parts], force)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # leave no half file behind
        summary = opened.summary()
        total = summary["simulated_s"] if summary else 0.0
        with progress_bar("export", total) as advance:
            rows = write(opened, target.resolve(), to.value, advance)
        damage, left_out = opened.damage, opened.left_out
    print(f"{target}: {rows:,} rows")
    for reason in left_out:
        print(f"left out: {reason}")
    if damage:
        print(f"some of the recording could not be read; see: movenv info {shown(recording)}")


def _check_target(target: Path, parts: list[Path], force: bool) -> None:
    """Refuse what would cost something good."""
    from movenv.recording.writer import RecordingRefused

    if not target.parent.is_dir():
        raise RecordingRefused(f"cannot write {target}: there is no folder {target.parent}")
    if not os.path.lexists(target):
        return
    if not target.is_file():
        raise RecordingRefused(f"cannot write {target}: it is there and no plain file")
    if any(target.samefile(part) for part in parts):
        raise RecordingRefused(f"{target} is the recording itself; name another file with -o")
    if not force:
        raise RecordingRefused(f"{target} exists already; --force replaces it")

"""movenv export: a recording for other programs."""

import os
import signal
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

HELP = """Write a recording, all its parts, for other programs.

csv and parquet are tables, one row a vehicle and tick. Columns: t, utc, vid,
name, kind, origin, run_state, behavior, x, y, z, lat, lon, alt, yaw, pitch,
roll, heading_deg, speed, vx, vy, vz, subkind, age, health, accuracy, delay,
loss, battery.

geojson, gpx, kml (Google Earth) and czml (Cesium) are tracks, one a vehicle,
with times, and broken where the vehicle was not known. Altitudes are above
mean sea level.

\b
Examples:
  movenv export test.mcap --to csv
  movenv export test.mcap --to parquet -o test.parquet
  movenv export test.mcap --to kml
  movenv export test.mcap --to gpx --every 0.1
"""


class Form(StrEnum):
    CSV = "csv"
    PARQUET = "parquet"
    GEOJSON = "geojson"
    GPX = "gpx"
    KML = "kml"
    CZML = "czml"


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
    every: Annotated[
        float | None,
        typer.Option(
            min=0,
            metavar="SECONDS",
            help="One moment every so many seconds, 0 for all; default: all in csv and parquet, "
            "1 in tracks.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
) -> None:
    from movenv.cli.progress import progress_bar
    from movenv.recording.export import TABLES
    from movenv.recording.export import export as write
    from movenv.recording.reference import beside, open_recording, shown

    with open_recording(recording) as opened:
        target = output or beside(recording, opened, f".{to.value}")
        _check_target(target, [part.path for part in opened.parts], force)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # leave no half file behind
        summary = opened.summary()
        total = summary["simulated_s"] if summary else 0.0
        with progress_bar("export", total) as advance:
            count = write(opened, target.resolve(), to.value, advance, every)
        damage, left_out = opened.damage, opened.left_out
    print(f"{target}: {count:,} {'rows' if to in TABLES else 'points'}")
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

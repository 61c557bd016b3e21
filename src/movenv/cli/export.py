"""movenv export: a recording as a table."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

HELP = """Write a recording as a table: one row a vehicle and tick.

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
    recording: Annotated[Path, typer.Argument(metavar="RECORDING", help="A .mcap file.")],
    to: Annotated[Form, typer.Option("--to", help="Format.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="File; default: beside the recording.")
    ] = None,
) -> None:
    from movenv.cli.progress import progress_bar
    from movenv.recording.export import export as write
    from movenv.recording.reader import Recording

    target = output or recording.with_suffix(f".{to.value}")
    with Recording(recording) as opened:
        summary = opened.summary()
        total = summary["simulated_s"] if summary else 0.0
        with progress_bar("export", total) as advance:
            rows = write(opened, target, to.value, advance)
        damage = opened.damage
    print(f"{target}: {rows:,} rows")
    if damage:
        print(f"some of the recording could not be read; see: movenv info {recording}")

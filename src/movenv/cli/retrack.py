"""movenv retrack: a recording's raw packets through today's tracker."""

import csv
from pathlib import Path
from typing import Annotated, Any

import typer

HELP = """Run the tracker over the raw packets of a recording.

Tells for each real vehicle how many fixes were accepted then and are now, and
how far apart the two tracks are. --set changes the scenario, such as a limit.

\b
Examples:
  movenv retrack yesterday.mcap
  movenv retrack yesterday.mcap --set vehicles.medic.live.max_speed=5 --to new.csv
"""
COLUMNS = ("t", "utc", "vid", "name", "x", "y", "z", "speed", "vx", "vy", "vz", "then_x", "then_y")


def register(app: typer.Typer) -> None:
    app.command("retrack", help=HELP)(retrack)


def retrack(
    recording: Annotated[Path, typer.Argument(metavar="RECORDING", help="Of a live run.")],
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Change the scenario.")
    ] = None,
    to: Annotated[Path | None, typer.Option(metavar="FILE", help="Write tracks as CSV.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    import numpy as np

    from movenv.cli.summary import json_text
    from movenv.recording.reader import Recording
    from movenv.runtime.errors import WrongInput
    from movenv.runtime.retrack import Retrack
    from movenv.scenario.build import Stage
    from movenv.scenario.document import parse_document
    from movenv.scenario.load import load_document

    with Recording(recording) as source:
        run = source.run
        document = parse_document(run.scenario, str(recording), recording.parent, run.files)
        stage = Stage(load_document(document, [*run.changes, *(set_ or [])], {}))
        if not stage.real:
            raise WrongInput(f"{recording} has no real vehicles")
        again = Retrack(source, stage)
        _write(again, to)
    rows: list[dict[str, Any]] = [
        {
            "name": c.name,
            "fixes": c.fixes,
            "accepted_then": c.accepted_then,
            "accepted_now": c.accepted_now,
            "apart_rms": float(np.sqrt(np.mean(np.square(c.apart)))) if c.apart else None,
            "apart_max": max(c.apart, default=None),
        }
        for c in again.comparisons.values()
    ]
    if json:
        print(json_text({"recording": str(recording), "vehicles": rows}))
        return
    for row in rows:
        apart = "never both known"
        if row["apart_max"] is not None:
            apart = f"apart {row['apart_rms']:.2f} m rms, {row['apart_max']:.2f} m at most"
        print(
            f"{row['name']}: of {row['fixes']:,} fixes {row['accepted_then']:,} accepted then, "
            f"{row['accepted_now']:,} now; {apart}"
        )


def _write(again: Any, to: Path | None) -> None:
    """Go through the recording, and write the tracks where they are wanted."""
    from movenv.recording.writer import RecordingError

    if to is None:
        for _ in again.moments():
            pass
        return
    try:
        with to.open("w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow(COLUMNS)
            for moment in again.moments():
                table.writerows(_rows(again, moment))
    except OSError as error:
        raise RecordingError(f"cannot write {to}: {error.strerror}") from None


def _rows(again: Any, moment: Any) -> list[list[Any]]:
    now, then = moment.now, moment.snapshot.vehicles
    rows = []
    for i, vid in enumerate(now.vid.tolist()):
        at = then.vid.tolist().index(vid)
        motion = [float(getattr(now, name)[i]) for name in COLUMNS[4:11]]
        name = again.comparisons[vid].name
        before = [float(then.x[at]), float(then.y[at])]
        rows.append([moment.snapshot.t, moment.utc, vid, name, *motion, *before])
    return rows

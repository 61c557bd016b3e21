"""movenv review: what a recording means."""

import signal
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from movenv.recording.reader import Recording
    from movenv.review.findings import Findings

MOST_RECORDINGS = 2
HELP = """Review recordings after the action: numbers, figures and words.

Tells how close every pair came and for how long, exactly along the straight
lines between ticks, where both were known; how far and fast everyone went,
how well real vehicles were heard, and what happened. Where a vehicle was not
known for longer than --gap nothing is made up. Works on a recording that was
cut off or damaged, and says so.

\b
Examples:
  movenv review test.mcap
  movenv review before.mcap after.mcap -o comparison
  movenv review test.mcap --json > numbers.json
"""


def register(app: typer.Typer) -> None:
    app.command("review", help=HELP)(review)


def review(
    recordings: Annotated[
        list[str], typer.Argument(metavar="RECORDING...", help=".mcap files, or mongodb:// URLs.")
    ],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Folder; default: beside the recording.")
    ] = None,
    gap: Annotated[
        float,
        typer.Option("--gap", metavar="SECONDS", min=0.001, help="The longest gap to bridge."),
    ] = 1.0,
    json: Annotated[
        bool, typer.Option("--json", help="Print the numbers; a report only with -o.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier report.")] = False,
) -> None:
    from rich.console import Console

    from movenv.cli.review_tables import print_findings, print_json
    from movenv.recording.reference import open_recording, shown
    from movenv.review.report import write_report

    if len(recordings) > MOST_RECORDINGS:
        raise typer.BadParameter("one recording is reviewed, or two are compared")
    writes = output is not None or not json
    with ExitStack() as stack:
        opened = [stack.enter_context(open_recording(reference)) for reference in recordings]
        folder = output or _folder_beside(recordings[0], opened[0])
        if writes:
            _check_folder(folder, force)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        called = [shown(name, each) for name, each in zip(recordings, opened, strict=True)]
        found = [_findings(*each, gap, json) for each in zip(opened, called, strict=True)]
    written: list[Path] = []
    if writes:
        folder.mkdir(exist_ok=True)
        with Console(stderr=True, quiet=json).status("writing the report") as status:
            written = write_report(found, folder, status.update)
    if json:
        print_json(found)
        return
    print_findings(found)
    for path in written[:1]:
        print(f"report: {path}")


def _folder_beside(reference: str, opened: "Recording") -> Path:
    """Where the report goes: beside the recording's file; of a database, here."""
    from movenv.recording.mongo.url import is_database

    name = f"{opened.path.stem}-review"
    return Path(name) if is_database(reference) else Path(reference).with_name(name)


def _findings(opened: "Recording", called: str, gap: float, quiet: bool) -> "Findings":
    from movenv.cli.progress import progress_bar
    from movenv.review.study import findings_of

    with progress_bar("review", 1.0, quiet) as advance:
        return findings_of(opened, gap, advance, called)


def _check_folder(folder: Path, force: bool) -> None:
    """Refuse a place where no report can be written, or one is there already."""
    from movenv.recording.writer import RecordingRefused

    if folder.exists() and not folder.is_dir():
        raise RecordingRefused(f"cannot write to {folder}: it is there and no folder")
    if not folder.exists() and not folder.parent.is_dir():
        raise RecordingRefused(f"cannot make {folder}: there is no folder {folder.parent}")
    if folder.is_dir() and any(folder.iterdir()) and not force:
        raise RecordingRefused(f"{folder} is not empty; --force replaces what is of a report in it")

"""movenv info: what is in a recording."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from movenv.recording.reader import Recording

HELP = """Tell what is in a recording.

Works on a recording that was cut off or damaged, and says so.

\b
Example:
  movenv info recordings/three-uavs-20261115T120000.000Z.mcap
"""


def register(app: typer.Typer) -> None:
    app.command("info", help=HELP)(info)


def info(
    recording: Annotated[Path, typer.Argument(metavar="RECORDING", help="A .mcap file.")],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    from movenv.cli.summary import json_text, print_summary
    from movenv.recording.reader import Recording

    with Recording(recording) as opened:
        opened.verify()
        facts = describe(opened)
    if json:
        print(json_text(facts))
        return
    print_summary(facts)


def describe(recording: "Recording") -> dict[str, Any]:
    """Facts about a recording; the summary is worked out anew where the file lacks it."""
    import msgspec

    run = recording.run
    states = [msgspec.to_builtins(state) for state in recording.run_states()]
    summary = recording.summary() or _resummarise(recording)
    return {
        "scenario": run.name,
        "seed": run.seed,
        **summary,
        "movenv": run.movenv,
        "started_utc": run.started_utc,
        "changes": run.changes,
        "fidelity": run.fidelity,
        "run_states": states,
        "damage": _damage(recording),
        "recording": str(recording.path),
        "bytes": recording.path.stat().st_size,
    }


def _resummarise(recording: "Recording") -> dict[str, Any]:
    from movenv.recording.replay import updates
    from movenv.world.summary import Summary

    summary = Summary(recording.roster, list(recording.run.levels), recording.run.every_pair)
    for update in updates(recording):
        summary.add(update)
    return summary.as_dict()


def _damage(recording: "Recording") -> list[str]:
    damage = recording.damage
    lines = []
    if damage.truncated:
        lines.append("the file was not closed: the run or the disk ended early")
    if damage.chunks:
        lines.append(f"{damage.chunks} unreadable chunks were left out")
    if damage.messages:
        lines.append(f"{damage.messages} unreadable messages were left out")
    return lines

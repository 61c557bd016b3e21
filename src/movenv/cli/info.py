"""movenv info: what is in a recording."""

from collections import Counter
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from movenv.recording.layouts import SummaryRecord
    from movenv.recording.reader import Recording

GAPS_TOLD = 5
HELP = """Tell what is in a recording.

Works on a recording that was cut off or damaged, and says so. One that was
continued in further parts is told as a whole; name a part to see it alone.

\b
Examples:
  movenv info recordings/three-uavs-20261115T120000.000Z.mcap
  movenv info test.mcap --events
  movenv info mongodb://localhost:27017/tests
"""


def register(app: typer.Typer) -> None:
    app.command("info", help=HELP)(info)


def info(
    recording: Annotated[
        str, typer.Argument(metavar="RECORDING", help="A .mcap file or mongodb://HOST/DB?run=ID.")
    ],
    events: Annotated[
        bool, typer.Option("--events", help="List what happened in a live run, and when.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    import msgspec

    from movenv.cli.mission_words import mission_lines
    from movenv.cli.summary import LABEL, json_text, print_summary
    from movenv.recording.mongo.url import is_database
    from movenv.recording.reference import open_recording, shown

    with open_recording(recording) as opened:
        opened.verify()
        facts = describe(opened)
        if is_database(recording):
            facts["recording"] = shown(recording, opened)
        if events:
            facts["happenings"] = [msgspec.to_builtins(event) for event in opened.events()]
    if json:
        print(json_text(facts))
        return
    print_summary(facts)
    told = [*mission_lines(facts), *_part_lines(facts), *_gap_lines(facts), *_event_lines(facts)]
    for label, text in told:
        print(f"{label:<{LABEL}}{text}")
    for event in facts.get("happenings", ()):
        when = datetime.fromtimestamp(event["utc"], UTC)
        who = f"{event['who']}: " if event["who"] else ""
        print(f"  {when:%H:%M:%S.%f} UTC  t = {event['t']:8.1f} s  {who}{event['text']}")


def describe(recording: "Recording") -> dict[str, Any]:
    """Facts about a recording; the summary is brought up to date where the file was not closed."""
    import msgspec

    from movenv.cli.summary import rating_facts
    from movenv.review.fidelity import rate

    run = recording.run
    states = [msgspec.to_builtins(state) for state in recording.run_states()]
    return {
        "scenario": run.name,
        "seed": run.seed,
        **_summary(recording),
        "movenv": run.movenv,
        "started_utc": run.started_utc,
        "changes": run.changes,
        **rating_facts(rate(recording)),
        "run_states": states,
        "damage": recording.damage.words,
        "recording": str(recording.path),
        "bytes": sum(part.size for part in recording.parts),
        "run_id": run.run_id,
        "part": run.part,
        "parts": [
            {"recording": str(part.path), "bytes": part.size, "closed": not part.damage.truncated}
            for part in recording.parts
        ],
        "left_out": recording.left_out,
        "gaps": [msgspec.to_builtins(gap) for gap in recording.gaps()],
        "events": dict(Counter(event.kind for event in recording.events())),
    }


def _summary(recording: "Recording") -> dict[str, Any]:
    """What the recording says of itself, and the ticks since then if its last part has no end."""
    from movenv.recording.layouts import SUMMARY

    last = recording.parts[-1]
    told = recording.summary()
    if told is not None and not last.damage.truncated and any(last.plain(SUMMARY)):
        return told
    return _resummarise(recording, recording.latest_summary())


def _resummarise(recording: "Recording", latest: "SummaryRecord | None") -> dict[str, Any]:
    import msgspec

    from movenv.recording.replay import updates
    from movenv.world.summary import Summary

    summary = Summary(recording.roster, list(recording.run.levels), recording.run.every_pair)
    if latest is not None and latest.behavior_ticks:
        summary.resume(msgspec.to_builtins(latest))
    for update in updates(recording):
        if update.snapshot.t > summary.simulated:
            summary.add(update)
    return summary.as_dict()


def _part_lines(facts: dict[str, Any]) -> list[tuple[str, str]]:
    from movenv.recording.parts import first_name

    lines = []
    parts = facts["parts"]
    if facts["part"] > 1:
        first = first_name(Path(parts[0]["recording"]), facts["part"])
        lines.append(("part", f"part {facts['part']} of {first}"))
    if len(parts) > 1:
        lines.append(("parts", f"{len(parts)}, read as one"))
        for part, following in pairwise(parts):
            name, later = (Path(p["recording"]).name for p in (part, following))
            how = "was closed" if part["closed"] else "was cut off"
            lines.append(("", f"{name} {how} and continued in {later}"))
    return lines + [("left out", reason) for reason in facts["left_out"]]


def _gap_lines(facts: dict[str, Any]) -> list[tuple[str, str]]:
    gaps = facts["gaps"]
    lines = []
    for gap in gaps[:GAPS_TOLD]:
        where = ", between parts" if gap["between_parts"] else ""
        lines.append(
            f"nothing recorded from t = {gap['after_t']:.1f} to {gap['before_t']:.1f} s "
            f"({gap['ticks']:,} ticks{where})"
        )
    if len(gaps) > GAPS_TOLD:
        total = sum(gap["ticks"] for gap in gaps)
        lines.append(f"and {len(gaps) - GAPS_TOLD:,} more gaps; {total:,} ticks in all")
    return [("gap", line) for line in lines]


def _event_lines(facts: dict[str, Any]) -> list[tuple[str, str]]:
    counts = sorted(facts["events"].items(), key=lambda item: (-item[1], item[0]))
    told = ", ".join(f"{kind} {count:,}" for kind, count in counts)
    return [("events", told)] if told else []

"""movenv runs: what is in a database."""

from datetime import datetime
from typing import Annotated, Any

import typer

HELP = """List the runs in a database, the newest first.

\b
Example:
  movenv runs mongodb://localhost:27017/tests
"""


def register(app: typer.Typer) -> None:
    app.command("runs", help=HELP)(runs)


def runs(
    database: Annotated[str, typer.Argument(metavar="mongodb://HOST:PORT/DB", help="Where.")],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    from movenv.cli.summary import json_text
    from movenv.recording.mongo.database import open_database
    from movenv.recording.mongo.fetch import runs as listed
    from movenv.recording.mongo.url import parse

    with open_database(parse(database)) as opened:
        rows = [_facts(run) for run in listed(opened)]
    if json:
        print(json_text({"runs": rows}))
        return
    for row in rows:
        started: datetime = row["started"]
        state = "" if row["complete"] else ", not complete"
        print(
            f"{row['run']}  {started:%Y-%m-%d %H:%M:%S} UTC  {row['name']}, "
            f"{row['vehicles']:,} vehicles, {row['messages']:,} messages{state}"
        )
    if not rows:
        print("no runs")


def _facts(run: dict[str, Any]) -> dict[str, Any]:
    feeding = run.get("feeding", {})
    return {
        "run": run["_id"],
        "name": run["name"],
        "started": run["started"],
        "latest": run.get("latest"),
        "vehicles": run["vehicles"],
        "messages": feeding.get("messages", 0),
        "complete": bool(feeding.get("complete")),
    }

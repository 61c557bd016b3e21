"""What a browser is told first: the run, who takes part, and the world they are in."""

from pathlib import Path
from typing import Any

import msgspec

from movenv.recording.layouts import RunRecord
from movenv.review.fidelity import rate_plan
from movenv.scenario.document import parse_document
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import schema_of
from movenv.scenario.schema import Scenario
from movenv.web.feed import Feed
from movenv.web.world import world_of
from movenv.world.kinds import Origin


def hello(
    feed: Feed,
    scenario: Scenario | None,
    layers: list[dict[str, Any]],
    recording: Path | None = None,
    folder: Path | None = None,
) -> dict[str, Any]:
    """Everything that does not change while somebody watches.

    `folder` is where files that the scenario names lie, as far as anybody knows.
    """
    record = feed.record
    features, left_out = world_of(scenario, record, folder)
    run = msgspec.to_builtins(record)
    shown = ("name", "seed", "origin", "tick", "levels", "started_utc", "movenv")
    return {
        "source": feed.source,
        "replay": feed.replay,
        "recording": str(recording) if recording else None,
        "run": {key: run[key] for key in (*shown, "changes", "run_id")}
        | {
            "fidelity": rate_plan(record).quintet,
            "description": scenario.description if scenario else "",
            "duration": scenario.time.duration if scenario else None,
        },
        "roster": run["roster"],
        "origins": {origin.value: origin.name.lower() for origin in Origin},
        "world": {"type": "FeatureCollection", "features": features},
        "left_out": left_out,
        "layers": layers,
    }


def scenario_of(record: RunRecord, source: str) -> Scenario | None:
    """The scenario of a run as it was written and changed.

    None where this movenv no longer understands it: an old recording is shown all the same.
    """
    try:
        document = parse_document(record.scenario, source, Path(), record.files)
        return schema_of(document, record.changes, {})
    except ScenarioError:
        return None

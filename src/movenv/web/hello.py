"""What a browser is told first: the run, who takes part, and the world they are in."""

import math
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from movenv.recording.layouts import RunRecord
from movenv.scenario.build import area_of
from movenv.scenario.document import parse_document
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import schema_of
from movenv.scenario.schema import Scenario
from movenv.terrain.area import Area
from movenv.web.feed import Feed
from movenv.world.frames import Frame
from movenv.world.kinds import Origin


def hello(
    feed: Feed,
    scenario: Scenario | None,
    layers: list[dict[str, Any]],
    recording: Path | None = None,
) -> dict[str, Any]:
    """Everything that does not change while somebody watches."""
    record = feed.record
    run = msgspec.to_builtins(record)
    shown = ("name", "seed", "origin", "tick", "levels", "fidelity", "started_utc", "movenv")
    return {
        "source": feed.source,
        "replay": feed.replay,
        "recording": str(recording) if recording else None,
        "run": {key: run[key] for key in (*shown, "changes", "run_id")}
        | {
            "description": scenario.description if scenario else "",
            "duration": scenario.time.duration if scenario else None,
        },
        "roster": run["roster"],
        "origins": {origin.value: origin.name.lower() for origin in Origin},
        "world": {"type": "FeatureCollection", "features": areas(scenario, record)},
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


def areas(scenario: Scenario | None, record: RunRecord) -> list[dict[str, Any]]:
    """The scenario's areas as GeoJSON."""
    frame = Frame(*record.origin)
    specs = scenario.areas if scenario else {}
    return [_feature(area_of(name, spec, frame), frame) for name, spec in specs.items()]


def _feature(area: Area, frame: Frame) -> dict[str, Any]:
    closed = np.vstack([area.vertices, area.vertices[:1]])
    lat, lon, _ = frame.to_geodetic(closed[:, 0], closed[:, 1])
    heights = {"floor": area.floor, "ceiling": area.ceiling}
    return {
        "type": "Feature",
        "geometry": {"type": "Polygon", "coordinates": [np.column_stack([lon, lat]).tolist()]},
        "properties": {"role": "area", "name": area.name}
        | {name: height for name, height in heights.items() if math.isfinite(height)},
    }

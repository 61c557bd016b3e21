"""What a browser is told first: the run, who takes part, and the world they are in."""

from pathlib import Path
from typing import Any

import msgspec

from movenv.parts.registry import find, names
from movenv.review.fidelity import rate_plan
from movenv.scenario.load import DEFAULT_MODEL
from movenv.scenario.recorded import ground_of
from movenv.scenario.schema import Scenario
from movenv.web.feed import Feed
from movenv.web.world import world_of
from movenv.world.frames import Frame
from movenv.world.kinds import Origin

CAMERA = "camera"
"""The type of the sensors that drive pages look through."""


def hello(
    feed: Feed,
    scenario: Scenario | None,
    layers: list[dict[str, Any]],
    recording: Path | None = None,
) -> dict[str, Any]:
    """Everything that does not change while somebody watches."""
    record = feed.record
    ground = ground_of(scenario, record)
    features = world_of(ground, Frame(*record.origin))
    run = msgspec.to_builtins(record)
    obeys, driven = run["roster"].pop("obeys"), run["roster"].pop("driven")
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
        "obeys": obeys,
        "driven": driven,
        "cameras": _cameras(scenario, record.roster.names),
        "gears": _gears(scenario, record.roster.names),
        "origins": {origin.value: origin.name.lower() for origin in Origin},
        "world": {"type": "FeatureCollection", "features": features},
        "left_out": ground.left_out,
        "layers": layers,
    }


def _cameras(scenario: Scenario | None, vehicles: list[str]) -> list[list[str]]:
    """What each vehicle's cameras are called, by row."""
    if scenario is None:
        return [[] for _ in vehicles]
    found = {
        name: [sensor for sensor, spec in group.sensors.items() if spec.get("type") == CAMERA]
        for group in scenario.vehicles
        for name in group.names
    }
    return [found.get(name, []) for name in vehicles]


def _gears(scenario: Scenario | None, vehicles: list[str]) -> list[bool]:
    """Who may go backwards and be put in neutral, by row; somebody's own model may, for all we
    know."""
    without = {
        name
        for group in (scenario.vehicles if scenario else [])
        for name in group.names
        if (model := group.model.get("type", DEFAULT_MODEL)) in names("vehicles")
        and not find("vehicles", model).takes_pedals
    }
    return [name not in without for name in vehicles]

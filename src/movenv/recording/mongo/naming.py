"""What a run is called in a database, and what its document in `runs` tells of it."""

import hashlib
import re
from datetime import UTC, datetime
from typing import Any

import bson
import msgspec

from movenv.recording.layouts import RunRecord

LARGEST = 8 * 1024 * 1024
"""A larger document goes without what is long in it; a document has at most 16 MiB, bytes."""


def run_name(run: RunRecord) -> str:
    """A live run's own identity; of another its name, start and a few letters of a digest."""
    if run.run_id:
        return run.run_id
    started = datetime.fromtimestamp(run.started_utc, UTC).strftime("%Y%m%dT%H%M%S.%f")[:-3]
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", run.name)
    return f"{name}-{started}Z-{hashlib.sha256(msgspec.json.encode(run)).hexdigest()[:6]}"


def described(run: RunRecord) -> dict[str, Any]:
    """What a user wants to know of a run before reading it."""
    roster = run.roster
    told: dict[str, Any] = {
        "name": run.name,
        "seed": str(run.seed) if abs(run.seed) >= 2**63 else run.seed,
        "movenv": run.movenv,
        "started": datetime.fromtimestamp(run.started_utc, UTC),
        "origin": {"lat": run.origin[0], "lon": run.origin[1], "alt": run.origin[2]},
        "tick": run.tick,
        "levels": [{"name": name, "distance": far} for name, far in run.levels.items()],
        "changes": run.changes,
        "fidelity": run.fidelity,
        "vehicles": len(roster.vids),
        "behaviors": roster.behaviors,
    }
    rows = zip(roster.vids, roster.names, roster.kind, strict=True)
    everyone = [{"vid": v, "name": n, "kind": roster.kinds[k]} for v, n, k in rows]
    long = {"roster": everyone, "scenario": run.scenario}
    return told | {n: v for n, v in long.items() if len(bson.encode({n: v})) < LARGEST // 2}

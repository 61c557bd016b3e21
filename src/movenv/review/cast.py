"""Who took part in a run and with what, as far as a recording tells.

Names are read from the scenario in the recording; no part is loaded, for its file may be on the
machine of whoever ran it and not here.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from movenv.recording.layouts import RunRecord
from movenv.recording.reader import Recording
from movenv.recording.wheel_log import PERSON, PROGRAM, WHEEL, taken_by
from movenv.scenario.document import parse_document
from movenv.scenario.errors import ScenarioError
from movenv.scenario.override import override
from movenv.world.columns import F8, Mask
from movenv.world.kinds import Origin
from movenv.world.messages import Health, Roster
from movenv.world.run_state import RunState

UNREAD = "the scenario in the recording cannot be read: behaviors are those seen at the wheel"
USUAL_RATE = 1.0
"""Fixes a second of a phone where the scenario does not say."""
ON_THE_WAY = 0.5
"""How long a fix may take to arrive, s."""
PERCEIVING = frozenset({"camera", "lidar", "radio_range"})
"""Sensors that perceive others."""
DRIVEN = "driven"
"""The behavior by which vehicles are driven from outside."""
PLAYBACK = "playback"
"""The gateway that plays a file as if somebody were out there."""


@dataclass(frozen=True)
class Cast:
    """Columns, one row a vehicle of the roster."""

    roster: Roster
    behaviors: list[frozenset[str]]
    """What each carries, by the scenario's reference: a name, or `./file.py:Class`."""
    scans: Mask
    """Who carries a sensor that perceives others."""
    heard: Mask
    """Who was there: known at least once."""
    autonomous: Mask
    """Real vehicles that the scenario says no person drives."""
    played: Mask
    """Real vehicles whose phones were played in a rehearsal."""
    from_file: Mask
    """Real vehicles that are played from a file or an earlier recording."""
    manned: Mask
    """Virtual vehicles that a person drove for half of the time or more."""
    by_program: Mask
    """Virtual vehicles that a program outside drove for half of the time or more."""
    claimed: dict[str, int]
    """What the scenario says of its fidelity."""
    remark: str = ""


def cast_of(recording: Recording) -> Cast:
    """Everyone in a recording."""
    manned, by_program = _driven(recording)
    cast = replace(planned_cast(recording.run), manned=manned, by_program=by_program)
    if cast.remark == UNREAD:
        return replace(cast, **_seen(recording))
    return replace(cast, heard=_heard(recording))


def planned_cast(record: RunRecord) -> Cast:
    """Everyone in a run that may not have begun; all are taken to be heard."""
    roster = record.roster.roster()
    specs = _specs(record)
    mine = [(specs or {}).get(name, {}) for name in roster.names]
    gateways = [_mapping(spec.get("live")).get("type") for spec in mine]
    return Cast(
        roster=roster,
        behaviors=[_carried(spec) for spec in mine],
        scans=np.array([_scans(spec) for spec in mine]),
        heard=np.ones(len(roster), np.bool_),
        autonomous=np.array([spec.get("driver") == "autonomy" for spec in mine]),
        played=np.isin(roster.names, record.rehearsed),
        from_file=np.array([gateway == PLAYBACK for gateway in gateways])
        | (roster.origin == Origin.REPLAYED),
        manned=np.zeros(len(roster), np.bool_),
        by_program=np.zeros(len(roster), np.bool_),
        claimed=record.fidelity or {},
        remark=UNREAD if specs is None else "",
    )


def oldest_fixes(record: RunRecord) -> F8:
    """Up to which age a fix of each vehicle tells where it is, s: one fix may be lost.

    By the rate that the scenario says its phone sends at.
    """
    specs = _specs(record) or {}
    live = [_mapping(specs.get(name, {}).get("live")) for name in record.roster.names]
    rates = [each.get("rate", USUAL_RATE) for each in live]
    sound = [r if isinstance(r, int | float) and r > 0 else USUAL_RATE for r in rates]
    return 2.0 / np.array(sound, float) + ON_THE_WAY


def _specs(record: RunRecord) -> dict[str, dict[str, Any]] | None:
    """What the scenario says of each vehicle, by name; None where it does not tell of all.

    The schema is not asked: a scenario of another version is read as far as it says the same.
    """
    try:
        document = parse_document(record.scenario, "scenario", Path())
        for change in record.changes:
            override(document, change)
    except ScenarioError:
        return None
    groups = document.data.get("vehicles")
    specs = dict(_named(groups)) if isinstance(groups, list) else {}
    return specs if specs.keys() >= set(record.roster.names) else None


def _named(groups: list[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for group in groups:
        spec = _mapping(group)
        name, count = spec.get("name"), spec.get("count", 1)
        if count == 1:
            yield str(name), spec
        elif isinstance(count, int):
            yield from ((f"{name}-{i}", spec) for i in range(1, count + 1))


def _carried(spec: dict[str, Any]) -> frozenset[str]:
    """Behaviors of the vehicle itself, and those of the steps of its mission."""
    names = set(_mapping(spec.get("behaviors")))
    mission = spec.get("mission")
    for step in mission if isinstance(mission, list) else []:
        names |= set(_mapping(_mapping(step).get("do")))
    return frozenset(names)


def _scans(spec: dict[str, Any]) -> bool:
    sensors = _mapping(spec.get("sensors")).values()
    return any(_mapping(sensor).get("type") in PERCEIVING for sensor in sensors)


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _driven(recording: Recording) -> tuple[Mask, Mask]:
    """Who was driven from outside for at least half of the time: more by persons; more by
    programs. Braked because its driver is gone, nobody drives it."""
    roster = recording.roster
    by_person, by_program = np.zeros(len(roster)), np.zeros(len(roster))
    changes = deque(
        (event.t, event.vids, taken_by(event))
        for event in recording.events()
        if event.kind == WHEEL
    )
    ticks = 0
    if changes and DRIVEN in roster.behaviors:
        driver = np.full(len(roster), "", object)
        row_of = {vid: row for row, vid in enumerate(roster.vids.tolist())}
        for snapshot, _ in recording.snapshots():
            while changes and changes[0][0] <= snapshot.t:
                _, vids, drives = changes.popleft()
                driver[[row_of[vid] for vid in vids if vid in row_of]] = drives
            if len(snapshot.vehicles) and snapshot.run_state == RunState.GO:
                driven = snapshot.vehicles.behavior == roster.behaviors.index(DRIVEN) + 1
                by_person += driven & (driver == PERSON)
                by_program += driven & (driver == PROGRAM)
                ticks += 1
    long = by_person + by_program >= 0.5 * max(ticks, 1)
    return long & (by_person >= by_program), long & (by_person < by_program)


def _heard(recording: Recording) -> Mask:
    """Who was ever heard; usually the first ticks tell."""
    heard: Mask = np.zeros(len(recording.roster), np.bool_)
    for snapshot, _ in recording.snapshots():
        if len(snapshot.vehicles):
            heard |= snapshot.vehicles.health == Health.HEARD
        if heard.all():
            break
    return heard


def _seen(recording: Recording) -> dict[str, Any]:
    """Who was ever heard, and which behaviors held whose wheel."""
    roster = recording.roster
    rows = np.arange(len(roster))
    heard: Mask = np.zeros(len(roster), np.bool_)
    held: Mask = np.zeros((len(roster), len(roster.behaviors) + 1), np.bool_)
    for snapshot, _ in recording.snapshots():
        if len(snapshot.vehicles):
            heard |= snapshot.vehicles.health == Health.HEARD
            held[rows, snapshot.vehicles.behavior] = True
    names = np.array(roster.behaviors, object)
    return {"heard": heard, "behaviors": [frozenset(names[row[1:]]) for row in held]}

"""Where a live run stands, for people and programs; times in seconds."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from movenv.runtime.live.clock import SECOND
from movenv.runtime.live.missing import NAMED, Absence, missing, missing_status, sender_word
from movenv.runtime.live.seat import REMEMBERED
from movenv.runtime.live.seats import Seats
from movenv.scenario.build import Stage
from movenv.world.kinds import Origin
from movenv.world.messages import Health, Heard, Roster, VehicleStates
from movenv.world.run_state import LEGAL, RunState

if TYPE_CHECKING:
    from movenv.runtime.live.core import LiveCore

SHOWN = ("x", "y", "z", "lat", "lon", "heading_deg", "speed")
OF_HOST = ("margin", "lag", "age", "loss")
OF_RECEPTION = ("accuracy", "age", "delay", "loss", "battery", "rate", "accepted", "rejected")
"""Of a real vehicle age and loss are those of its fixes."""


@dataclass
class Timing:
    """How well the Core itself keeps time; lags in ns."""

    margins: deque[float] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    lag: int = 0
    worst_lag: int = 0
    missed: int = 0
    """Ticks that were never stated."""
    carried: int = 0
    """Ticks for which some host's report was missing."""

    def late(self, lag: int) -> None:
        """A tick was stated so late."""
        self.lag = max(0, lag)
        self.worst_lag = max(self.worst_lag, self.lag)

    def status(self, refused: Mapping[str, int]) -> dict[str, Any]:
        return {
            "margin_p5": float(np.percentile(self.margins, 5)) if self.margins else None,
            "lag": self.lag / SECOND,
            "worst_lag": self.worst_lag / SECOND,
            "missed_ticks": self.missed,
            "carried_ticks": self.carried,
            "refused": dict(refused),
        }


class Board:
    """Says where a run stands."""

    def __init__(self, stage: Stage) -> None:
        self._stage, self._roster = stage, stage.roster
        rows = {int(vid): row for row, vid in enumerate(stage.roster.vids)}
        self._senders = {rows[r.entry.vid]: sender_word(r.entry.config.type) for r in stage.real}

    def status(self, live: "LiveCore", now: int) -> dict[str, Any]:
        """Of the whole run."""
        scenario, silent = self._stage.scenario, live.seats.silent
        core, hosts = live.health(now)
        return {
            "run": live.run_id,
            "scenario": scenario.name,
            "state": live.state.name,
            "tick": live.tick,
            "t": live.t,
            "duration": scenario.time.duration,
            "speed": live.speed,
            "period": self._stage.time.period,
            "vehicles": len(self._roster),
            "waiting_for": silent[:NAMED],
            "waiting": len(silent),
            **missing_status(self._missing(live, now)),
            "core": core,
            "summary": live.summary.as_dict(),
            "recorders": live.audience.recorders,
            "hosts": hosts,
            "wheels": live.wheels.listed(),
        }

    def _missing(self, live: "LiveCore", now: int) -> list[Absence]:
        if live.state == RunState.STOP:
            return []  # they have left because they should
        return missing(self._roster, live.seats, live.audience, self._senders, now)

    def console(self, live: "LiveCore", now: int) -> dict[str, Any]:
        """With what consoles need, cheap enough to be asked for every second."""
        return self.status(live, now) | {
            "legal": [wanted.name for wanted in LEGAL[live.state]],
            "real": _real_status(self._roster, live.seats),
            "host_of": live.seats.numbers.tolist(),
            "orders": live.orders.listed(),
        }

    def vehicles(
        self, live: "LiveCore", stated: VehicleStates | None, now: int
    ) -> list[dict[str, Any]]:
        """One entry a vehicle."""
        return vehicle_status(self._roster, live.seats, stated, now)


def _real_status(roster: Roster, seats: Seats) -> list[dict[str, Any]]:
    """How each real vehicle is heard."""
    heard = _receptions(seats)
    unknown: dict[str, Any] = dict.fromkeys(OF_RECEPTION) | {"heard": Heard.NEVER.name.lower()}
    lost = np.array([seat.lost for seat in seats] + [False])[seats.numbers]
    entries = []
    for row in np.flatnonzero(roster.origin == Origin.REAL).tolist():
        entry = heard.get(int(roster.vids[row]), unknown)
        silent = {"heard": None} if lost[row] else {}  # nobody is there who would know
        entries.append({"row": row} | entry | silent)
    return entries


def vehicle_status(
    roster: Roster, seats: Seats, stated: VehicleStates | None, now: int
) -> list[dict[str, Any]]:
    """One entry a vehicle: where it is, and what its host says of itself."""
    hosts = [seat.status(now) for seat in seats]
    behaviors = ["", *roster.behaviors]
    heard = _receptions(seats)
    entries = []
    for row, number in enumerate(seats.numbers):
        host = hosts[number] if number >= 0 else {}
        entry = {
            "vid": int(roster.vids[row]),
            "name": roster.names[row],
            "kind": str(roster.kinds[roster.kind[row]]),
            "origin": Origin(roster.origin[row]).name.lower(),
            "host": host.get("host"),
            **{key: host.get(key) for key in OF_HOST},
        }
        vid = int(roster.vids[row])
        place = _place(stated, row, behaviors) | _step(roster, stated, row)
        entries.append(entry | place | heard.get(vid, {}))
    return entries


def _receptions(seats: Seats) -> dict[int, dict[str, Any]]:
    """How well real vehicles are heard, by vid; what is not known is None."""
    heard = {}
    for seat in seats:
        if seat.receptions is None:
            continue
        columns = {name: column.tolist() for name, column in seat.receptions.columns()}
        for i, vid in enumerate(columns["vid"]):
            told = {name: columns[name][i] for name in OF_RECEPTION}
            entry = {name: None if value != value else value for name, value in told.items()}
            heard[vid] = entry | {"heard": Heard(columns["heard"][i]).name.lower()}
    return heard


def _step(roster: Roster, stated: VehicleStates | None, row: int) -> dict[str, Any]:
    """Where a vehicle is in its mission, if it has one."""
    if stated is None or not roster.mission or roster.mission[row] < 0:
        return {}
    return {"step": roster.step_name(row, int(stated.step[row]))}


def _place(stated: VehicleStates | None, row: int, behaviors: list[str]) -> dict[str, Any]:
    """What the last update says of a vehicle."""
    if stated is None:
        return {"state": RunState.READY.name, "health": Health.UNHEARD.name.lower()}
    return {
        "state": RunState(stated.run_state[row]).name,
        "health": Health(stated.health[row]).name.lower(),
        "behavior": behaviors[int(stated.behavior[row])],
        **{name: float(getattr(stated, name)[row]) for name in SHOWN},
    }

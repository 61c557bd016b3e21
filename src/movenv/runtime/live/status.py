"""Where a live run stands, for people and programs; times in seconds."""

from typing import Any

from movenv.runtime.live.seats import Seats
from movenv.world.kinds import Origin
from movenv.world.messages import Health, Heard, Roster, VehicleStates
from movenv.world.run_state import RunState

SHOWN = ("x", "y", "z", "lat", "lon", "heading_deg", "speed")
OF_HOST = ("margin", "lag", "age", "loss")
OF_RECEPTION = ("accuracy", "age", "delay", "loss", "battery", "rate", "accepted", "rejected")
"""Of a real vehicle age and loss are those of its fixes."""


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
        entries.append(entry | _place(stated, row, behaviors) | heard.get(vid, {}))
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

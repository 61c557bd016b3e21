"""What a run waits for, or does without, in words for people."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from movenv.runtime.live.audience import Audience
from movenv.runtime.live.clock import SECOND
from movenv.runtime.live.seat import Seat
from movenv.runtime.live.seats import NOBODY, Seats
from movenv.world.columns import Rows
from movenv.world.kinds import Origin
from movenv.world.messages import Heard, Roster

NAMED = 20
"""Entries that are told one by one; of more it is told how many."""
ALIKE = 3
"""So many vehicles that are missing for the same reason are named; more become one entry."""
SENDERS = {
    **dict.fromkeys(("join", "phone_udp", "phone_http"), "phone"),
    **dict.fromkeys(("nmea", "gpsd"), "receiver"),
    "playback": "track",
}
"""What a real vehicle is heard by, by its gateway; others are heard by a sender."""


@dataclass(frozen=True)
class Absence:
    """Something that is not there: who or what, why, and the vehicle if it is one."""

    what: str
    why: str
    vid: int | None = None


def sender_word(gateway: str) -> str:
    """What carriers of vehicles that come through a gateway have in their hands."""
    return SENDERS.get(gateway, "sender")


def missing(
    roster: Roster, seats: Seats, audience: Audience, senders: Mapping[int, str], now: int
) -> list[Absence]:
    """Everything that is not there: recorders, real vehicles, hosts and what they should bring.

    `senders` has a word for what each real vehicle is heard by, by row.
    """
    found = [Absence(*told) for told in audience.missing]
    for seat in seats:
        if seat.real and not seat.lost:
            found += _unheard(roster, seat, senders, now)
    nobody = seats.numbers == NOBODY
    real = roster.origin == Origin.REAL
    for rows, who in ((nobody & real, "gateway"), (nobody & ~real, "host")):
        why = f"no {who} brings"
        found += _alike(roster, np.flatnonzero(rows), f"{why} it", f"{why} them")
    for seat in seats:
        if seat.lost:
            why = f"host {seat.name} {_why_lost(seat, now)}"
            found += _alike(roster, seat.rows, f"its {why}", f"their {why}")
        elif seat.latest is None:
            found.append(Absence(seat.name, "has not reported yet"))
        elif seat.latest.health:
            found.append(Absence(seat.name, seat.latest.health))
    return found


def missing_status(found: list[Absence]) -> dict[str, Any]:
    """The same for a status: the first few, and how many more there are."""
    entries = [{"what": a.what, "why": a.why, "vid": a.vid} for a in found[:NAMED]]
    return {"missing": entries, "missing_more": max(0, len(found) - NAMED)}


def missing_words(status: Mapping[str, Any], most: int = 5) -> str:
    """What a status says is missing, on one line; empty when nothing is."""
    told = [f"{entry['what']} ({entry['why']})" for entry in status["missing"]]
    more = len(told) - most + status["missing_more"]
    return ", ".join(told[:most]) + (f" and {more} more" if more > 0 else "")


def _unheard(roster: Roster, seat: Seat, senders: Mapping[int, str], now: int) -> Iterator[Absence]:
    """Vehicles of a gateway that it does not hear."""
    heard = seat.receptions
    if heard is None:
        for row in seat.rows.tolist():
            yield _sender(roster, row, senders, "never heard")
        return
    for i in np.flatnonzero(heard.heard != Heard.HEARD).tolist():
        if heard.heard[i] == Heard.STALE:
            age = float(heard.age[i]) + (now - seat.heard_at) / SECOND
            why = f"last heard {age:.0f} s ago"
        elif heard.rejected[i]:
            why = f"never heard: none of {heard.rejected[i]:,} fixes was believed"
        else:
            why = "never heard"
        yield _sender(roster, int(seat.rows[i]), senders, why)


def _sender(roster: Roster, row: int, senders: Mapping[int, str], why: str) -> Absence:
    return Absence(f"{roster.names[row]}'s {senders[row]}", why, int(roster.vids[row]))


def _alike(roster: Roster, rows: Rows, of_one: str, of_many: str) -> Iterator[Absence]:
    """Vehicles that are missing for one reason."""
    if len(rows) > ALIKE:
        yield Absence(f"{len(rows):,} vehicles", of_many)
        return
    for row in rows.tolist():
        yield Absence(roster.names[row], of_one, int(roster.vids[row]))


def _why_lost(seat: Seat, now: int) -> str:
    if seat.why_lost == "gone":
        return "is gone"
    return f"has been silent for {(now - seat.heard_at) / SECOND:.0f} s"

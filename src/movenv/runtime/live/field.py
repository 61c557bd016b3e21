"""What the Core makes of a gateway's word on its vehicles in the field."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from movenv.runtime.live.seat import Seat
from movenv.runtime.live.wire import GatewayNews, printable
from movenv.world.messages import Heard, Receptions, Roster

MOST = 100
"""Happenings of one message that are told; more is a flood."""


@dataclass(frozen=True)
class FieldEvent:
    """Something that happened to a real vehicle or its gateway."""

    kind: str
    text: str
    who: str
    vids: list[int]


def changes(seat: Seat, receptions: Receptions, roster: Roster) -> Iterator[FieldEvent]:
    """Who is heard for the first time since the last report, is not any more, or is again."""
    before = np.zeros(len(receptions), np.uint8)
    if seat.receptions is not None and len(seat.receptions) == len(receptions):
        before = seat.receptions.heard
    for i in np.flatnonzero(before != receptions.heard):
        vid, heard, accuracy = int(receptions.vid[i]), receptions.heard[i], receptions.accuracy[i]
        name = roster.names[seat.rows[i]]
        if heard == Heard.STALE:
            yield FieldEvent("stale", f"not heard for {receptions.age[i]:.1f} s", name, [vid])
        elif heard == Heard.HEARD:
            said = "is heard again" if before[i] == Heard.STALE else "is heard"
            how_well = f", to {accuracy:.0f} m" if accuracy > 0 else ""
            yield FieldEvent("heard", said + how_well, name, [vid])


def told(seat: Seat, news: GatewayNews, roster: Roster) -> Iterator[FieldEvent]:
    """What a gateway tells of its vehicles in words."""
    names = {int(vid): roster.names[row] for vid, row in zip(seat.vids, seat.rows, strict=True)}
    for kind, text, vid in news.happenings[:MOST]:
        who = names.get(vid, seat.name)
        yield FieldEvent(printable(kind), printable(text), who, [vid] if vid in names else [])

"""What a report must be before it counts: sound, and about nobody but the sender's vehicles."""

import msgspec
import numpy as np

from movenv.runtime.live import wire
from movenv.runtime.live.seat import Seat
from movenv.runtime.live.wire import Garbled, ReportMessage, printable
from movenv.scenario.build import Stage
from movenv.world.columns import U4, Table
from movenv.world.messages import (
    MAX_PAYLOAD,
    Broadcasts,
    Detections,
    Heard,
    Motions,
    Receptions,
    Remark,
    Report,
)
from movenv.world.run_state import RunState

REASONS = 50
"""As many reasons for dropping something are shown."""
LARGEST = 1e7
"""No place is further from the origin, in m, and nothing is faster, in m/s."""


LONGEST_MARK = 500
"""Letters of a mark."""
MOST_REMARKS = 10_000
"""In one report."""


class MarkRefused(ValueError):
    """A mark that is not written down; the message is for the user."""


class Dropped(Exception):
    """A sound message that does not count; the message is the reason it is counted under."""


def checked_words(message: ReportMessage) -> ReportMessage:
    """The same with words that are fit for a terminal, and not too many."""
    refused = {printable(why): n for why, n in list(message.refused.items())[:REASONS]}
    return msgspec.structs.replace(message, health=printable(message.health), refused=refused)


def checked_mark(text: str) -> str:
    """A mark on one line, fit for a terminal. Raises MarkRefused."""
    line = " ".join(text.split())
    if not line:
        raise MarkRefused("a mark needs words")
    if len(line) > LONGEST_MARK:
        raise MarkRefused(f"a mark has at most {LONGEST_MARK} letters, this has {len(line):,}")
    return "".join(letter if letter.isprintable() else "?" for letter in line)


def checked_report(seat: Seat, message: ReportMessage, stage: Stage) -> Report:
    """The report in a message; without motions in a bare status. Raises Garbled or Dropped."""
    vids = seat.vids
    motions = checked_motions(message, vids, len(stage.roster.behaviors), seat.real)
    receptions = checked_receptions(message, vids, seat.real)
    detections = checked_detections(message, vids)
    broadcasts = checked_broadcasts(message, vids)
    said = detections, broadcasts, receptions, checked_remarks(message, vids)
    t, state = stage.time.t(message.tick), RunState(message.state)
    return Report(seat.name, message.tick, t, state, motions, *said)


def checked_motions(message: ReportMessage, vids: U4, behaviors: int, real: bool) -> Motions:
    """A report's motions in the order of `vids`, which is sorted; none in a bare status.

    A gateway, whose vehicles are `real`, leaves out those it has never heard. Raises Garbled or
    Dropped.
    """
    motions = wire.unpack(wire.MOTIONS, message.motions)
    if not len(motions):
        return motions
    if not np.array_equal(motions.vid, vids):
        motions = motions.take(np.argsort(motions.vid))
        expected = vids[np.isin(vids, motions.vid)] if real else vids
        if not np.array_equal(motions.vid, expected):
            raise Dropped("not its vehicle")
    _check_numbers(motions)
    if motions.behavior.max() > behaviors:
        raise Dropped("unknown behavior")
    return motions


def checked_receptions(message: ReportMessage, vids: U4, real: bool) -> Receptions:
    """Raises Garbled or Dropped."""
    receptions = wire.unpack(wire.RECEPTIONS, message.receptions)
    if len(receptions) and not (real and np.array_equal(receptions.vid, vids)):
        raise Dropped("not its vehicle")
    if len(receptions) and receptions.heard.max() > max(Heard):
        raise Garbled("an unknown way to be heard")
    for name, column in receptions.columns():
        if column.dtype.kind == "f" and np.isinf(column).any():
            raise Dropped("not a number")
        if name == "age" and np.isnan(column[receptions.heard != Heard.NEVER]).any():
            raise Dropped("not a number")
    return receptions


def checked_detections(message: ReportMessage, vids: U4) -> Detections:
    """Raises Garbled or Dropped."""
    detections = wire.unpack(wire.DETECTIONS, message.detections)
    if not np.isin(detections.vid, vids).all():
        raise Dropped("not its vehicle")
    _check_numbers(detections)
    return detections


def checked_broadcasts(message: ReportMessage, vids: U4) -> Broadcasts:
    """Raises Garbled or Dropped."""
    broadcasts = message.broadcasts
    if len(broadcasts) != len(broadcasts.payloads):
        raise Garbled("as many who speak as are words")
    if not np.isin(broadcasts.vid, vids).all():
        raise Dropped("not its vehicle")
    if any(len(payload) > MAX_PAYLOAD for payload in broadcasts.payloads):
        raise Dropped("too long")
    return broadcasts


def checked_remarks(message: ReportMessage, vids: U4) -> list[Remark]:
    """With words that are fit for a terminal. Raises Garbled or Dropped."""
    if len(message.remarks) > MOST_REMARKS:
        raise Dropped("too long")
    own = set(vids.tolist()) if message.remarks else set()
    if not own.issuperset(vid for vid, _ in message.remarks):
        raise Dropped("not its vehicle")
    return [Remark(vid, printable(text)) for vid, text in message.remarks]


def _check_numbers(table: Table) -> None:
    for _, column in table.columns():
        if column.dtype.kind != "f":
            continue
        if not np.isfinite(column).all():
            raise Dropped("not a number")
        if (np.abs(column) > LARGEST).any():
            raise Dropped("out of this world")

"""Where a JAUS vehicle says to be: its Global Pose and Velocity State as fixes, and back."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from movenv.gateways.fix import Fix, NothingInIt, Unreadable, sound_fix
from movenv.gateways.jaus import judp, reference
from movenv.gateways.jaus import messages as m
from movenv.gateways.jaus.codec import JausDecoder, encode
from movenv.gateways.jaus.message import Message, decode_message
from movenv.gateways.jaus.packet import EVERY_SUBSYSTEM, EVERYBODY, Address, Packet, address_in
from movenv.gateways.jaus.scaled import Dialect
from movenv.gateways.jaus.stamp import stamp_at, time_of
from movenv.gateways.jaus.subscriptions import Event

FRESH = 1.0
"""A velocity that came longer ago than this, s, says nothing of a pose."""
NOWHERE = 1e-6
"""Degrees. At 0, 0 are senders that have no place, though a scaled integer is never just 0."""


@dataclass(frozen=True)
class Word:
    """What a component said in one datagram; out of events, the reports in them."""

    by: Address
    said: list[Message]
    wrong: Unreadable | None
    """Why something in it means nothing."""


class FixDecoder:
    """Reads what one sender sends, in order: the velocity is told apart from the pose."""

    def __init__(self) -> None:
        self._decoder = JausDecoder()
        self._moves: dict[Address, tuple[float, m.ReportVelocityState]] = {}

    def decode(self, data: bytes, at: float | None = None) -> list[Fix]:
        """`at` is when it came, s since 1970; None for now. Raises Unreadable."""
        return self.fixes(self.hear(data), time.time() if at is None else at)

    def hear(self, data: bytes) -> Word:
        """Raises Unreadable where it is no JAUS, or not of one component."""
        found = self._decoder.decode(data)
        if not found:
            raise NothingInIt("a part of a large message")
        by = {Address(*heard.packet.source[:3]) for heard in found}
        if len(by) > 1:
            raise Unreadable("several components in one datagram")
        said, wrong = [], None
        for heard in found:
            try:
                said.append(_opened(heard.said))
            except Unreadable as reason:
                wrong = wrong or reason
        return Word(by.pop(), said, wrong)

    def fixes(self, word: Word, at: float) -> list[Fix]:
        """Raises Unreadable."""
        poses = [one for one in word.said if isinstance(one, m.ReportGlobalPose)]
        moves = [one for one in word.said if isinstance(one, m.ReportVelocityState)]
        if moves:
            self._moves[word.by] = at, moves[-1]
        if not poses:
            raise word.wrong or NothingInIt("no pose")
        came, velocity = self._moves.get(word.by, (-math.inf, m.ReportVelocityState()))
        if not 0.0 <= at - came <= FRESH:
            velocity = m.ReportVelocityState()
        return [_fix(pose, velocity, str(word.by), at) for pose in poses]


def _opened(said: Message | Unreadable) -> Message:
    if isinstance(said, Unreadable):
        raise said
    return decode_message(said.report, Dialect.SAE) if isinstance(said, Event) else said


def _fix(pose: m.ReportGlobalPose, velocity: m.ReportVelocityState, by: str, at: float) -> Fix:
    if not abs(pose.latitude) + abs(pose.longitude) > NOWHERE:
        raise NothingInIt("no fix")
    aside = velocity.y if velocity.y == velocity.y else 0.0
    course = pose.yaw
    if velocity.x == velocity.x:
        course += math.atan2(aside, velocity.x)  # backwards, it goes where it does not look
    return sound_fix(
        pose.latitude,
        pose.longitude,
        time=math.nan if pose.time is None else time_of(pose.time, at),
        alt=pose.altitude,
        speed=math.hypot(velocity.x, aside),
        course=math.degrees(course) % 360.0,
        accuracy=pose.position_rms,
        device=by,
    )


# --- for rehearsals: what a vehicle would send

NAMELESS = Address(126, 1, 1)
"""Who speaks where a fix does not name a component."""


def encode_fix(dialect: Dialect, fix: Fix) -> bytes:
    """Velocity, where it is known, and pose, one behind the other."""
    pose = m.ReportGlobalPose(
        latitude=fix.lat,
        longitude=fix.lon,
        altitude=fix.alt,
        position_rms=fix.accuracy,
        yaw=math.remainder(math.radians(fix.course), math.tau),
        time=stamp_at(fix.time) if fix.time == fix.time else None,
    )
    velocity = m.ReportVelocityState(x=fix.speed, y=0.0)
    said: list[Message] = [velocity, pose] if fix.speed == fix.speed else [pose]
    front = judp.VERSION if dialect is Dialect.SAE else reference.PREFIX
    everybody = Address(EVERY_SUBSYSTEM[dialect], EVERYBODY, EVERYBODY, EVERYBODY)
    packet = Packet(everybody, _component(fix, dialect), b"")
    whole = [data for message in said for data in encode(message, packet, dialect)]
    return front + b"".join(data.removeprefix(front) for data in whole)


def _component(fix: Fix, dialect: Dialect) -> Address:
    try:
        found = address_in(fix.device)
    except ValueError:
        return NAMELESS
    return found if found.fits(dialect) else NAMELESS


ENCODERS: dict[str, Callable[[Fix], bytes]] = {
    "jaus": partial(encode_fix, Dialect.SAE),
    "jaus_reference": partial(encode_fix, Dialect.REFERENCE),
}

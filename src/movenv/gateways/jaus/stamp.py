"""The time stamp of JAUS: day of the month and time of day in 32 bits, UTC."""

from datetime import UTC, datetime
from typing import NamedTuple

from movenv.gateways.fix import NAN

_SHIFTS = (27, 22, 16, 10, 0)
_MASKS = (0x1F, 0x1F, 0x3F, 0x3F, 0x3FF)


class Stamp(NamedTuple):
    """As it stands in a message, also where no clock shows such a time."""

    day: int
    hour: int
    minute: int
    second: int
    millisecond: int

    def bits(self) -> int:
        return sum(
            (part & mask) << shift for part, mask, shift in zip(self, _MASKS, _SHIFTS, strict=True)
        )


def stamp_of_bits(bits: int) -> Stamp:
    return Stamp(*(bits >> shift & mask for shift, mask in zip(_SHIFTS, _MASKS, strict=True)))


def stamp_at(time: float) -> Stamp:
    """`time` in seconds since 1970."""
    milliseconds = round(time * 1000)
    moment = datetime.fromtimestamp(milliseconds // 1000, UTC)
    return Stamp(moment.day, moment.hour, moment.minute, moment.second, milliseconds % 1000)


def time_of(stamp: Stamp, now: float) -> float:
    """Seconds since 1970, in the month that brings it nearest to `now`; nan if none has it."""
    today = datetime.fromtimestamp(now, UTC)
    months = [divmod(today.year * 12 + today.month - 1 + k, 12) for k in (-1, 0, 1)]
    times = [_time_in(year, month + 1, stamp) for year, month in months]
    return min((time for time in times if time == time), key=lambda t: abs(t - now), default=NAN)


def _time_in(year: int, month: int, stamp: Stamp) -> float:
    try:
        moment = datetime(
            year, month, stamp.day, stamp.hour, stamp.minute, stamp.second, tzinfo=UTC
        )
    except ValueError:  # 31 February, or the 0th, which senders write that have no clock
        return NAN
    return moment.timestamp() + stamp.millisecond / 1000

"""Joins what a receiver says of one instant."""

import math

from movenv.gateways.fix import NAN, Fix, sound_fix
from movenv.gateways.nmea.sentences import READERS, Said

DAY = 86400.0
ROLLOVER = 1024 * 7 * DAY
"""Old receivers count the week in ten bits, and are this much late when it overflows."""
UERE = 5.0
"""The error that an HDOP multiplies, m: usual for a single-frequency receiver under open sky."""

_RANKS = {kind: rank for rank, kind in enumerate(READERS)}


class Epoch:
    """The sentences of one instant."""

    def __init__(self) -> None:
        self.of_day = NAN
        self.given = False
        """Its fix has been given out."""
        self.said: dict[str, Said] = {}
        """By talker and kind, such as GPRMC."""

    def add(self, address: str, said: Said) -> None:
        self.said[address] = said
        if math.isnan(self.of_day):
            self.of_day = said.of_day

    @property
    def placed(self) -> bool:
        return not math.isnan(self._first("lat"))

    @property
    def void(self) -> bool:
        """All of one kind say so; of several talkers one may know more than the others."""
        kinds: dict[str, bool] = {}
        for address, said in self.said.items():
            kinds[address[2:]] = said.void and kinds.get(address[2:], True)
        return any(kinds.values())

    def needed(self) -> set[str]:
        """What is worth waiting for next time: not VTG where RMC tells speed and course already."""
        told = any(not math.isnan(s.speed) for a, s in self.said.items() if a[2:] == "RMC")
        return {address for address in self.said if not (told and address[2:] == "VTG")}

    def time(self, known: float, now: float | None) -> float:
        """Seconds since 1970; `known` is a time not long before."""
        dated = self._first("time")
        if not math.isnan(dated):
            return unrolled(dated, now)
        near = now if math.isnan(known) else known
        if near is None or math.isnan(self.of_day):
            return NAN
        time = near - near % DAY + self.of_day
        return time - DAY * round((time - near) / DAY)

    def fix(self, time: float) -> Fix:
        """Raises Unreadable."""
        sigma = self._first("sigma")
        return sound_fix(
            self._first("lat"),
            self._first("lon"),
            time=time,
            alt=self._first("alt"),
            speed=self._first("speed"),
            course=self._first("course"),
            accuracy=sigma if sigma > 0.0 else self._first("hdop") * UERE,
            vertical_accuracy=self._first("vertical_sigma"),
        )

    def _first(self, name: str) -> float:
        """What the best of those sentences says that say it; all systems together are best."""
        ranked = sorted(self.said, key=lambda a: (_RANKS[a[2:]], a[:2] != "GN"))
        values = [float(getattr(self.said[address], name)) for address in ranked]
        return next((value for value in values if not math.isnan(value)), NAN)


def unrolled(time: float, now: float | None) -> float:
    """`time` as many overflows of the week later as bring it nearest to `now`."""
    if now is None:
        return time
    return time + ROLLOVER * max(0, round((now - time) / ROLLOVER))

"""NMEA 0183 from a stream or from datagrams: one fix an epoch; and back, for rehearsals."""

import math
import re
from collections.abc import Callable
from datetime import UTC, datetime

from movenv.gateways.fix import NAN, Fix, NothingInIt, Unreadable
from movenv.gateways.nmea.epoch import DAY, UERE, Epoch, unrolled
from movenv.gateways.nmea.sentences import READERS, Said, said_by
from movenv.gateways.nmea_sentence import KNOT, checksum

WAITING = "waiting for the rest of the epoch"
NOTHING = "no sentence that tells a place"
LONGEST = 1024
"""Bytes of a sentence; more without an end is garbage."""
MOST = 32
"""Sentences of one epoch; no receiver has more."""
LATE = 10.0
"""A sentence so much older than its epoch, s, was overtaken; one even older begins anew."""

_ADDRESS = re.compile("[A-OQ-Z][A-Z0-9][A-Z]{3}")  # P begins what makers made up
_START = re.compile(rb"[$!]")
_END = re.compile(rb"\*[0-9A-Fa-f]{2}|[\r\n$!]")


class NmeaDecoder:
    """Listens to one receiver.

    An epoch is complete when the next begins, or when all has come that came in both of the last
    two, so that a fix need not wait for the next second.
    """

    def __init__(self) -> None:
        self.wrong = 0
        """Sentences with a wrong checksum or garbled fields."""
        self.understood = 0
        self.voids = 0
        """Epochs in which the receiver did not know where it was."""
        self._buffer = b""
        self._summed: set[str] = set()
        self._epoch: Epoch | None = None
        self._before: list[set[str]] = []
        self._known = NAN
        self._found: list[Fix] = []

    def feed(self, data: bytes, now: float | None = None) -> list[Fix]:
        """The fixes that are complete; `now`, in seconds since 1970, helps a lacking date."""
        self._found = []
        data, at = self._buffer + data, 0
        while (start := _START.search(data, at)) is not None:
            end = _END.search(data, start.end())
            if end is None:
                at = start.start() if len(data) - start.start() <= LONGEST else len(data)
                break
            if data[start.start()] == ord("$"):
                text = data[start.end() : end.start()].decode("latin-1")
                self._sentence(text, end.group()[1:].decode("ascii"), now)
            at = end.start() if end.group() in b"$!" else end.end()
        else:
            at = len(data)
        self._buffer = data[at:]
        return self._found

    def decode(self, data: bytes, now: float | None = None) -> list[Fix]:
        """As `feed`; raises Unreadable with the reason if no fix is complete."""
        wrong, understood, voids = self.wrong, self.understood, self.voids
        if found := self.feed(data, now):
            return found
        if self.voids > voids:
            raise NothingInIt("no fix")
        if self.understood > understood:
            raise NothingInIt(WAITING)
        if self.wrong > wrong:
            raise Unreadable("garbled")
        raise NothingInIt(NOTHING)

    def _sentence(self, text: str, told: str, now: float | None) -> None:
        address, *fields = text.split(",")
        if not _ADDRESS.fullmatch(address) or address[2:] not in READERS:
            return
        try:
            self._check(address, text, told)
            said = said_by(address[2:], fields)
        except Unreadable:
            self.wrong += 1
            return
        self.understood += 1
        if not math.isnan(said.time):
            self._known = unrolled(said.time, now)
        if address[2:] != "ZDA":  # it may tell another instant, and its date is all we want
            self._join(address, said, now)

    def _check(self, address: str, text: str, told: str) -> None:
        """A checksum may be missing, but not where the same sentence had one: it was cut off."""
        if told:
            if int(told, 16) != checksum(text):
                raise Unreadable("checksum")
            self._summed.add(address)
        elif address in self._summed or "*" in text:
            raise Unreadable("checksum")

    def _join(self, address: str, said: Said, now: float | None) -> None:
        epoch = self._epoch
        if address[2:] == "VTG":  # tells no time, and belongs to what came before
            if epoch is None:
                return
        elif epoch is None or self._is_next(epoch, address, said):
            epoch = self._begin(now)
        elif said.of_day != epoch.of_day and not math.isnan(said.of_day + epoch.of_day):
            return  # overtaken
        if len(epoch.said) < MOST:
            epoch.add(address, said)
        wanted = set.intersection(*self._before) if self._before else None
        if wanted is not None and wanted <= epoch.said.keys():
            self._give(epoch, now)

    def _is_next(self, epoch: Epoch, address: str, said: Said) -> bool:
        later = (said.of_day - epoch.of_day) % DAY
        if math.isnan(later):
            return address in epoch.said
        return 0.0 < later < DAY - LATE

    def _begin(self, now: float | None) -> Epoch:
        if self._epoch is not None:
            self._give(self._epoch, now)
            self._before = [*self._before[-1:], self._epoch.needed()]
        self._epoch = Epoch()
        return self._epoch

    def _give(self, epoch: Epoch, now: float | None) -> None:
        if epoch.given or not (epoch.void or epoch.placed):
            return
        epoch.given = True
        if epoch.void:
            self.voids += 1
            return
        time = epoch.time(self._known, now)
        try:
            self._found.append(epoch.fix(time))
        except Unreadable:  # exactly 0, 0
            self.voids += 1
            return
        if not math.isnan(time):
            self._known = time


def encode_nmea(fix: Fix) -> bytes:
    """RMC, GGA and, where the accuracy is known, GST."""
    clock = date = ""
    if not math.isnan(fix.time):
        milliseconds = round(fix.time * 1000)
        moment = datetime.fromtimestamp(milliseconds // 1000, UTC)
        clock = f"{moment:%H%M%S}.{milliseconds % 1000:03d}"
        date = f"{moment:%d%m%y}"
    lat, lon = _angle(fix.lat, 2, "NS"), _angle(fix.lon, 3, "EW")
    knots, course = _written(fix.speed / KNOT, 3), _written(fix.course, 2)
    hdop, sigma = _written(fix.accuracy / UERE, 2), _written(fix.accuracy / math.sqrt(2), 3)
    texts = [
        f"GPRMC,{clock},A,{lat},{lon},{knots},{course},{date},,,A",
        f"GPGGA,{clock},{lat},{lon},1,08,{hdop},{_written(fix.alt, 2)},M,,M,,",
    ]
    if sigma:
        height = _written(fix.vertical_accuracy, 3)
        texts.append(f"GPGST,{clock},,,,,{sigma},{sigma},{height}")
    return "".join(f"${text}*{checksum(text):02X}\r\n" for text in texts).encode()


ENCODERS: dict[str, Callable[[Fix], bytes]] = {"nmea": encode_nmea}
"""For rehearsals: what a receiver would send."""


def _angle(degrees: float, digits: int, sides: str) -> str:
    whole, rest = divmod(round(abs(degrees) * 60e6), 60_000_000)
    minutes, fraction = divmod(rest, 1_000_000)
    return f"{whole:0{digits}d}{minutes:02d}.{fraction:06d},{sides[degrees < 0]}"


def _written(value: float, digits: int) -> str:
    return "" if math.isnan(value) else f"{value:.{digits}f}"

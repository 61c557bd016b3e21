"""The JSON lines of gpsd."""

import math
import re
from datetime import UTC, datetime

import msgspec

from movenv.gateways.fix import NAN, Fix, NothingInIt, Unreadable, sound_fix

WATCH = b'?WATCH={"enable":true,"json":true};\n'
"""Asks gpsd to tell all that it hears."""


class Report(msgspec.Struct, rename={"kind": "class"}):
    """A line, as far as we read it; most classes have none of these."""

    kind: str = ""
    device: str = ""
    mode: int = 0
    """0 and 1 no fix, 2 without and 3 with height."""
    time: str = ""
    lat: float | None = None
    lon: float | None = None
    alt: float = NAN
    """Of old versions: one or the other of the next two."""
    altMSL: float = NAN  # noqa: N815
    altHAE: float = NAN  # noqa: N815
    speed: float = NAN
    track: float = NAN
    epx: float = NAN
    epy: float = NAN
    eph: float = NAN
    epv: float = NAN


_BESIDES = re.compile(
    rb'\s*\{"class":"(SKY|GST|ATT|IMU|TOFF|PPS|OSC|RAW|AIS|VERSION|DEVICES?|WATCH|POLL)"'
)
_decoder = msgspec.json.Decoder(Report)


def decode_gpsd(data: bytes, device: str = "") -> list[Fix]:
    """The fixes in whole lines; of one device, where told. Raises Unreadable if there are none."""
    found: list[Fix] = []
    reason: Unreadable = NothingInIt("nothing")
    for line in data.splitlines():
        if not line.strip():
            continue
        try:
            found.append(_fix(line, device))
        except Unreadable as why:
            reason = why
    if not found:
        raise reason
    return found


def encode_gpsd(fix: Fix) -> bytes:
    """The line that gpsd would tell."""
    said = {
        "class": "TPV",
        "device": "/dev/rehearsal",
        "mode": 2 if math.isnan(fix.alt) else 3,
        "time": math.nan if math.isnan(fix.time) else _in_letters(fix.time),
        "lat": fix.lat,
        "lon": fix.lon,
        "altMSL": fix.alt,
        "speed": fix.speed,
        "track": fix.course,
        "eph": fix.accuracy,
    }
    told = {key: value for key, value in said.items() if value == value}
    return msgspec.json.encode(told) + b"\n"


def _in_letters(time: float) -> str:
    when = datetime.fromtimestamp(time, UTC).isoformat(timespec="milliseconds")
    return when.replace("+00:00", "Z")


ENCODERS = {"gpsd": encode_gpsd}


def worth_taking(line: bytes) -> bool:
    """Whether it is more than what gpsd tells besides: of satellites, devices and itself."""
    return bool(line.strip()) and not _BESIDES.match(line)


def _fix(line: bytes, device: str) -> Fix:
    try:
        report = _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Unreadable("garbled") from error
    if report.kind == "ERROR":
        raise Unreadable("gpsd reports an error")
    if report.kind != "TPV":
        raise Unreadable("no TPV")
    if device and report.device != device:
        raise Unreadable("another receiver")
    if report.mode < 2 or report.lat is None or report.lon is None:
        raise NothingInIt("no fix")
    heights = (report.altMSL, report.alt, report.altHAE)
    across = math.hypot(report.epx, report.epy)
    return sound_fix(
        report.lat,
        report.lon,
        time=_seconds(report.time),
        alt=next((height for height in heights if not math.isnan(height)), NAN),
        speed=report.speed,
        course=report.track,
        accuracy=across if math.isnan(report.eph) else report.eph,
        vertical_accuracy=report.epv,
    )


def _seconds(text: str) -> float:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return NAN
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.timestamp()

"""A line of HyperIMU (Android).

[time in ms], [MAC address], [battery %, charging, mains], three values of each sensor,
[latitude, longitude, altitude], up to three NMEA sentences, any of which may be blank

Which of these are there is a matter of the app's switches.
"""

import math
import re

from movenv.gateways.fix import NAN, Fix, Unreadable, sound_fix
from movenv.gateways.phone_udp.slot import Rmc, dotted_rmc, read_rmc

SLOTS = 3
HIDDEN_MAC = "02:00:00:00:00:00"
"""What Android has shown to all apps since version 6; it names nobody."""
SAME_PLACE_DEG = 0.002
"""Farther from the sentence, the app's place is an old one, and so is its altitude."""

_SWITCH = frozenset(("0", "1"))
_MAC = re.compile(r"[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5}")


def read_hyperimu(fields: list[str]) -> Fix:
    """Raises Unreadable."""
    rmc, count = _slots(fields)
    first, time, device = _beginning(fields)
    try:
        values = list(map(float, fields[first:count]))
    except ValueError as error:
        raise Unreadable("garbled") from error
    battery = NAN
    if len(values) > 2 and fields[first + 1] in _SWITCH and fields[first + 2] in _SWITCH:
        battery = values[0] / 100.0
        del values[:3]
    if len(values) % 3 or not (values or rmc):
        raise Unreadable("garbled")
    lat, lon, alt = values[-3:] or (NAN, NAN, NAN)
    if alt == 0.0:  # so Android says that it knows none
        alt = NAN
    if rmc is None:
        return sound_fix(lat, lon, time=time, alt=alt, battery=battery, device=device)
    near = abs(lat - rmc.lat) < SAME_PLACE_DEG and abs(lon - rmc.lon) < SAME_PLACE_DEG
    return sound_fix(
        rmc.lat,
        rmc.lon,
        time=rmc.time,
        alt=alt if near else NAN,
        speed=rmc.speed,
        course=rmc.course,
        battery=battery,
        device=device,
    )


def _slots(fields: list[str]) -> tuple[Rmc | None, int]:
    """The place that the sentences tell, and how many fields come before them."""
    found: Rmc | None = None
    none: Unreadable | None = None
    end = len(fields)
    first = max(end - SLOTS - 1, 0)  # one more is the blank after a comma that some lines end with
    while end > first and (not (slot := fields[end - 1].strip()) or slot[0] == "$"):
        end -= 1
        if slot[3:6] == "RMC":
            try:
                found = read_rmc(slot)
            except Unreadable as reason:
                none = reason
    if found is None and none is not None:
        raise none
    return found, end


def _beginning(fields: list[str]) -> tuple[int, float, str]:
    """How many fields say when and who, and what they say."""
    first, time, device = 0, NAN, ""
    if 12 <= len(fields[0]) <= 14 and fields[0].isdigit():
        first, time = 1, int(fields[0]) / 1000.0
    if first < len(fields) and len(fields[first]) > 16 and _MAC.fullmatch(fields[first].strip()):
        device = fields[first].strip()
        first += 1
    return first, time, "" if device == HIDDEN_MAC else device


def encode_hyperimu(fix: Fix, *, rmc: bool = True, logged: float | None = None) -> bytes:
    """As an Android phone would send it, `logged` seconds since 1970, or when it was measured.

    Tells the device only if that is a MAC address. Sentences know the years 1980 to 2079.
    """
    at = fix.time if logged is None else logged
    fields = []
    if math.isfinite(at):
        fields.append(f"{max(round(at * 1000.0), 0):012d}")
    if _MAC.fullmatch(fix.device):
        fields.append(fix.device)
    if math.isfinite(fix.battery):
        fields += [f"{100.0 * fix.battery:.0f}", "0", "0"]
    fields += ["0.0930", "0.1480", "9.8066"]
    fields += [f"{fix.lat:.8f}", f"{fix.lon:.8f}", f"{fix.alt if fix.alt == fix.alt else 0.0:.3f}"]
    if rmc and math.isfinite(fix.time):
        fields += [dotted_rmc(fix), " ", " "]
    return (",".join(fields) + "\r\n").encode()

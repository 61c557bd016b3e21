"""What a phone or receiver says of itself, whatever it speaks."""

import math

import msgspec

NAN = math.nan


class Unreadable(ValueError):
    """Bytes out of which no fix comes; the message is the short reason it is counted under."""


class NothingInIt(Unreadable):
    """Bytes that are sound and tell no place, as they often do: nothing was dropped."""


class Fix(msgspec.Struct, frozen=True, gc=False):
    """Where somebody says to be. What is not said is nan. Make it with `sound_fix`."""

    lat: float
    lon: float
    """Degrees."""
    time: float = NAN
    """When it was measured, by the sender's word: seconds since 1970, UTC."""
    alt: float = NAN
    """Above mean sea level, m."""
    speed: float = NAN
    """Over ground, m/s."""
    course: float = NAN
    """Where it goes: degrees clockwise from true north, 0 to 360."""
    accuracy: float = NAN
    """Radius in which the true place lies two times out of three, m."""
    vertical_accuracy: float = NAN
    battery: float = NAN
    """0 to 1."""
    device: str = ""
    """What the sender calls itself: an id or a MAC address."""
    token: str = ""
    """The secret it shows."""
    sequence: int = -1
    """Counts what the sender sent, where it does."""


def sound_fix(
    lat: float,
    lon: float,
    *,
    time: float = NAN,
    alt: float = NAN,
    speed: float = NAN,
    course: float = NAN,
    accuracy: float = NAN,
    vertical_accuracy: float = NAN,
    battery: float = NAN,
    device: str = "",
    token: str = "",
    sequence: int = -1,
) -> Fix:
    """A fix with a place on the globe, and nan for every number that cannot be.

    Raises Unreadable without a place. Exactly 0, 0 is how phones say that they have none.
    """
    if not (-90.0 <= lat <= 90.0 and -180.0 <= lon <= 180.0):
        raise Unreadable("no place on the globe")
    if lat == 0.0 and lon == 0.0:
        raise NothingInIt("no fix")
    return Fix(
        lat,
        lon,
        time if 0.0 < time < 1e11 else NAN,
        alt if -12_000.0 < alt < 100_000.0 else NAN,
        speed if 0.0 <= speed < 1e4 else NAN,
        course % 360.0 if 0.0 <= course <= 360.0 else NAN,
        accuracy if 0.0 < accuracy < 1e7 else NAN,
        vertical_accuracy if 0.0 < vertical_accuracy < 1e7 else NAN,
        battery if 0.0 <= battery <= 1.0 else NAN,
        device[:100],
        token[:200],
        sequence if 0 <= sequence < 2**53 else -1,
    )

"""Times, names and colours as the track formats write them."""

import re
from xml.sax.saxutils import escape

import numpy as np

from movenv.world.columns import F8
from movenv.world.kinds import Origin

COLORS = {Origin.VIRTUAL: "0066b3", Origin.REAL: "d96800", Origin.REPLAYED: "a8448a"}
"""Red, green, blue: those of the console."""
_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def iso_times(utc: F8) -> list[str]:
    """Seconds since 1970 as text, to the millisecond."""
    moments = np.round(np.asarray(utc) * 1e3).astype("datetime64[ms]")
    return [f"{text}Z" for text in np.datetime_as_string(moments).tolist()]


def iso_time(utc: float) -> str:
    return iso_times(np.array([utc]))[0]


def xml_text(text: str) -> str:
    """Text for XML, between tags and in attributes; what XML cannot hold becomes �."""
    return escape(_NOT_IN_XML.sub("\ufffd", text), {'"': "&quot;", "'": "&apos;"})

"""What a recording tells of wheels: who drove which vehicle from outside."""

import re

from movenv.recording.layouts import EventRecord

WHEEL = "wheel"
"""The kind of events about wheels."""
PERSON, PROGRAM = "a person", "a program"
_TAKEN = re.compile(rf".*, (?P<what>{PERSON}|{PROGRAM}), is at the wheel")


def taken_words(vehicle: str, who: str, person: bool) -> str:
    """That somebody has taken the wheel."""
    return f"{vehicle}: {who}, {PERSON if person else PROGRAM}, is at the wheel"


def taken_by(event: EventRecord) -> str:
    """PERSON or PROGRAM where an event says that one has taken a wheel, else ''."""
    match = _TAKEN.fullmatch(event.text) if event.kind == WHEEL else None
    return match["what"] if match else ""

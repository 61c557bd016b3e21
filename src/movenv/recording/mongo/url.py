"""Where a recording is in a database: mongodb://HOST:PORT/DB, with ?run=ID for one of its runs."""

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

from movenv.recording.writer import RecordingRefused

FORM = "mongodb://HOST:PORT/DATABASE"
_PARTS = re.compile(
    r"(?P<scheme>mongodb(?:\+srv)?://)(?:(?P<user>[^/?#]*)@)?(?P<hosts>[^/?#@]+)"
    r"/(?P<database>[^/?#]+)(?:\?(?P<options>[^#]*))?"
)
_MEANT = re.compile(r"\s*mongodb[+\w]*:", re.IGNORECASE)
_NAME = re.compile(r"[^/\\. \"$*<>:|?\0]{1,63}")


def is_database(reference: str) -> bool:
    """Whether something is meant as a database, and not as a file; `parse` may refuse it still.

    With a slash missing too: taken for a file it would be repeated, and a password with it.
    """
    return _MEANT.match(reference) is not None


@dataclass(frozen=True)
class Address:
    """A database, and perhaps one run in it."""

    uri: str
    """For the driver: with credentials and options, without the run."""
    database: str
    run: str
    """Empty where none is named."""
    shown: str
    """For people: without credentials and options."""

    def __repr__(self) -> str:
        return self.told

    @property
    def told(self) -> str:
        """For people, with the run."""
        return f"{self.shown}?run={quote(self.run)}" if self.run else self.shown

    def with_run(self, run: str) -> "Address":
        return Address(self.uri, self.database, run, self.shown)


def parse(reference: str) -> Address:
    """Raises RecordingRefused; what is refused is not repeated, for it may hold a password."""
    match = _PARTS.fullmatch(reference)
    if match is None:
        raise RecordingRefused(
            f"this is no address of a database: expected {FORM}, or {FORM}?run=ID to read one run "
            f"(what was given is not repeated here, it may hold a password)"
        )
    database = match["database"]
    if not _NAME.fullmatch(database):
        raise RecordingRefused(
            f"a database cannot be called '{database}': expected {FORM}, "
            f'its name without / \\ . " $ * < > : | ? and at most 63 characters'
        )
    options = [word for word in (match["options"] or "").split("&") if word]
    runs = [unquote(word.removeprefix("run=")) for word in options if word.startswith("run=")]
    if len(runs) > 1 or (runs and not runs[0]):
        raise RecordingRefused(f"expected one run, as in {FORM}?run=ID")
    user = f"{match['user']}@" if match["user"] is not None else ""
    others = "&".join(word for word in options if not word.startswith("run="))
    start = f"{match['scheme']}{user}{match['hosts']}/{database}"
    shown = f"{match['scheme']}{match['hosts']}/{database}"
    return Address(f"{start}?{others}" if others else start, database, "".join(runs), shown)

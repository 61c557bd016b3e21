"""The built page: a fixed set of files, read once. What is not in it cannot be asked for."""

import hashlib
import mimetypes
from dataclasses import dataclass
from importlib import resources

from movenv.runtime.errors import RunFailed

INDEX = "index.html"
SHARED = "shared-"
"""How the names of files begin that have their fingerprint in them."""
FOREVER = "public, max-age=31536000, immutable"


class NoPage(RunFailed):
    """The page has not been built; the message is for the user."""


@dataclass(frozen=True)
class PageFile:
    """One file as it is sent."""

    data: bytes
    media_type: str
    tag: str


def page_files() -> dict[str, PageFile]:
    """By name. Raises NoPage."""
    folder = resources.files("movenv.web") / "page"
    if not (folder / INDEX).is_file():
        raise NoPage("the console's page is not built; `make page` builds it, or install movenv")
    return {entry.name: _read(entry.name, entry.read_bytes()) for entry in folder.iterdir()}


def _read(name: str, data: bytes) -> PageFile:
    if name.endswith((".js", ".mjs")):
        kind = "text/javascript"
    else:
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return PageFile(data, kind, f'"{hashlib.sha256(data).hexdigest()[:16]}"')

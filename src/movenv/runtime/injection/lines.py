"""Scans as lines of JSON: from a file or standard input, to a file or standard output."""

import os
import select
import sys
import threading
from collections.abc import Callable
from typing import IO

from movenv.gateways.scans.codec import LONGEST_LINE
from movenv.runtime.injection.endpoints import (
    FILE,
    Endpoint,
    EndpointRefused,
    Form,
    ScanSink,
    ScanSource,
    Take,
    register,
)
from movenv.runtime.live.bus import Bus

STANDARD = "-"
CHUNK = 65_536
LOOK_UP = 0.2
"""How often a source looks whether it should end, s."""


class LineSource(ScanSource):
    """Reads to the end of a file; `-` is standard input."""

    form: Form | None = "line"

    def __init__(self, path: str, _bus: Callable[[], Bus] | None = None) -> None:
        """Raises EndpointRefused."""
        self._file: IO[bytes] = sys.stdin.buffer if path == STANDARD else _opened(path, "rb")
        self.waits = os.path.isfile(path)
        self._closing = threading.Event()

    def run(self, take: Take) -> None:
        try:
            self._read(take)
        finally:
            if self._file is not sys.stdin.buffer:
                self._file.close()

    def _read(self, take: Take) -> None:
        # Past Python's buffer: a read that waits there could not be ended.
        file, rest = self._file.fileno(), b""
        while not self._closing.is_set():
            if not select.select([file], [], [], LOOK_UP)[0]:
                continue
            chunk = os.read(file, CHUNK)
            *lines, rest = (rest + chunk).split(b"\n")
            if not chunk or len(rest) > LONGEST_LINE:
                lines, rest = [*lines, rest], b""
            for line in lines:
                if line.strip():
                    take(line.rstrip(b"\r"))
            if not chunk:
                return

    def close(self) -> None:
        self._closing.set()


class LineSink(ScanSink):
    """Writes each line at once; `-` is standard output."""

    form: Form | None = "line"

    def __init__(self, path: str, _bus: Callable[[], Bus] | None = None) -> None:
        """Raises EndpointRefused."""
        if path != STANDARD and os.path.isfile(path) and os.path.getsize(path):
            raise EndpointRefused(f"{path} exists already; it was not touched")
        self._file: IO[bytes] = sys.stdout.buffer if path == STANDARD else _opened(path, "wb")

    def write(self, data: bytes) -> None:
        self._file.write(data + b"\n")
        self._file.flush()

    def close(self) -> None:
        if self._file is not sys.stdout.buffer:
            self._file.close()


def _opened(path: str, how: str) -> IO[bytes]:
    try:
        return open(path, how)
    except OSError as error:
        raise EndpointRefused(f"cannot open {path}: {error.strerror}") from None


register(FILE, Endpoint(LineSource, LineSink))

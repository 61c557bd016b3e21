"""The frame of an MCAP file: records one after the other, each with its length."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from mcap.writer import MCAP0_MAGIC

MAGIC: bytes = MCAP0_MAGIC

RECORD_HEAD = struct.Struct("<BQ")
"""Opcode and length of the body."""


@dataclass(frozen=True)
class RecordPlace:
    """A whole record in a file."""

    opcode: int
    offset: int
    end: int

    @property
    def body(self) -> int:
        return self.offset + RECORD_HEAD.size


def walk(file: IO[bytes]) -> Iterator[RecordPlace]:
    """Every record that is whole, from the beginning; stops at the first that is not."""
    size = file.seek(0, 2)
    at = len(MAGIC)
    while at + RECORD_HEAD.size <= size:
        file.seek(at)
        opcode, length = RECORD_HEAD.unpack(file.read(RECORD_HEAD.size))
        end = at + RECORD_HEAD.size + length
        if end > size:
            return
        yield RecordPlace(opcode, at, end)
        at = end

"""Tables as CDR, the encoding of ROS 2 messages, with a schema that travels in the file.

A message is a few numbers followed by one sequence a column. Columns are written as they lie in
memory, so encoding costs a copy, and any reader that knows `ros2msg` schemas can open them.
"""

import struct
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from movenv.world.columns import Table

LITTLE_ENDIAN = b"\x00\x01\x00\x00"
MAX_ROWS = 50_000_000
_ROS_TYPES = {"<f8": "float64", "<f4": "float32", "<u4": "uint32", "|u1": "uint8"}
_STRUCT = {"float64": ("d", 8), "float32": ("f", 4), "uint32": ("I", 4), "uint8": ("B", 1)}

AnyTable = TypeVar("AnyTable", bound=Table)


class DecodeError(ValueError):
    """Bytes that are not a message of this layout."""


class Layout(Generic[AnyTable]):
    """How one kind of message is laid out: named numbers, then the columns of a table."""

    def __init__(
        self,
        name: str,
        about: str,
        numbers: Mapping[str, str],
        table: type[AnyTable],
        added: frozenset[str] = frozenset(),
    ) -> None:
        """`numbers` maps field names to ROS types.

        `added` are last columns that messages of older versions lack; they are read as zero.
        """
        self._added = added
        self.name = name
        self.about = about
        self.numbers = numbers
        self.table = table

    @property
    def schema(self) -> str:
        """The layout in ROS 2's message definition language."""
        lines = [f"# {self.about}"]
        lines += [f"{ros_type} {name}" for name, ros_type in self.numbers.items()]
        lines += [f"{_ROS_TYPES[d.str]}[] {name}" for name, d in self.table.dtypes.items()]
        return "\n".join(lines) + "\n"

    def encode(self, numbers: Mapping[str, Any], table: AnyTable) -> bytes:
        parts: list[Any] = [LITTLE_ENDIAN]
        at = 0

        def align(size: int) -> None:
            nonlocal at
            padding = -at % size
            if padding:
                parts.append(bytes(padding))
                at += padding

        for name, ros_type in self.numbers.items():
            code, size = _STRUCT[ros_type]
            align(size)
            parts.append(struct.pack(f"<{code}", numbers[name]))
            at += size
        for _, column in table.columns():
            align(4)
            parts.append(struct.pack("<I", len(column)))
            at += 4
            if len(column):
                align(column.itemsize)
                parts.append(column.data)
                at += column.nbytes
        return b"".join(parts)

    def decode(self, data: bytes) -> tuple[dict[str, Any], AnyTable]:
        """The opposite of `encode`. Raises DecodeError for anything else."""
        numbers, at = self._decode_numbers(data)
        body = memoryview(data)[4:]
        columns: dict[str, NDArray[Any]] = {}
        for name, dtype in self.table.dtypes.items():
            if name in self._added and at == len(body):
                columns[name] = np.zeros(len(next(iter(columns.values()))), dtype)
                continue
            at += -at % 4
            count = self._number(body, "I", at)
            at += 4
            if count:
                at += -at % dtype.itemsize
            size = count * dtype.itemsize
            if count > MAX_ROWS or at + size > len(body):
                raise DecodeError(f"{self.name}: column '{name}' is cut off")
            columns[name] = np.frombuffer(body[at : at + size], dtype)
            at += size
        if len({len(column) for column in columns.values()}) > 1:
            raise DecodeError(f"{self.name}: columns of different length")
        return numbers, self.table(columns)

    def decode_numbers(self, data: bytes) -> dict[str, Any]:
        """Only the numbers before the columns. Raises DecodeError."""
        return self._decode_numbers(data)[0]

    def _decode_numbers(self, data: bytes) -> tuple[dict[str, Any], int]:
        """The numbers, and where they end."""
        if data[:4] != LITTLE_ENDIAN:
            raise DecodeError(f"{self.name}: not little-endian CDR")
        body = memoryview(data)[4:]
        at = 0
        numbers: dict[str, Any] = {}
        for name, ros_type in self.numbers.items():
            code, size = _STRUCT[ros_type]
            at += -at % size
            numbers[name] = self._number(body, code, at)
            at += size
        return numbers, at

    def _number(self, body: memoryview, code: str, at: int) -> Any:
        try:
            return struct.unpack_from(f"<{code}", body, at)[0]
        except struct.error:
            raise DecodeError(f"{self.name}: ends early") from None

"""Rows of a table as BSON documents, all at once.

Of one table every row becomes a document of the same names, types and length. So one template is
repeated and the columns are laid over it: tens of times faster than encoding a dict a row.
"""

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from movenv.world.columns import Table

DOUBLE, TEXT, DOCUMENT, ARRAY, DATE, INT32, INT64 = 1, 2, 3, 4, 9, 16, 18
STORED: dict[str, tuple[int, str]] = {
    "<f8": (DOUBLE, "<f8"),
    "<f4": (DOUBLE, "<f8"),
    "<u4": (INT64, "<i8"),
    "|u1": (INT32, "<i4"),
}
"""What a column becomes, by its dtype: type in BSON and dtype of the bytes there."""


class _Slot(NamedTuple):
    offset: int
    dtype: str


class _Template:
    """A document that is being laid out."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.slots: dict[str, _Slot] = {}
        self._open: list[int] = []

    def begin(self, kind: int = DOCUMENT, name: str = "") -> None:
        """Begin the document itself, or one inside it."""
        if self._open:
            self._name(kind, name)
        self._open.append(len(self.data))
        self.data += bytes(4)

    def end(self) -> None:
        self.data.append(0)
        start = self._open.pop()
        struct.pack_into("<i", self.data, start, len(self.data) - start)

    def text(self, name: str, value: str) -> None:
        """A text that is the same in every row."""
        self._name(TEXT, name)
        encoded = value.encode() + b"\0"
        self.data += struct.pack("<i", len(encoded)) + encoded

    def slot(self, name: str, kind: int, dtype: str, key: str = "") -> None:
        """A place for a column; `key` where it is called otherwise than in the document."""
        self._name(kind, name)
        self.slots[key or name] = _Slot(len(self.data), dtype)
        self.data += bytes(np.dtype(dtype).itemsize)

    def _name(self, kind: int, name: str) -> None:
        self.data += bytes([kind]) + name.encode() + b"\0"


class RowDocuments:
    """Makes the documents of one run's vehicles."""

    def __init__(self, run: str, table: type[Table]) -> None:
        self._table = table
        self._with_place = self._laid_out(run, True)
        self._without = self._laid_out(run, False)

    def _laid_out(self, run: str, place: bool) -> _Template:
        made = _Template()
        made.begin()
        made.slot("at", DATE, "<i8")
        made.begin(DOCUMENT, "meta")
        made.text("run", run)
        made.slot("vid", *STORED["<u4"])
        made.slot("batch", INT64, "<i8")
        made.end()
        made.slot("seq", INT64, "<i8")
        made.slot("tick", INT64, "<i8")
        made.slot("t", DOUBLE, "<f8")
        for name, dtype in self._table.dtypes.items():
            if name != "vid":
                made.slot(name, *STORED[dtype.str])
        if place:
            made.begin(DOCUMENT, "place")
            made.text("type", "Point")
            made.begin(ARRAY, "coordinates")
            made.slot("0", DOUBLE, "<f8", "place.lon")
            made.slot("1", DOUBLE, "<f8", "place.lat")
            made.end()
            made.end()
        made.end()
        return made

    def encode(self, shared: dict[str, float], table: Table) -> list[memoryview]:
        """A document a row; one whose place is none on Earth has no `place`.

        `shared` are those of all rows: at (ms since 1970), batch, seq, tick and t.
        """
        columns = dict(table.columns())
        lat, lon = columns["lat"], columns["lon"]
        on_earth = (np.abs(lat) <= 90.0) & (np.abs(lon) <= 180.0)
        values: dict[str, Any] = shared | columns | {"place.lat": lat, "place.lon": lon}
        if on_earth.all():
            return _filled(self._with_place, values, len(table))
        made: list[memoryview] = []
        for template, rows in ((self._with_place, on_earth), (self._without, ~on_earth)):
            some = {k: v[rows] if isinstance(v, np.ndarray) else v for k, v in values.items()}
            made += _filled(template, some, int(rows.sum()))
        return made


def _filled(template: _Template, values: dict[str, Any], rows: int) -> list[memoryview]:
    size = len(template.data)
    whole: NDArray[np.uint8] = np.empty((rows, size), np.uint8)
    whole[:] = np.frombuffer(template.data, np.uint8)
    for name, (offset, dtype) in template.slots.items():
        column = np.broadcast_to(np.asarray(values[name]).astype(dtype), (rows,))
        width = column.itemsize
        whole[:, offset : offset + width] = (
            np.ascontiguousarray(column).view(np.uint8).reshape(rows, width)
        )
    flat = memoryview(whole.tobytes())
    return [flat[i * size : (i + 1) * size] for i in range(rows)]


def widened(table: Table) -> Table:
    """A table as it comes back from the documents: bits that a wider number loses are lost."""
    return type(table)(
        {
            name: column.astype(STORED[column.dtype.str][1]).astype(column.dtype)
            for name, column in table.columns()
        }
    )


class Rows:
    """Documents of a query, in columns, whatever order their fields come in."""

    def __init__(self) -> None:
        self._parts: list[dict[str, NDArray[Any]]] = []

    def add(self, documents: bytes) -> None:
        """Documents one after the other. Those of one shape cost no more than a copy."""
        at = 0
        while at < len(documents):
            (size,) = struct.unpack_from("<i", documents, at)
            places = dict(_places(documents[at : at + size]))
            whole = np.frombuffer(documents, np.uint8, (len(documents) - at) // size * size, at)
            whole = whole.reshape(-1, size)
            fixed = np.ones(size, bool)
            for offset, dtype in places.values():
                fixed[offset : offset + np.dtype(dtype).itemsize] = False
            alike = (whole[:, fixed] == whole[0, fixed]).all(axis=1)
            count = len(whole) if alike.all() else int(np.argmin(alike))
            self._parts.append({n: _column(whole[:count], p) for n, p in places.items()})
            at += count * size

    def __bool__(self) -> bool:
        return bool(self._parts)

    def column(self, name: str, dtype: str) -> NDArray[Any]:
        """Raises KeyError where a document has no such field."""
        return np.concatenate([part[name] for part in self._parts]).astype(dtype)


def _column(whole: NDArray[np.uint8], place: _Slot) -> NDArray[Any]:
    width = np.dtype(place.dtype).itemsize
    return np.ascontiguousarray(whole[:, place.offset : place.offset + width]).view(place.dtype)[
        :, 0
    ]


_WIDTHS = {DOUBLE: "<f8", DATE: "<i8", INT32: "<i4", INT64: "<i8"}


def _places(document: bytes, at: int = 4, before: str = "") -> Iterator[tuple[str, _Slot]]:
    """Where the numbers of a document stand, those of documents inside it too."""
    while document[at]:
        kind = document[at]
        end = document.index(0, at)
        name, at = before + document[at + 1 : end].decode(), end + 1
        if kind in _WIDTHS:
            yield name, _Slot(at, _WIDTHS[kind])
            at += np.dtype(_WIDTHS[kind]).itemsize
            continue
        (size,) = struct.unpack_from("<i", document, at)
        if kind in (DOCUMENT, ARRAY):
            yield from _places(document, at + 4, f"{name}.")
            at += size
        elif kind == TEXT:
            at += 4 + size
        else:
            raise ValueError(f"a field '{name}' of type {kind} in a snapshot")

"""Tables of columns: one NumPy array a field, one row a vehicle (or pair, or event)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self, TypeAlias, TypeVar, get_type_hints

import numpy as np
from numpy.typing import NDArray

F8: TypeAlias = NDArray[np.float64]
F4: TypeAlias = NDArray[np.float32]
U4: TypeAlias = NDArray[np.uint32]
U1: TypeAlias = NDArray[np.uint8]
Rows: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]

_DTYPES: list[tuple[Any, np.dtype[Any]]] = [
    (F8, np.dtype("<f8")),
    (F4, np.dtype("<f4")),
    (U4, np.dtype("<u4")),
    (U1, np.dtype("u1")),
]


Array = TypeVar("Array", bound=NDArray[Any])


def read_only(array: Array) -> Array:
    """The same numbers, not to be changed: what is handed out is shared by everyone."""
    view: Array = array.view()
    view.flags.writeable = False
    return view


class Table:
    """Columns of equal length and fixed type. A subclass declares them as annotations."""

    dtypes: ClassVar[dict[str, np.dtype[Any]]] = {}

    def __init_subclass__(cls) -> None:
        cls.dtypes = {
            name: dtype
            for name, hint in get_type_hints(cls).items()
            for alias, dtype in _DTYPES
            if hint == alias
        }

    def __init__(self, columns: Mapping[str, NDArray[Any]]) -> None:
        for name, dtype in self.dtypes.items():
            setattr(self, name, np.ascontiguousarray(columns[name], dtype=dtype))

    @classmethod
    def empty(cls, rows: int = 0) -> Self:
        return cls({name: np.zeros(rows, dtype) for name, dtype in cls.dtypes.items()})

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The rows of all of these, one after the other."""
        if not parts:
            return cls.empty()
        return cls(
            {name: np.concatenate([getattr(part, name) for part in parts]) for name in cls.dtypes}
        )

    def __len__(self) -> int:
        return len(getattr(self, next(iter(self.dtypes))))

    def columns(self) -> Iterator[tuple[str, NDArray[Any]]]:
        for name in self.dtypes:
            yield name, getattr(self, name)

    def sealed(self) -> Self:
        """This table with columns that cannot be written."""
        for name, column in self.columns():
            setattr(self, name, read_only(column))
        return self

    def take(self, rows: Rows | Mask) -> Self:
        return type(self)({name: column[rows] for name, column in self.columns()})


class VidIndex:
    """From vids to their rows in a table, in whatever order the table has them."""

    def __init__(self, vids: U4) -> None:
        self._order = np.argsort(vids)
        self._sorted = vids[self._order]
        top = int(self._sorted[-1]) + 1 if len(vids) else 0
        self._dense: Rows | None = None
        if top <= 64 * len(vids) + 1024:
            self._dense = np.full(top, -1, np.intp)
            self._dense[vids] = np.arange(len(vids))

    def rows(self, vids: U4) -> Rows:
        """The row of each vid, -1 where it is not in the table."""
        if self._dense is not None:
            known = vids < len(self._dense)
            if known.all():
                return self._dense[vids]
            return np.where(known, self._dense[np.where(known, vids, 0)], -1)
        at = np.minimum(np.searchsorted(self._sorted, vids), len(self._sorted) - 1)
        return np.where(self._sorted[at] == vids, self._order[at], -1)

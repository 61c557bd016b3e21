"""What all viewers need of a moment, worked out once however many see it."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from movenv.web.feed import Moment
from movenv.web.frame import Packed, packed
from movenv.web.pairs import Pair, closest_pairs

Result = TypeVar("Result")


class _Once(Generic[Result]):
    """Remembers the result of the latest moment."""

    def __init__(self, work: Callable[[Moment], Result]) -> None:
        self._work = work
        self._lock = threading.Lock()
        self._latest: tuple[Moment, Result] | None = None

    def of(self, moment: Moment) -> Result:
        with self._lock:
            if self._latest is None or self._latest[0] is not moment:
                self._latest = moment, self._work(moment)
            return self._latest[1]


class Digest:
    """Shared by the viewers of one run. Thread-safe."""

    def __init__(self) -> None:
        self._rows: _Once[Packed] = _Once(packed)
        self._pairs: _Once[list[Pair]] = _Once(closest_pairs)

    def rows(self, moment: Moment) -> Packed:
        """Everyone, ready for frames."""
        return self._rows.of(moment)

    def pairs(self, moment: Moment) -> list[Pair]:
        """The closest; this takes a while among many."""
        return self._pairs.of(moment)

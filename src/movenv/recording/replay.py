"""A recording as the updates it was made of."""

from collections.abc import Iterator
from math import isfinite
from typing import Any

from movenv.recording.layouts import DETECTIONS, NOTICES
from movenv.recording.reader import Recording
from movenv.world.core import Update
from movenv.world.messages import Detections, Encounters, Notices
from movenv.world.proximity import ClosestPair
from movenv.world.run_state import RunState


def updates(recording: Recording) -> Iterator[Update]:
    """Every tick of GO. Notices are not recorded for both sides, so they come empty.

    So does what vehicles say and hear: `Recording.broadcasts` tells it.
    """
    encounters = ByTick(recording.tables(NOTICES), Encounters.empty())
    detections = ByTick(recording.tables(DETECTIONS), Detections.empty())
    for snapshot, numbers in recording.snapshots():
        pairs, finds = encounters.at(snapshot.tick), detections.at(snapshot.tick)
        if snapshot.run_state != RunState.GO:
            continue
        closest = None
        if isfinite(numbers["closest_distance"]):
            closest = ClosestPair(
                numbers["closest_distance"],
                numbers["closest_vid"],
                numbers["closest_other"],
                numbers["closest_t"],
            )
        yield Update(snapshot, Notices.empty(), pairs, closest, finds)


class ByTick:
    """Walks a topic that has no message for some ticks."""

    def __init__(self, messages: Iterator[tuple[dict[str, Any], Any]], blank: Any) -> None:
        self._messages = messages
        self._blank = blank
        self._next = next(messages, None)

    def at(self, tick: int) -> Any:
        while self._next is not None and self._next[0]["tick"] < tick:
            self._next = next(self._messages, None)
        if self._next is not None and self._next[0]["tick"] == tick:
            return self._next[1]
        return self._blank

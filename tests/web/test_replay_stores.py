"""What the index of a recording keeps, against plain lists."""

from bisect import bisect_right

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from movenv.bench.recorded import MadeUp
from movenv.recording.layouts import EventRecord
from movenv.web.replay import sightings as module
from movenv.web.replay.event_store import BLOCK, EventStore
from movenv.web.replay.sightings import Sightings
from movenv.world.messages import Detections


def event(t: float) -> EventRecord:
    return EventRecord(t, 5.0 + t, "core", f"at {t}", "me", [1, 2])


@settings(max_examples=30)
@given(
    count=st.integers(0, 3 * BLOCK),
    ends=st.tuples(st.integers(0, 3 * BLOCK), st.integers(0, 3 * BLOCK)),
    t=st.floats(-1.0, 400.0),
)
def test_events_come_out_as_they_went_in(count: int, ends: tuple[int, int], t: float) -> None:
    events = [event(i // 3) for i in range(count)]
    store = EventStore()
    for i in range(0, count, 7):
        store.add(events[i : i + 7])
    first, last = sorted(min(end, count) for end in ends)
    assert store.between(first, last) == events[first:last]
    assert store.count(t) == bisect_right([one.t for one in events], t)


def test_an_event_that_comes_late_stands_where_it_came() -> None:
    store = EventStore()
    store.add([event(1.0), event(5.0), event(3.0), event(6.0)])
    assert [store.count(t) for t in (1.0, 4.0, 5.0, 6.0)] == [1, 1, 3, 4]
    assert [one.t for one in store.between(0, 4)] == [1.0, 5.0, 3.0, 6.0]


def test_too_many_events_are_told_once() -> None:
    store = EventStore(most=10)
    for t in range(30):
        store.add([event(t)])
    texts = [one.text for one in store.between(0, store.count(1e9))]
    assert texts[:10] == [f"at {t}" for t in range(10)]
    assert len(texts) == 11
    assert "more has happened" in texts[10]


finds = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 5), st.integers(1, 3)), max_size=5)


@given(ticks=st.lists(finds, max_size=12), t=st.floats(-1.0, 13.0))
def test_the_latest_word_of_each_pair_holds(
    ticks: list[list[tuple[int, int, int]]], t: float
) -> None:
    """With checkpoints so near each other that there are many."""
    made_up = MadeUp(4)  # target 5 is nobody
    latest: dict[tuple[int, int], tuple[int, float]] = {}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "CHECKPOINT", 4)
        held = Sightings(made_up.roster, made_up.frame)
        for tick, rows in enumerate(ticks):
            table = Detections.empty(len(rows))
            for i, (vid, target, sighting) in enumerate(rows):
                table.vid[i], table.target[i], table.sighting[i] = vid, target, sighting
                table.t_seen[i] = tick + i / 10
                if tick <= t and target < 5:
                    latest[vid - 1, target - 1] = sighting, tick + i / 10
            held.add(float(tick), table)
        found = held.first(held.count(t))
    words = {1: "found", 2: "seen", 3: "lost"}
    assert {(one.row, one.target): (one.sighting, one.t) for one in found} == {
        pair: (words[sighting], seen) for pair, (sighting, seen) in latest.items()
    }
    assert len(found) == len(latest)
    assert all(np.isfinite([one.lat, one.lon]).all() for one in found)

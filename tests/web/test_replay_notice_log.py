"""Notices as events, against a plain loop over every pair."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from movenv.web.notice_log import MOST_AT_ONCE, NoticeLog
from movenv.world.kinds import Kind
from movenv.world.messages import Encounters, Roster

LEVELS = ["information", "advisory", "caution", "warning"]


def roster(vids: list[int]) -> Roster:
    count = len(vids)
    return Roster(
        vids=np.array(vids, np.uint32),
        names=[f"uav-{vid}" for vid in vids],
        kinds=[Kind.parse("aerial/rotorcraft")],
        kind=np.zeros(count, np.uint8),
        origin=np.zeros(count, np.uint8),
        length=np.ones(count),
        behaviors=[],
    )


def encounters(pairs: dict[tuple[int, int], int], distance: float = 18.24) -> Encounters:
    table = Encounters.empty(len(pairs))
    for row, ((vid, other), level) in enumerate(pairs.items()):
        table.vid[row], table.other[row], table.level[row] = vid, other, level
        table.distance[row] = distance + row
    return table


pair = st.tuples(st.integers(1, 4), st.integers(5, 8))
instants = st.lists(st.dictionaries(pair, st.integers(1, 4), max_size=10), max_size=12)


@given(instants)
def test_every_pair_is_told_of_as_a_plain_loop_would(
    happenings: list[dict[tuple[int, int], int]],
) -> None:
    log = NoticeLog(roster(list(range(1, 9))), LEVELS)
    told: dict[tuple[int, int], int] = {}
    for t, pairs in enumerate(happenings):
        expected = set()
        for (vid, other), level in pairs.items():
            if level > told.get((vid, other), 0):
                expected.add((vid, other, LEVELS[level - 1]))
                told[vid, other] = level
        for gone in [p for p in told if p not in pairs]:
            del told[gone]
        events = log.events(float(t), 100.0 + t, encounters(pairs))
        assert {(*e.vids, e.text.split(": ")[1].split(",")[0]) for e in events} == expected
        assert len(events) == len(expected)
        assert all((e.t, e.utc, e.kind) == (t, 100.0 + t, "notice") for e in events)


def test_an_event_names_both_the_level_and_the_distance() -> None:
    log = NoticeLog(roster([7, 1000]), LEVELS)
    (event,) = log.events(1.0, 2.0, encounters({(7, 1000): 3}))
    assert event.text == "uav-7 and uav-1000: caution, 18.2 m"
    assert event.vids == [7, 1000]


def test_the_worst_and_nearest_are_told_first_and_the_rest_is_counted() -> None:
    vids = list(range(1, 31))
    log = NoticeLog(roster(vids), LEVELS)
    many = {(1, other): 1 + (other == 30) for other in range(2, 31)}
    events = log.events(0.0, 0.0, encounters(many))
    assert len(events) == MOST_AT_ONCE + 1
    assert events[0].vids == [1, 30]
    assert [e.vids[1] for e in events[1:-1]] == list(range(2, 2 + MOST_AT_ONCE - 1))
    assert (events[-1].text, events[-1].vids) == ("9 more pairs came nearer", [])
    assert log.events(0.1, 0.0, encounters(many)) == []
    one_over = {(1, other): 3 for other in range(2, 3 + MOST_AT_ONCE)}
    assert log.events(0.2, 0.0, encounters(one_over))[-1].text == "1 more pair came nearer"


def test_what_nobody_knows_is_told_by_number() -> None:
    log = NoticeLog(roster([1, 2]), LEVELS)
    (event,) = log.events(0.0, 0.0, encounters({(1, 3): 9}))
    assert event.text == "uav-1 and vid 3: level 9, 18.2 m"

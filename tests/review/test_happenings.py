"""What happened: against plain dictionaries, and never too much."""

from itertools import product
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from movenv.recording.layouts import EventRecord, RunStateRecord
from movenv.recording.reader import Recording
from movenv.review.findings import Findings, Happening
from movenv.review.study import findings_of
from movenv.world.messages import Broadcasts, Detections, Encounters, Sighting

from .made import LEVELS, STARTED, Tick, record, roster, wandering

PLACES = wandering(6, 200, 7)


def reviewed(tmp_path: Path, ticks: list[Tick]) -> Findings:
    with Recording(record(tmp_path / "a.mcap", roster(6), ticks)) as recording:
        return findings_of(recording)


def of_kind(found: Findings, kind: str) -> list[Happening]:
    return [happening for happening in found.happenings if happening.kind == kind]


def encounters(pairs: dict[tuple[int, int], int]) -> Encounters:
    """From rows to levels."""
    near = Encounters.empty(len(pairs))
    for i, ((row, other), level) in enumerate(sorted(pairs.items())):
        near.vid[i], near.other[i], near.level[i] = 10 + 3 * row, 10 + 3 * other, level
        near.distance[i] = 20.0 - level
    return near


def test_notices_are_episodes(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    ticks, told = [], []
    pairs = [(row, other) for row in range(6) for other in range(row + 1, 6)]
    near = dict.fromkeys(pairs, 0)
    for k in range(200):
        for pair in pairs:
            near[pair] = int(np.clip(near[pair] + rng.integers(-1, 2), 0, 3))
        told.append({pair: level for pair, level in near.items() if level})
        ticks.append(Tick(k, PLACES[k], near=encounters(told[-1])))
    expected = []
    for (row, other), wanted in product(pairs, (1, 2, 3)):
        within = [now.get((row, other), 0) >= wanted for now in told] + [False]
        start = None
        for k, inside in enumerate(within):
            if inside and start is None:
                start = k
            if not inside and start is not None:
                expected.append((start, k - 1, [row, other], wanted))
                start = None
    found = reviewed(tmp_path, ticks)
    assert sorted(
        (round(h.t * 10), round((h.until or 0) * 10), h.rows, h.level)
        for h in of_kind(found, "notice")
    ) == sorted(expected)
    worst = next(h for h in of_kind(found, "notice") if h.level == 3)
    assert worst.text.endswith(f"{list(LEVELS)[2]}, 17.0 m")


def test_a_gap_ends_an_episode_and_a_missing_tick_does_not(tmp_path: Path) -> None:
    ticks = [Tick(k, PLACES[k], near=encounters({(0, 1): 1})) for k in range(100)]
    del ticks[60:80], ticks[20]
    found = reviewed(tmp_path, ticks)
    episodes = [(h.t, h.until) for h in of_kind(found, "notice")]
    assert episodes == [pytest.approx((0.0, 5.9)), pytest.approx((8.0, 9.9))]


def test_reactions_are_stretches_at_the_wheel(tmp_path: Path) -> None:
    ticks = [Tick(k, PLACES[k], behavior=2 if 30 <= k < 45 else 1) for k in range(100)]
    found = reviewed(tmp_path, ticks)
    reactions = of_kind(found, "reaction")
    assert [h.rows for h in reactions] == [[row] for row in range(6)]
    assert all((h.t, h.until) == pytest.approx((3.0, 4.5)) for h in reactions)
    assert reactions[0].text == "v0: avoid for 1.5 s"
    assert found.vehicles.behaviors[0] == {"wander": 0.85, "avoid": 0.15}


def test_finds_marks_states_and_talk(tmp_path: Path) -> None:
    ticks = [Tick(k, PLACES[k]) for k in range(50)]
    for k, sighting in ((5, Sighting.FOUND), (6, Sighting.SEEN), (9, Sighting.LOST)):
        finds = Detections.empty(1)
        finds.vid[0], finds.target[0], finds.sighting[0] = 10, 16, sighting
        ticks[k].finds = finds
    ticks[0].more.append(RunStateRecord(0.0, "GO"))
    ticks[7].more.append(EventRecord(0.7, STARTED, "mark", "now", "anna"))
    ticks[8].more.append(EventRecord(0.8, STARTED, "lost", "host a was lost", "a", [13, 99]))
    ticks[20].said = Broadcasts([13, 19], [b"hello", b"\x00\xff"])
    found = reviewed(tmp_path, ticks)
    assert [(h.t, h.kind, h.text, h.rows) for h in found.happenings] == [
        (0.0, "state", "GO", []),
        (0.5, "detection", "v0 found v2", [0, 2]),
        (0.7, "mark", "anna: now", []),
        (0.8, "lost", "a: host a was lost", [1]),
        (0.9, "detection", "v0 lost sight of v2", [0, 2]),
        (2.0, "said", "v1: 'hello' (heard by 0)", [1]),
        (2.0, "said", "v3: 00ff (heard by 0)", [3]),
        (4.9, "state", "STOP", []),
    ]


def test_a_live_run_tells_of_a_state_once(tmp_path: Path) -> None:
    ticks = [Tick(k, PLACES[k]) for k in range(5)]
    ticks[0].more.append(RunStateRecord(0.0, "GO", STARTED))
    ticks[0].more.append(EventRecord(0.0, STARTED, "state", "SET to GO", "anna"))
    assert [h.text for h in of_kind(reviewed(tmp_path, ticks), "state")] == ["anna: SET to GO"]


def test_of_too_much_the_important_is_kept(tmp_path: Path) -> None:
    ticks = [Tick(k, PLACES[k], said=Broadcasts([10] * 6, [b"x"] * 6)) for k in range(100)]
    for k in range(0, 100, 2):
        ticks[k].near = encounters({(0, 1): 1 + k % 3})
    ticks[50].more.append(EventRecord(5.0, STARTED, "mark", "here"))
    with patch("movenv.review.happenings.MOST", 30):
        found = reviewed(tmp_path, ticks)
    assert len(found.happenings) == 30
    entered = sum(1 + k % 3 for k in range(0, 100, 2))  # once into each level as far as it came
    assert found.left_out == 600 + entered + 1 + 1 - 30
    assert [h.text for h in of_kind(found, "mark")] == ["here"]
    levels = [h.level for h in of_kind(found, "notice")]
    assert levels.count(3) == sum(1 + k % 3 == 3 for k in range(0, 100, 2))
    assert [h.t for h in found.happenings] == sorted(h.t for h in found.happenings)

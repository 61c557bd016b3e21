"""Words and tables say what was found."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.review import made
from tests.review.made_up import empty, ten, thousand

from movenv.recording.reader import Recording
from movenv.review.compared import compared_content
from movenv.review.findings import Findings, Happening
from movenv.review.study import findings_of
from movenv.review.summary import summary
from movenv.review.tables import fidelity_table, fix_table, pair_table, vehicle_table
from movenv.review.words import duration, listed, moment, number, percent


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (3.14159, "3.1"),
        (-0.04, "0.0"),
        (1234567.0, "1,234,567.0"),
        (math.nan, "–"),
        (math.inf, "–"),
    ],
)
def test_numbers_have_one_digit_and_no_nan(value: float, said: str) -> None:
    assert number(value) == said


def test_durations_moments_and_lists_are_words() -> None:
    assert [duration(s) for s in (12.34, 61, 3599.6, 3725)] == [
        "12.3 s", "1 min 1 s", "1 h 0 min", "1 h 2 min",
    ]  # fmt: skip
    assert moment(0) == "–"
    assert moment(1_777_891_200) == "2026-05-04 10:40:00 UTC"
    assert [listed(list(words)) for words in ("", "a", "ab", "abc")] == ["", "a", "a and b",
                                                                        "a, b and c"]  # fmt: skip
    assert [percent(share) for share in (0, 0.004, 0.5, 1, math.nan)] == [
        "0 %", "0.4 %", "50 %", "100 %", "–",
    ]  # fmt: skip


def test_the_pairs_are_those_found() -> None:
    findings = ten()
    table, pairs = pair_table(findings), findings.pairs
    assert len(table.rows) == 45
    for place, row in enumerate(table.rows):
        names = [findings.roster.names[i] for i in (pairs.row[place], pairs.other[place])]
        assert row[0] == f"{names[0]} – {names[1]}"
        expected = [pairs.closest, pairs.closest_t, *pairs.below_s, pairs.mean, pairs.deviation,
                    pairs.farthest, pairs.both_known_s]  # fmt: skip
        assert row[1:] == [f"{column[place]:.1f}" for column in expected]
    assert table.columns[3:6] == ["below caution (s)", "below warning (s)", "below alert (s)"]


def test_of_many_pairs_fifty_are_shown_and_the_rest_counted() -> None:
    table = pair_table(thousand())
    assert len(table.rows) == 50
    assert table.note.startswith("1,950 more pairs not shown")


def test_the_vehicles_are_those_found() -> None:
    findings = ten()
    rows = vehicle_table(findings).rows
    assert [row[0] for row in rows] == findings.roster.names
    assert rows[0][1:3] == ["real", "pedestrian"]
    assert rows[9][1:3] == ["virtual", "aerial/rotorcraft"]
    assert [row[4] for row in rows] == [f"{metres:,.1f}" for metres in findings.vehicles.distance]
    assert [row[6] for row in rows] == [f"{speed:.1f}" for speed in findings.vehicles.top_speed]
    assert rows[2][8] == "wander 90 %, avoid 10 %"
    assert rows[0][8] == "–"


def test_what_is_not_known_is_a_dash() -> None:
    assert vehicle_table(empty()).rows[0][4:7] == ["–", "–", "–"]


def test_the_fixes_are_those_found() -> None:
    rows = fix_table(ten()).rows
    assert rows == [
        ["ann", "3.0", "5.5", "0.12", "0.40", "1.2", "2.0", "1.0", "115", "2"],
        ["ben", "4.0", "7.5", "0.22", "0.50", "2.2", "12.0", "1.0", "115", "2"],
    ]


def test_fidelity_shows_reasons_overrides_and_the_total() -> None:
    rows = fidelity_table(ten()).rows
    assert [row[1] for row in rows] == ["2 of 3", "1 of 3", "3 of 3", "2 of 3", "2 of 3",
                                        "10 of 15"]  # fmt: skip
    assert rows[0][2] == "2 of 10 vehicles are people with phones"
    assert "computed: 2" in rows[2][2]
    assert rows[5][2] == "The phones were played in a rehearsal."


def test_the_summary_can_be_read_aloud() -> None:
    findings = ten()
    said = summary(findings)
    pairs, names = findings.pairs, findings.roster.names
    assert "10 vehicles: 2 real and 8 virtual" in said[0]
    assert "for 2 min 0 s" in said[0]
    assert "rehearsal" in said[0]
    nearest = int(np.argmin(pairs.closest))
    assert f"{names[pairs.row[nearest]]} and {names[pairs.other[nearest]]}" in said[1]
    assert f"{pairs.closest[nearest]:.1f} m, at {pairs.closest_t[nearest]:.1f} s" in said[1]
    counts = [sum(h.kind == "notice" and h.level == n for h in findings.happenings)
              for n in (1, 2, 3)]  # fmt: skip
    assert f"{sum(counts)} notices: {counts[0]} caution" in said[2]
    # 4 s before it was heard, 8 s stale and 2.5 s in which nothing was recorded.
    assert "ben for 14.5 s (not heard yet, stale, nothing recorded)" in said[3]
    # 9 s lost; the 2.5 s in which nothing was recorded are among them.
    assert "uav-1 for 9.0 s" in said[3]
    assert said[3].endswith("5 more for at most 2.5 s.")
    assert "10 of 15" in said[-1]
    assert said[-1].endswith("pedestrians 2). The phones were played in a rehearsal.")


def test_the_summary_says_so_where_there_was_nothing() -> None:
    said = summary(empty())
    assert said[1:4] == [
        "There was only one vehicle, so there is no closest approach.",
        "There were no notices.",
        "Every vehicle was known all the time.",
    ]


def test_notices_are_not_called_all_where_some_were_left_out() -> None:
    assert "that were kept" in summary(replace(ten(), left_out=3))[2]


def test_short_delays_are_milliseconds() -> None:
    findings = ten()
    fixes = replace(
        findings.fixes, delay_median=np.array([0.005, 0.012]), delay_p95=np.array([0.02, 0.09])
    )
    table = fix_table(replace(findings, fixes=fixes))
    assert table.columns[3:5] == ["delay (ms)", "delay, 95 % (ms)"]
    assert [row[3:5] for row in table.rows] == [["5.0", "20.0"], ["12.0", "90.0"]]


def on_mission(*told: tuple[float, int, str]) -> Findings:
    """The last five have the same mission of two steps."""
    findings = ten()
    names = findings.roster.names
    roster = replace(findings.roster, missions=[["go", "stay"]], mission=[-1] * 5 + [0] * 5)
    happenings = [Happening(t, "mission", f"{names[row]}: {step}", [row]) for t, row, step in told]
    return replace(findings, roster=roster, happenings=happenings)


def test_the_summary_says_how_far_the_missions_came() -> None:
    told = on_mission((0.0, 5, "go"), (9.0, 5, "stay"), (12.0, 6, "go"), (20.0, 7, "mission over"))
    assert summary(told)[4] == (
        "Missions: 1 of 5 is over, 1 of 5 is at its last step and 2 of 5 did not begin. At the end "
        "uav-1 was at “stay” (since 9.0 s), uav-2 was at “go” (since 12.0 s) and uav-3 was through "
        "(since 20.0 s)."
    )
    every = on_mission(*((float(row), row, "stay") for row in range(5, 10)))
    assert summary(every)[4].startswith("Missions: 5 of 5 are at their last step.")
    assert not any("Mission" in said for said in summary(replace(ten(), happenings=[])))


@pytest.mark.parametrize("whole", [True, False])
def test_a_cut_recording_is_not_taken_for_the_run(tmp_path: Path, whole: bool) -> None:
    ticks = [made.Tick(k, np.zeros((3, 2))) for k in range(31)]
    path = made.record(tmp_path / "a.mcap", made.roster(2), ticks, end=whole)
    with Recording(path) as recording:
        said = summary(findings_of(recording))[0]
    assert ("possible for 3.0 s" in said) == whole
    assert ("The recording ends before the run did; it lasts 3.0 s." in said) != whole


def test_one_is_told_as_one() -> None:
    content = compared_content(empty(), empty())
    assert content.summary[0].endswith("with 1 vehicle; 1 is in both.")
    assert content.whole == "Both recordings are complete."
    assert "10 are in both" in compared_content(ten(), ten()).summary[0]

"""What the figures show, before anybody draws it."""

from dataclasses import replace

import numpy as np
import pytest
from tests.review.made_up import empty, facts, ten, thousand

from movenv.review.draw_plotly import as_plotly
from movenv.review.drawing import Band, Figure, Line, Points, Spans, legend_of
from movenv.review.figures import figures_of
from movenv.review.figures.gaps import missing_s
from movenv.review.figures.look import MOST_POINTS, joined, starts, thinned
from movenv.review.findings import Findings
from movenv.review.palette import PALETTE
from movenv.review.shared_columns import Columns


def by_name(findings: Findings) -> dict[str, Figure]:
    return {figure.name: figure for figure in figures_of(findings)}


def lines(figure: Figure) -> list[Line]:
    return [item for panel in figure.panels for item in panel.items if isinstance(item, Line)]


@pytest.mark.parametrize("make", [ten, thousand])
def test_every_axis_has_a_unit_and_every_colour_is_known(make: type[Findings]) -> None:
    for figure in figures_of(make()):
        for panel in figure.panels:
            for axis in (panel.x, panel.y, panel.z):
                assert axis is None or axis.lanes or axis.unit, figure.name
            for item in panel.items:
                color = item.stroke.color if isinstance(item, Line) else getattr(item, "color", "")
                assert color in PALETTE


def test_real_and_virtual_differ_in_more_than_colour() -> None:
    drawn = lines(by_name(ten())["map"])
    assert {line.stroke.dash is None for line in drawn[:2]} == {True}
    assert {line.stroke.dash is None for line in drawn[2:]} == {False}
    many = {line.name: line.stroke for line in lines(by_name(thousand())["map"])}
    assert many["real (50)"].width > many["virtual (950)"].width


def test_a_thousand_vehicles_are_few_traces_and_not_too_many_points() -> None:
    for figure in figures_of(thousand()):
        assert len(lines(figure)) <= 10
        assert sum(len(line.x) for line in lines(figure)) <= MOST_POINTS + 3000
        assert len(legend_of(figure)) <= 20


def test_figures_share_their_columns() -> None:
    columns = Columns()
    figures = by_name(ten())
    as_plotly(figures["path"], columns)
    alone = len(columns.encoded)
    as_plotly(figures["speed"], columns)
    assert len(columns.encoded) == alone + 10  # ten speeds; the times are there already


def test_notice_levels_are_drawn_at_their_distances() -> None:
    bands = [i for i in by_name(ten())["distances"].panels[0].items if isinstance(i, Band)]
    # Two people of 1 m have their own levels; with others it is the larger length, 2 m.
    assert [(band.low, band.high) for band in bands] == [(5, 10), (3, 6), (1.5, 3)]


def test_minima_are_marked_where_they_were_found() -> None:
    findings = ten()
    points = [i for i in by_name(findings)["distances"].panels[0].items if isinstance(i, Points)]
    t = np.concatenate([each.x for each in points])
    near = np.concatenate([each.y for each in points])
    marked = sorted(zip(t, near, strict=True))
    expected = sorted(zip(findings.pairs.closest_t, findings.pairs.closest, strict=True))
    assert np.allclose(marked, expected)


def test_the_closest_approach_is_marked_on_the_map() -> None:
    findings = ten()
    cross = by_name(findings)["map"].panels[0].items[-1]
    assert isinstance(cross, Points)
    both = [findings.tracks[int(r[0])] for r in (findings.pairs.row, findings.pairs.other)]
    t = findings.pairs.closest_t[0]
    assert np.allclose(cross.x, [track.x[np.argmin(np.abs(track.t - t))] for track in both])


def test_nobody_who_stays_level_is_drawn_in_three_dimensions() -> None:
    findings = ten()
    level = [replace(track, z=track.z * 0 + 7) for track in findings.tracks]
    figure = by_name(replace(findings, tracks=level))["space"]
    assert not figure.panels
    assert "changed height" in figure.nothing


def test_the_timeline_has_a_lane_for_each_kind_and_level() -> None:
    findings = ten()
    lanes = by_name(findings)["timeline"].panels[0].y.lanes
    assert lanes == ("run state", "missions", "marks", "warning", "caution", "reactions",
                     "detections", "said", "lost", "stale")  # fmt: skip


def test_known_and_missing_times_fill_the_run_once() -> None:
    findings = ten()
    spans = [i for i in by_name(findings)["known"].panels[0].items if isinstance(i, Spans)]
    for row in range(10):
        known = sum(
            float((span.end - span.start)[span.lane == row].sum())
            for span in spans
            if span.name.startswith("known")
        )
        assert known == pytest.approx(120 - missing_s(findings.vehicles.gaps[row]))


def test_overlapping_gaps_count_once() -> None:
    assert missing_s([(0, 4, "a"), (2, 3, "b"), (3, 6, "c"), (8, 9, "d")]) == 7
    assert missing_s([]) == 0


def test_everyone_known_all_the_time_is_said() -> None:
    findings = ten()
    whole = replace(findings.vehicles, gaps=[[] for _ in findings.tracks])
    assert "all the time" in by_name(replace(findings, vehicles=whole))["known"].nothing


def test_a_fast_run_has_no_margin_and_says_why() -> None:
    assert "wall clock" in by_name(empty())["processes"].nothing
    live = replace(empty(), run=facts(live=True))
    assert "say nothing" in by_name(live)["processes"].nothing


def test_thinning_keeps_the_ends_and_the_breaks() -> None:
    column = np.arange(103.0)
    column[50] = np.nan
    thin = thinned(column, 10)
    assert thin[0] == 0
    assert thin[-1] == 102
    assert np.flatnonzero(np.isnan(thin)).tolist() == [5]
    assert thinned(column, 1) is column


def test_joined_columns_are_apart() -> None:
    columns = [np.arange(3.0), np.arange(2.0), np.arange(4.0)]
    whole = joined(columns)
    assert starts(columns) == (0, 4, 7)
    assert np.isnan(whole[[3, 6]]).all()
    assert np.isfinite(whole).sum() == 9

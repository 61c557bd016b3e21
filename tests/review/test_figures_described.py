"""What the figures show, before anybody draws it."""

from dataclasses import replace

import numpy as np
import pytest
from tests.review.made_up import NAMES, empty, facts, ten, thousand

from movenv.review.draw_plotly import as_plotly
from movenv.review.drawing import (
    Axis,
    Band,
    Figure,
    Line,
    Notes,
    Points,
    Spans,
    fitting,
    legend_of,
)
from movenv.review.figures import figures_of
from movenv.review.figures.distance_labels import labelled, named_apart
from movenv.review.figures.gaps import missing_s
from movenv.review.figures.look import MOST_POINTS, joined, starts, thinned
from movenv.review.findings import Findings, Happening
from movenv.review.palette import PALETTE
from movenv.review.shared_columns import Columns
from movenv.world.kinds import Origin


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
    assert lanes == ("run state", "mission: uav-1", "marks", "warning", "caution", "reactions",
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


def test_each_mission_has_a_lane_with_a_bar_for_each_step() -> None:
    told = [(0.0, "search"), (30.0, "return"), (90.0, "mission over")]
    happenings = [Happening(t, "mission", f"uav-1: {step}", [5]) for t, step in told]
    panel = by_name(replace(ten(), happenings=happenings))["timeline"].panels[0]
    assert panel.y.lanes == ("mission: uav-1",)
    (bars,) = [item for item in panel.items if isinstance(item, Spans)]
    assert list(zip(bars.start, bars.end, strict=True)) == [(0, 30), (30, 90)]
    (notes,) = [item for item in panel.items if isinstance(item, Notes)]
    assert notes.texts == ("search", "return", "over")


def test_many_missions_share_a_lane() -> None:
    happenings = [Happening(1.0, "mission", f"{NAMES[row]}: go", [row]) for row in range(9)]
    panel = by_name(replace(ten(), happenings=happenings))["timeline"].panels[0]
    assert panel.y.lanes == ("missions",)
    assert [type(item) for item in panel.items] == [Points]


def test_few_detections_are_written_and_many_are_not() -> None:
    def written(count: int) -> list[Notes]:
        told = [Happening(float(t), "detection", "a found b") for t in range(count)]
        panel = by_name(replace(ten(), happenings=told))["timeline"].panels[0]
        return [item for item in panel.items if isinstance(item, Notes)]

    assert written(12)[0].texts == ("a found b",) * 12
    assert written(13) == []


def test_words_in_a_lane_end_before_the_next_begin() -> None:
    start = np.array([0.0, 50.0, 60.0, 62.0])
    words = Notes(start * 0, start, np.append(start[1:], 100.0), ("x" * 30,) * 4)
    fits = fitting(words, Axis("time", "s", 0, 100), 1)
    assert fits[0] == "x" * 30
    assert fits[1] == "x" * 12 + "…"  # a tenth of 140, less the one between
    assert fits[2] == ""
    assert len(fitting(words, Axis("time", "s", 0, 100), 4)[0]) == 9


def test_lines_are_dashed_only_where_there_are_real_ones_too() -> None:
    mixed = ten()
    assert "dashed: virtual" in by_name(mixed)["map"].caption
    origin = np.full(10, Origin.VIRTUAL, np.uint8)
    alike = by_name(replace(mixed, roster=replace(mixed.roster, origin=origin)))
    assert {line.stroke.dash for name in ("map", "path") for line in lines(alike[name])} == {None}
    assert "dashed" not in alike["map"].caption


def minima_at(*places: tuple[float, float]) -> Points:
    t, near = np.array(places).T
    return Points(t, near, "inner", "", "diamond")


TIME = Axis("time", "s", 0, 100)


def test_three_minima_at_most_are_labelled_and_none_on_another() -> None:
    minima = minima_at((50, 10.0), (52, 10.5), (70, 11.0), (90, 12.0))
    assert labelled(minima, [], TIME, 100.0).labels == ("10.0 m", "", "11.0 m", "")


def test_the_names_of_levels_stand_where_no_minimum_is_labelled() -> None:
    band = Band(10, 20, "outer", "caution")
    early, late = minima_at((5, 21.0)), minima_at((95, 21.0))
    assert [named_apart([band], m, TIME, 100.0)[0].at for m in (early, late)] == ["end", "start"]
    both = minima_at((5, 21.0), (95, 22.0))
    bands = named_apart([band], both, TIME, 100.0)
    assert labelled(both, bands, TIME, 100.0).labels == ("", "22.0 m")


def test_levels_too_near_each_other_share_a_label() -> None:
    bands = [Band(m, m, "outer", str(m)) for m in (40, 20, 18, 16)]
    named = named_apart(bands, minima_at((50, 1.0)), TIME, 100.0)
    assert [band.name for band in named] == ["40", "20; 18; 16", "", ""]
    assert [band.high for band in named] == [40, 20, 18, 16]


def test_a_diamond_at_nothing_is_whole() -> None:
    axis = by_name(ten())["distances"].panels[0].y
    assert axis.low is not None
    assert axis.low < 0


def test_what_no_fix_tells_is_said_instead_of_an_empty_axis() -> None:
    findings = ten()
    never = np.full(2, np.nan)
    fixes = replace(findings.fixes, accuracy_median=never, accuracy_p95=never)
    panels = by_name(replace(findings, fixes=fixes))["fixes"].panels
    assert (panels[0].nothing, panels[0].items) == ("accuracy: not told", ())
    assert panels[1].y.lanes == ("ann", "ben")
    half = replace(fixes, accuracy_median=np.array([np.nan, 3.0]))
    panel = by_name(replace(findings, fixes=half))["fixes"].panels[0]
    (notes,) = [item for item in panel.items if isinstance(item, Notes)]
    assert (notes.lane.tolist(), notes.texts) == ([0.0], ("not told",))


def test_delays_and_losses_have_sensible_axes() -> None:
    findings = ten()
    links = [replace(link, delay=link.delay / 10, loss=link.loss * 0) for link in findings.links]
    delay, loss = by_name(replace(findings, links=links))["links"].panels[1:3]
    assert delay.y.unit == "ms"
    drawn = np.concatenate([line.y for line in delay.items if isinstance(line, Line)])
    assert np.allclose(drawn, 1000 * np.concatenate([link.delay for link in links]))
    assert loss.y.high == 10
    assert by_name(findings)["links"].panels[1].y.unit == "s"

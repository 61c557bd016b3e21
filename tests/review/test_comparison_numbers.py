"""What differed between two recordings."""

from dataclasses import replace

import numpy as np
import pytest
from tests.review.made_up import NAMES, empty, ten, thousand

from movenv.review.compared import compared_content
from movenv.review.comparison import compare
from movenv.review.drawing import Figure
from movenv.review.fidelity import Rated
from movenv.review.findings import Findings


def shuffled(findings: Findings, seed: int = 4) -> Findings:
    """The same run with its vehicles in another order and one renamed."""
    roster = findings.roster
    order = np.random.default_rng(seed).permutation(len(roster))
    back = np.argsort(order)
    names = [roster.names[row] for row in order]
    names[names.index("boat")] = "ship"
    pairs = findings.pairs
    return replace(
        findings,
        roster=replace(
            roster, names=names, kind=roster.kind[order], origin=roster.origin[order],
            length=roster.length[order],
        ),
        vehicles=replace(
            findings.vehicles,
            distance=findings.vehicles.distance[order] + 5,
            top_speed=findings.vehicles.top_speed[order],
        ),
        pairs=replace(pairs, row=back[pairs.row], other=back[pairs.other]),
        tracks=[replace(track, row=int(back[track.row])) for track in findings.tracks],
        series=[
            replace(s, row=int(back[s.row]), other=int(back[s.other])) for s in findings.series
        ],
    )  # fmt: skip


def test_a_run_does_not_differ_from_itself() -> None:
    findings = ten()
    found = compare(findings, findings)
    assert not [fact.name for fact in found.facts if fact.differs]
    assert not found.pairs.difference.any()
    assert len(found.pairs) == 45
    assert found.vehicles.names == NAMES
    assert all(a == b for a, b in found.fidelity.values())
    assert all(a == b for a, b in found.notices.values())


def test_vehicles_and_pairs_are_the_same_by_name_in_any_order() -> None:
    a = ten()
    b = shuffled(a)
    b = replace(b, pairs=replace(b.pairs, closest=b.pairs.closest - np.arange(45) / 100))
    found = compare(a, b)
    assert found.vehicles.only_a == ["boat"]
    assert found.vehicles.only_b == ["ship"]
    assert found.vehicles.names == [name for name in NAMES if name != "boat"]
    assert np.allclose(found.vehicles.distance_b - found.vehicles.distance_a, 5)
    by_name = {
        frozenset((b.roster.names[row], b.roster.names[other])): near
        for row, other, near in zip(b.pairs.row, b.pairs.other, b.pairs.closest, strict=True)
    }
    assert len(found.pairs) == 36  # of nine
    for row, other, near in zip(found.pairs.row, found.pairs.other, found.pairs.closest_b,
                                strict=True):  # fmt: skip
        assert by_name[frozenset((a.roster.names[row], a.roster.names[other]))] == near
    assert np.allclose(found.pairs.difference, found.pairs.closest_b - found.pairs.closest_a)
    assert (np.diff(np.abs(found.pairs.difference)) <= 0).all()


def test_facts_fidelity_and_notices_tell_what_changed() -> None:
    a = ten()
    b = replace(
        a,
        run=replace(a.run, seed=9, live=False),
        rating=replace(a.rating, sensors=Rated(3, "better", 3)),
        happenings=[h for h in a.happenings if h.kind != "notice"],
    )
    found = compare(a, b)
    assert {fact.name for fact in found.facts if fact.differs} == {"seed", "ran"}
    assert found.fidelity["sensors"] == (1, 3)
    assert found.fidelity["total"] == (10, 12)
    counts = {"caution": 1, "warning": 2, "alert": 3}
    assert found.notices == {
        name: (sum(h.kind == "notice" and h.level == level for h in a.happenings), 0)
        for name, level in counts.items()
    }


def test_nothing_in_common_is_no_trouble() -> None:
    found = compare(ten(), empty())
    assert len(found.pairs) == 0
    assert found.vehicles.names == []
    assert np.isnan(found.closest[1])
    content = compared_content(ten(), empty())
    empty_ones = {each.name: each for each in content.empty}
    assert empty_ones["pairs"].nothing == "No pair was known in both runs."


def figure(figures: object, name: str) -> Figure:
    assert isinstance(figures, list)
    return next(each for each in figures if each.name == name)


@pytest.mark.parametrize("name", ["map", "path", "speed", "distances", "links", "processes"])
def test_both_sides_have_equal_axes(name: str) -> None:
    a = ten()
    b = replace(
        a,
        run=replace(a.run, t_last=200.0),
        tracks=[replace(t, x=2 * t.x, path=3 * t.path, speed=2 * t.speed) for t in a.tracks],
    )
    sides = figure(compared_content(a, b).figures, name)
    assert sides.columns == 2
    for left, right in zip(sides.panels[::2], sides.panels[1::2], strict=True):
        for one, other in ((left.x, right.x), (left.y, right.y)):
            assert (one.low, one.high) == (other.low, other.high)
            assert one.low is not None
            assert one.high is not None
    assert (sides.panels[0].title, sides.panels[1].title) == ("A", "B")


def test_one_side_may_have_nothing() -> None:
    sides = figure(compared_content(ten(), replace(ten(), links=[])).figures, "links")
    assert "no links" in sides.panels[1].nothing
    assert sides.panels[0].items


def test_the_summary_says_which_was_closer() -> None:
    a = ten()
    b = replace(a, pairs=replace(a.pairs, closest=a.pairs.closest - 1.5))
    assert "1.5 m closer in B" in compared_content(a, b).summary[1]
    assert "the same" in compared_content(a, a).summary[1]


def test_a_thousand_vehicles_are_compared() -> None:
    many = thousand()
    assert len(compare(many, many).pairs) == len(many.pairs)

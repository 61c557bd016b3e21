"""Two recordings side by side: what differed, in words, tables and figures with equal axes."""

import math
from dataclasses import replace

import numpy as np

from movenv.review.comparison import Comparison, compare
from movenv.review.drawing import (
    MOST_IN_LEGEND,
    Area,
    Axis,
    Band,
    Figure,
    Item,
    Line,
    Panel,
    Points,
    Spans,
    legend_of,
)
from movenv.review.figures import figures_of
from movenv.review.findings import Findings
from movenv.review.page import Content
from movenv.review.tables import Table
from movenv.review.words import counted, duration, listed, metres, number

MOST_ROWS = 50
MOST_NAMED = 10
MOST_DUMBBELLS = 30
NAMES = ("A", "B")
UNSAID = ("recording", "started", "recorded time")
"""Facts that always differ, or that another fact tells."""


def compared_content(a: Findings, b: Findings) -> Content:
    found = compare(a, b)
    sides = zip(figures_of(a), figures_of(b), strict=True)
    honesty = [
        f"{letter}: {sentence}"
        for letter, run in zip(NAMES, (a.run, b.run), strict=True)
        for sentence in run.honesty
    ]
    return Content(
        title=f"{a.run.name} and {b.run.name} compared"
        if a.run.name != b.run.name
        else f"Two runs of {a.run.name} compared",
        subtitle=f"A: {a.run.source} · B: {b.run.source}",
        summary=_summary(a, b, found),
        honesty=honesty,
        top=[_facts(found), _fidelity(found), _notices(found)],
        figures=[_dumbbells(a, found), *(side_by_side(one, other) for one, other in sides)],
        bottom=[_pairs(a, found), _vehicles(found)],
        whole="Both recordings are complete.",
    )


def _summary(a: Findings, b: Findings, found: Comparison) -> list[str]:
    lasted = [duration(each.run.t_last - each.run.t_first) for each in (a, b)]
    both = len(found.vehicles.names)
    said = [
        f"A ran for {lasted[0]} with {counted(len(a.roster), 'vehicle')}, "
        f"B for {lasted[1]} with {counted(len(b.roster), 'vehicle')}; "
        f"{both:,} {'is' if both == 1 else 'are'} in both."
    ]
    near, nearer = found.closest
    if math.isfinite(near) and math.isfinite(nearer):
        said.append(
            f"The closest approach was {metres(near)} in A and {metres(nearer)} in B: "
            f"{_change(nearer - near)}."
        )
    notices = [f"{name} {one:,} and {other:,}" for name, (one, other) in found.notices.items()]
    kept = "" if found.notices_whole else " (of the happenings that were kept)"
    said.append(f"Notices in A and B{kept}: {listed(notices) or 'none'}.")
    total = found.fidelity["total"]
    fidelity = f"Test fidelity: {total[0]} of 15 in A, {total[1]} of 15 in B."
    for letter, remark in zip(NAMES, (a.rating.remark, b.rating.remark), strict=True):
        fidelity += f" {letter}: {remark.rstrip('.')}." if remark else ""
    said.append(fidelity)
    changed = [fact.name for fact in found.facts if fact.differs and fact.name not in UNSAID]
    said.append(f"They differ in {listed(changed)}." if changed else "They are alike otherwise.")
    return said


def _change(difference: float) -> str:
    if abs(difference) < 0.05:
        return "the same"
    return f"{metres(abs(difference))} {'closer' if difference < 0 else 'farther apart'} in B"


def _facts(found: Comparison) -> Table:
    rows = [[fact.name, fact.a, fact.b, "≠" if fact.differs else ""] for fact in found.facts]
    missing = [
        f"Only in {letter}: {_some(names)}."
        for letter, names in zip(NAMES, (found.vehicles.only_a, found.vehicles.only_b), strict=True)
        if names
    ]
    return Table("run", "The runs", ["", "A", "B", "differs"], rows, " ".join(missing))


def _some(names: list[str]) -> str:
    more = len(names) - MOST_NAMED
    return listed([*names[:MOST_NAMED], f"{more:,} more"] if more > 0 else names)


def _fidelity(found: Comparison) -> Table:
    rows = [
        [name, str(one), str(other), f"{other - one:+d}" if other != one else "0"]
        for name, (one, other) in found.fidelity.items()
    ]
    columns = ["dimension (0 to 3)", "A", "B", "B − A"]
    return Table("fidelity", "Test fidelity", columns, rows, numbers=frozenset({1, 2, 3}))


def _notices(found: Comparison) -> Table:
    rows = [
        [name, f"{one:,}", f"{other:,}", f"{other - one:+,d}" if other != one else "0"]
        for name, (one, other) in found.notices.items()
    ]
    note = "" if found.notices_whole else "Some happenings were left out, so there may be more."
    columns = ["level", "A", "B", "B − A"]
    nothing = "Neither run has notice levels."
    return Table("notices", "Notices", columns, rows, note, frozenset({1, 2, 3}), nothing)


def _pairs(a: Findings, found: Comparison) -> Table:
    pairs, names = found.pairs, a.roster.names
    shown = min(MOST_ROWS, len(pairs))
    measures = (
        pairs.closest_a, pairs.closest_t_a, pairs.closest_b, pairs.closest_t_b, pairs.difference
    )  # fmt: skip
    rows = [
        [
            f"{names[int(pairs.row[place])]} – {names[int(pairs.other[place])]}",
            *(number(float(column[place])) for column in measures),
        ]
        for place in range(shown)
    ]
    columns = ["pair", "closest in A (m)", "at (s)", "closest in B (m)", "at (s)", "B − A (m)"]
    note = "The largest difference comes first."
    if len(pairs) > shown:
        note += f" {counted(len(pairs) - shown, 'more pair')} not shown."
    nothing = "No pair was known in both runs."
    every = frozenset(range(1, 6))
    return Table("pairs", "Closest approach, pair by pair", columns, rows, note, every, nothing)


def _vehicles(found: Comparison) -> Table:
    both = found.vehicles
    order = np.argsort(-np.abs(np.nan_to_num(both.distance_b - both.distance_a)), kind="stable")
    shown = order[:MOST_ROWS].tolist()
    measures = (
        both.distance_a, both.distance_b, both.distance_b - both.distance_a,
        both.top_speed_a, both.top_speed_b, both.top_speed_b - both.top_speed_a,
    )  # fmt: skip
    rows = [
        [both.names[row], *(number(float(column[row])) for column in measures)] for row in shown
    ]
    columns = [
        "vehicle", "travelled in A (m)", "in B (m)", "B − A (m)", "top speed in A (m/s)",
        "in B (m/s)", "B − A (m/s)",
    ]  # fmt: skip
    note = "The largest difference of the distance travelled comes first."
    if len(order) > len(shown):
        note += f" {counted(len(order) - len(shown), 'more vehicle')} not shown."
    nothing = "No vehicle's name is in both runs."
    every = frozenset(range(1, 7))
    return Table("vehicles", "Vehicles", columns, rows, note, every, nothing)


def _dumbbells(a: Findings, found: Comparison) -> Figure:
    """The pairs that came nearest in either run: how near in A and in B."""
    name, title = "closest", "Closest approach in A and B"
    pairs = found.pairs
    nearer = np.fmin(pairs.closest_a, pairs.closest_b)
    places = np.argsort(nearer, kind="stable")[:MOST_DUMBBELLS]
    if not len(places):
        return Figure(name, title, nothing="No pair was known in both runs.")
    names = a.roster.names
    lanes = tuple(f"{names[int(pairs.row[p])]} – {names[int(pairs.other[p])]}" for p in places)
    lane = np.arange(len(places), dtype=float)
    one, other = pairs.closest_a[places], pairs.closest_b[places]
    items: list[Item] = [Spans(lane, one, other, "faint", "", 4)]
    for letter, column, color in (("A", one, "blue"), ("B", other, "orange")):
        texts = tuple(
            f"{who}: {metres(float(v))} in {letter}" for who, v in zip(lanes, column, strict=True)
        )
        symbol = "circle" if letter == "A" else "diamond"
        items.append(
            Points(
                column,
                lane,
                color,
                letter,
                "circle" if symbol == "circle" else "diamond",
                10,
                texts,
            )
        )
    top = 1.05 * float(np.nanmax(np.concatenate([one, other])))
    panel = Panel(Axis("closest approach", "m", 0, top), Axis("", lanes=lanes), tuple(items))
    most = f"{len(places)} pairs" if len(places) > 1 else "pair"
    caption = f"The {most} that came nearest in either run."
    return Figure(name, title, caption, (panel,), height=140 + 22 * len(places))


def side_by_side(a: Figure, b: Figure) -> Figure:
    """A on the left, B on the right, and the axes equal wherever both have something."""
    if a.nothing and b.nothing:
        both = a.nothing if a.nothing == b.nothing else f"A: {a.nothing} B: {b.nothing}"
        return replace(a, nothing=both)
    rows = max(len(a.panels), len(b.panels))
    panels: list[Panel] = []
    for row in range(rows):
        left, right = _panel_of(a, row), _panel_of(b, row)
        if left and right and not (left.nothing or right.nothing):
            left, right = _equal(left, right)
        panels += [
            _titled(left, "A" if row == 0 else "", a),
            _titled(right, "B" if row == 0 else "", b),
        ]
    caption = a.caption if a.caption == b.caption else f"A: {a.caption} B: {b.caption}"
    if a.nothing or b.nothing:
        caption = a.caption or b.caption
    height = max(a.height, b.height)
    if a.columns > 1 or b.columns > 1:
        height = max(a.height, b.height) + 120 * (rows - 1)
    figure = Figure(
        a.name, a.title, caption, tuple(panels), 2, height, legend=a.legend and b.legend
    )
    return figure if len(legend_of(figure)) <= MOST_IN_LEGEND else replace(figure, legend=False)


def _panel_of(figure: Figure, row: int) -> Panel | None:
    """Stacked up, every panel names its lanes, which beside each other only the first does."""
    if row >= len(figure.panels):
        return None
    panel = figure.panels[row]
    if figure.columns > 1 and panel.y.lanes and not any(panel.y.lanes):
        return replace(panel, y=next(each.y for each in figure.panels if any(each.y.lanes)))
    return panel


def _titled(panel: Panel | None, title: str, figure: Figure) -> Panel:
    if panel is None:
        why = figure.nothing if title else ""
        return Panel(Axis(""), Axis(""), title=title, nothing=why or " ")
    return replace(panel, title=title)


def _equal(a: Panel, b: Panel) -> tuple[Panel, Panel]:
    axes = {}
    for letter in "xyz":
        one, other = getattr(a, letter), getattr(b, letter)
        if one is None or other is None or one.lanes or other.lanes or one.unit != other.unit:
            continue
        low, high = _range(a, one, letter), _range(b, other, letter)
        axes[letter] = (min(low[0], high[0]), max(low[1], high[1]))
    left = {k: replace(getattr(a, k), low=low, high=high) for k, (low, high) in axes.items()}
    right = {k: replace(getattr(b, k), low=low, high=high) for k, (low, high) in axes.items()}
    box = a.box if a.box == b.box else None
    if a.box and b.box:
        box = (max(a.box[0], b.box[0]), max(a.box[1], b.box[1]), max(a.box[2], b.box[2]))
    return replace(a, box=box, **left), replace(b, box=box, **right)


def _range(panel: Panel, axis: Axis, letter: str) -> tuple[float, float]:
    """What is seen of an axis: what it says, or all there is."""
    columns = [
        getattr(item, letter)
        for item in panel.items
        if isinstance(item, Line | Points | Area) and getattr(item, letter, None) is not None
    ]
    finite = [column[np.isfinite(column)] for column in columns]
    every = np.concatenate([*finite, np.zeros(0)])
    heights = [band.high for band in panel.items if isinstance(band, Band) and letter == "y"]
    every = np.append(every, heights)
    low, high = (float(every.min()), float(every.max())) if len(every) else (0.0, 1.0)
    margin = 0.04 * (high - low)
    return (
        axis.low if axis.low is not None else low - margin,
        axis.high if axis.high is not None else high + margin,
    )

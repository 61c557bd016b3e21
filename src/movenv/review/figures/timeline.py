"""What happened, on one time axis."""

import numpy as np

from movenv.review.drawing import Axis, Figure, Item, Notes, Panel, Points, Spans
from movenv.review.figures.look import time_axis
from movenv.review.figures.mission_lanes import on_missions, steps
from movenv.review.findings import Findings, Happening
from movenv.review.palette import level_color
from movenv.review.words import counted, seconds

NAME, TITLE = "timeline", "Timeline"
FIRST = ("state", "mission", "mark")
LAST = ("reaction", "detection", "said")
COLORS = {
    "mission": "green",
    "mark": "mark",
    "reaction": "blue",
    "detection": "violet",
    "said": "sky",
}
WORDS = {
    "state": "run state",
    "mission": "missions",
    "mark": "marks",
    "reaction": "reactions",
    "detection": "detections",
    "said": "said",
}
OWN = "mission of one"
"""The lane of one vehicle's mission."""
WRITTEN = ("mark", "detection", "said")
MOST_WRITTEN = 12
"""So many of a kind have words beside their ticks."""
MOST_MISSIONS = 8
"""So many vehicles with missions have lanes of their own."""


def timeline(findings: Findings) -> Figure:
    if not findings.happenings:
        return Figure(NAME, TITLE, nothing="Nothing happened that a timeline could show.")
    lanes = _lanes(findings)
    items: list[Item] = []
    for number, (kind, level) in enumerate(lanes):
        items += _lane(findings, number, kind, level)
    names = tuple(_lane_name(findings, kind, level) for kind, level in lanes)
    panel = Panel(time_axis(findings), Axis("", lanes=names), tuple(items))
    caption = "Bars last, ticks do not."
    if findings.left_out:
        left_out = counted(findings.left_out, "less important happening")
        caption += f" {left_out} left out."
    height = 150 + 38 * len(lanes)
    return Figure(NAME, TITLE, caption, (panel,), height=height, legend=False)


def _lanes(findings: Findings) -> list[tuple[str, int]]:
    """The kinds that occur: what the run did, notices from the innermost, what followed, events.

    With each the level of notices, or the row of a vehicle whose mission has its own lane.
    """
    kinds = dict.fromkeys(happening.kind for happening in findings.happenings)
    levels = {happening.level for happening in findings.happenings if happening.kind == "notice"}
    others = [kind for kind in kinds if kind not in (*FIRST, *LAST, "notice")]
    lanes: list[tuple[str, int]] = []
    for kind in FIRST:
        if kind == "mission" and 0 < len(rows := on_missions(findings)) <= MOST_MISSIONS:
            lanes += [(OWN, row) for row in rows]
        elif kind in kinds:
            lanes.append((kind, 0))
    return [
        *lanes,
        *(("notice", level) for level in sorted(levels, reverse=True)),
        *((kind, 0) for kind in LAST if kind in kinds),
        *((kind, 0) for kind in sorted(others)),
    ]


def _lane_name(findings: Findings, kind: str, which: int) -> str:
    names = list(findings.run.levels)
    if kind == OWN:
        return f"mission: {findings.roster.names[which]}"
    if kind == "notice":
        return names[which - 1] if 0 < which <= len(names) else f"level {which}"
    return WORDS.get(kind, kind)


def _lane(findings: Findings, lane: int, kind: str, level: int) -> list[Item]:
    if kind == "state":
        return _states(findings, lane)
    if kind == OWN:
        return steps(findings, lane, level, on_missions(findings)[level])
    here = [h for h in findings.happenings if h.kind == kind and level in (0, h.level)]
    color = COLORS.get(kind, "orange")
    if kind == "notice":
        color = level_color(level, len(findings.run.levels))
    texts = tuple(_text(happening) for happening in here)
    t = np.array([happening.t for happening in here])
    items: list[Item] = [Points(t, np.full(len(here), float(lane)), color, kind, "tick", 14, texts)]
    lasting = [happening for happening in here if happening.until is not None]
    if lasting:
        items.append(
            Spans(
                np.full(len(lasting), float(lane)),
                np.array([happening.t for happening in lasting]),
                np.array([h.t if h.until is None else h.until for h in lasting]),
                color,
                kind,
                texts=tuple(_text(happening) for happening in lasting),
            )
        )
    if kind in WRITTEN and len(here) <= MOST_WRITTEN:
        items.append(_written(findings, lane, here))
    return items


def _states(findings: Findings, lane: int) -> list[Item]:
    """Each lasts until the next."""
    here = [happening for happening in findings.happenings if happening.kind == "state"]
    start = np.array([happening.t for happening in here])
    until = np.append(start[1:], max(findings.run.t_last, here[-1].t))
    y = np.full(len(here), float(lane))
    names = tuple(happening.text.lower() for happening in here)
    texts = tuple(
        f"{name}, {seconds(a)} to {seconds(b)}"
        for name, a, b in zip(names, start.tolist(), until.tolist(), strict=True)
    )
    return [
        Spans(y, start, until, "faint", "run state", 18, texts),
        Points(start, y, "grey", "", "tick", 18, texts),
        Notes(y, start, until, names),
    ]


def _written(findings: Findings, lane: int, here: list[Happening]) -> Notes:
    """Beside each tick, as far as the next."""
    t = np.array([happening.t for happening in here])
    until = np.append(t[1:], max(findings.run.t_last, t[-1]))
    texts = tuple(happening.text.partition(" (heard by")[0] for happening in here)
    return Notes(np.full(len(t), float(lane)), t, until, texts)


def _text(happening: Happening) -> str:
    if happening.until is None:
        return f"{happening.text}, {seconds(happening.t)}"
    return f"{happening.text}, {seconds(happening.t)} to {seconds(happening.until)}"

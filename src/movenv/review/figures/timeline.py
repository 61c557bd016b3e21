"""What happened, on one time axis."""

import numpy as np

from movenv.review.drawing import Axis, Figure, Item, Panel, Points, Spans
from movenv.review.figures.look import time_axis
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
ROOM = 0.08
"""Of the run: what a state must last for its name to be written."""


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
    """The kinds that occur: what the run did, notices from the innermost, what followed, events."""
    kinds = dict.fromkeys(happening.kind for happening in findings.happenings)
    levels = {happening.level for happening in findings.happenings if happening.kind == "notice"}
    others = [kind for kind in kinds if kind not in (*FIRST, *LAST, "notice")]
    return [
        *((kind, 0) for kind in FIRST if kind in kinds),
        *(("notice", level) for level in sorted(levels, reverse=True)),
        *((kind, 0) for kind in LAST if kind in kinds),
        *((kind, 0) for kind in sorted(others)),
    ]


def _lane_name(findings: Findings, kind: str, level: int) -> str:
    names = list(findings.run.levels)
    if kind == "notice":
        return names[level - 1] if 0 < level <= len(names) else f"level {level}"
    return WORDS.get(kind, kind)


def _lane(findings: Findings, lane: int, kind: str, level: int) -> list[Item]:
    if kind == "state":
        return _states(findings, lane)
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
    return items


def _states(findings: Findings, lane: int) -> list[Item]:
    """Each lasts until the next; its name stands where there is room."""
    here = [happening for happening in findings.happenings if happening.kind == "state"]
    end = max(findings.run.t_last, here[-1].t)
    start = np.array([happening.t for happening in here])
    until = np.append(start[1:], end)
    room = ROOM * max(end - findings.run.t_first, 1e-9)
    y = np.full(len(here), float(lane))
    wide = until - start > room
    names = [happening.text.lower() for happening in here]
    texts = tuple(
        f"{name}, {seconds(a)} to {seconds(b)}"
        for name, a, b in zip(names, start.tolist(), until.tolist(), strict=True)
    )
    labels = tuple(name if fits else "" for name, fits in zip(names, wide, strict=True))
    return [
        Spans(y, start, until, "faint", "run state", 12, texts),
        Points(start, y, "grey", "", "tick", 14, texts, labels),
    ]


def _text(happening: Happening) -> str:
    if happening.until is None:
        return f"{happening.text}, {seconds(happening.t)}"
    return f"{happening.text}, {seconds(happening.t)} to {seconds(happening.until)}"

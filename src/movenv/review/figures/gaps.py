"""When each vehicle was known."""

import math
from collections.abc import Iterable

import numpy as np

from movenv.review.drawing import Axis, Figure, Item, Panel, Spans
from movenv.review.figures.look import origin_name, time_axis
from movenv.review.findings import Findings
from movenv.review.words import counted, seconds

NAME, TITLE = "known", "When each vehicle was known"
MOST = 60
COLORS = {"not heard yet": "faint", "host lost": "inner", "stale": "middle",
          "nothing recorded": "violet"}  # fmt: skip


def gaps(findings: Findings) -> Figure:
    every = findings.vehicles.gaps
    length = findings.run.t_last - findings.run.t_first
    if not len(findings.roster) or length <= 0:
        return Figure(NAME, TITLE, nothing="The recording covers no time.")
    missing = [missing_s(each) for each in every]
    if not any(missing):
        return Figure(NAME, TITLE, nothing="Every vehicle was known all the time.")
    rows, caption = _shown(missing)
    spans = _known(findings, rows) + _missing(findings, rows)
    panel = Panel(
        time_axis(findings),
        Axis("", lanes=tuple(findings.roster.names[row] for row in rows)),
        tuple(spans),
    )
    height = max(260, 130 + (24 if len(rows) <= 20 else 16) * len(rows))
    return Figure(NAME, TITLE, caption, (panel,), height=height)


def missing_s(gaps: Iterable[tuple[float, float, str]]) -> float:
    """How long a vehicle was not known; what two gaps share counts once."""
    total, reached = 0.0, -math.inf
    for start, end, _ in sorted(gaps):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total


def _shown(missing: list[float]) -> tuple[list[int], str]:
    if len(missing) <= MOST:
        return list(range(len(missing))), "Lines are thin where a vehicle was not known."
    gappy = sorted((row for row, gone in enumerate(missing) if gone), key=lambda row: -missing[row])
    rows = gappy[:MOST]
    always = counted(len(missing) - len(gappy), "vehicle was", "vehicles were")
    more = f"the {len(rows)} that were missing longest of {len(gappy):,}"
    which = more if len(rows) < len(gappy) else "the others"
    return rows, f"{always} known all the time; here are {which}."


def _known(findings: Findings, rows: list[int]) -> list[Item]:
    """What is left between the gaps, by origin."""
    bars: dict[str, list[tuple[int, float, float]]] = {}
    for lane, row in enumerate(rows):
        t = findings.run.t_first
        origin = origin_name(int(findings.roster.origin[row]))
        for start, end, _ in [
            *sorted(findings.vehicles.gaps[row]),
            (findings.run.t_last,) * 2 + ("",),
        ]:
            if start > t:
                bars.setdefault(origin, []).append((lane, t, start))
            t = max(t, end)
    return [_spans(each, origin, f"known, {origin}", 10) for origin, each in bars.items()]


def _missing(findings: Findings, rows: list[int]) -> list[Item]:
    bars: dict[str, list[tuple[int, float, float]]] = {}
    for lane, row in enumerate(rows):
        for start, end, why in findings.vehicles.gaps[row]:
            bars.setdefault(why, []).append((lane, start, end))
    return [_spans(each, COLORS.get(why, "grey"), why, 4) for why, each in bars.items()]


def _spans(bars: list[tuple[int, float, float]], color: str, name: str, width: float) -> Spans:
    lane, start, end = np.array(bars, float).T
    texts = tuple(f"{name}, {seconds(a)} to {seconds(b)}" for _, a, b in bars)
    return Spans(lane, start, end, color, name, width, texts)

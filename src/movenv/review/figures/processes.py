"""Whether the machines kept up: margin and lag of each process of a live run."""

import numpy as np

from movenv.review.drawing import Axis, Figure, Line, Panel, Stroke
from movenv.review.figures.look import time_axis
from movenv.review.findings import Findings
from movenv.review.palette import cycled
from movenv.world.columns import F8

NAME, TITLE = "processes", "Soft-real-time margin and lag"


def processes(findings: Findings) -> Figure:
    if not any(np.isfinite(each.margin).any() or np.isfinite(each.lag).any()
               for each in findings.processes):  # fmt: skip
        why = "say nothing of it" if findings.run.live else "have no wall clock to keep up with"
        run = "This live run's processes" if findings.run.live else "Fast runs"
        return Figure(NAME, TITLE, nothing=f"{run} {why}.")
    margins = _lines(findings, [100 * each.margin for each in findings.processes])
    lags = _lines(findings, [1000 * each.lag for each in findings.processes])
    panels = (
        Panel(time_axis(findings), Axis("margin", "% of a tick"), margins),
        Panel(time_axis(findings), Axis("lag", "ms", 0), lags),
    )
    caption = (
        "Margin: how much of its tick a process slept, the lowest of lately; at 0 % it does not "
        "keep up. Lag: how late it was."
    )
    return Figure(NAME, TITLE, caption, panels, height=560)


def _lines(findings: Findings, columns: list[F8]) -> tuple[Line, ...]:
    return tuple(
        Line(each.t, column, Stroke(cycled(place), 1.6), each.name)
        for place, (each, column) in enumerate(zip(findings.processes, columns, strict=True))
    )

"""How real vehicles were heard, against time."""

import numpy as np

from movenv.review.drawing import MOST_IN_LEGEND, Axis, Figure, Line, Panel, Stroke
from movenv.review.figures.fixes import LEAST_LOSS, in_time
from movenv.review.figures.look import color_of, joined, starts, time_axis
from movenv.review.findings import Findings, LinkSeries
from movenv.review.palette import cycled
from movenv.world.columns import F8

NAME, TITLE = "links", "Links of real vehicles"


def links(findings: Findings) -> Figure:
    if not findings.links:
        nothing = "No real vehicle was heard by radio, so there are no links to show."
        return Figure(NAME, TITLE, nothing=nothing)
    delays, unit = in_time([each.delay for each in findings.links])
    losses = [100 * each.loss for each in findings.links]
    panels = (
        _panel(findings, Axis("age", "s", 0), [each.age for each in findings.links]),
        _panel(findings, Axis("delay", unit, 0), delays),
        _panel(findings, Axis("loss", "%", 0, _most_lost(losses)), losses),
        _panel(findings, Axis("rate", "fixes/s", 0), [each.rate for each in findings.links]),
    )
    caption = (
        "Age: how old the latest fix was. Delay: how long fixes were on their way. "
        "Loss: the share of fixes that did not arrive."
    )
    return Figure(NAME, TITLE, caption, panels, height=880)


def _most_lost(losses: list[F8]) -> float:
    known = [float(np.nanmax(loss)) for loss in losses if np.isfinite(loss).any()]
    return max(1.05 * max(known, default=0.0), LEAST_LOSS)


def _panel(findings: Findings, axis: Axis, columns: list[F8]) -> Panel:
    names = findings.roster.names
    if not any(np.isfinite(column).any() for column in columns):
        return Panel(time_axis(findings), axis, nothing=f"{axis.label}: not told")
    if len(columns) > MOST_IN_LEGEND:
        items: tuple[Line, ...] = (_all(findings.links, columns, names),)
    else:
        items = tuple(
            Line(each.t, column, Stroke(_color(findings, each), 1.6), names[each.row])
            for each, column in zip(findings.links, columns, strict=True)
        )
    return Panel(time_axis(findings), axis, items)


def _color(findings: Findings, link: LinkSeries) -> str:
    """That of the vehicle, or one of its own where vehicles share theirs."""
    color = color_of(findings.roster, link.row)
    return color if color != "real" else cycled(findings.links.index(link))


def _all(series: list[LinkSeries], columns: list[F8], names: list[str]) -> Line:
    return Line(
        joined([each.t for each in series]),
        joined(columns),
        Stroke("real", 0.8, opacity=0.6),
        f"real vehicles ({len(np.unique([each.row for each in series])):,})",
        starts=starts(columns),
        names=tuple(names[each.row] for each in series),
    )

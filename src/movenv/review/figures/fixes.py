"""Who was real, and how good their fixes were."""

from dataclasses import replace

import numpy as np

from movenv.review.drawing import Axis, Figure, Item, Notes, Panel, Points, Spans, Symbol
from movenv.review.findings import Findings, names_of
from movenv.review.words import counted, number
from movenv.world.columns import F8, Mask, Rows

NAME, TITLE = "fixes", "Real vehicles and their fixes"
MOST = 30
SHORT = 0.1
"""s; shorter times are told in milliseconds."""
LEAST_LOSS = 10.0
"""%; so much is seen of the axis where less was lost."""
BELOW = 0.04
"""What is seen below 0, of what is seen above: a circle there is whole."""


def fix_quality(findings: Findings) -> Figure:
    fixes = findings.fixes
    if not len(fixes.rows):
        return Figure(NAME, TITLE, nothing="No vehicle was real, so there are no fixes to judge.")
    shown = _worst(fixes.accuracy_p95)
    names = tuple(names_of(findings.roster, fixes.rows[shown]))
    delay, unit = in_time([fixes.delay_median[shown], fixes.delay_p95[shown]])
    panels = _named(
        (
            _panel("accuracy", "m", fixes.accuracy_median[shown], fixes.accuracy_p95[shown]),
            _panel("delay", unit, delay[0], delay[1]),
            _panel("age, 95 %", "s", None, fixes.age_p95[shown]),
            _panel("loss", "%", 100 * fixes.loss[shown], None, LEAST_LOSS),
            _panel("rate", "fixes/s", fixes.rate[shown], None),
        ),
        names,
    )
    caption = (
        "Accuracy and delay: from the median (circle) to what 95 % of the fixes stay below (tick). "
        "Age: only the latter. Loss and rate: means."
    )
    if len(shown) < len(fixes.rows):
        more = counted(len(fixes.rows) - len(shown), "more real vehicle")
        caption += f" The {len(shown)} least accurate; {more} in the table."
    return Figure(NAME, TITLE, caption, panels, 5, 150 + 26 * len(shown), legend=False)


def _worst(accuracy: F8) -> Rows:
    order = np.argsort(-np.nan_to_num(accuracy, nan=np.inf), kind="stable")
    return order if len(order) <= MOST else order[:MOST]


def in_time(columns: list[F8]) -> tuple[list[F8], str]:
    """Seconds as they are, or in milliseconds where all are below a tenth; and the unit."""
    most = max((float(np.nanmax(c)) for c in columns if np.isfinite(c).any()), default=np.inf)
    return ([1000 * column for column in columns], "ms") if most < SHORT else (columns, "s")


def _named(panels: tuple[Panel, ...], names: tuple[str, ...]) -> tuple[Panel, ...]:
    """The first one that shows something names the lanes for all."""
    first = next((place for place, panel in enumerate(panels) if not panel.nothing), 0)
    return tuple(
        replace(panel, y=Axis("", lanes=names if place == first else ("",) * len(names)))
        for place, panel in enumerate(panels)
    )


def _panel(label: str, unit: str, middle: F8 | None, p95: F8 | None, least: float = 0.0) -> Panel:
    """At least so much is seen of the axis."""
    shown = [column for column in (middle, p95) if column is not None]
    told: Mask = np.isfinite(shown[0]) | np.isfinite(shown[-1])
    if not told.any():
        return Panel(Axis(label, unit), Axis(""), nothing=f"{label}: not told")
    lane = np.arange(len(told), dtype=np.float64)
    items: list[Item] = []
    if middle is not None and p95 is not None:
        items.append(Spans(lane, middle, p95, "faint", label, 6))
    if p95 is not None:
        items.append(_marks(lane, p95, label, unit, "tick"))
    if middle is not None:
        items.append(_marks(lane, middle, label, unit, "circle"))
    top = 1.1 * max(float(np.nanmax(column)) for column in shown if np.isfinite(column).any())
    top = max(top, least) or 1.0
    if not told.all():
        start = np.zeros((~told).sum())
        items.append(Notes(lane[~told], start, start + top, ("not told",) * len(start), "muted"))
    return Panel(Axis(label, unit, -BELOW * top, top), Axis(""), tuple(items))


def _marks(lane: F8, values: F8, label: str, unit: str, symbol: Symbol) -> Points:
    word = " 95 % stay below" if symbol == "tick" and "95" not in label else ""
    texts = tuple(f"{label}{word} {number(value)} {unit}" for value in values.tolist())
    return Points(values, lane, "real", label, symbol, 9, texts)

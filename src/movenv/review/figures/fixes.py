"""Who was real, and how good their fixes were."""

import numpy as np

from movenv.review.drawing import Axis, Figure, Item, Panel, Points, Spans
from movenv.review.findings import Findings, names_of
from movenv.review.words import counted, number
from movenv.world.columns import F8, Rows

NAME, TITLE = "fixes", "Real vehicles and their fixes"
MOST = 30


def fix_quality(findings: Findings) -> Figure:
    fixes = findings.fixes
    if not len(fixes.rows):
        return Figure(NAME, TITLE, nothing="No vehicle was real, so there are no fixes to judge.")
    shown = _worst(fixes.accuracy_p95)
    names = tuple(names_of(findings.roster, fixes.rows[shown]))
    panels: tuple[Panel, ...] = (
        _panel(names, "accuracy", "m", fixes.accuracy_median[shown], fixes.accuracy_p95[shown]),
        _panel((), "delay", "s", fixes.delay_median[shown], fixes.delay_p95[shown]),
        _panel((), "age", "s", None, fixes.age_p95[shown]),
        _panel((), "loss", "%", 100 * fixes.loss[shown], None),
        _panel((), "rate", "fixes/s", fixes.rate[shown], None),
    )
    panels = (panels[0], *(_unnamed(panel, len(shown)) for panel in panels[1:]))
    caption = "Bars reach from the median (circle) to what 95 % stay below (tick)."
    if len(shown) < len(fixes.rows):
        more = counted(len(fixes.rows) - len(shown), "more real vehicle")
        caption += f" The {len(shown)} least accurate; {more} in the table."
    return Figure(NAME, TITLE, caption, panels, 5, 150 + 26 * len(shown), legend=False)


def _worst(accuracy: F8) -> Rows:
    order = np.argsort(-np.nan_to_num(accuracy, nan=np.inf), kind="stable")
    return order if len(order) <= MOST else order[:MOST]


def _unnamed(panel: Panel, lanes: int) -> Panel:
    return Panel(panel.x, Axis("", lanes=("",) * lanes), panel.items)


def _panel(
    names: tuple[str, ...], label: str, unit: str, middle: F8 | None, p95: F8 | None
) -> Panel:
    shown = [column for column in (middle, p95) if column is not None]
    lane = np.arange(len(shown[0]), dtype=float)
    items: list[Item] = []
    if middle is not None and p95 is not None:
        items.append(Spans(lane, middle, p95, "faint", label, 6))
    for column, symbol, word in ((p95, "tick", "95 % stay below"), (middle, "circle", "")):
        if column is not None:
            texts = tuple(f"{label} {word} {number(value)} {unit}" for value in column.tolist())
            items.append(
                Points(
                    column, lane, "real", label, "tick" if symbol == "tick" else "circle", 9, texts
                )
            )
    top = max((float(np.nanmax(c)) for c in shown if np.isfinite(c).any()), default=0.0)
    return Panel(
        Axis(label, unit, 0, 1.1 * top if top > 0 else 1), Axis("", lanes=names), tuple(items)
    )

"""How far each vehicle's mission was, as bars of the timeline."""

import numpy as np

from movenv.review.drawing import Item, Notes, Points, Spans
from movenv.review.findings import Findings, Happening
from movenv.review.words import seconds

OVER = "mission over"


def on_missions(findings: Findings) -> dict[int, list[Happening]]:
    """The steps of each vehicle that has a mission, by its row, in order of time."""
    found: dict[int, list[Happening]] = {
        row: [] for row, mission in enumerate(findings.roster.mission) if mission >= 0
    }
    for happening in findings.happenings:
        if happening.kind == "mission":
            for row in happening.rows:
                found.setdefault(row, []).append(happening)
    return dict(sorted(found.items()))


def step_of(findings: Findings, row: int, happening: Happening) -> str:
    """The step's name alone."""
    return happening.text.removeprefix(f"{findings.roster.names[row]}: ")


def steps(findings: Findings, lane: int, row: int, here: list[Happening]) -> list[Item]:
    """Each lasts until the next; a mission that is over lasts no longer."""
    if not here:
        return []
    t = np.array([happening.t for happening in here])
    end = np.append(t[1:], max(findings.run.t_last, t[-1]))
    names = [step_of(findings, row, happening) for happening in here]
    lasts = np.array([name != OVER for name in names])
    y = np.full(len(t), float(lane))
    texts = tuple(
        f"{happening.text}, {seconds(a)}" + (f" to {seconds(b)}" if on else "")
        for happening, a, b, on in zip(here, t.tolist(), end.tolist(), lasts, strict=True)
    )
    bars = tuple(text for text, on in zip(texts, lasts, strict=True) if on)
    return [
        Spans(y[lasts], t[lasts], end[lasts], "step", "mission", 18, bars),
        Points(t, y, "green", "mission", "tick", 18, texts),
        Notes(y, t, end, tuple("over" if name == OVER else name for name in names)),
    ]

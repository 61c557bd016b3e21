"""What is written among the distances: names of levels and the closest minima, each apart."""

from dataclasses import replace

import numpy as np

from movenv.review.drawing import Axis, Band, Points
from movenv.review.words import metres
from movenv.world.columns import F8

MOST_LABELLED = 3
LINE = 0.05
"""How high a line of words is, of what is seen."""
NAME = 0.3
"""How long a level's name is, of the time."""
NUMBER = 0.08
"""How long a distance is, of the time."""


def named_apart(bands: list[Band], minima: Points, time: Axis, top: float) -> list[Band]:
    """Names on the side where no minimum is to be labelled; of levels that are drawn closely
    together, the outermost has the names of all."""
    t = _share(minima.x, time)[_closest(minima)]
    at_end = bool((t < NAME).any()) and not bool((t + NUMBER > 1 - NAME).any())
    kept: list[Band] = []
    for band in bands:
        if kept and kept[-1].high - band.high < LINE * top:
            outer = next(place for place in reversed(range(len(kept))) if kept[place].name)
            kept[outer] = replace(kept[outer], name=f"{kept[outer].name}; {band.name}")
            band = replace(band, name="")
        kept.append(replace(band, at="end" if at_end else "start"))
    return kept


def labelled(minima: Points, bands: list[Band], time: Axis, top: float) -> Points:
    """With the closest written beside them, where nothing else is written."""
    t = _share(minima.x, time)
    taken = [
        (0.0 if band.at == "start" else 1 - NAME, NAME, band.high / top)
        for band in bands
        if band.name
    ]
    labels = [""] * len(t)
    for place in _closest(minima):
        left, low = float(t[place]), float(minima.y[place]) / top
        if all(
            left + NUMBER <= other or other + length <= left or abs(low - height) >= LINE
            for other, length, height in taken
        ):
            labels[place] = metres(float(minima.y[place]))
            taken.append((left, NUMBER, low))
    return replace(minima, labels=tuple(labels))


def _closest(minima: Points) -> list[int]:
    order = np.argsort(minima.y, kind="stable")[:MOST_LABELLED]
    return [int(place) for place in order if np.isfinite(minima.y[place])]


def _share(t: F8, time: Axis) -> F8:
    low, high = time.low or 0.0, time.high or 0.0
    return (t - low) / max(high - low, 1e-9)

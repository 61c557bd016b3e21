"""How far vehicles were from each other."""

import numpy as np

from movenv.review.drawing import Axis, Band, Figure, Item, Line, Panel, Points, Stroke
from movenv.review.figures.distance_labels import labelled, named_apart
from movenv.review.figures.look import joined, starts, time_axis
from movenv.review.findings import Findings, PairSeries, names_of
from movenv.review.palette import cycled, level_color
from movenv.review.words import counted, metres, number, seconds

NAME, TITLE = "distances", "Distance of pairs"
NAMED = 8
"""So many of the closest have colours and names."""
FAR_OFF = 3.0
"""Beyond so many times of what matters most a distance would crush all others."""
BELOW = 0.025
"""What is seen below 0, of what is seen above: a diamond there is whole."""
LEVELS_SEEN = 3.0
"""So many times the outermost level's distance are seen at first."""


def distances(findings: Findings) -> Figure:
    series = [each for each in findings.series if np.isfinite(each.distance).any()]
    if not series:
        nothing = "No two vehicles were known at the same time, so there is no distance to show."
        return Figure(NAME, TITLE, nothing=nothing)
    near, others = series[:NAMED], series[NAMED:]
    time, (top, cut) = time_axis(findings), _top(findings, series)
    minima = _minima(findings, near, "inner", 8)
    levels = named_apart(_levels(findings, series), minima, time, top)
    items: list[Item] = [*levels]
    if others:
        items += [_together(findings, others), _minima(findings, others, "faint", 5)]
    items += [_line(findings, each, place) for place, each in enumerate(near)]
    items.append(labelled(minima, levels, time, top))
    panel = Panel(time, Axis("distance", "m", -BELOW * top, top), tuple(items))
    whole = "Every pair" if findings.every_pair_drawn else f"The {len(series):,} closest"
    of = "" if findings.every_pair_drawn else f" of {counted(len(findings.pairs), 'pair')}"
    caption = f"{whole}{of}; diamonds: the closest approach of each."
    if cut:
        caption += f" Seen up to {number(top, 0)} m; some were farther apart."
    return Figure(NAME, TITLE, caption, (panel,), height=500)


def pair_name(findings: Findings, series: PairSeries) -> str:
    return " – ".join(names_of(findings.roster, [series.row, series.other]))


def _line(findings: Findings, series: PairSeries, place: int) -> Line:
    return Line(series.t, series.distance, Stroke(cycled(place), 1.8), pair_name(findings, series))


def _together(findings: Findings, series: list[PairSeries]) -> Line:
    """Those that came less near stay in the background."""
    return Line(
        joined([each.t for each in series]),
        joined([each.distance for each in series]),
        Stroke("faint", 0.9, opacity=0.8),
        f"other pairs ({len(series):,})",
        starts=starts([each.t for each in series]),
        names=tuple(pair_name(findings, each) for each in series),
    )


def _minima(findings: Findings, series: list[PairSeries], color: str, size: float) -> Points:
    """The exact ones, which may lie between the samples that are drawn."""
    pairs, count = findings.pairs, len(findings.roster)
    keys = np.minimum(pairs.row, pairs.other) * count + np.maximum(pairs.row, pairs.other)
    wanted = [min(e.row, e.other) * count + max(e.row, e.other) for e in series]
    order = np.argsort(keys)
    places = order[np.searchsorted(keys[order], wanted)]
    closest, t = pairs.closest[places], pairs.closest_t[places]
    texts = tuple(
        f"{pair_name(findings, each)}: {metres(float(near))} at {seconds(float(when))}"
        for each, near, when in zip(series, closest, t, strict=True)
    )
    name = "closest approach" if color == "inner" else ""
    return Points(t, closest, color, name, "diamond", size, texts)


def _levels(findings: Findings, series: list[PairSeries]) -> list[Band]:
    """A level's distance depends on the larger of the two vehicles."""
    lengths = findings.roster.length
    larger = [max(float(lengths[each.row]), float(lengths[each.other])) for each in series]
    bands = []
    for place, (name, multiple) in enumerate(findings.run.levels.items()):
        low, high = multiple * min(larger), multiple * max(larger)
        size = metres(low) if low == high else f"{number(low)} to {metres(high)}"
        color = level_color(place + 1, len(findings.run.levels))
        bands.append(Band(low, high, color, f"{name}: {size}"))
    return bands


def _top(findings: Findings, series: list[PairSeries]) -> tuple[float, bool]:
    """What is seen of the distances: all of it where all are drawn, unless somebody is far off;
    else where notices are, and most of the minima."""
    farthest = max(float(np.nanmax(each.distance)) for each in series)
    nearest = [float(np.nanmin(each.distance)) for each in series]
    outer = max((band.high for band in _levels(findings, series)), default=0.0)
    wanted = max(LEVELS_SEEN * outer, 2.0 * float(np.median(nearest)), 1.0)
    room = FAR_OFF if findings.every_pair_drawn else 1.0
    return (wanted, True) if wanted * room < farthest else (1.05 * max(farthest, 1.0), False)

"""Where everybody went, seen from above."""

import numpy as np

from movenv.review.drawing import Area, Axis, Figure, Item, Line, Panel, Points, Stroke
from movenv.review.figures.look import bundles, few, how, known, lines, vehicles_drawn
from movenv.review.findings import Findings, Outline, Track, names_of
from movenv.review.words import metres, seconds
from movenv.world.columns import F8

MOST_LABELS = 12
TOGETHER = 0.05
"""Ends nearer than this share of the longest way's extent have one label."""
ROUTE = Stroke("strong", 3.5, opacity=0.45)
NAME, TITLE = "map", "Map"


def field_map(findings: Findings) -> Figure:
    if not known(findings, lambda track: track.x):
        return Figure(NAME, TITLE, nothing="No vehicle's position is known, so there is no map.")
    items: list[Item] = [_outline(outline) for outline in findings.outlines]
    items += lines(findings, lambda track: track.x, lambda track: track.y)
    items += _ends(findings)
    items += closest_points(findings)
    caption = f"{vehicles_drawn(findings)}. Circles: start; squares: end. {how(findings)}"
    panel = Panel(Axis("east", "m"), Axis("north", "m"), tuple(items), equal=True)
    return Figure(NAME, TITLE, caption.strip(), (panel,), height=640)


def _outline(outline: Outline) -> Item:
    if outline.is_area:
        return Area(outline.name, outline.x, outline.y)
    return Line(outline.x, outline.y, ROUTE, f"route {outline.name}")


def first_and_last(track: Track) -> tuple[int, int] | None:
    at = np.flatnonzero(np.isfinite(track.x) & np.isfinite(track.y))
    return (int(at[0]), int(at[-1])) if len(at) else None


def _ends(findings: Findings) -> list[Item]:
    """Where each was first and last known."""
    names = findings.roster.names
    one_each, labels = few(findings.roster), _labels(findings)
    items: list[Item] = []
    for bundle in bundles(findings):
        ends = [(track, at) for track in bundle.tracks if (at := first_and_last(track))]
        if not ends:
            continue
        for which, word in enumerate(("starts", "ends")):
            items.append(
                Points(
                    np.array([track.x[at[which]] for track, at in ends]),
                    np.array([track.y[at[which]] for track, at in ends]),
                    bundle.stroke.color,
                    "",
                    "square" if which else "open",
                    8 if one_each else 3,
                    tuple(
                        f"{names[track.row]} {word} at {seconds(float(track.t[at[which]]))}"
                        for track, at in ends
                    ),
                    tuple(labels.get(track.row, "") for track, _ in ends) if which else (),
                )
            )
    return items


def _labels(findings: Findings) -> dict[int, str]:
    """What stands at each vehicle's end, by row; names of those that end together in one label."""
    if len(findings.tracks) > MOST_LABELS:
        return {}
    ends = {t.row: (t.x[at[1]], t.y[at[1]]) for t in findings.tracks if (at := first_and_last(t))}
    whole = [
        np.nanmax(c) - np.nanmin(c) for t in findings.tracks if t.row in ends for c in (t.x, t.y)
    ]
    apart = TOGETHER * max(whole, default=0.0)
    labels: dict[int, str] = {}
    for row, (x, y) in ends.items():
        name = findings.roster.names[row]
        near = (r for r in labels if np.hypot(ends[r][0] - x, ends[r][1] - y) < apart)
        head = next(near, row)
        labels[head] = f"{labels[head]}, {name}" if head in labels else name
    return labels


def closest_points(findings: Findings, tall: bool = False) -> list[Item]:
    """The closest approach of the run: where both were."""
    pairs = findings.pairs
    if not len(pairs) or not np.isfinite(pairs.closest[0]):
        return []
    t = float(pairs.closest_t[0])
    both = [int(pairs.row[0]), int(pairs.other[0])]
    at = [spot for row in both for track in findings.tracks if track.row == row
          if (spot := _at(track, t)) is not None]  # fmt: skip
    if not at:
        return []
    text = (
        f"closest approach: {' and '.join(names_of(findings.roster, both))}, "
        f"{metres(float(pairs.closest[0]))} at {seconds(t)}"
    )
    x, y, z = np.array(at).T
    return [
        Points(
            x, y, "inner", "closest approach", "cross", 12, (text,) * len(at), z=z if tall else None
        )
    ]


def _at(track: Track, t: float) -> tuple[float, float, float] | None:
    """Where it was, along the straight line between samples."""
    here = np.isfinite(track.x)
    if not here.any():
        return None
    columns: list[F8] = [track.x, track.y, track.z]
    x, y, z = (float(np.interp(t, track.t[here], column[here])) for column in columns)
    return x, y, z

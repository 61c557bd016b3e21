"""Where everybody went, heights included."""

from dataclasses import replace

import numpy as np

from movenv.review.drawing import Axis, Figure, Item, Panel
from movenv.review.figures.field_map import closest_points
from movenv.review.figures.look import how, known, lines
from movenv.review.findings import Findings
from movenv.review.words import number

NAME, TITLE = "space", "Trajectories in three dimensions"
CLIMB = 0.5
"""m; a vehicle that changes its height by less is taken not to."""
TALL = 0.4
"""How high the box is drawn at least, of the longer side."""


def space(findings: Findings) -> Figure:
    if not known(findings, lambda track: track.z):
        return Figure(NAME, TITLE, nothing="No vehicle's height is known.")
    climbs = [
        float(np.nanmax(track.z) - np.nanmin(track.z))
        for track in findings.tracks
        if np.isfinite(track.z).any()
    ]
    if max(climbs) < CLIMB:
        nothing = f"Nobody changed height by {CLIMB} m or more; the map shows everything."
        return Figure(NAME, TITLE, nothing=nothing)
    tracks = lines(findings, lambda track: track.x, lambda track: track.y, lambda track: track.z)
    items: list[Item] = [
        *(replace(line, stroke=replace(line.stroke, dash=None)) for line in tracks),
        *closest_points(findings, tall=True),
    ]
    return in_a_box(NAME, TITLE, tuple(items), "Thick lines: real." if how(findings) else "")


def in_a_box(name: str, title: str, items: tuple[Item, ...], caption: str) -> Figure:
    """Equal scales, except that heights are stretched where they would be flat."""
    sides = [_sides([getattr(item, axis) for item in items]) for axis in ("x", "y", "z")]
    longest = max(high - low for low, high in sides)
    box = [max((high - low) / longest, 0.15) for low, high in sides]
    flat = (sides[2][1] - sides[2][0]) / longest
    box[2] = max(flat, TALL)
    if flat < TALL:
        caption = f"Heights are drawn {number(TALL / max(flat, 1e-9))} times too tall. {caption}"
    axes = [
        Axis(label, "m", low, high)
        for label, (low, high) in zip(("east", "north", "height"), sides, strict=True)
    ]
    panel = Panel(axes[0], axes[1], items, axes[2], box=(box[0], box[1], box[2]))
    return Figure(name, title, caption.strip(), (panel,), height=640)


def _sides(columns: list[np.ndarray[tuple[int], np.dtype[np.float64]]]) -> tuple[float, float]:
    low = min(float(np.nanmin(column)) for column in columns if np.isfinite(column).any())
    high = max(float(np.nanmax(column)) for column in columns if np.isfinite(column).any())
    margin = max(0.03 * (high - low), 0.5)
    return low - margin, high + margin

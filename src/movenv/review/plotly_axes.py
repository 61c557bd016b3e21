"""The axes of a figure for a page, and text that plotly.js takes as text."""

import html
from typing import Any

from movenv.review.drawing import Axis, Figure, Panel


def domains(figure: Figure, number: int) -> tuple[list[float], list[float]]:
    row, column = divmod(number, figure.columns)
    lanes = any(panel.y.lanes and panel.y.lanes[0] for panel in figure.panels[1:])
    between = (
        0.0 if figure.columns == 1 else (0.16 if lanes else 0.09 if figure.columns == 2 else 0.03)
    )
    above = 0.0 if figure.rows == 1 else min(0.13, 70 / figure.height)
    width = (1 - between * (figure.columns - 1)) / figure.columns
    height = (1 - above * (figure.rows - 1)) / figure.rows
    left, top = column * (width + between), 1 - row * (height + above)
    return [left, min(left + width, 1.0)], [max(top - height, 0.0), top]


def axis_of(axis: Axis) -> dict[str, Any]:
    if axis.lanes:
        return {
            "tickvals": list(range(len(axis.lanes))),
            "ticktext": [short(lane) for lane in axis.lanes],
            "range": [len(axis.lanes) - 0.5, -0.5],
            "showgrid": False,
            "fixedrange": len(axis.lanes) <= 20,
            "automargin": True,
        }
    drawn: dict[str, Any] = {"title": {"text": axis.title, "standoff": 6}}
    if axis.low is not None and axis.high is not None and axis.high > axis.low:
        margin = 0.01 * (axis.high - axis.low) if axis.label == "time" else 0
        drawn["range"] = [axis.low - margin, axis.high + margin]
    elif axis.low is not None:
        drawn["rangemode"] = "tozero"
    return drawn


def scene_of(panel: Panel, z: Axis, across: list[float], up: list[float]) -> dict[str, Any]:
    scene: dict[str, Any] = {
        "domain": {"x": across, "y": up},
        "aspectmode": "manual",
        "camera": {
            "eye": {"x": -1.1, "y": -1.5, "z": 0.95},
            "center": {"x": 0, "y": 0, "z": -0.15},
        },
    }
    if panel.box:
        scene["aspectratio"] = {
            side: 1.3 * part for side, part in zip("xyz", panel.box, strict=True)
        }
    for name, axis in (("xaxis", panel.x), ("yaxis", panel.y), ("zaxis", z)):
        scene[name] = {"title": {"text": axis.title}, "range": [axis.low, axis.high]}
    return scene


def plain(text: str) -> str:
    """Plotly takes some of HTML; text from a recording is none."""
    return html.escape(" ".join(text.split()), quote=False).replace("%{", "%&#123;")


def short(text: str, most: int = 24) -> str:
    return plain(text if len(text) <= most else f"{text[: most - 1]}…")

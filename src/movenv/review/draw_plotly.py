"""Figures for a page: what plotly.js draws, as JSON.

Colours stand as `$name`, for the page to fill in by day or night. Columns stand as `{"ref": n}`
into a list that all figures share, since many have the same times and places.
"""

import base64
import html
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from movenv.review.drawing import (
    Area,
    Axis,
    Band,
    Figure,
    Item,
    Line,
    Panel,
    Points,
    Spans,
    Symbol,
    legend_of,
)
from movenv.world.columns import F8

GL_ABOVE = 30_000
"""Points of a figure; with more, the graphics card draws."""
SYMBOLS: dict[Symbol, str] = {
    "circle": "circle",
    "open": "circle-open",
    "square": "square",
    "cross": "x",
    "diamond": "diamond",
    "star": "star",
    "tick": "line-ns",
}
SYMBOLS_3D: dict[Symbol, str] = {
    "circle": "circle",
    "open": "circle-open",
    "square": "square",
    "cross": "diamond",
    "diamond": "diamond",
    "star": "diamond",
    "tick": "cross",
}
SEEN = 0.6
"""Opacity of a line that a legend can show as it is."""
LINED = ("circle-open", "line-ns")
LEFT, RIGHT, TOP, LEGEND_ROW = 62, 14, 26, 24


class Columns:
    """Arrays by number, each once."""

    def __init__(self) -> None:
        self.encoded: list[str] = []
        self._known: dict[bytes, int] = {}

    def ref(self, column: F8) -> dict[str, int]:
        data = np.ascontiguousarray(column, "<f4").tobytes()
        if data not in self._known:
            self._known[data] = len(self.encoded)
            self.encoded.append(base64.b64encode(data).decode())
        return {"ref": self._known[data]}


@dataclass
class _Sheet:
    """One figure on its way."""

    figure: Figure
    columns: Columns
    gl: bool
    named: set[str]
    """In the legend; each once."""
    traces: list[dict[str, Any]] = field(default_factory=list)
    layout: dict[str, Any] = field(default_factory=dict)
    shapes: list[dict[str, Any]] = field(default_factory=list)
    annotations: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class _Place:
    """The axes of a panel, by their names in plotly."""

    number: str
    x: Axis
    y: Axis
    three: bool

    @property
    def axes(self) -> dict[str, str]:
        if self.three:
            return {"scene": f"scene{self.number}"}
        return {"xaxis": f"x{self.number}", "yaxis": f"y{self.number}"}


def as_plotly(figure: Figure, columns: Columns) -> dict[str, Any]:
    """For the page: traces, layout, and whether a graphics card is needed."""
    points = sum(_size(item) for panel in figure.panels for item in panel.items)
    three = any(panel.z for panel in figure.panels)
    sheet = _Sheet(figure, columns, points > GL_ABOVE, set(legend_of(figure)))
    legend = len(sheet.named) > 1
    if not legend:
        sheet.named.clear()
    for number, panel in enumerate(figure.panels):
        _panel(sheet, number, panel)
    bottom = 52 + (18 + LEGEND_ROW * -(-len(sheet.named) // 5) if legend else 0)
    sheet.layout |= {
        "margin": {"l": LEFT, "r": RIGHT, "t": TOP, "b": bottom},
        "shapes": sheet.shapes,
        "annotations": sheet.annotations,
        "showlegend": legend,
    }
    named = sum(len(name) for name in legend_of(figure))
    return {
        "name": figure.name,
        "traces": sheet.traces,
        "layout": sheet.layout,
        "gl": sheet.gl or three,
        "height": figure.height,
        "legend": named if legend else 0,
    }


def _size(item: Item) -> int:
    if isinstance(item, Spans):
        return 4 * len(item.start)
    return 0 if isinstance(item, Band) else len(item.x)


def _panel(sheet: _Sheet, number: int, panel: Panel) -> None:
    place = _Place(str(number + 1) if number else "", panel.x, panel.y, panel.z is not None)
    across, up = _domains(sheet.figure, number)
    if panel.title:
        sheet.annotations.append(
            {
                "text": f"<b>{_plain(panel.title)}</b>",
                "x": across[0], "y": up[1], "xref": "paper", "yref": "paper",
                "xanchor": "left", "yanchor": "bottom", "showarrow": False,
            }
        )  # fmt: skip
    if panel.nothing:
        sheet.annotations.append(
            {
                "text": _plain(panel.nothing).replace(", ", ",<br>"),
                "x": across[0], "y": up[1] - 0.1, "xref": "paper", "yref": "paper",
                "xanchor": "left", "yanchor": "top", "align": "left", "showarrow": False,
                "font": {"color": "$muted"},
            }
        )  # fmt: skip
        return
    if panel.z is not None:
        sheet.layout[f"scene{place.number}"] = _scene(panel, panel.z, across, up)
    else:
        x = _axis(panel.x) | {"domain": across, "anchor": f"y{place.number}"}
        y = _axis(panel.y) | {"domain": up, "anchor": f"x{place.number}"}
        if panel.equal:
            y |= {"scaleanchor": f"x{place.number}", "scaleratio": 1}
        sheet.layout |= {f"xaxis{place.number}": x, f"yaxis{place.number}": y}
    for item in panel.items:
        _draw(sheet, place, item)


def _domains(figure: Figure, number: int) -> tuple[list[float], list[float]]:
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


def _axis(axis: Axis) -> dict[str, Any]:
    if axis.lanes:
        return {
            "tickvals": list(range(len(axis.lanes))),
            "ticktext": [_short(lane) for lane in axis.lanes],
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


def _scene(panel: Panel, z: Axis, across: list[float], up: list[float]) -> dict[str, Any]:
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


def _draw(sheet: _Sheet, place: _Place, item: Item) -> None:
    if isinstance(item, Line):
        trace = _line(sheet, place, item)
    elif isinstance(item, Points):
        trace = _points(sheet, place, item)
    elif isinstance(item, Spans):
        trace = _spans(sheet, item)
    elif isinstance(item, Area):
        trace = _area(item)
    else:
        _band(sheet, place, item)
        return
    trace |= place.axes
    if place.three:
        trace["type"] = "scatter3d"
    elif "type" not in trace:
        trace["type"] = "scattergl" if sheet.gl else "scatter"
    shown = item.name in sheet.named
    sheet.named.discard(item.name)
    if shown and isinstance(item, Line) and item.stroke.opacity < SEEN:
        sheet.traces.append(_sample(item) | place.axes | {"type": trace["type"]})
        shown = False
    trace |= {"name": _plain(item.name), "legendgroup": item.name, "showlegend": shown}
    sheet.traces.append(trace)


def _sample(line: Line) -> dict[str, Any]:
    """For the legend, where a faint line would not be seen."""
    trace: dict[str, Any] = {
        "mode": "lines",
        "x": [None],
        "y": [None],
        "line": {"color": f"${line.stroke.color}", "width": line.stroke.width},
        "name": _plain(line.name),
        "legendgroup": line.name,
        "showlegend": True,
    }
    return trace if line.z is None else trace | {"z": [None]}


def _line(sheet: _Sheet, place: _Place, line: Line) -> dict[str, Any]:
    stroke = line.stroke
    look: dict[str, Any] = {
        "color": f"${stroke.color}",
        "width": stroke.width * (2 if place.three else 1),
    }
    if stroke.dash:
        look["dash"] = _dash(stroke.dash, sheet.gl)
    trace: dict[str, Any] = {
        "mode": "lines",
        "x": sheet.columns.ref(line.x),
        "y": sheet.columns.ref(line.y),
        "line": look,
        "opacity": stroke.opacity,
        "starts": list(line.starts),
        "names": [_plain(name) for name in line.names or (line.name,)],
    }
    rows = [_hover(place.x, "x"), _hover(place.y, "y")]
    if line.z is not None:
        trace["z"] = sheet.columns.ref(line.z)
        rows.append("height %{z:.1f} m")
    if line.t is not None:
        trace["customdata"] = sheet.columns.ref(line.t)
        rows.insert(0, "at %{customdata:.1f} s")
    trace["hovertemplate"] = f"<b>%{{text}}</b><br>{'<br>'.join(rows)}<extra></extra>"
    return trace


def _dash(dash: tuple[float, float], by_card: bool) -> str:
    """A graphics card's lines know only names."""
    if by_card:
        return "dash" if dash[0] > 2 * dash[1] else "dot"
    return ",".join(f"{length:g}px" for length in dash)


def _hover(axis: Axis, letter: str) -> str:
    return f"{axis.label} %{{{letter}:.1f}} {axis.unit}"


def _points(sheet: _Sheet, place: _Place, points: Points) -> dict[str, Any]:
    symbol = (SYMBOLS_3D if place.three else SYMBOLS)[points.symbol]
    edge = (
        {"width": 2 if points.size > 5 else 1, "color": f"${points.color}"}
        if symbol in LINED
        else {"width": 0}
    )
    size = points.size * (0.5 if place.three else 1)
    trace: dict[str, Any] = {
        "mode": "markers+text" if any(points.labels) else "markers",
        "x": sheet.columns.ref(points.x),
        "y": sheet.columns.ref(points.y),
        "marker": {"symbol": symbol, "size": size, "color": f"${points.color}", "line": edge},
        "hovertext": [_plain(text) for text in points.texts],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }
    if any(points.labels):
        trace |= {
            "text": [f"\u00a0{_plain(label)}" for label in points.labels],
            "textposition": "top right",
            "textfont": {"color": "$text", "size": 11},
            "type": "scatter3d" if place.three else "scatter",
            "cliponaxis": False,
        }
    if points.z is not None:
        trace["z"] = sheet.columns.ref(points.z)
    return trace


def _spans(sheet: _Sheet, spans: Spans) -> dict[str, Any]:
    """As thick lines with a point in their middle, where they can be touched."""
    gap = np.full(len(spans.start), np.nan)
    x = np.stack([spans.start, (spans.start + spans.end) / 2, spans.end, gap], axis=1).ravel()
    return {
        "mode": "lines",
        "x": sheet.columns.ref(x),
        "y": sheet.columns.ref(np.repeat(spans.lane, 4)),
        "line": {"color": f"${spans.color}", "width": spans.width},
        "starts": list(range(0, len(x), 4)) if spans.texts else [0],
        "names": [_plain(text) for text in spans.texts or (spans.name,)],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _area(area: Area) -> dict[str, Any]:
    return {
        "mode": "lines",
        "type": "scatter",
        "x": [*area.x.tolist(), float(area.x[0])],
        "y": [*area.y.tolist(), float(area.y[0])],
        "line": {"color": "$strong", "width": 1},
        "fill": "toself",
        "fillcolor": "$shade",
        "hoverinfo": "name",
    }


def _band(sheet: _Sheet, place: _Place, band: Band) -> None:
    across = {"xref": f"x{place.number} domain", "yref": f"y{place.number}", "x0": 0, "x1": 1}
    if band.high > band.low:
        fill = {"type": "rect", "y0": band.low, "y1": band.high, "fillcolor": f"${band.color}"}
        sheet.shapes.append(
            across | fill | {"opacity": 0.13, "line": {"width": 0}, "layer": "below"}
        )
    line = {"color": f"${band.color}", "width": 1.3, "dash": "dot"}
    sheet.shapes.append(
        across | {"type": "line", "y0": band.high, "y1": band.high, "line": line, "layer": "below"}
    )
    sheet.annotations.append(
        {
            "text": _plain(band.name), "x": 0, "y": band.high, "xref": across["xref"],
            "yref": across["yref"], "xanchor": "left", "yanchor": "bottom", "showarrow": False,
            "font": {"color": f"${band.color}", "size": 11}, "bgcolor": "$veil",
        }
    )  # fmt: skip


def _plain(text: str) -> str:
    """Plotly takes some of HTML; text from a recording is none."""
    return html.escape(" ".join(text.split()), quote=False).replace("%{", "%&#123;")


def _short(text: str, most: int = 24) -> str:
    return _plain(text if len(text) <= most else f"{text[: most - 1]}…")

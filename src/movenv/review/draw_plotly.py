"""Figures for a page: what plotly.js draws, as JSON.

Colours stand as `$name`, for the page to fill in by day or night. Columns stand as `{"ref": n}`
into a list that all figures share, since many have the same times and places.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from movenv.review.draw_plotly_words import band_shapes, note_words
from movenv.review.drawing import (
    Area,
    Axis,
    Band,
    Figure,
    Item,
    Line,
    Notes,
    Panel,
    Points,
    Spans,
    Symbol,
    fitting,
    legend_of,
)
from movenv.review.plotly_axes import axis_of, domains, plain, scene_of
from movenv.review.shared_columns import Columns

GL_ABOVE = 30_000
"""Points of a figure; with more, the graphics card draws."""
SYMBOLS: dict[Symbol, str] = {
    "circle": "circle",
    "open": "circle-open",
    "square": "square",
    "cross": "x",
    "diamond": "diamond",
    "tick": "line-ns",
}
SYMBOLS_3D: dict[Symbol, str] = {
    "circle": "circle",
    "open": "circle-open",
    "square": "square",
    "cross": "diamond",
    "diamond": "diamond",
    "tick": "cross",
}
SEEN = 0.6
"""Opacity of a line that a legend can show as it is."""
LINED = ("circle-open", "line-ns")
LEFT, RIGHT, TOP, BOTTOM = 62, 14, 26, 50
"""Pixels; the page makes room for the legend, which depends on its width."""


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
    sheet.layout |= {
        "margin": {"l": LEFT, "r": RIGHT, "t": TOP, "b": BOTTOM},
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
    return 0 if isinstance(item, Band | Notes) else len(item.x)


def _panel(sheet: _Sheet, number: int, panel: Panel) -> None:
    place = _Place(str(number + 1) if number else "", panel.x, panel.y, panel.z is not None)
    across, up = domains(sheet.figure, number)
    corner = {
        "x": across[0],
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "showarrow": False,
    }
    if panel.title:
        title = {"text": f"<b>{plain(panel.title)}</b>", "y": up[1], "yanchor": "bottom"}
        sheet.annotations.append(corner | title)
    if panel.nothing:
        said = plain(panel.nothing).replace(", ", ",<br>")
        look = {"yanchor": "top", "align": "left", "font": {"color": "$muted"}}
        sheet.annotations.append(corner | look | {"text": said, "y": up[1] - 0.1})
        return
    if panel.z is not None:
        sheet.layout[f"scene{place.number}"] = scene_of(panel, panel.z, across, up)
    else:
        x = axis_of(panel.x) | {"domain": across, "anchor": f"y{place.number}"}
        y = axis_of(panel.y) | {"domain": up, "anchor": f"x{place.number}"}
        if panel.equal:
            y |= {"scaleanchor": f"x{place.number}", "scaleratio": 1}
        sheet.layout |= {f"xaxis{place.number}": x, f"yaxis{place.number}": y}
    for item in panel.items:
        _draw(sheet, place, item)


def _draw(sheet: _Sheet, place: _Place, item: Item) -> None:
    if isinstance(item, Line):
        trace = _line(sheet, place, item)
    elif isinstance(item, Points):
        trace = _points(sheet, place, item)
    elif isinstance(item, Spans):
        trace = _spans(sheet, item)
    elif isinstance(item, Area):
        trace = _area(item)
    elif isinstance(item, Notes):
        texts = fitting(item, place.x, sheet.figure.columns)
        sheet.annotations += note_words(item, texts, place.number)
        return
    else:
        sheet.shapes += band_shapes(item, place.number)
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
    trace |= {"name": plain(item.name), "legendgroup": item.name, "showlegend": shown}
    sheet.traces.append(trace)


def _sample(line: Line) -> dict[str, Any]:
    """For the legend, where a faint line would not be seen."""
    trace: dict[str, Any] = {
        "mode": "lines",
        "x": [None],
        "y": [None],
        "line": {"color": f"${line.stroke.color}", "width": line.stroke.width},
        "name": plain(line.name),
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
        "names": [plain(name) for name in line.names or (line.name,)],
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
        "hovertext": [plain(text) for text in points.texts],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }
    if any(points.labels):
        trace |= {
            "text": [f"\u00a0{plain(label)}" for label in points.labels],
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
        "names": [plain(text) for text in spans.texts or (spans.name,)],
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

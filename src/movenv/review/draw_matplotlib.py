"""Figures as pictures (PNG) and on pages (PDF), without a screen."""

import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure as Sheet
from matplotlib.lines import Line2D

from movenv.review.drawing import (
    Area,
    Axis,
    Band,
    Figure,
    Line,
    Notes,
    Panel,
    Points,
    Spans,
    fitting,
    legend_of,
)
from movenv.review.palette import PALETTE

WIDTH = 11.0
DPI = 150
PIXELS = 100.0
"""Of a figure's height, an inch."""
RASTER_ABOVE = 20_000
"""Points; a PDF with more of them as vectors is slow to open."""
MARKERS = {
    "circle": "o",
    "open": "o",
    "square": "s",
    "cross": "x",
    "diamond": "D",
    "tick": "|",
}
Drawn: TypeAlias = Line | Points | Spans | Band | Area
STYLE: Any = {
    "text.parse_math": False,  # a vehicle may be called $x$
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    "axes.edgecolor": PALETTE["strong"][0],
    "axes.labelcolor": PALETTE["text"][0],
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "grid.color": PALETTE["line"][0],
    "grid.linewidth": 0.6,
    "text.color": PALETTE["text"][0],
    "xtick.color": PALETTE["muted"][0],
    "ytick.color": PALETTE["muted"][0],
    "legend.frameon": False,
    "axes.formatter.useoffset": False,
    "pdf.fonttype": 42,
}


@contextmanager
def _style() -> Iterator[None]:
    with matplotlib.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")  # names in any script
        warnings.filterwarnings("ignore", "constrained_layout not applied")
        yield


def as_png(figure: Figure) -> bytes:
    with _style():
        buffer = io.BytesIO()
        _sheet(figure).savefig(buffer, format="png", dpi=DPI)
        return buffer.getvalue()


def as_pdf(figures: Sequence[Figure], title: str) -> bytes:
    """One a page; where there is none, a page that says so."""
    with _style():
        buffer = io.BytesIO()
        with PdfPages(buffer, metadata={"Title": title, "Creator": "movenv"}) as pages:
            for figure in figures or [Figure("nothing", title, nothing="Nothing to show.")]:
                pages.savefig(_sheet(figure), dpi=DPI)
        return buffer.getvalue()


def _sheet(figure: Figure) -> Sheet:
    height = 2.2 if figure.nothing else figure.height / PIXELS + 0.6
    sheet = Sheet(figsize=(WIDTH, height), layout="constrained", facecolor="white")
    FigureCanvasAgg(sheet)
    sheet.suptitle(figure.title, x=0.02, ha="left", fontsize=13, fontweight="bold")
    if figure.nothing:
        sheet.text(0.02, 0.5, figure.nothing, fontsize=11, color=_color("muted"))
        return sheet
    for number, panel in enumerate(figure.panels):
        three = {"projection": "3d"} if panel.z else {}
        axes = sheet.add_subplot(figure.rows, figure.columns, number + 1, **three)
        _panel(axes, panel, figure.columns)
    _legend(sheet, figure)
    sheet.supxlabel(_wrapped(figure.caption), x=0.02, ha="left", fontsize=8, color=_color("muted"))
    return sheet


def _panel(axes: Any, panel: Panel, columns: int) -> None:
    if panel.title:
        axes.set_title(_plain(panel.title))
    if panel.nothing:
        axes.set_axis_off()
        axes.text(
            0.02, 0.6, panel.nothing, color=_color("muted"), wrap=True, transform=axes.transAxes
        )
        return
    if panel.z:
        _three(axes, panel)
    for item in panel.items:
        if isinstance(item, Notes):
            _notes(axes, item, fitting(item, panel.x, columns))
        else:
            _draw(axes, item)
    _ticks(axes, panel.x, "x")
    _ticks(axes, panel.y, "y")
    if panel.equal:
        axes.set_aspect("equal", adjustable="box" if panel.x.low is not None else "datalim")


def _three(axes: Any, panel: Panel) -> None:
    assert panel.z is not None
    axes.set_box_aspect(panel.box, zoom=1.15)
    axes.set_zlabel(panel.z.title)
    axes.set_zlim(panel.z.low, panel.z.high)


def _ticks(axes: Axes, axis: Axis, which: str) -> None:
    if axis.lanes:
        axes.set_yticks(np.arange(len(axis.lanes)), [_plain(lane) for lane in axis.lanes])
        axes.set_ylim(len(axis.lanes) - 0.5, -0.5)
        axes.grid(False, axis="y")
        axes.tick_params(axis="y", length=0)
        return
    (axes.set_xlabel if which == "x" else axes.set_ylabel)(axis.title)
    limits = axes.set_xlim if which == "x" else axes.set_ylim
    if axis.low is not None and axis.high is not None and axis.high > axis.low:
        margin = 0.01 * (axis.high - axis.low) if which == "x" else 0
        limits(axis.low - margin, axis.high + margin)
    elif axis.low is not None:
        limits(axis.low, None)


def _draw(axes: Any, item: Drawn) -> None:
    if isinstance(item, Line):
        _line(axes, item)
    elif isinstance(item, Points):
        _points(axes, item)
    elif isinstance(item, Spans):
        _spans(axes, item)
    elif isinstance(item, Band):
        _band(axes, item)
    else:
        _area(axes, item)


def _line(axes: Any, line: Line) -> None:
    places = (line.x, line.y) if line.z is None else (line.x, line.y, line.z)
    stroke = line.stroke
    axes.plot(
        *places,
        color=_color(stroke.color),
        linewidth=0.8 * stroke.width,
        linestyle=(0, stroke.dash) if stroke.dash else "-",
        alpha=stroke.opacity,
        rasterized=len(line.x) > RASTER_ABOVE,
    )


def _points(axes: Any, points: Points) -> None:
    places = (points.x, points.y) if points.z is None else (points.x, points.y, points.z)
    color = _color(points.color)
    axes.plot(
        *places,
        linestyle="none",
        marker=MARKERS[points.symbol],
        markersize=0.75 * points.size,
        markeredgewidth=1.6,
        color=color,
        markerfacecolor="white" if points.symbol == "open" else color,
        zorder=4,
        rasterized=len(points.x) > RASTER_ABOVE,
    )
    for x, y, label in zip(points.x, points.y, points.labels, strict=False):
        if label and np.isfinite(x) and np.isfinite(y):
            axes.annotate(
                _plain(label), (x, y), (6, 4), textcoords="offset points", fontsize=8, zorder=5
            )


def _spans(axes: Axes, spans: Spans) -> None:
    ends = np.stack(
        [np.stack([spans.start, spans.lane], 1), np.stack([spans.end, spans.lane], 1)], 1
    )
    ends = ends[np.isfinite(ends).all(axis=(1, 2))]
    bars = LineCollection(
        list(ends),
        colors=_color(spans.color),
        linewidths=0.75 * spans.width,
        capstyle="butt",
        zorder=2,
    )
    axes.add_collection(bars)
    axes.autoscale_view()


def _notes(axes: Axes, notes: Notes, texts: list[str]) -> None:
    for x, lane, text in zip(notes.start, notes.lane, texts, strict=True):
        axes.annotate(
            _plain(text), (x, lane), (4, 0), textcoords="offset points", va="center", fontsize=8,
            color=_color(notes.color), zorder=5,
        )  # fmt: skip


def _band(axes: Axes, band: Band) -> None:
    color, left = _color(band.color), band.at == "start"
    if band.high > band.low:
        axes.axhspan(band.low, band.high, color=color, alpha=0.12, linewidth=0)
    axes.axhline(band.high, color=color, linewidth=1, linestyle=(0, (1, 2)))
    axes.annotate(
        _plain(band.name),
        (0 if left else 1, band.high),
        (4 if left else -4, 2),
        ha="left" if left else "right",
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        fontsize=8,
        color=color,
        zorder=1,
    )


def _area(axes: Axes, area: Area) -> None:
    x, y = np.append(area.x, area.x[0]), np.append(area.y, area.y[0])
    axes.fill(x, y, facecolor=_color("line"), alpha=0.35, edgecolor="none", zorder=0)
    axes.plot(x, y, color=_color("strong"), linewidth=1, zorder=1)
    axes.annotate(_plain(area.name), (area.x[0], area.y[0]), fontsize=8, color=_color("muted"))


def _legend(sheet: Sheet, figure: Figure) -> None:
    names = legend_of(figure)
    handles: dict[str, Line2D] = {}
    for panel in figure.panels:
        for item in panel.items:
            if isinstance(item, Band | Notes) or item.name in handles or item.name not in names:
                continue
            handles[item.name] = _handle(item)
    if len(handles) > 1:
        sheet.legend(
            list(handles.values()), [_plain(name) for name in handles], loc="outside right upper"
        )


def _handle(item: Line | Points | Spans | Area) -> Line2D:
    if isinstance(item, Line):
        dash = (0.0, item.stroke.dash) if item.stroke.dash else None
        width = max(1.2, item.stroke.width)
        return Line2D(
            [], [], color=_color(item.stroke.color), linewidth=width, linestyle=dash or "-"
        )
    if isinstance(item, Points):
        color, marker = _color(item.color), MARKERS[item.symbol]
        return Line2D([], [], color=color, marker=marker, linestyle="none", markersize=6)
    if isinstance(item, Spans):
        return Line2D([], [], color=_color(item.color), linewidth=0.6 * item.width)
    return Line2D([], [], color=_color("strong"))


def _color(name: str) -> str:
    return PALETTE[name][0]


def _plain(text: str) -> str:
    """One line that matplotlib takes as it is: names with _ first are hidden by legends."""
    line = " ".join(text.split())
    return f" {line}" if line.startswith("_") else line


def _wrapped(text: str, width: int = 150) -> str:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)

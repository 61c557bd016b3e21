"""What is written inside a figure on a page: words in lanes, and bands with their names."""

from typing import Any

from movenv.review.drawing import Band, Notes
from movenv.review.plotly_axes import plain


def note_words(notes: Notes, texts: list[str], number: str) -> list[dict[str, Any]]:
    """As annotations; `texts` is what there is room for."""
    return [
        {
            "text": plain(text), "x": float(start), "y": float(lane), "xref": f"x{number}",
            "yref": f"y{number}", "xanchor": "left", "yanchor": "middle", "xshift": 3,
            "showarrow": False, "font": {"color": f"${notes.color}", "size": 11},
        }
        for start, lane, text in zip(notes.start, notes.lane, texts, strict=True)
        if text
    ]  # fmt: skip


def band_shapes(band: Band, number: str) -> list[dict[str, Any]]:
    """Beneath everything else, the name too."""
    across = {
        "xref": f"x{number} domain", "yref": f"y{number}", "x0": 0, "x1": 1, "layer": "below",
    }  # fmt: skip
    shapes: list[dict[str, Any]] = []
    if band.high > band.low:
        fill = {"type": "rect", "y0": band.low, "y1": band.high, "fillcolor": f"${band.color}"}
        shapes.append(across | fill | {"opacity": 0.13, "line": {"width": 0}})
    line = {"color": f"${band.color}", "width": 1.3, "dash": "dot"}
    words = {
        "text": plain(band.name),
        "textposition": band.at,
        "yanchor": "bottom",
        "padding": 4,
        "font": {"color": f"${band.color}", "size": 11},
    }
    shapes.append(
        across | {"type": "line", "y0": band.high, "y1": band.high, "line": line, "label": words}
    )
    return shapes

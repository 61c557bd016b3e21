"""What a figure shows, without saying who draws it: axes, lines, points, spans and bands.

A page and a picture are drawn from the same description, so that they cannot disagree. Colours are
names from the palette. Numbers that are nan are not drawn; a line breaks there.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from movenv.world.columns import F8

Symbol: TypeAlias = Literal["circle", "open", "square", "cross", "diamond", "tick"]


@dataclass(frozen=True)
class Axis:
    """`low` and `high` are what is seen at first; without them, all."""

    label: str
    unit: str = ""
    low: float | None = None
    high: float | None = None
    lanes: tuple[str, ...] = ()
    """Names of the rows 0, 1, ... from the top, on an axis without numbers."""

    @property
    def title(self) -> str:
        return f"{self.label} ({self.unit})" if self.unit else self.label


@dataclass(frozen=True)
class Stroke:
    color: str
    width: float = 1.5
    dash: tuple[float, float] | None = None
    opacity: float = 1.0


@dataclass(frozen=True)
class Line:
    """One line, or many of the same look with nan between them."""

    x: F8
    y: F8
    stroke: Stroke
    name: str
    """For the legend."""
    z: F8 | None = None
    t: F8 | None = None
    """Seconds of the run, where neither axis has them."""
    starts: tuple[int, ...] = (0,)
    """Where each of the lines begins."""
    names: tuple[str, ...] = ()
    """Whose each of them is; `name` where there is one."""


@dataclass(frozen=True)
class Points:
    x: F8
    y: F8
    color: str
    name: str
    symbol: Symbol = "circle"
    size: float = 7
    texts: tuple[str, ...] = ()
    """What to read about each."""
    labels: tuple[str, ...] = ()
    """Written beside each."""
    z: F8 | None = None


@dataclass(frozen=True)
class Spans:
    """Horizontal bars in lanes."""

    lane: F8
    start: F8
    end: F8
    color: str
    name: str
    width: float = 10
    texts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Band:
    """From side to side at a height; a line where `low` is `high`."""

    low: float
    high: float
    color: str
    name: str
    at: Literal["start", "end"] = "start"
    """The side at which the name stands."""


@dataclass(frozen=True)
class Area:
    """A closed outline on the map, as the scenario's areas."""

    name: str
    x: F8
    y: F8


@dataclass(frozen=True)
class Notes:
    """Words in lanes, each from `start` on; shortened or left out where `end` is too near."""

    lane: F8
    start: F8
    end: F8
    texts: tuple[str, ...]
    color: str = "text"
    name: str = ""


Item: TypeAlias = Line | Points | Spans | Band | Area | Notes


@dataclass(frozen=True)
class Panel:
    """One pair (or triple) of axes. With `nothing` it has no items but a sentence."""

    x: Axis
    y: Axis
    items: tuple[Item, ...] = ()
    z: Axis | None = None
    equal: bool = False
    """A metre is as long on both axes."""
    box: tuple[float, float, float] | None = None
    """Of three dimensions: how long each axis is drawn."""
    title: str = ""
    nothing: str = ""


@dataclass(frozen=True)
class Figure:
    """Panels in a grid, row by row. With `nothing` it has none but a sentence."""

    name: str
    title: str
    caption: str = ""
    panels: tuple[Panel, ...] = ()
    columns: int = 1
    height: int = 460
    nothing: str = ""
    legend: bool = True

    @property
    def rows(self) -> int:
        return -(-len(self.panels) // self.columns)


MOST_IN_LEGEND = 20
LETTERS = 140
"""So many stand beside each other on a figure's width."""
LANE_NAME = 20
"""So many of them beside a column more, for the names of its lanes."""
FEWEST_LETTERS = 4
"""A word that is cut shorter says nothing."""


def legend_of(figure: Figure) -> list[str]:
    """Names to show, each once; none where they were too many to read."""
    names = dict.fromkeys(
        item.name
        for panel in figure.panels
        for item in panel.items
        if not isinstance(item, Band) and item.name
    )
    return list(names) if figure.legend and len(names) <= MOST_IN_LEGEND else []


def fitting(notes: Notes, x: Axis, columns: int) -> list[str]:
    """What can be written of each on an axis that has limits, in a figure of so many columns."""
    assert x.low is not None
    assert x.high is not None
    across = (LETTERS - LANE_NAME * (columns - 1)) / columns
    letters = across / max(x.high - x.low, 1e-9) * (notes.end - notes.start) - 1
    return [_cut(text, int(room)) for text, room in zip(notes.texts, letters, strict=True)]


def _cut(text: str, most: int) -> str:
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    return f"{text[: most - 1]}…" if most >= FEWEST_LETTERS else ""

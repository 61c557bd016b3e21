"""How vehicles look in every figure, and many of them as few lines."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from movenv.review.drawing import MOST_IN_LEGEND, Axis, Line, Stroke
from movenv.review.findings import Findings, Track
from movenv.review.palette import cycled
from movenv.review.words import counted
from movenv.world.columns import F8
from movenv.world.kinds import Origin
from movenv.world.messages import Roster

MOST_POINTS = 150_000
"""Of a figure: more are not seen, and make the page slow."""
DASH = (6.0, 2.0)
"""Short gaps, so that nobody takes them for a time when a vehicle was not known."""
DASHES: dict[Origin, tuple[float, float] | None] = {
    Origin.VIRTUAL: DASH,
    Origin.REAL: None,
    Origin.REPLAYED: (2.0, 2.0),
}
WORDS = {
    Origin.REAL: "thick: real",
    Origin.VIRTUAL: "dashed: virtual",
    Origin.REPLAYED: "dotted: replayed",
}

GRID = 300
"""Times of the lines that show the middle of a crowd."""
FAINT = 25
"""Lines of a bundle, from which on they are drawn thinner the more there are."""

Column = Callable[[Track], F8]


def few(roster: Roster) -> bool:
    """Whether each vehicle has a line of its own and its name in the legend."""
    return len(roster) <= MOST_IN_LEGEND


def how(findings: Findings) -> str:
    """For a caption: what the lines mean."""
    origins = set(findings.roster.origin.tolist())
    if len(origins) < 2:
        return ""
    if not few(findings.roster):
        return "Thick lines: real." if Origin.REAL in origins else ""
    said = "; ".join(words for origin, words in WORDS.items() if origin in origins)
    return f"Lines: {said}."


def origin_name(origin: int) -> str:
    return Origin(origin).name.lower()


@dataclass(frozen=True)
class Bundle:
    """Vehicles of one look."""

    name: str
    stroke: Stroke
    tracks: list[Track]


def bundles(findings: Findings) -> Iterator[Bundle]:
    """One a vehicle where they are few, else one for each origin, or kind where all are alike."""
    roster = findings.roster
    if few(roster):
        for track in findings.tracks:
            yield Bundle(roster.names[track.row], stroke_of(roster, track.row), [track])
        return
    origins = {int(roster.origin[track.row]) for track in findings.tracks}
    by = roster.kind if len(origins) == 1 else roster.origin
    groups: dict[int, list[Track]] = {}
    for track in findings.tracks:
        groups.setdefault(int(by[track.row]), []).append(track)
    for group, tracks in sorted(groups.items()):
        of_kinds = len(origins) == 1
        name = str(roster.kinds[group]) if of_kinds else origin_name(group)
        color = cycled(group) if of_kinds else origin_name(group)
        width = 1.6 if not of_kinds and group == Origin.REAL else 0.8
        opacity = min(1.0, max(0.15, FAINT / len(tracks)))
        yield Bundle(f"{name} ({len(tracks):,})", Stroke(color, width, None, opacity), tracks)


def stroke_of(roster: Roster, row: int) -> Stroke:
    """Of a vehicle that has a colour of its own; origins differ only where there are several."""
    if len(np.unique(roster.origin)) < 2:
        return Stroke(cycled(row), 1.8)
    origin = Origin(int(roster.origin[row]))
    return Stroke(cycled(row), 2.6 if origin is Origin.REAL else 1.6, DASHES[origin])


def color_of(roster: Roster, row: int) -> str:
    return cycled(row) if few(roster) else origin_name(int(roster.origin[row]))


def lines(findings: Findings, x: Column, y: Column, z: Column | None = None) -> list[Line]:
    """Of all vehicles, thinned out to what can be drawn."""
    total = sum(len(track.t) for track in findings.tracks)
    step = max(1, -(-total // MOST_POINTS))
    has_time = x is time_of
    return [
        Line(
            x=joined([x(track) for track in bundle.tracks], step),
            y=joined([y(track) for track in bundle.tracks], step),
            z=None if z is None else joined([z(track) for track in bundle.tracks], step),
            t=None if has_time else joined([track.t for track in bundle.tracks], step),
            stroke=bundle.stroke,
            name=bundle.name,
            starts=starts([track.t for track in bundle.tracks], step),
            names=tuple(findings.roster.names[track.row] for track in bundle.tracks),
        )
        for bundle in bundles(findings)
    ]


def time_of(track: Track) -> F8:
    return track.t


def joined(columns: Sequence[F8], step: int = 1) -> F8:
    """One after the other with nan between them, so that no line goes from one to the next."""
    apart = np.array([np.nan])
    pieces: list[F8] = []
    for column in columns:
        pieces += [thinned(column, step), apart]
    return np.concatenate(pieces[:-1]) if pieces else np.zeros(0)


def starts(columns: Sequence[F8], step: int = 1) -> tuple[int, ...]:
    """Where each begins in `joined`."""
    lengths = [len(thinned(column, step)) + 1 for column in columns]
    return tuple(np.concatenate([[0], np.cumsum(lengths[:-1])]).astype(int).tolist())


def thinned(column: F8, step: int) -> F8:
    """Every so many-th and the last; nan where one of those left out was nan."""
    if step == 1 or len(column) <= 2:
        return column
    whole = len(column) // step * step
    gone = np.isnan(column[:whole]).reshape(-1, step).any(axis=1)
    kept = np.where(gone, np.nan, column[:whole:step])
    return np.append(kept, np.nan if np.isnan(column[whole:]).any() else column[-1])


def time_axis(findings: Findings) -> Axis:
    return Axis("time", "s", findings.run.t_first, max(findings.run.t_last, findings.run.t_first))


def middle(findings: Findings, column: Column) -> list[Line]:
    """Where the crowd is: what half of the vehicles stay below, and one and nine in ten."""
    if few(findings.roster):
        return []
    t = np.linspace(findings.run.t_first, findings.run.t_last, GRID)
    values = np.array(
        [np.interp(t, track.t, column(track), np.nan, np.nan) for track in findings.tracks]
    )
    seen = np.isfinite(values).any(axis=0)
    found = np.full((3, GRID), np.nan)
    found[:, seen] = np.nanquantile(values[:, seen], (0.1, 0.5, 0.9), axis=0)
    low, half, high = (Stroke("text", width, dash) for width, dash in ((1.2, (2.0, 2.0)),
                       (2.2, None), (1.2, (2.0, 2.0))))  # fmt: skip
    names = ("1 in 10 below", "median", "9 in 10 below")
    return [
        Line(t, row, stroke, name)
        for row, stroke, name in zip(found, (low, half, high), names, strict=True)
    ]


def vehicles_drawn(findings: Findings) -> str:
    return counted(len(findings.tracks), "vehicle")


def known(findings: Findings, column: Column) -> bool:
    """Whether there is anything to draw."""
    return any(np.isfinite(column(track)).any() for track in findings.tracks)

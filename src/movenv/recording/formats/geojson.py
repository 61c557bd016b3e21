"""GeoJSON (RFC 7946): for QGIS, kepler.gl and maps in browsers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from movenv.recording.formats.tracks import Piece, Track, tracks
from movenv.recording.formats.words import iso_times
from movenv.recording.reader import Recording


def write(
    recording: Recording, target: Path, every: float, progress: Callable[[float], None]
) -> int:
    """Returns the number of points."""
    with (
        tracks(recording, target.parent, every, progress) as ways,
        target.open("w", encoding="utf-8", newline="\n") as file,
    ):
        head = {"name": recording.run.name, "altitudes": "metres above mean sea level"}
        file.write('{"type": "FeatureCollection", ' + json.dumps(head)[1:-1] + ', "features": [')
        for i, track in enumerate(ways):
            file.write(("," if i else "") + "\n" + json.dumps(_feature(track), allow_nan=False))
        file.write("\n]}\n")
        return ways.count


def _feature(track: Track) -> dict[str, Any]:
    """One line, several where the way is broken, or no geometry."""
    lines = [_line(piece) for piece in track.pieces]
    times = [_at_both_ends(iso_times(piece.utc)) for piece in track.pieces]
    geometry: dict[str, Any] | None = None
    if len(lines) == 1:
        geometry = {"type": "LineString", "coordinates": lines[0]}
    elif lines:
        geometry = {"type": "MultiLineString", "coordinates": lines}
    return {
        "type": "Feature",
        "id": track.vid,
        "properties": {
            "vid": track.vid,
            "name": track.name,
            "kind": str(track.kind),
            "origin": track.origin.name.lower(),
            "coordinateProperties": {"times": times[0] if len(times) == 1 else times},
        },
        "geometry": geometry,
    }


def _line(piece: Piece) -> list[list[float]]:
    places = np.column_stack([piece.lon.round(9), piece.lat.round(9), piece.alt.round(3)])
    return _at_both_ends(places.tolist())


def _at_both_ends(items: list[Any]) -> list[Any]:
    """A line has two ends, also where only one point of it is known."""
    return items * 2 if len(items) == 1 else items

"""CZML: for Cesium, with its clock."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from movenv.recording.formats.tracks import Piece, Track, tracks
from movenv.recording.formats.words import COLORS, iso_time, iso_times
from movenv.recording.reader import Recording
from movenv.world.kinds import Origin


def write(
    recording: Recording, target: Path, every: float, progress: Callable[[float], None]
) -> int:
    """Returns the number of points."""
    with (
        tracks(recording, target.parent, every, progress) as ways,
        target.open("w", encoding="utf-8", newline="\n") as file,
    ):
        file.write("[\n" + json.dumps(_document(recording.run.name, ways.span)))
        epoch = round(ways.span[0], 3) if ways.span else 0.0
        for track in ways:
            file.write(",\n" + json.dumps(_packet(track, epoch), allow_nan=False))
        file.write("\n]\n")
        return ways.count


def _document(name: str, span: tuple[float, float] | None) -> dict[str, Any]:
    packet: dict[str, Any] = {"id": "document", "name": name, "version": "1.0"}
    if span:
        packet["clock"] = {
            "interval": f"{iso_time(span[0])}/{iso_time(span[1])}",
            "currentTime": iso_time(span[0]),
            "multiplier": 1,
            "range": "LOOP_STOP",
            "step": "SYSTEM_CLOCK_MULTIPLIER",
        }
    return packet


def _packet(track: Track, epoch: float) -> dict[str, Any]:
    color = _color(track.origin)
    facts = {"vid": track.vid, "kind": str(track.kind), "origin": track.origin.name.lower()}
    packet: dict[str, Any] = {
        "id": f"vehicle-{track.vid}",
        "name": track.name,
        "properties": facts,
    }
    if not track.pieces:
        return packet
    return packet | {
        "availability": [_interval(piece) for piece in track.pieces],
        "position": {
            "epoch": iso_time(epoch),
            "interpolationAlgorithm": "LINEAR",
            "interpolationDegree": 1,
            "cartographicDegrees": [n for p in track.pieces for n in _samples(p, epoch)],
        },
        "point": {"pixelSize": 8, "color": color, "outlineWidth": 1},
        "path": {
            "leadTime": 0,
            "trailTime": [_since_its_start(piece) for piece in track.pieces],
            "width": 2,
            "material": {"solidColor": {"color": color}},
        },
        "label": {
            "text": track.name,
            "font": "12pt sans-serif",
            "fillColor": color,
            "horizontalOrigin": "LEFT",
            "pixelOffset": {"cartesian2": [10, 0]},
        },
    }


def _color(origin: Origin) -> dict[str, list[int]]:
    return {"rgba": [*bytes.fromhex(COLORS[origin]), 255]}


def _interval(piece: Piece) -> str:
    first, last = iso_times(piece.utc[[0, -1]])
    return f"{first}/{last}"


def _samples(piece: Piece, epoch: float) -> list[float]:
    columns = [(piece.utc - epoch).round(3), piece.lon.round(9), piece.lat.round(9)]
    samples: list[float] = np.column_stack([*columns, piece.alt.round(3)]).ravel().tolist()
    return samples


def _since_its_start(piece: Piece) -> dict[str, Any]:
    """How long a tail is: to where this piece begins, so that none crosses a gap."""
    length = round(float(piece.utc[-1] - piece.utc[0]), 3)
    interval, epoch = _interval(piece), iso_time(float(piece.utc[0]))
    if length <= 0:
        return {"interval": interval, "number": 0}
    return {"interval": interval, "epoch": epoch, "number": [0, 0, length, length]}

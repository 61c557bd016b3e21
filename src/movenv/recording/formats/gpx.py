"""GPX 1.1: for GPS software, and for `movenv phones` and the `playback` gateway."""

from collections.abc import Callable, Iterator
from pathlib import Path

from movenv import __version__
from movenv.recording.formats.tracks import Piece, Track, tracks
from movenv.recording.formats.words import iso_time, iso_times, xml_text
from movenv.recording.reader import Recording

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="movenv {version}" xmlns="http://www.topografix.com/GPX/1/1"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
 xsi:schemaLocation="http://www.topografix.com/GPX/1/1 http://www.topografix.com/GPX/1/1/gpx.xsd">
<metadata><name>{name}</name><time>{time}</time></metadata>
"""


def write(
    recording: Recording, target: Path, every: float, progress: Callable[[float], None]
) -> int:
    """Returns the number of points."""
    run = recording.run
    with (
        tracks(recording, target.parent, every, progress) as ways,
        target.open("w", encoding="utf-8", newline="\n") as file,
    ):
        name, time = xml_text(run.name), iso_time(run.started_utc)
        file.write(HEAD.format(version=xml_text(__version__), name=name, time=time))
        for track in ways:
            file.writelines(_track(track))
        file.write("</gpx>\n")
        return ways.count


def _track(track: Track) -> Iterator[str]:
    """The schema wants its elements in this order."""
    yield f"<trk><name>{xml_text(track.name)}</name><src>{track.origin.name.lower()}</src>"
    yield f"<number>{track.vid}</number><type>{xml_text(str(track.kind))}</type>\n"
    for piece in track.pieces:
        yield "<trkseg>\n"
        yield from _points(piece)
        yield "</trkseg>\n"
    yield "</trk>\n"


def _points(piece: Piece) -> Iterator[str]:
    east = (piece.lon.round(9) + 180.0) % 360.0 - 180.0  # the schema leaves 180 out
    columns = (piece.lat.tolist(), east.tolist(), piece.alt.tolist(), iso_times(piece.utc))
    for lat, lon, alt, time in zip(*columns, strict=True):
        yield (
            f'<trkpt lat="{lat:.9f}" lon="{lon:.9f}">'
            f"<ele>{alt:.3f}</ele><time>{time}</time></trkpt>\n"
        )

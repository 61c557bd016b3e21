"""KML with Google's tracks: for Google Earth, with its time slider."""

from collections.abc import Callable, Iterator
from pathlib import Path

from movenv.recording.formats.tracks import Piece, Track, tracks
from movenv.recording.formats.words import COLORS, iso_times, xml_text
from movenv.recording.reader import Recording
from movenv.world.kinds import Kind, Origin

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
<Document><name>{name}</name>
"""
STYLE = """<Style id="{origin}"><IconStyle><color>{color}</color><scale>0.8</scale><Icon><href>\
http://maps.google.com/mapfiles/kml/shapes/placemark_circle.png</href></Icon></IconStyle>\
<LineStyle><color>{color}</color><width>2</width></LineStyle></Style>
"""
OFF_THE_GROUND = ("aerial", "underwater")


def write(
    recording: Recording, target: Path, every: float, progress: Callable[[float], None]
) -> int:
    """Returns the number of points."""
    with (
        tracks(recording, target.parent, every, progress) as ways,
        target.open("w", encoding="utf-8", newline="\n") as file,
    ):
        file.write(HEAD.format(name=xml_text(recording.run.name)))
        for origin in Origin:
            file.write(STYLE.format(origin=origin.name.lower(), color=_color(origin)))
        for track in ways:
            file.writelines(_placemark(track))
        file.write("</Document>\n</kml>\n")
        return ways.count


def _color(origin: Origin) -> str:
    """Opacity, blue, green, red: KML's order."""
    red, green, blue = COLORS[origin][:2], COLORS[origin][2:4], COLORS[origin][4:]
    return f"ff{blue}{green}{red}"


def _placemark(track: Track) -> Iterator[str]:
    origin = track.origin.name.lower()
    facts = {"vid": str(track.vid), "kind": xml_text(str(track.kind)), "origin": origin}
    yield f"<Placemark><name>{xml_text(track.name)}</name><styleUrl>#{origin}</styleUrl>"
    yield "<ExtendedData>"
    for name, value in facts.items():
        yield f'<Data name="{name}"><value>{value}</value></Data>'
    yield "</ExtendedData>\n"
    if track.pieces:
        mode = f"<altitudeMode>{_altitude_mode(track.kind)}</altitudeMode>"
        yield f"<gx:MultiTrack>{mode}<gx:interpolate>0</gx:interpolate>\n"
        for piece in track.pieces:
            yield f"<gx:Track>{mode}\n"
            yield from _points(piece)
            yield "</gx:Track>\n"
        yield "</gx:MultiTrack>"
    yield "</Placemark>\n"


def _altitude_mode(kind: Kind) -> str:
    """Who stays on the ground is drawn on the ground that the viewer knows."""
    return "absolute" if kind.name in OFF_THE_GROUND else "clampToGround"


def _points(piece: Piece) -> Iterator[str]:
    for time in iso_times(piece.utc):
        yield f"<when>{time}</when>\n"
    places = zip(piece.lon.tolist(), piece.lat.tolist(), piece.alt.tolist(), strict=True)
    for lon, lat, alt in places:
        yield f"<gx:coord>{lon:.9f} {lat:.9f} {alt:.3f}</gx:coord>\n"

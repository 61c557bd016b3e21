"""Routes from files: GPX, KML, GeoJSON and what mission planners write.

Such files come from anywhere, so nothing in them is trusted: sizes are limited, entities are not
expanded, and whatever is not understood is refused in words.
"""

from collections.abc import Callable
from pathlib import Path, PurePath

from movenv.scenario.map_lines import geojson, gpx, kml
from movenv.scenario.planner_files import plan, waypoints
from movenv.scenario.route_points import RouteFileError, Waypoint, json_object

__all__ = ["RouteFileError", "Waypoint", "read_route", "read_text"]

MAX_BYTES = 8 * 1024 * 1024


def read_text(folder: Path, name: str, most_bytes: int | None = None) -> str:
    """The text of a file beside a scenario. Raises RouteFileError."""
    path = folder / name
    most = most_bytes or MAX_BYTES
    try:
        with path.open("rb") as file:
            raw = file.read(most + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise RouteFileError(f"cannot read {path}: {why.lower()}") from None
    if len(raw) > most:
        raise RouteFileError(f"{path} is larger than {most >> 20} MiB")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RouteFileError(f"{path} is not UTF-8 text") from None


def read_route(name: str, text: str) -> list[Waypoint]:
    """The points of a file, known by its name's ending; lines are joined as they come.

    Raises RouteFileError.
    """
    read = READERS[PurePath(name).suffix.lower()]
    try:
        points = read(text)
    except RouteFileError as error:
        raise RouteFileError(f"{name}: {error}") from None
    for number, point in enumerate(points, 1):
        if not (-90.0 <= point.lat <= 90.0 and -180.0 <= point.lon <= 180.0):
            found = f"latitude {point.lat:g}, longitude {point.lon:g}"
            raise RouteFileError(f"{name}: point {number} is not on the globe: {found}")
    return points


def _geojson_or_plan(text: str) -> list[Waypoint]:
    return plan(text) if json_object(text).get("fileType") == "Plan" else geojson(text)


READERS: dict[str, Callable[[str], list[Waypoint]]] = {
    ".gpx": gpx,
    ".kml": kml,
    ".geojson": geojson,
    ".json": _geojson_or_plan,
    ".waypoints": waypoints,
    ".plan": plan,
}

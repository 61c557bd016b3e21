"""The map of occupied cells that a scenario names."""

import math
from collections.abc import Iterator
from pathlib import PurePosixPath

from movenv.parts.config import lies_beside
from movenv.scenario.document import Document, Path_
from movenv.scenario.packed_files import image_bytes
from movenv.scenario.placement import local
from movenv.scenario.route_files import RouteFileError, read_text
from movenv.scenario.terrain_items import TerrainError
from movenv.scenario.terrain_schema import Terrain
from movenv.terrain.grid_map import GridMap
from movenv.terrain.map_files import MOST_BYTES, map_of, map_settings
from movenv.terrain.map_image import MapFileError
from movenv.world.frames import Frame

WHERE: Path_ = ("terrain", "map")
IMAGES = (".pgm", ".png")
MOST_TEXT = 1 << 20
"""Of the YAML file, bytes."""


def grid_of(spec: Terrain, frame: Frame, document: Document, radius: float) -> GridMap:
    """The map that a terrain names, in local metres. Raises TerrainError."""
    assert spec.map is not None
    image = _image(spec.map, document)
    try:
        settings = map_settings(document.files[spec.map])
        grid = map_of(settings, image_bytes(document, image, MOST_BYTES))
    except MapFileError as error:
        raise _fault(f"{image}: {error}") from None
    x, y, _ = local(frame, spec.map_at) if spec.map_at is not None else (0.0, 0.0, None)
    placed = GridMap(grid.cells, grid.resolution, grid.west + x, grid.south + y)
    if not _nearest(placed) <= radius:
        raise _fault(f"{spec.map}: all of it lies outside the world ({radius:,.0f} m)")
    return placed


def files_of(spec: Terrain, document: Document) -> Iterator[str]:
    """The files that a terrain needs, one by one. Raises TerrainError.

    Which image belongs to a map is only known once the one before it, the map, is there.
    """
    if spec.file is not None:
        yield spec.file
    if spec.map is not None:
        yield spec.map
        yield _image(spec.map, document)
    if spec.relief is not None:
        yield spec.relief.file
        if spec.relief.materials is not None:
            yield spec.relief.materials.file


def _image(file: str, document: Document) -> str:
    """The image of a map, as seen from the scenario. Raises TerrainError."""
    try:
        if file not in document.files:
            document.files[file] = read_text(document.folder, file, MOST_TEXT)
        image = str(PurePosixPath(file).parent / map_settings(document.files[file]).image)
        lies_beside(image, IMAGES)
    except RouteFileError as error:
        raise _fault(str(error)) from None
    except ValueError as error:
        raise _fault(f"{file}: {error}") from None
    return image


def _fault(said: str) -> TerrainError:
    return TerrainError([(WHERE, said)])


def _nearest(grid: GridMap) -> float:
    """From the origin to the nearest place of a map, m."""
    rows, columns = grid.cells.shape
    east, north = grid.west + columns * grid.resolution, grid.south + rows * grid.resolution
    x, y = min(max(0.0, grid.west), east), min(max(0.0, grid.south), north)
    return math.hypot(x, y)

"""Elevation models of the globe into height maps of the local frame: north up, square cells."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy
from pyproj import Proj

from movenv.terrain.elevation import check_map_size
from movenv.terrain.geotiff import ElevationModel
from movenv.terrain.height_map import HeightMap
from movenv.terrain.map_image import MapFileError
from movenv.world.columns import F4, F8, U1
from movenv.world.frames import Frame

SPACING = 500.0
"""Places are taken to the globe exactly on a lattice as wide as this, m; in between it is straight
to within a centimetre."""
EDGE_POINTS = 65
"""At so many points of each edge a model is asked how far it reaches."""
AT_ONCE = 1_000_000
"""Cells that are worked out together."""
SLACK = 1e-6
"""Of a cell: a row that is short by less is there."""


@dataclass(frozen=True)
class Sampling:
    """Where the cells of a height map lie in the pixels of an elevation model."""

    west: float
    south: float
    cell: float
    shape: tuple[int, int]
    """Rows and columns, the southernmost row first."""
    lattice: F8
    """(2, rows, columns): row and column of the model's pixels."""
    per_cell: F8
    """Steps of the lattice in a row and in a column."""

    def heights(self, model: ElevationModel, lower: float) -> HeightMap:
        """The heights of a model, so much lower."""
        known = _filled(model.heights)
        found: F4 = np.empty(self.shape, np.float32)
        for some, pixels in self._blocks():
            found[some] = scipy.ndimage.map_coordinates(known, pixels, order=1, mode="nearest")
        found -= np.float32(lower)
        return HeightMap(self.west, self.south, self.cell, found)

    def nearest(self, image: U1) -> U1:
        """Those values of an image with the model's pixels that are nearest to the cells."""
        found: U1 = np.empty(self.shape, np.uint8)
        for some, pixels in self._blocks():
            found[some] = scipy.ndimage.map_coordinates(image, pixels, order=0, mode="nearest")
        return found

    def _blocks(self) -> Iterator[tuple[slice, F8]]:
        """Some rows, and the row and column in the model of each of their cells."""
        rows, columns = self.shape
        together = max(AT_ONCE // columns, 1)
        for low in range(0, rows, together):
            some = slice(low, min(low + together, rows))
            cells = np.mgrid[some, 0:columns] * self.per_cell[:, None, None]
            pixels = [scipy.ndimage.map_coordinates(part, cells, order=1) for part in self.lattice]
            yield some, np.array(pixels)


def sampling_of(model: ElevationModel, frame: Frame, cell: float | None) -> Sampling:
    """The cells that lie within a model. Raises MapFileError."""
    globe = _Globe(model, frame)
    west, south, east, north = _box_within(model, globe)
    size = cell or _own_cell(model, globe)
    if not (size > 0 and west < east and south < north):
        raise MapFileError("lies turned, or too far from the origin, so that no square of it fits")
    columns = int((east - west) / size + SLACK) + 1
    rows = int((north - south) / size + SLACK) + 1
    check_map_size(rows, columns)
    # The lattice spans the cells, first to last.
    wide, high = (columns - 1) * size, (rows - 1) * size
    nodes = [max(int(length / SPACING) + 1, 1) + 1 for length in (high, wide)]
    y, x = np.meshgrid(
        south + np.linspace(0.0, high, nodes[0]), west + np.linspace(0.0, wide, nodes[1]),
        indexing="ij",
    )  # fmt: skip
    per_cell = np.array([(nodes[0] - 1) / (rows - 1), (nodes[1] - 1) / (columns - 1)])
    return Sampling(west, south, size, (rows, columns), globe.to_pixels(x, y), per_cell)


class _Globe:
    """Pixels of a model and local metres."""

    def __init__(self, model: ElevationModel, frame: Frame) -> None:
        self._frame, self._zone = frame, model.zone
        self._turn, self._shift = model.to_model[:, :2], model.to_model[:, 2]
        if model.zone:
            self._proj = Proj(proj="utm", zone=model.zone, south=model.south, ellps="WGS84")

    def to_local(self, row: F8, column: F8) -> F8:
        """x and y of the middles of pixels, (2, ...)."""
        lon, lat = np.tensordot(self._turn, np.array([column, row]), 1) + self._shift.reshape(
            2, *[1] * row.ndim
        )
        if self._zone:
            lon, lat = self._proj(lon, lat, inverse=True)
        return np.array(self._frame.to_local(lat, lon)[:2])

    def to_pixels(self, x: F8, y: F8) -> F8:
        """Row and column of places, (2, ...)."""
        lat, lon, _ = self._frame.to_geodetic(x, y)
        place = np.array(self._proj(lon, lat) if self._zone else (lon, lat))
        shifted = place - self._shift.reshape(2, *[1] * x.ndim)
        column, row = np.tensordot(np.linalg.inv(self._turn), shifted, 1)
        return np.array([row, column])


def _box_within(model: ElevationModel, globe: _Globe) -> tuple[float, float, float, float]:
    """The box in local metres whose edges lie within those of a model: its outermost middles."""
    rows, columns = model.heights.shape
    check_map_size(rows, columns)
    share = np.linspace(0.0, 1.0, EDGE_POINTS)
    across, down = share * (columns - 1), share * (rows - 1)
    first, whole = np.zeros(EDGE_POINTS), np.ones(EDGE_POINTS)
    edges = [
        globe.to_local(first, across),
        globe.to_local(whole * (rows - 1), across),
        globe.to_local(down, first),
        globe.to_local(down, whole * (columns - 1)),
    ]
    if not np.isfinite(edges).all():
        raise MapFileError("reaches places that are not on the globe")
    across_first, across_last = (np.mean(edge, axis=1) for edge in edges[:2])
    east, north = np.abs(across_last - across_first)
    if east > north:  # a quarter turn: its rows run north
        edges = edges[2:] + edges[:2]
    south_edge, north_edge = sorted((edge[1] for edge in edges[:2]), key=np.mean)
    west_edge, east_edge = sorted((edge[0] for edge in edges[2:]), key=np.mean)
    return (
        float(west_edge.max()),
        float(south_edge.max()),
        float(east_edge.min()),
        float(north_edge.min()),
    )


def _own_cell(model: ElevationModel, globe: _Globe) -> float:
    """The shorter side of a pixel in the middle, m."""
    row, column = ((count - 1) / 2 for count in model.heights.shape)
    x, y = globe.to_local(np.array([row, row + 1, row]), np.array([column, column, column + 1]))
    return float(np.hypot(x[1:] - x[0], y[1:] - y[0]).min())


def _filled(heights: F4) -> F4:
    """Holes become as high as the nearest height that is known."""
    holes = ~np.isfinite(heights)
    if not holes.any():
        return heights
    nearest = scipy.ndimage.distance_transform_edt(
        holes, return_distances=False, return_indices=True
    )
    found: F4 = heights[tuple(nearest)]
    return found

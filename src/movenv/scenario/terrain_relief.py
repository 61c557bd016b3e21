"""The height map that a scenario names, and what stands on it."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np

from movenv.scenario.document import Document, Path_
from movenv.scenario.packed_files import image_bytes
from movenv.scenario.placement import local
from movenv.scenario.terrain_items import TerrainError
from movenv.scenario.terrain_schema import Relief
from movenv.terrain.elevation import height_map_of_grey, kinds_of
from movenv.terrain.features import Hill, Obstacle
from movenv.terrain.geotiff import read_geotiff
from movenv.terrain.height_map import HeightMap, Materials
from movenv.terrain.map_image import GreyImage, MapFileError, read_image
from movenv.terrain.relief_raster import with_hills
from movenv.terrain.resampling import Sampling, sampling_of
from movenv.terrain.rises import Rise, find_rises, find_waters
from movenv.terrain.soil import Soil
from movenv.world.columns import U1
from movenv.world.frames import Frame

T = TypeVar("T")

WHERE: Path_ = ("terrain", "relief")
MOST_BYTES = 64 * 1024 * 1024
"""Of a file."""


class _Read(NamedTuple):
    """A height map, the size of its image, and how its cells are taken from that."""

    relief: HeightMap
    pixels: tuple[int, int]
    sampling: Sampling | None


def relief_of(
    spec: Relief,
    frame: Frame,
    document: Document,
    soils: Mapping[str, Soil],
    usual: str,
    hills: Sequence[Hill],
) -> tuple[HeightMap, list[Rise]]:
    """The height map that a terrain names, and what stands on it. Raises TerrainError.

    `usual` is the soil where its materials do not say; `hills` lift what stands, not the map.
    """
    read = _named(spec.file, (*WHERE, "file"), lambda: _read(spec, frame, document))
    raised = with_hills(read.relief, hills)
    found = _named(
        spec.file,
        (*WHERE, "file"),
        lambda: find_rises(read.relief, raised.heights if hills else None),
    )
    materials = _materials(spec, read, document, soils, usual)
    relief = replace(read.relief, materials=materials, steepest=found.steepest, has_bed=spec.bed)
    waters = find_waters(raised) if relief.has_bed else []
    return relief, found.rises + waters


def check_reach(relief: HeightMap, radius: float) -> None:
    """Raise TerrainError for a map that lies outside the world."""
    west, south, east, north = relief.bounds
    x, y = min(max(0.0, west), east), min(max(0.0, south), north)
    if not math.hypot(x, y) <= radius:
        raise TerrainError([(WHERE, f"all of it lies outside the world ({radius:,.0f} m)")])


def standing(rises: list[Rise], taken: set[str]) -> Iterator[Obstacle]:
    """They become obstacles, with names that no other has."""
    counts: dict[str, int] = {}
    for rise in rises:
        name = ""
        while not name or name in taken:
            counts[rise.kind] = counts.get(rise.kind, 0) + 1
            name = f"{rise.kind}-{counts[rise.kind]}"
        yield Obstacle(name, rise.kind, rise.ground, rise.top)


def _named(file: str, where: Path_, read: Callable[[], T]) -> T:
    try:
        return read()
    except MapFileError as error:
        raise TerrainError([(where, f"{file}: {error}")]) from None


def _read(spec: Relief, frame: Frame, document: Document) -> _Read:
    raw = image_bytes(document, spec.file, MOST_BYTES)
    if not spec.is_image:
        model = read_geotiff(raw, spec.bed)
        sampling = sampling_of(model, frame, spec.cell)
        return _Read(sampling.heights(model, frame.alt), model.heights.shape, sampling)
    assert spec.cell is not None
    assert spec.white is not None
    image = read_image(raw)
    x, y, _ = (0.0, 0.0, None) if spec.center is None else local(frame, spec.center)
    relief = height_map_of_grey(image, spec.cell, (x, y), spec.black or 0.0, spec.white)
    return _Read(relief, relief.heights.shape, None)


def _materials(
    spec: Relief, read: _Read, document: Document, soils: Mapping[str, Soil], usual: str
) -> Materials | None:
    if spec.materials is None:
        return None
    file, kinds, here = spec.materials.file, spec.materials.kinds, (*WHERE, "materials")
    unknown = [grey for grey, name in kinds.items() if name not in soils]
    if unknown:
        raise TerrainError(
            [
                ((*here, "kinds", str(grey)),
                 f"unknown soil '{kinds[grey]}'; soils are {', '.join(soils)}")
                for grey in unknown
            ]
        )  # fmt: skip
    names = sorted({usual, *kinds.values()})
    numbers = {grey: names.index(name) for grey, name in kinds.items()}
    image = _named(
        file,
        (*here, "file"),
        lambda: _of_size(read_image(image_bytes(document, file, MOST_BYTES)), read.pixels),
    )
    drawn = _named(file, (*here, "kinds"), lambda: kinds_of(image, numbers, names.index(usual)))
    placed: U1 = np.ascontiguousarray(drawn[::-1])
    if read.sampling is not None:
        placed = read.sampling.nearest(drawn)
    return Materials(placed, np.array([soils[name] for name in names]).T.copy())


def _of_size(image: GreyImage, pixels: tuple[int, int]) -> GreyImage:
    """The image. Raises MapFileError unless it is as large as that of the heights."""
    if image.values.shape != pixels:
        (rows, columns), (high, wide) = image.values.shape, pixels
        raise MapFileError(
            f"has {columns:,} x {rows:,} pixels, that of the heights {wide:,} x {high:,}"
        )
    return image

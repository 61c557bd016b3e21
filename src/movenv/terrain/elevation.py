"""Images and elevation models into height maps of the local frame."""

import numpy as np

from movenv.terrain.height_map import HeightMap
from movenv.terrain.map_image import GreyImage, MapFileError
from movenv.world.columns import F4, U1

MOST_CELLS = 36_000_000
"""Of a height map."""
COLOURED = 3 * 255
"""White of images whose values are sums of red, green and blue."""


def height_map_of_grey(
    image: GreyImage, cell: float, middle: tuple[float, float], black: float, white: float
) -> HeightMap:
    """A map whose image's middle lies at a place, in local metres. Raises MapFileError."""
    rows, columns = image.values.shape
    check_map_size(rows, columns)
    _check_grey(image)
    share = image.values[::-1] * np.float32((white - black) / image.white)
    heights: F4 = np.ascontiguousarray(share + np.float32(black), np.float32)
    west = middle[0] - (columns - 1) * cell / 2
    south = middle[1] - (rows - 1) * cell / 2
    return HeightMap(west, south, cell, heights)


def check_map_size(rows: int, columns: int) -> None:
    """Raise MapFileError for a map that has no slopes, or too many cells."""
    if rows < 2 or columns < 2:
        raise MapFileError(f"has {columns:,} x {rows:,} cells; 2 x 2 are the least")
    if rows * columns > MOST_CELLS:
        raise MapFileError(f"has {columns:,} x {rows:,} cells; {MOST_CELLS:,} are the most")


def _check_grey(image: GreyImage) -> None:
    """Raise MapFileError for a photograph, say, or where grey values would be lost."""
    if image.coloured:
        raise MapFileError("is a colour image; expected grey values")
    if image.halved:
        raise MapFileError(
            "has colours or an alpha channel of 16 bits, of which 8 would be read; "
            "save it as grey of 16 bits without alpha"
        )
    if image.see_through is not None and (gone := int(image.see_through.sum())):
        raise MapFileError(f"has {gone:,} see-through pixels; expected grey values everywhere")


def kinds_of(image: GreyImage, numbers: dict[int, int], usual: int) -> U1:
    """The number of each cell's material, of those by grey value; rows as in the image."""
    _check_grey(image)
    brightest = 255 if image.white == COLOURED else image.white
    table: U1 = np.full(image.white + 1, usual, np.uint8)
    for grey, number in numbers.items():
        if grey > brightest:
            raise MapFileError(f"has no grey value {grey}: its brightest is {brightest}")
        table[grey * image.white // brightest] = number
    found: U1 = table[image.values]
    return found

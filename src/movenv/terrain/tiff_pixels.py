"""The pixels and the tags of TIFF files that have one number a pixel.

Pillow decodes them. What it would read wrongly, or turn down without a reason, is looked for first
and refused with the command that makes of the file one that is read.
"""

import io
import math
import struct
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike

from movenv.terrain.elevation import check_map_size
from movenv.terrain.map_image import MapFileError
from movenv.world.columns import F4

Tags: TypeAlias = Mapping[int, Any]

COLUMNS, ROWS, BITS, COMPRESSION, PHOTOMETRIC, SAMPLES, FORMAT = 256, 257, 258, 259, 262, 277, 339
STRIPS, STRIP_ROWS, TILE_COLUMNS, TILE_ROWS, TILES = 273, 278, 322, 323, 324
"""Tags of the file."""
WHOLE, SIGNED, FLOAT = 1, 2, 3
"""What FORMAT says."""
KINDS: Mapping[tuple[int, int], DTypeLike | None] = MappingProxyType(
    {
        (WHOLE, 8): None,
        (SIGNED, 8): np.int8,
        (WHOLE, 16): None,
        (SIGNED, 16): None,
        (WHOLE, 32): np.uint32,
        (SIGNED, 32): None,
        (FLOAT, 32): None,
        (FLOAT, 64): None,
    }
)
"""Pixels that are read, by their format and bits; and what their bytes are where Pillow takes them
for something else."""
NOT_PACKED = 1
PACKINGS = (NOT_PACKED, 5, 8, 32773, 32946, 34925, 50000)
"""Compressions that are read: none, LZW, deflate, PackBits, deflate as it was, LZMA and ZSTD."""
NAMES = MappingProxyType({7: "JPEG", 34712: "JPEG 2000", 34887: "LERC", 50001: "WebP"})
"""Of compressions that are not read."""
WHITE_IS_ZERO, BLACK_IS_ZERO = 0, 1
_BROKEN = (
    OSError, SyntaxError, ValueError, struct.error, EOFError, TypeError, LookupError,
    ArithmeticError, AttributeError, RuntimeError, MemoryError,
)  # fmt: skip
"""What Pillow raises for files that are none."""


def read_pixels(raw: bytes) -> tuple[F4, Tags]:
    """One number for each pixel, and all tags. Raises MapFileError."""
    from PIL import (
        Image,
        TiffImagePlugin,
        UnidentifiedImageError,
    )  # only those with such maps wait for it

    if raw[:4] not in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"):
        raise MapFileError("is no TIFF")
    with _broken_is_refused():
        tags = _tags(raw)
        kind = _checked(tags, raw[:2] == b"MM")
        _check_parts(tags)
        for order, unpacked in ((b"II", "F;64F"), (b"MM", "F;64BF")):
            # Pillow can unpack such pixels, but does not know that TIFF files have them.
            open_info = TiffImagePlugin.OPEN_INFO
            open_info.setdefault((order, BLACK_IS_ZERO, (FLOAT,), 1, (64,), ()), ("F", unpacked))
        try:
            image = Image.open(io.BytesIO(raw), formats=["TIFF"])
        except UnidentifiedImageError:
            raise _not_read("has pixels that are not read", "-ot Float32") from None
        pixels = np.array(image)
        return (pixels if kind is None else pixels.view(kind)).astype(np.float32), tags


@contextmanager
def _broken_is_refused() -> Iterator[None]:
    from PIL import Image

    try:
        with warnings.catch_warnings():  # its size is looked at
            warnings.simplefilter("ignore")
            yield
    except MapFileError:
        raise
    except (*_BROKEN, Image.DecompressionBombError) as error:
        why = str(error).partition(" <")[0]  # without the name of an object
        raise MapFileError(f"is a broken TIFF: {why}") from None


def _tags(raw: bytes) -> Tags:
    from PIL import TiffImagePlugin

    if raw[:4] == b"MM\0+":
        raise _not_read("is a BigTIFF with the high byte first", "-co ENDIANNESS=LITTLE")
    directory = TiffImagePlugin.ImageFileDirectory_v2(raw[:16] if raw[2:3] == b"+" else raw[:8])
    file = io.BytesIO(raw)
    file.seek(directory.next)
    directory.load(file)
    return {tag: directory[tag] for tag in directory}


def _checked(tags: Tags, high_first: bool) -> DTypeLike | None:
    """What to take the pixels' bytes for, as of KINDS. Raises MapFileError."""
    check_map_size(_whole(tags, ROWS, 0), _whole(tags, COLUMNS, 0))
    if (samples := _whole(tags, SAMPLES, 1)) != 1:
        raise _not_read(f"has {samples} values a pixel; expected one, the height", "-b 1")
    format_, bits = _whole(tags, FORMAT, WHOLE), _whole(tags, BITS, 1)
    if (format_, bits) not in KINDS:
        names = {WHOLE: "whole numbers", SIGNED: "signed whole numbers", FLOAT: "floats"}
        said = f"has {bits}-bit {names.get(format_, 'data')} for pixels; expected "
        said += "whole numbers of 8, 16 or 32 bits, or floats of 32 or 64"
        raise _not_read(said, "-ot Float32")
    packing, light = _whole(tags, COMPRESSION, NOT_PACKED), _whole(tags, PHOTOMETRIC, BLACK_IS_ZERO)
    if packing not in PACKINGS:
        name = NAMES.get(packing, f"method {packing}")
        raise _not_read(f"is compressed by {name}", "-co COMPRESS=DEFLATE")
    if light not in (WHITE_IS_ZERO, BLACK_IS_ZERO) or (light == WHITE_IS_ZERO and bits == 8):
        raise MapFileError(f"has colours for pixels (photometric {light}); expected heights")
    if high_first and packing != NOT_PACKED:
        raise _not_read("is compressed with the high byte first", "-co ENDIANNESS=LITTLE")
    return KINDS[format_, bits]


def _check_parts(tags: Tags) -> None:
    """Raise MapFileError where strips or tiles are missing: Pillow has zeros for them."""
    rows, columns = _whole(tags, ROWS, 0), _whole(tags, COLUMNS, 0)
    high, wide, of = _whole(tags, STRIP_ROWS, rows), columns, STRIPS
    if TILES in tags:
        high, wide, of = _whole(tags, TILE_ROWS, 0), _whole(tags, TILE_COLUMNS, 0), TILES
    needed = math.ceil(rows / high) * math.ceil(columns / wide)
    there = sum(1 for offset in np.ravel(tags.get(of, ())).tolist() if offset)
    if there < needed:
        said = f"has {there:,} of {needed:,} strips or tiles"
        raise _not_read(said, "-co SPARSE_OK=FALSE")


def _whole(tags: Tags, tag: int, usual: int) -> int:
    """The first number of a tag."""
    found = tags.get(tag, usual)
    return int(found[0] if isinstance(found, tuple) and found else found)


def _not_read(what: str, how: str) -> MapFileError:
    return MapFileError(f"{what}; gdal_translate {how} IN.tif OUT.tif writes one that is read")

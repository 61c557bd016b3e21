"""Grey images of maps: PGM, as text and binary, and PNG.

Such files come from anywhere, so nothing in them is trusted: sizes are limited before anything is
unpacked, and what is not understood is refused in words.
"""

import io
import re
import struct
import warnings
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from movenv.world.columns import Mask

Values: TypeAlias = NDArray[np.unsignedinteger]

MOST_CELLS = 100_000_000
MOST_AS_TEXT = 10_000_000
"""Cells of an image whose numbers are written out."""
PNG = b"\x89PNG\r\n\x1a\n"
PNG_BITS = 24
"""Where a PNG has how many bits a value has."""
_GAP = rb"(?:\s|#[^\r\n]*[\r\n])+"
_PGM = re.compile(rb"P([25])" + (_GAP + rb"(\d{1,9})") * 3 + rb"(?:#[^\r\n]*)?\s")


class MapFileError(ValueError):
    """A map that cannot be read; says why."""


@dataclass(frozen=True)
class GreyImage:
    """How bright its pixels are, from 0 to `white`."""

    values: Values
    """(rows, columns); row 0 is the uppermost."""
    white: int
    coloured: bool = False
    """Whether it is more than grey."""
    see_through: Mask | None = None
    """Where it has an alpha channel: pixels that are not fully there."""
    halved: bool = False
    """Whether it has 16 bits in its file, of which Pillow gives 8."""


def read_image(raw: bytes) -> GreyImage:
    """The image in a file, whatever the file is called. Raises MapFileError."""
    if raw.startswith(PNG):
        return _png(raw)
    if raw[:2] in (b"P2", b"P5"):
        return _pgm(raw)
    raise MapFileError("is neither a PGM (P2 or P5) nor a PNG image")


def check_size(columns: int, rows: int) -> None:
    """Raise MapFileError for an image that is too large, or nothing."""
    if columns < 1 or rows < 1:
        raise MapFileError(f"has no cells: {columns} x {rows}")
    if columns * rows > MOST_CELLS:
        raise MapFileError(f"has {columns:,} x {rows:,} cells; {MOST_CELLS:,} are the most")


def _pgm(raw: bytes) -> GreyImage:
    head = _PGM.match(raw)
    if head is None:
        raise MapFileError("is no PGM: expected its width, height and greatest value")
    kind, columns, rows, white = (int(part) for part in head.groups())
    check_size(columns, rows)
    if not 1 <= white <= 65535:
        raise MapFileError(f"its greatest value is {white}; expected 1 to 65535")
    dtype = np.dtype(">u1" if white < 256 else ">u2")
    body = raw[head.end() :]
    values = _text(body, columns * rows) if kind == 2 else _bytes(body, columns * rows, dtype)
    if int(values.max()) > white:
        raise MapFileError(f"has a value of {values.max()}, above its greatest, {white}")
    return GreyImage(values.reshape(rows, columns), white)


def _bytes(body: bytes, count: int, dtype: np.dtype[np.unsignedinteger]) -> Values:
    if len(body) < count * dtype.itemsize:
        found = len(body) // dtype.itemsize
        raise MapFileError(f"ends early: {found:,} of {count:,} cells")
    values: Values = np.frombuffer(body, dtype, count).astype(dtype.newbyteorder("="))
    return values


def _text(body: bytes, count: int) -> Values:
    if count > MOST_AS_TEXT:
        raise MapFileError(f"has {count:,} cells as text; {MOST_AS_TEXT:,} are the most")
    words = re.sub(rb"#[^\r\n]*", b"", body).split(None, count)[:count]
    if len(words) < count:
        raise MapFileError(f"ends early: {len(words):,} of {count:,} cells")
    wrong = next((word for word in words if not (word.isdigit() and int(word[:6]) < 65536)), None)
    if wrong is not None:
        raise MapFileError(f"has {wrong[:20].decode('ascii', 'replace')!r} for a cell")
    found: Values = np.minimum([int(word) for word in words], 65535).astype(np.uint16)
    return found


def _png(raw: bytes) -> GreyImage:
    from PIL import Image  # only those with such maps wait for it

    if len(raw) <= PNG_BITS:
        raise MapFileError("ends early")
    check_size(*struct.unpack(">II", raw[16:24]))
    try:
        with warnings.catch_warnings():  # its size was looked at
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            Image.open(io.BytesIO(raw), formats=["PNG"]).verify()  # its checksums; load() does not
            image = Image.open(io.BytesIO(raw), formats=["PNG"])
            image.load()
    except (OSError, SyntaxError, ValueError, struct.error, EOFError) as error:
        why = str(error).partition(" <")[0]  # without the name of an object
        why = why.removeprefix("broken PNG file ").strip("()")
        raise MapFileError(f"is a broken PNG: {why}") from None
    if image.mode.startswith("I"):
        return GreyImage(np.asarray(image).astype(np.uint16), 65535)
    clear = image.mode in ("LA", "PA", "RGBA") or "transparency" in image.info
    pixels = np.asarray(image.convert("RGBA" if clear else "RGB"))
    sums = pixels[..., :3].sum(axis=2, dtype=np.uint16)
    coloured = bool((pixels[..., :3] != pixels[..., :1]).any())
    see_through = pixels[..., 3] < 255 if clear else None
    return GreyImage(sums, 3 * 255, coloured, see_through, halved=raw[PNG_BITS] == 16)

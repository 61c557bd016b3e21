"""Images beside a scenario: they travel with it like all files that it names, as text, packed."""

import base64
import binascii
import zlib

from movenv.scenario.document import Document
from movenv.terrain.map_files import read_bytes
from movenv.terrain.map_image import MapFileError


def image_bytes(document: Document, file: str, most: int) -> bytes:
    """What is in a file that came with a document, or else lies beside it; no more than so many
    bytes. Raises MapFileError."""
    if file not in document.files:
        document.files[file] = _packed(read_bytes(document.folder / file, most))
    return _unpacked(document.files[file], most)


def _packed(raw: bytes) -> str:
    return base64.b64encode(zlib.compress(raw)).decode("ascii")


def _unpacked(text: str, most: int) -> bytes:
    try:
        unpacker = zlib.decompressobj()
        raw = unpacker.decompress(base64.b64decode(text, validate=True), most)
    except (zlib.error, binascii.Error, ValueError) as error:
        raise MapFileError(f"came damaged: {error}") from None
    if unpacker.unconsumed_tail:
        raise MapFileError(f"is larger than {most >> 20} MiB")
    return raw

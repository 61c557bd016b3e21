"""Maps in files as ROS has them: a YAML file that says what is what, and an image beside it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from movenv.terrain.grid_map import FREE, OCCUPIED, UNKNOWN, GridMap
from movenv.terrain.map_image import GreyImage, MapFileError, read_image
from movenv.world.columns import U1

T = TypeVar("T")

MOST_BYTES = 256 * 1024 * 1024
"""Of an image."""
FARTHEST = 1e8
"""Nothing on the globe is farther away in local metres."""
MODES = ("trinary", "scale", "raw")
QUARTER = math.pi / 2
SLIGHT = 1e-6
"""An origin turned by less than this beside a quarter turn is not turned, rad."""


@dataclass(frozen=True)
class MapSettings:
    """What the YAML file of a map says."""

    image: str
    resolution: float
    origin: tuple[float, float, float]
    """Of the lower left corner of the image: x, y and yaw."""
    negate: bool = False
    occupied_thresh: float = 0.65
    free_thresh: float = 0.196
    mode: str = "trinary"


def read_map(path: Path) -> GridMap:
    """The map that a YAML file describes. Raises MapFileError, which names the file."""
    settings = _named(path, lambda: map_settings(read_bytes(path, 1 << 20).decode("utf-8-sig")))
    image = path.parent / settings.image
    return _named(image, lambda: map_of(settings, read_bytes(image, MOST_BYTES)))


def _named(path: Path, read: Callable[[], T]) -> T:
    try:
        return read()
    except UnicodeDecodeError:
        raise MapFileError(f"{path}: is not UTF-8 text") from None
    except MapFileError as error:
        raise MapFileError(f"{path}: {error}") from None


def read_bytes(path: Path, most: int) -> bytes:
    """What is in a file. Raises MapFileError."""
    try:
        with path.open("rb") as file:
            raw = file.read(most + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise MapFileError(f"cannot be read: {why.lower()}") from None
    if len(raw) > most:
        raise MapFileError(f"is larger than {most >> 20} MiB")
    return raw


def map_of(settings: MapSettings, image: bytes) -> GridMap:
    """A map from what its files hold. Raises MapFileError."""
    grey = read_image(image)
    cells = np.ascontiguousarray(_cells(grey, settings)[::-1])
    west, south, yaw = settings.origin
    turns = round(yaw / QUARTER)
    rows, columns = cells.shape
    wide, high = columns * settings.resolution, rows * settings.resolution
    # The image turns around its lower left corner; another corner becomes the lower left one.
    west -= (0.0, high, wide, 0.0)[turns % 4]
    south -= (0.0, 0.0, high, wide)[turns % 4]
    turned = np.ascontiguousarray(np.rot90(cells, -turns % 4))
    return GridMap(turned, settings.resolution, west, south)


def _cells(grey: GreyImage, settings: MapSettings) -> U1:
    """What each pixel means: rows from the north.

    With `trinary` and `scale` dark is occupied, bright is free (the other way round with
    `negate`), and what lies between the thresholds, or is seen through, unknown. With `raw` the
    value itself is a percentage, and above 100 unknown.
    """
    values = np.arange(grey.white + 1)
    if settings.mode == "raw":
        values = np.round(values * (255.0 / grey.white))
        chance = np.where(values <= 100, values / 100.0, np.nan)
    else:
        bright = values / grey.white
        chance = bright if settings.negate else 1.0 - bright
    meaning = np.full(len(values), UNKNOWN, np.uint8)
    meaning[chance < settings.free_thresh] = FREE
    meaning[chance > settings.occupied_thresh] = OCCUPIED
    cells: U1 = meaning[grey.values]
    if grey.see_through is not None and settings.mode != "raw":
        cells[grey.see_through] = UNKNOWN
    return cells


def map_settings(text: str) -> MapSettings:
    """What a YAML file says of a map. Raises MapFileError, which names the line."""
    given = _Keys(text)
    settings = MapSettings(
        image=given.text("image"),
        resolution=given.number("resolution", 1e-4, 1e4),
        origin=given.place("origin"),
        negate=given.number("negate", 0, 1, 0.0) == 1,
        occupied_thresh=given.number("occupied_thresh", 0, 1, 0.65),
        free_thresh=given.number("free_thresh", 0, 1, 0.196),
        mode=given.text("mode", "trinary").lower(),
    )
    if settings.mode not in MODES:
        raise given.fault("mode", f"expected one of {', '.join(MODES)}")
    yaw = settings.origin[2]
    if abs(yaw - round(yaw / QUARTER) * QUARTER) > SLIGHT:
        raise given.fault("origin", f"is turned by {yaw:g} rad; only quarter turns can be read")
    if settings.free_thresh > settings.occupied_thresh:
        raise given.fault("free_thresh", "is above occupied_thresh")
    return settings


class _Keys:
    """The keys of a YAML mapping, and their lines."""

    def __init__(self, text: str) -> None:
        yaml = YAML(typ="safe", pure=True)
        try:
            root = yaml.compose(text)
        except MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line = mark.line + 1 if mark else 1
            raise MapFileError(f"line {line}: is not YAML: {error.problem}") from None
        except (YAMLError, ValueError, RecursionError, AttributeError, IndexError, TypeError) as e:
            raise MapFileError(f"is not YAML: {e}") from None  # some errors of ruamel are plain
        if not isinstance(root, MappingNode):
            raise MapFileError("line 1: expected keys such as image, resolution and origin")
        self._nodes: dict[str, Node] = {str(key.value): node for key, node in root.value}

    def fault(self, key: str, said: str) -> MapFileError:
        node = self._nodes.get(key)
        return MapFileError(f"line {node.start_mark.line + 1 if node else 1}: {key} {said}")

    def text(self, key: str, usual: str | None = None) -> str:
        node = self._nodes.get(key)
        if node is None and usual is not None:
            return usual
        if not isinstance(node, ScalarNode) or not node.value:
            raise self.fault(key, "is missing" if node is None else "is no text")
        return str(node.value)

    def number(self, key: str, low: float, high: float, usual: float | None = None) -> float:
        if key not in self._nodes and usual is not None:
            return usual
        value = {"false": 0.0, "true": 1.0}.get(self.text(key).lower())
        if value is None or key != "negate":
            value = self._float(key, self._nodes[key])
        if not low <= value <= high:
            raise self.fault(key, f"is {value:g}; expected {low:g} to {high:g}")
        return value

    def place(self, key: str) -> tuple[float, float, float]:
        node = self._nodes.get(key)
        if not isinstance(node, SequenceNode) or len(node.value) not in (2, 3):
            raise self.fault(key, "is missing" if node is None else "is not [x, y, yaw]")
        numbers = [self._float(key, item) for item in node.value]
        if not all(abs(number) <= FARTHEST for number in numbers):
            raise self.fault(key, "is not on the globe")
        x, y, yaw = (*numbers, 0.0)[:3]
        return x, y, yaw

    def _float(self, key: str, node: Any) -> float:
        try:
            return float(node.value)
        except (TypeError, ValueError):
            raise self.fault(key, "is no number") from None


def write_map(path: Path, grid: GridMap) -> None:
    """Write a map as a YAML file and, beside it, a PGM image of the same name."""
    image = path.with_suffix(".pgm")
    rows, columns = grid.cells.shape
    grey: U1 = np.zeros(3, np.uint8)
    grey[[FREE, OCCUPIED, UNKNOWN]] = 254, 0, 205
    image.write_bytes(b"P5\n%d %d\n255\n" % (columns, rows) + grey[grid.cells[::-1]].tobytes())
    path.write_text(
        f"image: {image.name}\nresolution: {grid.resolution!r}\n"
        f"origin: [{grid.west!r}, {grid.south!r}, 0.0]\n"
        "negate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\nmode: trinary\n",
        encoding="utf-8",
    )

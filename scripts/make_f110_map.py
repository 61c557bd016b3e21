"""Write the shipped map f110-track: corridors of a building for cars of a tenth.

python scripts/make_f110_map.py src/movenv/scenario/shipped/maps
"""

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

CELL = 0.05
WIDTH, HEIGHT = 24.0, 16.0
WALL = 0.1
"""How thick walls are, m."""
FREE, OCCUPIED, UNKNOWN = 254, 0, 205
"""What the grey values of a map mean to ROS."""

# West, south, east and north, in metres from the south-west corner.
CORRIDORS = [
    (1.0, 1.0, 23.0, 4.0),  # along the south
    (20.2, 1.0, 23.0, 15.0),  # up the east
    (8.4, 12.2, 23.0, 15.0),  # along the north, as far as the bend
    (8.4, 8.6, 11.2, 15.0),  # down the bend
    (1.0, 8.6, 11.2, 11.4),  # along the west wing
    (1.0, 1.0, 3.8, 11.4),  # down the west
    (13.2, 1.0, 15.8, 15.0),  # the link across
]
ALCOVES = [
    (5.2, 0.4, 6.4, 1.0),
    (9.4, 4.0, 10.6, 5.0),
    (16.9, 0.2, 17.5, 1.0),
    (18.2, 4.0, 19.0, 4.5),
    (23.0, 6.0, 23.7, 7.6),
    (19.3, 8.6, 20.2, 9.4),
    (23.0, 11.0, 23.4, 11.5),
    (17.0, 15.0, 18.8, 15.7),
    (11.9, 11.5, 12.6, 12.2),
    (7.4, 13.2, 8.4, 14.0),
    (4.4, 11.4, 5.0, 12.4),
    (6.6, 7.9, 8.0, 8.6),
    (0.3, 6.1, 1.0, 7.4),
    (3.8, 4.9, 4.4, 5.3),
    (12.5, 6.4, 13.2, 7.0),
    (15.8, 9.0, 16.6, 10.2),
]
PILLARS = [
    (7.6, 3.6, 8.0, 4.0),
    (11.8, 1.0, 12.2, 1.5),
    (17.9, 2.9, 18.2, 3.2),
    (20.2, 5.0, 20.6, 5.4),
    (22.4, 9.2, 22.7, 9.5),
    (19.4, 14.5, 19.8, 15.0),
    (12.0, 13.9, 12.3, 14.2),
    (10.8, 10.4, 11.2, 10.7),
    (5.6, 9.2, 5.9, 9.5),
    (1.6, 8.0, 1.9, 8.3),
    (3.4, 3.9, 3.8, 4.4),
    (13.2, 8.9, 13.6, 9.3),
]


def filled(areas: list[tuple[float, float, float, float]], wider: float = 0.0) -> NDArray[np.bool_]:
    """The cells of some rectangles, row 0 the southernmost."""
    cells = np.zeros((round(HEIGHT / CELL), round(WIDTH / CELL)), np.bool_)
    for area in areas:
        west, south = (max(round((side - wider) / CELL), 0) for side in area[:2])
        east, north = (round((side + wider) / CELL) for side in area[2:])
        cells[south:north, west:east] = True
    return cells


def grey() -> NDArray[np.uint8]:
    """The picture of the map, row 0 the northernmost."""
    rooms = CORRIDORS + ALCOVES
    picture = np.full(filled([]).shape, UNKNOWN, np.uint8)
    picture[filled(rooms, WALL)] = OCCUPIED
    picture[filled(rooms)] = FREE
    picture[filled(PILLARS)] = OCCUPIED
    return picture[::-1]


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    picture = grey()
    rows, columns = picture.shape
    header = f"P5\n{columns} {rows}\n255\n".encode()
    (folder / "f110-track.pgm").write_bytes(header + picture.tobytes())
    (folder / "f110-track.yaml").write_text(
        "# Corridors of a building, 24 m x 16 m. Written by scripts/make_f110_map.py.\n"
        "image: f110-track.pgm\n"
        f"resolution: {CELL}\n"
        f"origin: [{-WIDTH / 2}, {-HEIGHT / 2}, 0.0]\n"
        "negate: 0\n"
        "occupied_thresh: 0.65\n"
        "free_thresh: 0.196\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()

"""Write the ground of the shipped town: streets, kerbs, a traffic circle, houses and lamp posts.

python scripts/make_urban.py src/movenv/scenario/shipped/maps

Right-hand traffic. Two images of the same size: how high everything is, and what it is made of.
"""

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import shapely
from numpy.typing import NDArray
from PIL import Image
from shapely.geometry.base import BaseGeometry

CELL = 0.25
HALF_WIDTH, HALF_HEIGHT = 130.0, 100.0
"""From the middle of the map to its edges, m."""
LANE = 3.5
"""Streets have two."""
PAVEMENT = 2.5
CORNER = 6.0
"""The radius of kerbs at corners."""
KERB = 0.2
WHITE = 20.0
"""The height of the brightest value, m."""
EAST, NORTH = 100.0, 70.0
"""Where the outer streets run, from the middle."""
CIRCLE, CIRCLE_ROAD, ISLAND = (-EAST, 0.0), 14.0, 7.0
"""Of the traffic circle: its middle, where its road ends and where it begins."""
ISLAND_HEIGHT, MONUMENT, MONUMENT_HEIGHT = 0.3, 1.5, 5.0
POST_EVERY, POST_HEIGHT, BEHIND_KERB = 25.0, 6.0, 0.8
ASPHALT, PAVING, LAWN, GRAVEL = 220, 180, 100, 140
"""What the grey values of materials mean; the scenario gives them their soils."""

STREETS = [
    [(-EAST, -NORTH), (EAST, -NORTH), (EAST, NORTH), (-EAST, NORTH), (-EAST, -NORTH)],
    [(-EAST, 0.0), (EAST, 0.0)],
    [(0.0, -NORTH), (0.0, NORTH)],
]
# West, south, east and north of houses, and how high they are.
HOUSES = [
    (-84, 14, -62, 40, 9), (-56, 12, -34, 30, 12), (-28, 12, -10, 34, 7), (-84, 46, -60, 60, 14),
    (-54, 38, -30, 60, 10), (-24, 42, -9, 61, 17), (10, 12, 40, 28, 11), (46, 12, 66, 36, 8),
    (72, 12, 90, 30, 15), (12, 36, 36, 60, 13), (44, 44, 70, 60, 6), (76, 38, 91, 60, 10),
    (-90, -60, -66, -34, 8), (-90, -28, -70, -12, 16), (-60, -60, -44, -40, 10),
    (-62, -30, -46, -12, 6), (-124, 20, -111, 52, 9), (-124, -54, -112, -22, 12),
    (111, -60, 124, -34, 8), (112, -26, 125, 8, 14), (111, 16, 123, 50, 10),
    (-70, 81, -40, 94, 9), (-30, 80, 2, 92, 12), (12, 81, 50, 95, 7), (58, 80, 92, 93, 16),
    (-92, -94, -60, -82, 11), (-50, -95, -24, -81, 8), (-10, -94, 30, -80, 13),
    (42, -93, 86, -81, 9),
]  # fmt: skip
ROADWORKS = (30.0, -3.5, 46.0, 3.5)
"""A stretch of the middle street without its asphalt."""


def streets() -> BaseGeometry:
    """What cars drive on; kerbs are rounded at corners."""
    lines = shapely.union_all([shapely.LineString(line).buffer(LANE) for line in STREETS])
    circle = shapely.Point(CIRCLE).buffer(CIRCLE_ROAD, 64)
    filled = shapely.union_all([lines, circle]).buffer(CORNER, 32).buffer(-CORNER, 32)
    return filled.difference(shapely.Point(CIRCLE).buffer(ISLAND, 64))


def posts(road: BaseGeometry) -> list[tuple[float, float]]:
    """Lamp posts stand behind the kerbs, along both sides of every street."""
    found = []
    behind = road.buffer(BEHIND_KERB - 0.1)
    for line in STREETS:
        for a, b in pairwise(line):
            way = np.subtract(b, a)
            length = float(np.hypot(*way))
            ahead, left = way / length, np.array([-way[1], way[0]]) / length
            for far in np.arange(12.5, length, POST_EVERY):
                for side in (1.0, -1.0):
                    place = np.add(a, far * ahead) + side * (LANE + BEHIND_KERB) * left
                    if not behind.contains(shapely.Point(place)):
                        found.append((float(place[0]), float(place[1])))
    return found


def inside(shape: BaseGeometry, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray:
    shapely.prepare(shape)
    return shapely.contains_xy(shape, x, y)


def draw() -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """Heights in m and materials; the uppermost row is the northernmost."""
    columns, rows = round(2 * HALF_WIDTH / CELL), round(2 * HALF_HEIGHT / CELL)
    x = -HALF_WIDTH + CELL * (np.arange(columns) + 0.5)
    y = HALF_HEIGHT - CELL * (np.arange(rows) + 0.5)
    x, y = np.meshgrid(x, y)
    road = streets()
    on_road = inside(road, x, y)
    paved = inside(road.buffer(PAVEMENT), x, y) & ~on_road
    heights = np.where(on_road, 0.0, KERB)
    materials = np.where(on_road, ASPHALT, np.where(paved, PAVING, LAWN)).astype(np.uint8)
    island = inside(shapely.Point(CIRCLE).buffer(ISLAND, 64), x, y)
    heights[island], materials[island] = ISLAND_HEIGHT, LAWN
    heights[inside(shapely.Point(CIRCLE).buffer(MONUMENT, 32), x, y)] = MONUMENT_HEIGHT
    materials[inside(shapely.box(*ROADWORKS), x, y) & on_road] = GRAVEL
    for west, south, east, north, height in HOUSES:
        house = (x > west) & (x < east) & (y > south) & (y < north)
        heights[house], materials[house] = height, PAVING
    for east, north in posts(road):
        column = int((east + HALF_WIDTH) / CELL)
        row = int((HALF_HEIGHT - north) / CELL)
        heights[row, column] = POST_HEIGHT
    return heights, materials


def main(folder: Path) -> None:
    heights, materials = draw()
    grey = np.rint(heights / WHITE * 65535).astype(np.uint16)
    Image.fromarray(grey).save(folder / "urban-heights.png", optimize=True)
    Image.fromarray(materials).save(folder / "urban-materials.png", optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

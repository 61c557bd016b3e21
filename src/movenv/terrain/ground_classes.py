"""What the cells of a map of heights are: level ground, kerbs, and what was built on it.

A map has heights alone. Walls are where it rises by more than a metre and more steeply than any
slope; what they carry is a roof where it lies a metre above the ground beside it. Of what was
built, the small is a pole.
"""

import numpy as np
import scipy

from movenv.terrain.relief_rays import Ground
from movenv.terrain.seen import Seen
from movenv.world.columns import F4, U1, Mask

WALL, WALL_SLOPE = 1.0, 1.5
"""A wall rises by so much in a cell, m, and is at least so steep."""
KERB, KERB_SLOPE = 0.08, 0.3
"""The same of a kerb, above what rises around it."""
POLE = 4.0
"""What covers less, m², is no building."""


def cell_classes(ground: Ground) -> U1:
    """(rows - 1, columns - 1): `Seen` of each cell of the map."""
    heights, cell = ground.heights, ground.cell
    if min(heights.shape) < 2:
        return np.empty((0, 0), np.uint8)
    corners = [heights[:-1, :-1], heights[:-1, 1:], heights[1:, :-1], heights[1:, 1:]]
    low, high = np.minimum.reduce(corners), np.maximum.reduce(corners)
    rise = high - low
    walls = rise > max(WALL, WALL_SLOPE * cell)
    built = walls | _roofs(walls, low)
    sudden = rise - scipy.ndimage.minimum_filter(rise, 5)
    classes: U1 = np.full(rise.shape, Seen.GROUND, np.uint8)
    classes[sudden > max(KERB, KERB_SLOPE * cell)] = Seen.KERB
    number, count = scipy.ndimage.label(built)
    large = np.bincount(number.ravel(), minlength=count + 1) * cell**2 >= POLE
    classes[built] = np.where(large[number[built]], Seen.BUILDING, Seen.OBSTACLE)
    return classes


def _roofs(walls: Mask, low: F4) -> Mask:
    """What walls enclose and carry above the ground, which is the largest part without walls."""
    number, count = scipy.ndimage.label(~walls)
    if count < 2:
        return np.zeros_like(walls)
    sizes = np.bincount(number.ravel(), minlength=count + 1)
    sizes[0] = 0
    ground = number == sizes.argmax()
    nearest = scipy.ndimage.distance_transform_edt(
        ~ground, return_distances=False, return_indices=True
    )
    above = low - low[tuple(nearest)]
    raised = scipy.ndimage.mean(above, number, np.arange(count + 1)) > WALL
    raised[0] = False
    found: Mask = raised[number]
    return found

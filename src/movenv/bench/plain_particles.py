"""Monte Carlo localisation as it is written down first: whole arrays, a fixed number of guesses."""

import numpy as np

from movenv.behaviors.likelihood import field_of
from movenv.behaviors.localisation import DRIFT
from movenv.behaviors.particles import TEMPER
from movenv.terrain.grid_map import GridMap
from movenv.world.columns import F8, Mask, Rows


class PlainLocalisation:
    """One vehicle's guesses in NumPy; as `Localisation`, without recovery."""

    def __init__(self, grid: GridMap, count: int) -> None:
        self.field = field_of(grid)
        self._random = np.random.default_rng(1)
        self._guesses = np.zeros((count, 3))
        self.pose: F8 = np.zeros((3, 1))
        self.lost: Mask = np.zeros(1, np.bool_)

    def place(self, pose: F8, spread: F8) -> None:
        errors = self._random.normal(size=self._guesses.shape)
        self._guesses = pose + errors * [spread[0], spread[0], spread[1]]
        self.pose = pose[:, None].copy()

    def update(self, _rows: Rows, moves: F8, points: F8, beams: Rows, *_: int) -> None:
        self._move(moves[0])
        weight = self._weights(points[0, : beams[0]])
        x, y = weight @ self._guesses[:, 0], weight @ self._guesses[:, 1]
        sin, cos = weight @ np.sin(self._guesses[:, 2]), weight @ np.cos(self._guesses[:, 2])
        self.pose = np.array([[x], [y], [np.arctan2(sin, cos)]])
        places = (np.arange(len(weight)) + self._random.random()) / len(weight)
        drawn = np.searchsorted(np.cumsum(weight), places)
        self._guesses = self._guesses[np.minimum(drawn, len(weight) - 1)]

    def _move(self, move: F8) -> None:
        way, turn = np.hypot(move[0], move[1]), abs(move[2])
        errors = np.array([a + b * way + c * turn for a, b, c in DRIFT])
        steps = move + errors * self._random.normal(size=self._guesses.shape)
        sin, cos = np.sin(self._guesses[:, 2]), np.cos(self._guesses[:, 2])
        self._guesses[:, 0] += cos * steps[:, 0] - sin * steps[:, 1]
        self._guesses[:, 1] += sin * steps[:, 0] + cos * steps[:, 1]
        self._guesses[:, 2] += steps[:, 2]

    def _weights(self, points: F8) -> F8:
        x, y, yaw = self._guesses.T[:, :, None]
        east = x + np.cos(yaw) * points[:, 0] - np.sin(yaw) * points[:, 1] - self.field.west
        north = y + np.sin(yaw) * points[:, 0] + np.cos(yaw) * points[:, 1] - self.field.south
        column = np.floor(east / self.field.resolution).astype(np.intp)
        row = np.floor(north / self.field.resolution).astype(np.intp)
        rows, columns = self.field.fit.shape
        inside = (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
        fit = self.field.fit[np.where(inside, row, 0), np.where(inside, column, 0)]
        score = np.where(inside, fit, self.field.worst).sum(axis=1)
        weight: F8 = np.exp(TEMPER * (score - score.max()))
        weight /= weight.sum()
        return weight

"""The plain ways of doing the same work, to hold ours against."""

import numpy as np
from scipy.spatial import cKDTree

from movenv.world.columns import F8
from movenv.world.frames import Frame


class PlainFleet:
    """The kinematic model as one would write it first: RK4 in NumPy, one operation at a time."""

    def __init__(self, count: int, side: float) -> None:
        rng = np.random.default_rng(0)
        self.length = np.ones(count)
        self.state: F8 = np.zeros((7, count))
        self.state[:2] = rng.uniform(-side / 2, side / 2, (2, count))
        self.state[3] = rng.uniform(-np.pi, np.pi, count)
        self.state[5] = 8.0
        self.command: F8 = np.array(
            [rng.uniform(-1, 1, count), np.full(count, 8.0), np.zeros(count)]
        )

    def _derivative(self, state: F8, rates: F8) -> F8:
        _x, _y, _z, yaw, steer, speed, pitch = state
        yaw_rate = speed / self.length * steer
        sideways = 0.5 * self.length * yaw_rate
        cos_yaw, sin_yaw = np.cos(yaw), np.sin(yaw)
        return np.array(
            [
                speed * cos_yaw - sideways * sin_yaw,
                speed * sin_yaw + sideways * cos_yaw,
                speed * np.sin(pitch),
                yaw_rate,
                *rates,
            ]
        )

    def step(self, h: float) -> None:
        rates = np.clip((self.command - self.state[4:]) / h, -4.0, 4.0)
        s = self.state
        k1 = self._derivative(s, rates)
        k2 = self._derivative(s + 0.5 * h * k1, rates)
        k3 = self._derivative(s + 0.5 * h * k2, rates)
        k4 = self._derivative(s + h * k3, rates)
        self.state = s + h / 6.0 * (k1 + 2 * k2 + 2 * k3 + k4)

    def tick(self, frame: Frame, reach: float) -> None:
        """Ten steps, latitude and longitude by PROJ, pairs by a k-d tree. No behaviors, no file."""
        for _ in range(10):
            self.step(0.01)
        frame.to_geodetic(self.state[0], self.state[1])
        cKDTree(self.state[:3].T).query_pairs(reach, output_type="ndarray")

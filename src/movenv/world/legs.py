"""Where somebody stands on its way along places, told from its place and where it points."""

import numpy as np

from movenv.world.columns import F8

OFF = 20.0
"""Who is farther than this from all legs is on none, m."""
TURN = 10.0
"""A leg's end that lies aside by an angle counts as the leg being so much farther off, m/rad."""


def heading_for(points: F8, x: float, y: float, yaw: float, start: F8 | None = None) -> int:
    """Which of `points` (n, 2 or more) somebody at (x, y) is on its way to, in turn from `start`.

    Without a `start` it may have come to the first place from anywhere.
    """
    here, last = np.array([x, y]), points[:, :2]
    first = np.vstack([last[0] if start is None else start[:2], last[:-1]])
    leg = last - first
    square = np.maximum((leg**2).sum(axis=1), 1e-12)
    share = np.clip(((here - first) * leg).sum(axis=1) / square, 0.0, 1.0)
    far = np.hypot(*(first + share[:, None] * leg - here).T)
    toward = last - here
    ahead = np.array([np.cos(yaw), np.sin(yaw)])
    turn = np.arccos(np.clip(toward @ ahead / np.maximum(np.hypot(*toward.T), 1e-9), -1.0, 1.0))
    if start is None and far.min() > OFF and turn[0] < np.pi / 2:
        far[0] = far.min()  # it has left its way, or was never on it
    if start is None and len(far) > 1 and share[1] == 0.0:
        far[1] = np.inf  # it has not come to the first place yet
    return int((far + TURN * turn).argmin())

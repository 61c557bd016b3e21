"""Areas of a scenario in local metres."""

import math

import numpy as np

from movenv.scenario.placement import local
from movenv.scenario.schema import Area as AreaSpec
from movenv.terrain.area import Area
from movenv.world.columns import F8
from movenv.world.frames import Frame

CIRCLE_CORNERS = 64


def area_of(name: str, spec: AreaSpec, frame: Frame) -> Area:
    """An area of a scenario in local metres. Raises ValueError."""
    return Area(
        name,
        _corners(frame, spec),
        -math.inf if spec.floor is None else spec.floor,
        math.inf if spec.ceiling is None else spec.ceiling,
    )


def _corners(frame: Frame, spec: AreaSpec) -> F8:
    if spec.polygon is not None:
        return np.array([local(frame, point)[:2] for point in spec.polygon])
    unit: F8
    if spec.circle is not None:
        turn = np.arange(CIRCLE_CORNERS) * (math.tau / CIRCLE_CORNERS)
        unit, half = np.column_stack([np.cos(turn), np.sin(turn)]), np.full(2, spec.circle)
    else:
        unit = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
        half = np.array(spec.rectangle or (spec.square, spec.square)) / 2
    corners: F8 = np.array(local(frame, spec.center)[:2]) + unit * half
    return corners

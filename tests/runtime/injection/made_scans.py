"""A scanner for tests, and a run with somebody in its way."""

import math
from typing import Any

import numpy as np

from movenv.world.scan import Scan
from movenv.world.sensor import ScanLayout

BEAMS = 181
AHEAD = 90
"""The beam that points ahead."""
LAYOUT = ScanLayout(BEAMS, -math.pi / 2, math.radians(1.0), 0.0, 0.025, 0.06, 30.0)

SCENARIO = """
name: way
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 60}
vehicles:
  - {name: me, vid: 1, kind: ground, model: {speed: 2}, footprint: [1, 0.5],
     start: {at: [0, 0], heading_deg: 90}, behaviors: {wander: {}}}
  - {name: parked, vid: 2, kind: ground, model: {speed: 2}, footprint: [4, 2],
     start: {at: [12, 0], heading_deg: 90}, behaviors: {wander: {}}}
  - {name: far, vid: 3, kind: ground, model: {speed: 2}, footprint: [4, 2],
     start: {at: [60, 0], heading_deg: 90}, behaviors: {wander: {}}}
  - {name: drone, vid: 4, kind: aerial/rotorcraft, start: {at: [8, 1, 40]},
     behaviors: {wander: {}}}
"""
"""The cars drive east, one behind the other, always 12 m apart: `parked` is so to `me`."""


def a_scan(number: int = 1, ranges: Any = 20.0) -> Scan:
    values = np.full(BEAMS, ranges, np.float32)
    return Scan(number, number / 40, LAYOUT, values)

"""What a JAUS component can tell of its vehicle, and the reports that tell it.

JAUS counts yaw clockwise from north, and looks forward, right and down.
"""

import math
from dataclasses import dataclass, fields, replace
from typing import TypeVar

from movenv.gateways.jaus.message import Message
from movenv.gateways.jaus.messages import (
    ReportGlobalPose,
    ReportLocalPose,
    ReportVelocityState,
)
from movenv.gateways.jaus.stamp import stamp_at


@dataclass(frozen=True)
class Sight:
    """A vehicle at an instant, as the run has it."""

    utc: float
    """Seconds since 1970."""
    lat: float
    lon: float
    alt: float
    heading: float
    """Clockwise from true north, rad."""
    x: float
    y: float
    z: float
    """Local metres: east, north, up."""
    yaw: float
    """Counter-clockwise from x, rad."""
    pitch: float
    roll: float
    forward: float
    left: float
    up: float
    """Velocity along the vehicle's own axes, m/s."""
    yaw_rate: float
    """Counter-clockwise, rad/s; nan where it is not known."""
    lost: bool = False
    """Nothing is heard of it since: how it moves now nobody knows."""


def global_pose(sight: Sight) -> ReportGlobalPose:
    return ReportGlobalPose(
        latitude=sight.lat,
        longitude=sight.lon,
        altitude=sight.alt,
        roll=_angle(sight.roll),
        pitch=_angle(sight.pitch),
        yaw=_angle(sight.heading),
        time=stamp_at(sight.utc),
    )


def local_pose(sight: Sight) -> ReportLocalPose:
    """North, east and down from the scenario's origin, along its grid."""
    return ReportLocalPose(
        x=sight.y,
        y=sight.x,
        z=-sight.z,
        roll=_angle(sight.roll),
        pitch=_angle(sight.pitch),
        yaw=_angle(math.pi / 2 - sight.yaw),
        time=stamp_at(sight.utc),
    )


def velocity_state(sight: Sight) -> ReportVelocityState:
    if sight.lost:
        return ReportVelocityState(time=stamp_at(sight.utc))
    return ReportVelocityState(
        x=sight.forward,
        y=-sight.left,
        z=-sight.up,
        yaw_rate=-sight.yaw_rate,
        time=stamp_at(sight.utc),
    )


def _angle(angle: float) -> float:
    return math.remainder(angle, math.tau)


Report = TypeVar("Report", bound=Message)


def wanted(report: Report, vector: int) -> Report:
    """The report with nothing in it but what a presence vector asks for."""
    left_out = {
        one.name: one.default for bit, one in enumerate(fields(report)) if not vector >> bit & 1
    }
    return replace(report, **left_out)

"""Steering along lines, round circles and to places: what behaviors that go somewhere share."""

import numpy as np

from movenv.parts import Own, Setup, pitch_toward, steer_by, steer_toward, wrapped
from movenv.world.columns import F8, Mask

BRISK = 0.35
"""`steer_by` turns no tighter than this many seconds of way, however short the vehicle."""
BRAKING = 0.5
"""Share of the greatest acceleration with which vehicles slow down for a place."""
MOST_ROOM = 30.0
"""How far at most to go away before turning to a place again, in half turning radii."""
CLIMB = 0.7
"""Share of the steepest climb that is counted on for reaching a height on the way."""


def tightest(length: F8, max_steer: F8) -> F8:
    """The radius of the smallest circle that the kinematic model can drive, m.

    It turns at v · steer / length while its middle slips sideways at half of steer · v.
    """
    steer = np.maximum(max_steer, 1e-9)
    radius: F8 = length / steer * np.sqrt(1.0 + steer**2 / 4)
    return radius


def turn_radius(own: Own) -> F8:
    """How tight each vehicle turns at its speed, m."""
    return np.maximum(tightest(own.length, own.max_steer), BRISK * own.speed)


def can_stop(own: Own) -> Mask:
    stops: Mask = own.min_speed <= 0.0
    return stops


def wanted_speed(own: Own, speed: F8) -> F8:
    """The speed of the settings; the cruising speed where they say none (nan)."""
    return np.where(np.isnan(speed), own.cruise_speed, speed)


def numbers(setup: Setup, name: str) -> F8:
    """A setting that may be left out, with nan where it is."""
    return np.array([np.nan if v is None else v for v in getattr(setup.config, name)], float)


def slowing(own: Own, distance: F8) -> F8:
    """The greatest speed from which each can stop within a distance, m/s."""
    brake = BRAKING * np.where(own.max_acceleration > 0, own.max_acceleration, 1.0)
    return np.sqrt(2.0 * brake * np.maximum(distance, 0.0))


def line_steer(own: Own, start: F8, end: F8) -> F8:
    """Steer that brings each vehicle onto its line, (2, vehicles) from start to end."""
    along = np.arctan2(end[1] - start[1], end[0] - start[0])
    left = np.cos(along) * (own.y - start[1]) - np.sin(along) * (own.x - start[0])
    soon = np.maximum(1.5 * turn_radius(own), own.speed)
    return steer_toward(own, along - np.arctan(left / soon))


def circle_steer(own: Own, center: F8, drift: F8, radius: F8, turn: F8) -> F8:
    """Steer that brings each vehicle onto a circle and keeps it there.

    `center` and its velocity `drift` are (2, vehicles); `turn` is +1 to the left, -1 to the right.
    """
    east, north = own.x - center[0], own.y - center[1]
    far = np.hypot(east, north)
    soon = np.maximum(np.maximum(1.5 * turn_radius(own), own.speed), radius / 2)
    inward = np.pi / 2 + np.arctan((far - radius) / soon)
    course = np.arctan2(north, east) + turn * inward
    # As seen from the center; over the ground its own way comes on top.
    ahead = np.cos(course) * drift[0] + np.sin(course) * drift[1]
    spare = ahead**2 + own.speed**2 - drift[0] ** 2 - drift[1] ** 2
    relative = np.maximum(np.sqrt(np.maximum(spare, 0.0)) - ahead, 0.0)
    ground = np.arctan2(np.sin(course) * relative + drift[1], np.cos(course) * relative + drift[0])
    share = relative / np.maximum(own.speed, 0.1)
    near = np.clip(1.0 - np.abs(far - radius) / soon, 0.0, 1.0)
    held = np.arcsin(np.clip(own.length / (2 * radius), -1.0, 1.0))
    held = np.clip(turn * share * near * 2.0 * np.tan(held), -own.max_steer, own.max_steer)
    slip = np.arctan(held / 2.0)
    wanted: F8 = held + steer_by(own, wrapped(ground - slip - own.yaw))
    return np.clip(wanted, -own.max_steer, own.max_steer)


class Approach:
    """Brings vehicles to places, which may move, and lets those that can stop there."""

    def __init__(self, count: int) -> None:
        self._opening = np.zeros(count, np.bool_)
        self._room = np.ones(count)

    def begin(self, begins: Mask) -> None:
        self._opening &= ~begins
        self._room = np.where(begins, 1.0, self._room)

    def steer(self, own: Own, east: F8, north: F8, within: F8) -> F8:
        """Turn toward a place that lies so far east and north.

        One within the turning circle cannot be turned to: first make room, straight on, and more
        of it with each miss.
        """
        radius = turn_radius(own)
        cos, sin = np.cos(own.yaw), np.sin(own.yaw)
        ahead, left = cos * east + sin * north, cos * north - sin * east
        from_center = np.hypot(ahead, np.abs(left) - radius)
        blocked = from_center < 1.05 * radius - 0.5 * within
        clear = from_center > (1.0 + 0.5 * self._room) * radius
        misses = blocked & ~self._opening
        self._room = np.where(misses, np.minimum(1.5 * self._room, MOST_ROOM), self._room)
        self._room = np.where(np.hypot(east, north) < within, 1.0, self._room)
        self._opening = (self._opening & ~clear) | blocked
        return np.where(self._opening, 0.0, steer_by(own, np.arctan2(left, ahead)))

    def toward(
        self, own: Own, place: F8, drift: F8, within: F8, speed: F8, stop: Mask
    ) -> tuple[F8, F8, F8]:
        """Steer, speed and pitch toward places (3, vehicles) that move with `drift` (2, vehicles).

        Where `stop`, a vehicle comes to rest within half of `within`, and stays.
        """
        east, north, up = place[0] - own.x, place[1] - own.y, place[2] - own.z
        far = np.hypot(east, north)
        # Somebody too low or too high climbs in circles, for without way nobody climbs.
        steep = CLIMB * np.tan(own.max_pitch) * far
        high = (own.max_pitch > 0) & (np.abs(up) > np.maximum(within, steep))
        steer = self.steer(own, east + drift[0], north + drift[1], within)
        round_ = circle_steer(own, place[:2], drift, 2 * turn_radius(own), np.ones(len(own)))
        carried = np.maximum(drift[0] * np.cos(own.yaw) + drift[1] * np.sin(own.yaw), 0.0)
        slow = np.minimum(speed, slowing(own, far - within / 2) + carried)
        return (
            np.where(high, round_, steer),
            np.where(stop & ~high, slow, speed),
            pitch_toward(own, place[2]),
        )


def still(count: int) -> F8:
    """The drift of places that do not move."""
    return np.zeros((2, count))


def crossed(before: F8, now: F8, first: F8, second: F8) -> F8:
    """+1 where the way from before to now crosses first-second toward its left, -1 toward its
    right, else 0; each (2, vehicles)."""
    line, way = second - first, now - before
    side = [line[0] * (p[1] - first[1]) - line[1] * (p[0] - first[0]) for p in (before, now)]
    ends = [way[0] * (p[1] - before[1]) - way[1] * (p[0] - before[0]) for p in (first, second)]
    through = (np.sign(side[0]) != np.sign(side[1])) & (ends[0] * ends[1] <= 0)
    return np.where(through, np.sign(side[1] - side[0]), 0.0)


def nearest_on_way(before: F8, now: F8, place: F8) -> F8:
    """How near the straight way from before to now comes to a place, each (2, vehicles), m."""
    way = now - before
    square = np.maximum((way**2).sum(axis=0), 1e-12)
    share = np.clip(((place - before) * way).sum(axis=0) / square, 0.0, 1.0)
    gap = before + share * way - place
    near: F8 = np.hypot(gap[0], gap[1])
    return near

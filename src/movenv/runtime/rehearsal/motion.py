"""Where the carriers of rehearsed phones truly are."""

from typing import NamedTuple, Protocol

import numpy as np
from pyproj import Geod

from movenv.gateways.part import Track
from movenv.scenario.build import Stage
from movenv.world.columns import F8, Rows
from movenv.world.core import Update
from movenv.world.frames import heading_deg
from movenv.world.messages import Health, Motions, Report

_EARTH = Geod(ellps="WGS84")


class Truth(NamedTuple):
    """Columns, one row a phone: degrees, metres, m/s."""

    lat: F8
    lon: F8
    alt: F8
    speed: F8
    course: F8


class Motion(Protocol):
    """Some carriers on their way."""

    def at(self, t: float, rows: Rows) -> Truth:
        """Where some of them are `t` seconds after the begin; `t` never goes back."""
        ...


class SimulatedMotion:
    """The real vehicles of a scenario, moved by the models, behaviors and missions it gives them.

    They know of each other, hear each other by radio and find each other, as in a run of their
    own. Rows count by vid.
    """

    def __init__(self, stage: Stage, rows: Rows) -> None:
        """`stage` is one in which everybody is virtual; `rows` of its roster are moved."""
        self._frame = stage.frame
        self._period = stage.time.period
        self._host = stage.host("rehearsal", rows)
        self._core = stage.core()
        self._motions, self._known = self._told(self._host.set())
        self._tick = 0
        self._by_vid = np.argsort(self._motions.vid)

    def _told(self, report: Report) -> tuple[Motions, Update]:
        """Where everyone is, and what a Core that hears nobody else makes of it."""
        self._core.take(report)
        return report.motions, self._core.tick(report.tick, report.t)

    def at(self, t: float, rows: Rows) -> Truth:
        while (self._tick + 1) * self._period <= t:
            self._tick += 1
            known = self._known
            vehicles = known.snapshot.vehicles
            heard = vehicles.take(vehicles.health == Health.HEARD)
            report = self._host.tick(self._tick, heard, known.notices, known.inbox, known.finds)
            self._motions, self._known = self._told(report)
        ahead = t - self._tick * self._period
        now = self._motions.take(self._by_vid[rows])
        x, y, z = (
            getattr(now, place) + getattr(now, velocity) * ahead
            for place, velocity in (("x", "vx"), ("y", "vy"), ("z", "vz"))
        )
        lat, lon, convergence = self._frame.columns_to_geodetic(x, y)
        over_ground = np.hypot(now.vx, now.vy).astype(float)
        course = heading_deg(np.arctan2(now.vy, now.vx), convergence)
        return Truth(lat, lon, z + self._frame.alt, over_ground, course)


class TrackMotion:
    """Tracks walked along, each begun again at its end, each phone some seconds later."""

    def __init__(self, tracks: list[Track], apart: float = 0.0) -> None:
        """`apart` is how many seconds one phone is behind the one before."""
        self._tracks = [_Legs(track) for track in tracks]
        self._apart = apart

    def at(self, t: float, rows: Rows) -> Truth:
        found = [self._tracks[row].at(t + self._apart * row) for row in rows]
        return Truth(*(np.array(column) for column in zip(*found, strict=True)))


class _Legs:
    """One track, with speed and course between its points."""

    def __init__(self, track: Track) -> None:
        self._t, self._lat, self._lon, self._alt = (
            np.array(column, float) for column in (track.t, track.lat, track.lon, track.alt)
        )
        course, _, length = _EARTH.inv(self._lon[:-1], self._lat[:-1], self._lon[1:], self._lat[1:])
        seconds = np.diff(self._t)
        self._speed = np.divide(length, seconds, where=seconds > 0, out=np.zeros(len(seconds)))
        self._course = np.asarray(course) % 360.0

    def at(self, t: float) -> tuple[float, float, float, float, float]:
        t = self._t[0] + t % (self._t[-1] - self._t[0])
        leg = min(int(np.searchsorted(self._t, t, "right")) - 1, len(self._speed) - 1)
        lat, lon, alt = (
            float(np.interp(t, self._t, column)) for column in (self._lat, self._lon, self._alt)
        )
        return lat, lon, alt, float(self._speed[leg]), float(self._course[leg])

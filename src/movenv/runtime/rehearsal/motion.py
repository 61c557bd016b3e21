"""Where the carriers of rehearsed phones truly are."""

from typing import NamedTuple, Protocol

import numpy as np
from pyproj import Geod

from movenv.gateways.part import Track
from movenv.scenario.build import Stage
from movenv.world.columns import F8, Rows
from movenv.world.frames import heading_deg
from movenv.world.run_state import RunState

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
    """The real vehicles of a scenario, moved by the models and behaviors it gives them.

    They know of each other as in a run, by a Core of their own, and of nobody else. Rows count by
    vid.
    """

    def __init__(self, stage: Stage, rows: Rows) -> None:
        """`stage` is one in which everybody is virtual; `rows` of its roster are moved."""
        self._frame = stage.frame
        self._period = stage.time.period
        self._host = stage.host("rehearsal", rows)
        self._core = stage.core()
        self._report = self._host.set()
        self._tick = 0
        self._by_vid = np.argsort(self._report.motions.vid)
        self._core.move(RunState.SET)
        self._core.take(self._report)
        self._told = self._core.tick(0, 0.0)
        self._core.move(RunState.GO)

    def at(self, t: float, rows: Rows) -> Truth:
        while (self._tick + 1) * self._period <= t:
            self._tick += 1
            told, everyone = self._told, self._told.snapshot.vehicles
            others = everyone.take(np.isfinite(everyone.x))
            heard = told.notices, told.inbox, told.finds
            self._report = self._host.tick(self._tick, others, *heard)
            self._core.take(self._report)
            self._told = self._core.tick(self._tick, round(self._tick * self._period, 9))
        ahead = t - self._tick * self._period
        now = self._report.motions.take(self._by_vid[rows])
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

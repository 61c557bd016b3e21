"""Search an area, call for help where somebody is found, wait there and stay with them."""

from enum import IntEnum
from typing import Any, ClassVar

import numpy as np
from pydantic import field_validator

from movenv.behaviors.guidance import Approach, can_stop, circle_steer, turn_radius, wanted_speed
from movenv.behaviors.others import Named, rows_of
from movenv.behaviors.search_and_report import SearchAndReport, SearchAndReportConfig
from movenv.behaviors.search_pattern import SearchPattern, SearchPatternConfig
from movenv.parts import (
    MAX_PAYLOAD,
    Behavior,
    BehaviorConfig,
    Broadcasts,
    Detections,
    Field,
    Moment,
    Notices,
    Own,
    Proposal,
    Setup,
    Sighting,
    VehicleName,
    VehicleStates,
)
from movenv.world.columns import Mask, VidIndex

ROUND = 2.0
"""Who cannot stop circles with so many times the turning radius, or `stay` where that is more."""
NAMED = {"target": "x", "x": 0.0, "y": 0.0, "z": 0.0}


class Phase(IntEnum):
    """What a rescuer is at."""

    SEARCH = 0
    CALL = 1
    """Waiting at the find until the responder is there."""
    ACCOMPANY = 2


class SearchAndRescueConfig(SearchPatternConfig, SearchAndReportConfig):
    """Search an area; on a find, report it, call, wait there, and stay with whom was found."""

    responder: VehicleName = Field(description="who is called for, and awaited")
    call: str = Field(
        "found {target} at {x:.1f} {y:.1f}",
        min_length=1,
        description="what is sent by radio; {target}, {x}, {y} and {z} stand for the find",
    )
    call_every: float = Field(3.0, gt=0, le=3600, description="time between two calls, s")
    arrived: float = Field(
        5.0, gt=0, le=1e5, description="the responder this near to the find has arrived, m"
    )
    stay: float = Field(5.0, gt=0, le=1e5, description="how far from the find one may be, m")

    @field_validator("call")
    @classmethod
    def _can_be_filled(cls, text: str) -> str:
        try:
            said = text.format(**NAMED)
        except (KeyError, IndexError, ValueError, AttributeError) as error:
            raise ValueError(f"only target, x, y and z may stand in braces: {error}") from None
        if len(said.encode()) > MAX_PAYLOAD // 2:
            raise ValueError(f"{len(said.encode())} bytes; {MAX_PAYLOAD // 2} are the most")
        return text


class SearchAndRescue(Behavior):
    Config: ClassVar[type[BehaviorConfig]] = SearchAndRescueConfig

    def __init__(self, setup: Setup) -> None:
        count = len(setup.vids)
        self._sweep = SearchPattern(setup)
        self._eyes = SearchAndReport(setup)
        self._approach = Approach(count)
        self._responder = Named(setup, "responder")
        self._names = dict(zip(setup.roster.vids.tolist(), setup.roster.names, strict=True))
        self._index = VidIndex(setup.vids)
        config = setup.config
        self._call, self._arrived, self._stay = config.call, config.arrived, config.stay
        self._call_every, self._speed = config.call_every, self._sweep.speed
        self.phase = np.full(count, Phase.SEARCH)
        self._target = np.zeros(count, np.uint32)
        self._place = np.zeros((3, count))
        self._drift = np.zeros((2, count))
        self._called = np.full(count, -np.inf)

    @classmethod
    def ends(cls, config: Any) -> bool:
        return False

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None:
        self._sweep.begin(own, begins, moment)
        self._eyes.begin(own, begins, moment)
        self._approach.begin(begins)
        self.phase = np.where(begins, Phase.SEARCH, self.phase)
        self._called = np.where(begins, -np.inf, self._called)

    def detect(self, own: Own, others: VehicleStates, moment: Moment) -> Detections | None:
        found = self._eyes.detect(own, others, moment)
        if found is None:
            return None
        row = self._index.rows(found.vid)
        new = (self.phase[row] == Phase.SEARCH) & (found.sighting != Sighting.LOST)
        # Rows come sorted by target; of several at once the first is the one to help.
        for i in np.flatnonzero(new)[::-1]:
            self._target[row[i]] = found.target[i]
            self._place[:, row[i]] = found.x[i], found.y[i], found.z[i]
        self.phase[row[new]] = Phase.CALL
        return found

    def speak(self, own: Own, others: VehicleStates, moment: Moment) -> Broadcasts | None:
        due = moment.t - self._called >= self._call_every - 1e-9
        rows = np.flatnonzero((self.phase == Phase.CALL) & due)
        if not len(rows):
            return None
        self._called[rows] = moment.t
        return Broadcasts(own.vid[rows], [self._words(row) for row in rows.tolist()])

    def _words(self, row: int) -> bytes:
        x, y, z = self._place[:, row].tolist()
        target = self._names[int(self._target[row])]
        said: str = self._call[row].format(target=target, x=x, y=y, z=z)
        return said.encode()[:MAX_PAYLOAD]

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        self._follow(others)
        searching = self.phase == Phase.SEARCH
        flown = searching & self._sweep.done(own, others, moment)
        if flown.any():
            self._sweep.begin(own, flown, moment)  # nobody found: once more
        sweep = self._sweep.propose(own, others, notices, moment)
        speed, stop = wanted_speed(own, self._speed), can_stop(own)
        place = np.array([self._place[0], self._place[1], self._sweep.height])
        toward = self._approach.toward(own, place, self._drift, self._stay, speed, stop)
        radius = np.maximum(ROUND * turn_radius(own), self._stay)
        round_ = circle_steer(own, place[:2], self._drift, radius, np.ones(len(own)))
        steer = np.where(stop, toward[0], round_)
        return Proposal(
            np.ones(len(own), np.bool_),
            np.where(searching, sweep.steer, steer),  # type: ignore[arg-type]
            np.where(searching, sweep.speed, toward[1]),  # type: ignore[arg-type]
            np.where(searching, sweep.pitch, toward[2]),  # type: ignore[arg-type]
        )

    def _follow(self, others: VehicleStates) -> None:
        """Where the found are now, or who came to help, and whether help is there."""
        after = self.phase != Phase.SEARCH
        known, row = rows_of(self._target, others)
        helped, helper = self._responder.rows(others)
        lost = (self.phase == Phase.ACCOMPANY) & ~known & helped
        row, known = np.where(lost, helper, row), (known | lost) & after
        at = row[known]
        self._place[:, known] = others.x[at], others.y[at], others.z[at]
        self._drift[:] = 0.0
        self._drift[:, known] = others.vx[at], others.vy[at]
        gap = np.full(len(known), np.inf)
        by = helper[helped]
        gap[helped] = np.hypot(
            others.x[by] - self._place[0, helped], others.y[by] - self._place[1, helped]
        )
        there = (self.phase == Phase.CALL) & (gap <= self._arrived)
        self.phase[there] = Phase.ACCOMPANY

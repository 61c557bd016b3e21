"""Circle round a place or a vehicle."""

from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import model_validator

from movenv.behaviors.guidance import circle_steer, numbers, tightest, wanted_speed
from movenv.behaviors.others import Named
from movenv.parts import (
    Behavior,
    BehaviorConfig,
    Field,
    Moment,
    Notices,
    Own,
    Point,
    Proposal,
    Setup,
    VehicleStates,
    pitch_toward,
    wrapped,
)
from movenv.parts.config import Reference, exactly_one
from movenv.world.columns import Mask

ON_IT = 0.2
"""Laps count from when a vehicle is this share of the radius near the circle."""


class CircleConfig(BehaviorConfig):
    """Circle round a place or a vehicle; done after some laps."""

    center: Point | None = Field(None, description="the middle; a height in it is kept")
    around: Annotated[str | None, Reference("vehicle")] = Field(
        None, description="instead of a center: the vehicle to circle round"
    )
    radius: float = Field(20.0, gt=0, le=1e5, description="m; not below what the vehicle can turn")
    direction: Literal["left", "right"] = Field("left", description="which way it turns")
    speed: float | None = Field(None, gt=0, le=1000, description="m/s; default: the cruising speed")
    laps: float | None = Field(None, gt=0, le=1e6, description="how many rounds; default: for ever")
    above: float | None = Field(
        None, ge=-1e5, le=1e5, description="height over `around`, m; default: as high as it began"
    )

    @model_validator(mode="after")
    def _one_middle(self) -> "CircleConfig":
        exactly_one(self, ("center", "around"))
        if self.above is not None and self.around is None:
            raise ValueError("above goes with around; a center has a height of its own")
        return self


class Circle(Behavior):
    Config: ClassVar[type[BehaviorConfig]] = CircleConfig

    def __init__(self, setup: Setup) -> None:
        count = len(setup.vids)
        _, group = setup.config.each()
        centers = setup.config.distinct("center")
        nowhere = (np.nan, np.nan, None)
        places = [nowhere if center is None else setup.local(center) for center in centers]
        self._at = np.array([[x, y, np.nan if z is None else z] for x, y, z in places]).T[:, group]
        self._named = Named(setup, "around")
        self._radius = setup.config.radius
        self._check(setup)
        self._turn = np.where(setup.config.direction == "left", 1.0, -1.0)
        self._speed = numbers(setup, "speed")
        self._laps = numbers(setup, "laps")
        self._above = numbers(setup, "above")
        self._place = self._at.copy()
        self._drift = np.zeros((2, count))
        self._bearing = np.full(count, np.nan)
        self._turned = np.zeros(count)
        self._height = np.zeros(count)

    def _check(self, setup: Setup) -> None:
        least = tightest(setup.abilities["length"], setup.abilities["max_steer"])
        narrow = self._radius < least
        if narrow.any():
            i = int(np.argmax(narrow))
            name = setup.roster.names[int(np.searchsorted(setup.roster.vids, setup.vids[i]))]
            raise ValueError(
                f"a circle of {self._radius[i]:g} m is too small for '{name}', "
                f"which turns within {least[i]:.1f} m at best"
            )

    @classmethod
    def ends(cls, config: Any) -> bool:
        return config.laps is not None

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None:
        self._turned = np.where(begins, 0.0, self._turned)
        self._bearing = np.where(begins, np.nan, self._bearing)
        self._height = np.where(begins, own.z, self._height)
        # Until the vehicle in the middle has been heard, round where this one began.
        here = np.where(np.isnan(self._at), [own.x, own.y, own.z], self._at)
        self._place = np.where(begins, here, self._place)

    def done(self, own: Own, others: VehicleStates, moment: Moment) -> Mask:
        return self._turned >= 2 * np.pi * self._laps

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        self._find(others)
        self._count(own)
        steer = circle_steer(own, self._place[:2], self._drift, self._radius, self._turn)
        over = self._turned >= 2 * np.pi * self._laps
        pitch = pitch_toward(own, self._place[2])
        return Proposal(~over, steer, wanted_speed(own, self._speed), pitch)

    def _find(self, others: VehicleStates) -> None:
        """Where the vehicles in the middle are now; those not heard stay where they were."""
        known, row = self._named.rows(others)
        at = row[known]
        self._place[0, known], self._place[1, known] = others.x[at], others.y[at]
        self._drift[:, known] = others.vx[at], others.vy[at]
        self._drift[:, ~known] = 0.0
        over = known & ~np.isnan(self._above)
        self._place[2] = np.where(np.isnan(self._at[2]), self._height, self._at[2])
        self._place[2, over] = others.z[row[over]] + self._above[over]

    def _count(self, own: Own) -> None:
        east, north = own.x - self._place[0], own.y - self._place[1]
        bearing = np.arctan2(north, east)
        on_it = np.abs(np.hypot(east, north) - self._radius) < ON_IT * self._radius
        gained = self._turn * wrapped(bearing - self._bearing)
        counted = on_it & ~np.isnan(gained)
        self._turned = np.maximum(self._turned + np.where(counted, gained, 0.0), 0.0)
        self._bearing = bearing

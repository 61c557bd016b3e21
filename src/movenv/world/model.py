"""What a mobility model is: columns of state that obey commands."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from movenv.world.columns import F8
from movenv.world.kinds import Kind
from movenv.world.stride import Stride

COMMAND = ("steer", "speed", "pitch")
"""What a model is told: steer angle (rad, left positive), speed (m/s), pitch (rad, up positive)."""

PEDALS = ("throttle", "brake", "gear")
"""What a model that has them may be told in place of a speed: 0 to 1, 0 to 1, and -1, 0 or 1."""

MOTION = ("x", "y", "z", "yaw", "pitch", "roll", "speed", "vx", "vy", "vz")
"""What a model shows: place and velocity in the inertial frame, attitude, forward speed."""

ABILITIES = (
    "length",
    "cruise_speed",
    "min_speed",
    "max_speed",
    "max_acceleration",
    "max_steer",
    "max_pitch",
)
"""What behaviors may know of a vehicle's build; 0 where its model does not say."""

LIMITS = ("max_steer_rate", "max_braking", "max_lateral", "rolling")
"""What those who meet a vehicle may know besides; 0 where its model does not say."""


BODY = ("body_length", "body_width", "body_height")
"""The box that a vehicle fills, as others' sensors meet it, m; it stands on the vehicle's place."""


class Model(ABC):
    """The vehicles of one model on one host, advanced together.

    A model names its `Config` (what the scenario file may say of it) and its parameters, completes
    a config with the defaults of a kind, and integrates with `rk4`.
    """

    Config: ClassVar[type[Any]]
    parameter_names: ClassVar[tuple[str, ...]]
    takes_pedals: ClassVar[bool] = False
    """Whether it looks at `pedals`: PEDALS (3, vehicles), nan where the speed counts."""

    def __init__(self, parameters: F8, start: F8) -> None:
        """Both as (columns, vehicles): `parameter_names`, and where the vehicles begin (MOTION)."""
        self.parameters: F8 = np.ascontiguousarray(parameters)
        self.motion: F8 = np.array(start, order="C")
        self.pedals: F8 = np.full((len(PEDALS), self.motion.shape[1]), np.nan)

    def stand_on(self, terrain: Any) -> None:  # noqa: B027 - most models float above it
        """Be told of the ground (a `Terrain`), once, before anything moves."""

    @classmethod
    @abstractmethod
    def complete(cls, config: Any, kind: Kind) -> dict[str, float]:
        """Every parameter, `speed` (cruising) and `length` for a vehicle of this kind.

        Raises ValueError with words for the user when they cannot go together.
        """

    @abstractmethod
    def advance(self, command: F8, h: float, steps: int) -> None:
        """Move everyone by `steps` steps of `h` seconds and refresh `motion`."""

    def advance_by(self, command: F8, strides: Sequence[Stride]) -> None:
        """The same with steps of each stride's own, which together have everyone once."""
        raise NotImplementedError(f"{type(self).__name__} has one step for all")

    def befallen(self) -> list[tuple[int, str]]:
        """What happened to whom (its row) while it moved last, in words; mostly nothing."""
        return []

    @classmethod
    def adapts(cls) -> bool:
        """Whether it can take steps of several lengths."""
        return cls.advance_by is not Model.advance_by


def stride(
    integrate: Callable[..., None], tables: tuple[F8, F8, F8, F8], strides: Sequence[Stride]
) -> None:
    """Let a model's kernel integrate (state, command, parameters, motion) stride by stride."""
    for rows, h, steps in strides:
        some = [np.ascontiguousarray(table[:, rows]) for table in tables]
        integrate(*some, h, steps)
        for k in (0, 3):
            tables[k][:, rows] = some[k]

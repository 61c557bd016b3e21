"""What drivers, the Core and hosts say to each other about the wheels of vehicles."""

import math
from typing import ClassVar

import msgspec

from movenv.runtime.live.bus import ROOT
from movenv.runtime.live.wire import Garbled, Message

WHEEL = f"{ROOT}/wheel"
"""Where the Core is asked for wheels."""
WHEEL_RELEASE = f"{ROOT}/wheel_release"
MOST_AUTHORITY = 255


def turns_key(vid: int | str) -> str:
    """Of what a driver does, to the host of its vehicle; `*` stands for any."""
    return f"{ROOT}/turns/{vid}"


def dashboard_key(vid: int | str) -> str:
    """Of what a vehicle that is driven shows its driver, from its host."""
    return f"{ROOT}/dashboard/{vid}"


class WheelRequest(Message):
    """Driver → Core: the wheel, please; or again, as it must be said every so often."""

    kind: ClassVar[int] = 30

    vehicle: str
    who: str
    person: bool
    """Whether a person drives, and not a program."""
    authority: int
    """0 to 255: whoever has more takes the wheel from who has less."""
    ticket: int = 0
    """Of the wheel that it has already; 0 for none."""


class WheelGiven(Message):
    """Core → driver: it is yours for a while."""

    kind: ClassVar[int] = 31

    vid: int
    ticket: int
    lease: float
    """To be asked for again within so many s."""


class WheelRelease(Message):
    """Driver or operator → Core: nobody drives it from now on."""

    kind: ClassVar[int] = 32

    vehicle: str
    who: str
    ticket: int = 0
    """Of who has it; 0 for an operator, who may take it from anybody."""
    braked: bool = False
    """Whether it brakes until somebody takes the wheel, and does not do as before."""


class WheelReleased(Message):
    """Core → whoever released it: it is so."""

    kind: ClassVar[int] = 33

    vid: int


class Turn(Message):
    """Driver → host: how the wheel and the pedals stand now."""

    kind: ClassVar[int] = 34

    ticket: int
    sequence: int
    """Rises from turn to turn; an older one does not undo a newer one."""
    steer: float
    throttle: float
    brake: float
    gear: int = 1
    pitch: float = 0.0

    def checked(self) -> "Turn":
        """The same within its limits. Raises Garbled for numbers that are none."""
        given = self.steer, self.throttle, self.brake, self.pitch
        if not all(math.isfinite(number) for number in given):
            raise Garbled("a wheel that stands nowhere")
        return msgspec.structs.replace(
            self,
            steer=min(max(self.steer, -1.0), 1.0),
            throttle=min(max(self.throttle, 0.0), 1.0),
            brake=min(max(self.brake, 0.0), 1.0),
            gear=min(max(self.gear, -1), 1),
            pitch=min(max(self.pitch, -1.0), 1.0),
        )


class Dashboard(Message):
    """Host → driver: where the vehicle is once it has lived through a tick with a turn."""

    kind: ClassVar[int] = 35

    vid: int
    tick: int
    t: float
    ticket: int
    sequence: int
    """Of the turn that it lived with; 0 before the first."""
    motion: list[float]
    """MOTION of the vehicle, in local metres and radians."""
    wheel: tuple[float, float, float, int, float]
    """How it stood: steer, throttle, brake, gear and pitch of the turn."""
    silence: float
    """How long ago the driver was heard, s; inf for never."""

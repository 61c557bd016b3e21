"""The messages: control, state, liveness, identity, poses, velocity and wrench effort.

What a message does not tell is nan or None. Units are those of the wire: degrees for latitude and
longitude, radians, metres, seconds, per cent.
"""

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated

from movenv.gateways.fix import NAN
from movenv.gateways.jaus.layout import Integer, Scaled, Text, TimeStamp, Whom
from movenv.gateways.jaus.message import Message
from movenv.gateways.jaus.packet import Address
from movenv.gateways.jaus.scaled import Dialect
from movenv.gateways.jaus.stamp import Stamp

Byte = Annotated[int, Integer(1)]
Short = Annotated[int, Integer(2)]
Long = Annotated[int, Integer(4)]
Moment = Annotated[Stamp | None, TimeStamp()]

PI = math.pi
Angle = Annotated[float, Scaled(2, -PI, PI)]
AngleRms = Annotated[float, Scaled(2, 0.0, PI)]
Rms = Annotated[float, Scaled(4, 0.0, 100.0)]
Far = Annotated[float, Scaled(4, -100_000.0, 100_000.0)]
Velocity = Annotated[float, Scaled(4, -327.68, 327.67, reference=(-65.534, 65.534))]
Rate = Annotated[float, Scaled(2, -32.768, 32.767, reference=(-32.767, 32.767))]
Propulsive = Annotated[float, Scaled(2, -100.0, 100.0)]
Resistive = Annotated[float, Scaled(1, 0.0, 100.0)]

ACCESS = (Dialect.SAE,)
"""Access Control of AS5710 has these, the Reference Architecture has not, or has others."""
STOP = 1
"""The only emergency there is."""


class Confirmed(IntEnum):
    """What became of a request for control."""

    ACCEPTED = 0
    NOT_AVAILABLE = 1
    INSUFFICIENT_AUTHORITY = 2


class Rejected(IntEnum):
    RELEASED = 0
    NOT_AVAILABLE = 1


class Status(IntEnum):
    INITIALIZE = 0
    READY = 1
    STANDBY = 2
    SHUTDOWN = 3
    FAILURE = 4
    EMERGENCY = 5


class Identified(IntEnum):
    """Of whom an identification is asked and told."""

    SYSTEM = 1
    SUBSYSTEM = 2
    NODE = 3
    COMPONENT = 4


class Shutdown(Message, code=0x0002):
    pass


class Standby(Message, code=0x0003):
    pass


class Resume(Message, code=0x0004):
    pass


class Reset(Message, code=0x0005):
    pass


@dataclass(frozen=True)
class SetEmergency(Message, code=0x0006):
    emergency: Short = STOP


@dataclass(frozen=True)
class ClearEmergency(Message, code=0x0007):
    emergency: Short = STOP


@dataclass(frozen=True)
class RequestControl(Message, code=0x000D):
    authority: Byte


class ReleaseControl(Message, code=0x000E):
    pass


@dataclass(frozen=True)
class ConfirmControl(Message, code=0x000F):
    response: Byte = Confirmed.ACCEPTED


@dataclass(frozen=True)
class RejectControl(Message, code=0x0010):
    response: Annotated[int, Integer(1, only=Dialect.SAE)] = Rejected.RELEASED


class QueryControl(Message, code=0x200D):
    pass


@dataclass(frozen=True)
class ReportControl(Message, code=0x400D):
    controller: Annotated[Address, Whom()]
    """All zeros when nobody is in control."""
    authority: Byte


@dataclass(frozen=True)
class SetAuthority(Message, code=0x0001, dialects=ACCESS):
    authority: Byte
    """Not more than that with which its sender is in control."""


class QueryAuthority(Message, code=0x2001):
    pass


@dataclass(frozen=True)
class ReportAuthority(Message, code=0x4001):
    authority: Byte
    """Of who is in control; 0 where nobody is."""


class QueryTimeout(Message, code=0x2003, dialects=ACCESS):
    pass


@dataclass(frozen=True)
class ReportTimeout(Message, code=0x4003, dialects=ACCESS):
    timeout: Byte
    """After so much silence a controller is lost, s; 0 for never."""


class QueryStatus(Message, code=0x2002):
    pass


@dataclass(frozen=True)
class ReportStatus(Message, code=0x4002):
    status: Byte
    secondary: Long = 0
    """Of the component's own making; reserved in AS5710."""


class QueryHeartbeatPulse(Message, code=0x2202):
    pass


class ReportHeartbeatPulse(Message, code=0x4202):
    pass


@dataclass(frozen=True)
class QueryIdentification(Message, code=0x2B00):
    of: Byte = Identified.SUBSYSTEM


@dataclass(frozen=True)
class ReportIdentification(Message, code=0x4B00):
    of: Byte
    authority: Annotated[int, Integer(1, only=Dialect.REFERENCE)] = 0
    kind: Short = 0
    """In AS5710: 10001 vehicle, 20001 operator's control unit, 40001 node, 60001 component."""
    name: Annotated[str, Text(80, counted=True)] = ""


@dataclass(frozen=True)
class QueryGlobalPose(Message, code=0x2402):
    wanted: Short = 0x1FF
    """The presence vector that the report should have."""


@dataclass(frozen=True)
class ReportGlobalPose(Message, code=0x4402, presence=2):
    latitude: Annotated[float, Scaled(4, -90.0, 90.0)] = NAN
    longitude: Annotated[float, Scaled(4, -180.0, 180.0)] = NAN
    altitude: Annotated[float, Scaled(4, -10_000.0, 35_000.0)] = NAN
    position_rms: Rms = NAN
    roll: Angle = NAN
    pitch: Angle = NAN
    yaw: Angle = NAN
    attitude_rms: AngleRms = NAN
    time: Moment = None


@dataclass(frozen=True)
class QueryLocalPose(Message, code=0x2403):
    wanted: Short = 0x1FF


@dataclass(frozen=True)
class ReportLocalPose(Message, code=0x4403, presence=2):
    x: Far = NAN
    y: Far = NAN
    z: Annotated[float, Scaled(4, -100_000.0, 100_000.0, reference=(-10_000.0, 35_000.0))] = NAN
    position_rms: Rms = NAN
    roll: Angle = NAN
    pitch: Angle = NAN
    yaw: Angle = NAN
    attitude_rms: AngleRms = NAN
    time: Moment = None


@dataclass(frozen=True)
class QueryVelocityState(Message, code=0x2404):
    wanted: Short = 0x1FF


@dataclass(frozen=True)
class ReportVelocityState(Message, code=0x4404, presence=2):
    x: Velocity = NAN
    y: Velocity = NAN
    z: Velocity = NAN
    velocity_rms: Rms = NAN
    roll_rate: Rate = NAN
    pitch_rate: Rate = NAN
    yaw_rate: Rate = NAN
    rate_rms: AngleRms = NAN
    time: Moment = None


@dataclass(frozen=True)
class WrenchEffort(Message):
    """Effort along and about forward, right and down; against motion, `resistive`."""

    propulsive_x: Propulsive = NAN
    propulsive_y: Propulsive = NAN
    propulsive_z: Propulsive = NAN
    propulsive_roll: Propulsive = NAN
    propulsive_pitch: Propulsive = NAN
    propulsive_yaw: Propulsive = NAN
    resistive_x: Resistive = NAN
    resistive_y: Resistive = NAN
    resistive_z: Resistive = NAN
    resistive_roll: Resistive = NAN
    resistive_pitch: Resistive = NAN
    resistive_yaw: Resistive = NAN


class SetWrenchEffort(WrenchEffort, code=0x0405, presence=2):
    pass


@dataclass(frozen=True)
class QueryWrenchEffort(Message, code=0x2405):
    wanted: Short = 0xFFF


class ReportWrenchEffort(WrenchEffort, code=0x4405, presence=2):
    pass

"""What the author of a part needs: import from here."""

from pydantic import Field

from movenv.parts.config import (
    AreaName,
    BehaviorConfig,
    LevelName,
    ModelConfig,
    SightRange,
    Span,
    Strict,
    TimeSpan,
)
from movenv.parts.setup import ConfigColumns, Setup
from movenv.parts.single import Command, SingleVehicleBehavior
from movenv.world.behavior import (
    Behavior,
    Moment,
    Own,
    Proposal,
    pitch_toward,
    steer_by,
    steer_toward,
    wrapped,
)
from movenv.world.messages import Detections, Notices, Roster, Sighting, VehicleStates

__all__ = [
    "AreaName",
    "Behavior",
    "BehaviorConfig",
    "Command",
    "ConfigColumns",
    "Detections",
    "Field",
    "LevelName",
    "ModelConfig",
    "Moment",
    "Notices",
    "Own",
    "Proposal",
    "Roster",
    "Setup",
    "SightRange",
    "Sighting",
    "SingleVehicleBehavior",
    "Span",
    "Strict",
    "TimeSpan",
    "VehicleStates",
    "pitch_toward",
    "steer_by",
    "steer_toward",
    "wrapped",
]

"""What the author of a part needs: import from here."""

from pydantic import Field

from movenv.parts.config import (
    AreaName,
    BehaviorConfig,
    GoalPoint,
    LevelName,
    ModelConfig,
    Name,
    Point,
    RouteName,
    SightRange,
    Span,
    Strict,
    TimeSpan,
    VehicleName,
)
from movenv.parts.setup import ConfigColumns, Setup
from movenv.parts.single import Command, SingleVehicleBehavior
from movenv.world.behavior import (
    Behavior,
    Moment,
    Own,
    Proposal,
    Wish,
    pitch_toward,
    steer_by,
    steer_toward,
    wrapped,
)
from movenv.world.messages import (
    MAX_PAYLOAD,
    Broadcasts,
    Detections,
    Inbox,
    Notices,
    Remark,
    Roster,
    Sighting,
    VehicleStates,
)
from movenv.world.orders import Order

__all__ = [
    "MAX_PAYLOAD",
    "AreaName",
    "Behavior",
    "BehaviorConfig",
    "Broadcasts",
    "Command",
    "ConfigColumns",
    "Detections",
    "Field",
    "GoalPoint",
    "Inbox",
    "LevelName",
    "ModelConfig",
    "Moment",
    "Name",
    "Notices",
    "Order",
    "Own",
    "Point",
    "Proposal",
    "Remark",
    "Roster",
    "RouteName",
    "Setup",
    "SightRange",
    "Sighting",
    "SingleVehicleBehavior",
    "Span",
    "Strict",
    "TimeSpan",
    "VehicleName",
    "VehicleStates",
    "Wish",
    "pitch_toward",
    "steer_by",
    "steer_toward",
    "wrapped",
]

"""How far missions are, as it stands in a summary."""

from typing import Annotated

import msgspec


class MissionStepRecord(msgspec.Struct):
    """One vehicle's step, and since when (s)."""

    vid: int
    name: str
    number: Annotated[int, msgspec.Meta(ge=0, le=255)]
    """As in the `step` column of snapshots: 0 not begun, 255 over."""
    step: str
    since: float | None


class MissionsRecord(msgspec.Struct):
    """How many vehicles have missions, and how far they are."""

    vehicles: int
    over: int
    at: dict[str, int]
    """How many are on each step, by its name."""
    each: list[MissionStepRecord] = []
    """One by one, where they are few."""
    last: int = 0
    """How many are on their last step."""

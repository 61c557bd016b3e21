"""How the wheel of a vehicle stood that was driven from outside."""

import msgspec


class WheelRecord(msgspec.Struct):
    """Wheel and pedals that a vehicle lived with through the tick that ended at time t (s)."""

    t: float
    tick: int
    vid: int
    sequence: int
    """Number of the driver's turn; 0 before the first."""
    steer: float
    """Share of the largest angle, -1 to 1, left positive."""
    throttle: float
    brake: float
    gear: int
    """1 forward, 0 neutral, -1 reverse."""
    pitch: float
    silence: float | None
    """How long ago the driver was heard, s; None where there is nobody. Silent for longer than
    `dead_man` of the behavior `driven`, the vehicle braked, however the wheel stood."""

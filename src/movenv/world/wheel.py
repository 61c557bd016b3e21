"""At the wheel: what those do who drive a vehicle, a person at a page or a program outside."""

from movenv.world.columns import F8, U4, Table


class Wheels(Table):
    """The vehicles that somebody has taken the wheel of, and what is done with it."""

    vid: U4
    steer: F8
    """Share of the largest steer angle, left positive: -1 to 1."""
    throttle: F8
    """0 to 1."""
    brake: F8
    """0 to 1."""
    gear: F8
    """1 forward, 0 neutral, -1 reverse."""
    pitch: F8
    """Share of the largest pitch angle, up positive: -1 to 1; for what flies or dives."""
    silence: F8
    """How long ago the driver was last heard, s; inf where there is nobody any more."""

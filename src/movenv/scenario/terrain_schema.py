"""The ground as a scenario says it."""

from movenv.parts.config import Strict


class Terrain(Strict):
    """What stands and lies on the ground."""

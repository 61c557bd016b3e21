"""The ground of a scenario in local metres."""

from movenv.scenario.document import Document
from movenv.scenario.terrain_schema import Terrain as TerrainSpec
from movenv.terrain.features import NO_TERRAIN, Terrain
from movenv.world.frames import Frame


def terrain_of(spec: TerrainSpec, frame: Frame, document: Document) -> Terrain:
    """Raises TerrainError, which says where."""
    return NO_TERRAIN

"""Where the materials of a height map hold worse than usual, as patches."""

import numpy as np
import scipy
import shapely

from movenv.terrain.cell_outlines import region_outlines
from movenv.terrain.features import SoilPatch, Terrain

MOST = 2_000
"""Of more patches of one grip than this, all of the map is taken to be one."""


def poor_materials(terrain: Terrain) -> list[SoilPatch]:
    """The patches of each grip that is below that of the terrain."""
    relief = terrain.relief
    if relief is None or relief.materials is None:
        return []
    found: list[SoilPatch] = []
    grips = relief.materials.soils[1]
    for grip in np.unique(grips[grips < terrain.grip]).tolist():
        regions, count = scipy.ndimage.label((grips == grip)[relief.materials.kinds])
        if count > MOST:
            grounds = [shapely.box(*relief.bounds)]
        else:
            grounds = region_outlines(regions, relief) if count else []
        found += [SoilPatch("", ground, 1.0, grip) for ground in grounds]
    return found

"""How far poor soil is, against shapely."""

import numpy as np
import shapely

from movenv.terrain.features import NO_TERRAIN, Road, SoilPatch, Terrain
from movenv.terrain.poor_soil import PoorSoil


def test_poor_soil_is_as_far_as_shapely_says_also_beneath_a_road() -> None:
    rng = np.random.default_rng(2)
    ice = [shapely.Point(*rng.uniform(-900, 900, 2)).buffer(rng.uniform(5, 200)) for _ in range(9)]
    mud = [shapely.Point(*rng.uniform(-900, 900, 2)).buffer(rng.uniform(5, 90)) for _ in range(9)]
    gravel = shapely.box(-1000, -1000, 0, 0)
    patches = [SoilPatch("ice", ground, 0.4, 0.12) for ground in ice]
    patches += [SoilPatch("mud", ground, 0.3, 0.4) for ground in mud]
    patches += [SoilPatch("gravel", gravel, 0.9, 0.7)]
    road = Road("road", np.array([[-900.0, 0.0], [900.0, 0.0]]), 8.0, grip=1.0)
    poor = PoorSoil(Terrain(soils=tuple(patches), roads=(road,), grip=0.7))
    assert poor.grips.tolist() == [0.12, 0.4]
    x, y, within = [*rng.uniform(-1200, 1200, (2, 500)).tolist(), rng.uniform(0, 400, 500)]
    found = poor.far(np.array(x), np.array(y), within)
    places = shapely.points(x, y)
    on_ice = shapely.distance(places, shapely.union_all(ice))
    on_mud = shapely.distance(places, shapely.union_all(mud))
    assert np.allclose(found[:, 0], np.where(on_ice <= within, on_ice, np.inf), atol=1e-9)
    # Where mud lies on ice the ice counts.
    beside = on_ice > 0
    expected = np.where(on_mud <= within, on_mud, np.inf)
    assert np.allclose(found[beside, 1], expected[beside], atol=1e-9)
    assert (on_ice == 0).sum() > 20


def test_where_there_is_none_nothing_is_near() -> None:
    assert PoorSoil(NO_TERRAIN).far(np.zeros(3), np.zeros(3), np.full(3, 1e9)).shape == (3, 0)

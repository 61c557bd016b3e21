"""Frames against PROJ's own transformations and geodesics."""

import numpy as np
import pytest
from pyproj import CRS, Geod, Proj, Transformer
from pyproj.aoi import AreaOfInterest
from pyproj.database import query_utm_crs_info

from movenv.world.frames import (
    Frame,
    body_to_inertial,
    heading_deg,
    inertial_to_body,
    rotation,
    utm_zone,
    yaw_of_heading,
)

ORIGINS = {
    "daytona": (29.193111, -81.046171),
    "zone edge": (45.0, 5.9999),
    "just over the edge": (45.0, 6.0001),
    "south": (-33.9, 151.2),
    "on the equator": (0.001, 100.4),
    "80 north": (80.0, -100.0),
    "80 north, zone edge": (80.0, -102.0001),
    "79.9 south": (-79.9, 40.0),
    "date line": (52.0, 179.999),
}
GEOD = Geod(ellps="WGS84")


def around(lat: float, lon: float, count: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Places up to 100 km from an origin, by geodesics."""
    rng = np.random.default_rng(1)
    far = rng.uniform(0, 100_000, count)
    lons, lats, _ = GEOD.fwd(
        np.full(count, lon), np.full(count, lat), rng.uniform(0, 360, count), far
    )
    return np.asarray(lats), np.asarray(lons)


@pytest.mark.parametrize("place", ORIGINS)
def test_round_trip_within_100_km_stays_below_a_millimetre(place: str) -> None:
    frame = Frame(*ORIGINS[place], alt=12.0)
    lat, lon = around(*ORIGINS[place])
    x, y, z = frame.to_local(lat, lon, 30.0)
    back_lat, back_lon, back_alt = frame.to_geodetic(x, y, z)
    _, _, error = GEOD.inv(lon, lat, back_lon, back_lat)
    assert np.max(error) < 1e-3
    assert back_alt == pytest.approx(30.0)


@pytest.mark.parametrize("place", ORIGINS)
def test_local_coordinates_are_those_of_the_origins_epsg_zone(place: str) -> None:
    lat0, lon0 = ORIGINS[place]
    frame = Frame(lat0, lon0)
    code = (32700 if lat0 < 0 else 32600) + utm_zone(lat0, lon0)
    to_utm = Transformer.from_crs(CRS.from_epsg(4326), CRS.from_epsg(code), always_xy=True)
    lat, lon = around(lat0, lon0)
    x, y, _ = frame.to_local(lat, lon)
    east0, north0 = to_utm.transform(lon0, lat0)
    east, north = to_utm.transform(lon, lat)
    assert np.max(np.abs(x - (np.asarray(east) - east0))) < 1e-6
    assert np.max(np.abs(y - (np.asarray(north) - north0))) < 1e-6


@pytest.mark.parametrize("place", ORIGINS)
def test_fast_columns_agree_with_proj_to_a_hundredth_of_a_millimetre(place: str) -> None:
    frame = Frame(*ORIGINS[place])
    lat, lon = around(*ORIGINS[place])
    x, y, _ = frame.to_local(lat, lon)
    fast_lat, fast_lon, convergence = frame.columns_to_geodetic(x, y)
    _, _, error = GEOD.inv(lon, lat, fast_lon, fast_lat)
    assert np.max(error) < 1e-5
    proj = Proj(proj="utm", zone=frame.zone, south=frame.south, ellps="WGS84")
    factors = proj.get_factors(lon, lat)
    assert np.degrees(convergence) == pytest.approx(factors.meridian_convergence, abs=1e-6)


def test_x_and_y_run_on_smoothly_across_the_equator_and_the_zone_edge() -> None:
    for frame, step in ((Frame(-0.001, 100.0), (1e-5, 0.0)), (Frame(45.0, 5.999), (0.0, 1e-5))):
        lat = frame.lat + step[0] * np.arange(400)
        lon = frame.lon + step[1] * np.arange(400)
        x, y, _ = frame.to_local(lat, lon)
        strides = np.hypot(np.diff(x), np.diff(y))
        assert strides.max() / strides.min() < 1.0001


@pytest.mark.parametrize(
    ("lat", "lon"), [(29.2, -81.0), (60.0, 2.9), (-45.0, 170.0), (10.0, -179.9), (-1.0, 6.1)]
)
def test_zones_are_those_of_the_epsg_registry(lat: float, lon: float) -> None:
    area = AreaOfInterest(lon - 1e-3, lat - 1e-3, lon + 1e-3, lat + 1e-3)
    found = query_utm_crs_info("WGS 84", area, contains=True)
    assert {int(info.code) % 100 for info in found} == {utm_zone(lat, lon)}


def test_norway_and_svalbard_have_their_own_zones() -> None:
    assert utm_zone(60.0, 4.0) == 32
    assert [utm_zone(78.0, lon) for lon in (5.0, 15.0, 25.0, 40.0)] == [31, 33, 35, 37]


def test_an_origin_outside_utm_is_refused() -> None:
    with pytest.raises(ValueError, match="outside UTM"):
        Frame(85.0, 0.0)


@pytest.mark.parametrize("place", ["daytona", "80 north, zone edge", "79.9 south"])
def test_heading_is_the_true_azimuth_of_the_motion(place: str) -> None:
    frame = Frame(*ORIGINS[place])
    lat, lon = around(*ORIGINS[place], count=50)
    x, y, _ = frame.to_local(lat, lon)
    yaw = np.linspace(-3.1, 3.1, len(x))
    ahead = frame.to_geodetic(x + 10 * np.cos(yaw), y + 10 * np.sin(yaw))
    azimuth, _, _ = GEOD.inv(lon, lat, ahead[1], ahead[0])
    _, _, convergence = frame.columns_to_geodetic(x, y)
    shown = heading_deg(yaw, convergence)
    difference = (shown - np.asarray(azimuth) + 180) % 360 - 180
    assert np.max(np.abs(difference)) < 2e-4
    assert np.max(np.abs(np.sin(yaw_of_heading(shown, convergence) - yaw))) < 1e-9


def test_heading_stays_below_360() -> None:
    assert heading_deg(np.pi / 2 + 1e-17, 0.0) < 360
    assert float(heading_deg(np.pi / 2, 0.0)) == 0.0


def test_body_axes_point_where_they_should() -> None:
    forward, left, up = np.eye(3)
    assert body_to_inertial(forward, np.pi / 2) == pytest.approx([0, 1, 0], abs=1e-12)
    assert body_to_inertial(left, 0.0) == pytest.approx([0, 1, 0])
    assert body_to_inertial(forward, 0.0, 0.3) == pytest.approx([np.cos(0.3), 0, np.sin(0.3)])
    # Rolling right side down lifts the left side.
    assert body_to_inertial(left, 0.0, 0.0, 0.2)[2] > 0
    assert body_to_inertial(up, 0.0, 0.0, 0.0) == pytest.approx([0, 0, 1])


def test_body_to_inertial_and_back_is_nothing() -> None:
    rng = np.random.default_rng(2)
    vectors, angles = rng.normal(size=(100, 3)), rng.uniform(-3, 3, (3, 100))
    there = body_to_inertial(vectors, *angles)
    assert inertial_to_body(there, *angles) == pytest.approx(vectors)
    identity = rotation(*angles) @ np.swapaxes(rotation(*angles), 1, 2)
    assert identity == pytest.approx(np.broadcast_to(np.eye(3), (100, 3, 3)), abs=1e-12)

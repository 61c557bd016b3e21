"""Coordinate frames: geodetic, the UTM zone of the origin, local XYZ, and the vehicle's body.

Local X is grid east, Y grid north, Z up, in metres from the scenario's origin, always in the
origin's own UTM zone. Yaw counts counter-clockwise from X in radians. Heading is for people:
degrees clockwise from true north, so the convergence between grid and true north counts.
"""

from typing import Any

import numpy as np
from pyproj import Proj

from movenv.world.columns import F8
from movenv.world.mercator import FALSE_EASTING, geodetic

FALSE_NORTHING_SOUTH = 10_000_000.0
NORTH_LIMIT, SOUTH_LIMIT = 84.0, -80.0


def utm_zone(lat: float, lon: float) -> int:
    """The UTM zone of a place, with the exceptions for Norway and Svalbard."""
    if not SOUTH_LIMIT <= lat <= NORTH_LIMIT:
        raise ValueError(f"latitude {lat:g} is outside UTM, which covers -80 to 84")
    lon = (lon + 180.0) % 360.0 - 180.0
    if 56 <= lat < 64 and 3 <= lon < 12:
        return 32
    if lat >= 72 and 0 <= lon < 42:
        return 31 + 2 * int((lon + 3) // 12)
    return int((lon + 180.0) // 6) + 1


class Frame:
    """The local frame of one scenario."""

    def __init__(self, lat: float, lon: float, alt: float = 0.0) -> None:
        self.lat, self.lon, self.alt = lat, lon, alt
        self.zone = utm_zone(lat, lon)
        self.south = lat < 0
        self.meridian_deg = 6.0 * self.zone - 183.0
        self._proj = Proj(proj="utm", zone=self.zone, south=self.south, ellps="WGS84")
        self.easting, self.northing = (float(v) for v in self._proj(lon, lat))

    def to_local(self, lat: Any, lon: Any, alt: Any = 0.0) -> tuple[F8, F8, F8]:
        """Local x, y, z of geodetic points (degrees, metres)."""
        east, north = self._proj(np.asarray(lon, float), np.asarray(lat, float))
        return (
            np.asarray(east) - self.easting,
            np.asarray(north) - self.northing,
            np.asarray(alt, float) - self.alt,
        )

    def to_geodetic(self, x: Any, y: Any, z: Any = 0.0) -> tuple[F8, F8, F8]:
        """Latitude, longitude (degrees) and altitude of local points, by PROJ."""
        lon, lat = self._proj(
            np.asarray(x, float) + self.easting,
            np.asarray(y, float) + self.northing,
            inverse=True,
        )
        return np.asarray(lat), np.asarray(lon), np.asarray(z, float) + self.alt

    def columns_to_geodetic(self, x: F8, y: F8) -> tuple[F8, F8, F8]:
        """Latitude, longitude (degrees) and convergence (rad) of whole columns, fast."""
        false_north = FALSE_NORTHING_SOUTH if self.south else 0.0
        return geodetic(
            x, y, self.easting - FALSE_EASTING, self.northing - false_north, self.meridian_deg
        )


def heading_deg(yaw: Any, convergence: Any) -> Any:
    """Degrees clockwise from true north in [0, 360) for a yaw in the grid."""
    degrees = 90.0 + np.degrees(convergence - np.asarray(yaw))
    degrees = degrees - 360.0 * np.floor(degrees / 360.0)
    return np.where(degrees.astype(np.float32) >= 360.0, 0.0, degrees)  # columns are of float32


def yaw_of_heading(heading: Any, convergence: Any) -> Any:
    """Yaw in the grid, in [-pi, pi), for a true heading in degrees."""
    yaw = np.radians(90.0 - np.asarray(heading)) + convergence
    return (yaw + np.pi) % (2 * np.pi) - np.pi


def rotation(yaw: Any, pitch: Any = 0.0, roll: Any = 0.0) -> F8:
    """Matrices (..., 3, 3) that turn body vectors (forward, left, up) into the inertial frame.

    Yaw first, then pitch (nose up positive), then roll (right side down positive).
    """
    yaw, pitch, roll = np.broadcast_arrays(*(np.asarray(a, float) for a in (yaw, pitch, roll)))
    cy, sy = np.cos(yaw), np.sin(yaw)
    cp, sp = np.cos(pitch), np.sin(pitch)
    cr, sr = np.cos(roll), np.sin(roll)
    rows = [
        [cy * cp, -sy * cr - cy * sp * sr, sy * sr - cy * sp * cr],
        [sy * cp, cy * cr - sy * sp * sr, -cy * sr - sy * sp * cr],
        [sp, cp * sr, cp * cr],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def body_to_inertial(vectors: F8, yaw: Any, pitch: Any = 0.0, roll: Any = 0.0) -> F8:
    return np.asarray(np.einsum("...ij,...j->...i", rotation(yaw, pitch, roll), vectors))


def inertial_to_body(vectors: F8, yaw: Any, pitch: Any = 0.0, roll: Any = 0.0) -> F8:
    return np.asarray(np.einsum("...ji,...j->...i", rotation(yaw, pitch, roll), vectors))

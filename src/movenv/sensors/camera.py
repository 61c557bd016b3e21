"""A camera: colour, depth and class of what is ahead, by casting a ray through each pixel."""

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from movenv.parts import (
    PIXEL,
    Field,
    ImageLayout,
    Passage,
    Readings,
    Sensor,
    SensorConfig,
    SensorSetup,
    VehicleStates,
)
from movenv.sensors.crowd import Bodies, Solids
from movenv.sensors.draws import lost
from movenv.sensors.scene import COLOURS, scene_of
from movenv.sensors.threads import in_threads
from movenv.sensors.view import View, aim, meet_solids, name_ground, places_met, shade
from movenv.terrain.relief_rays import meet_ground
from movenv.terrain.seen import Seen
from movenv.terrain.storeys import meet_storey
from movenv.world.columns import F8
from movenv.world.frames import rotation

MOST_PIXELS = 4_000_000
BAND = 16
"""Rows of a picture that a thread takes at a time."""
PAINTS = np.array(
    [(190, 48, 42), (44, 92, 168), (226, 226, 222), (58, 60, 66), (214, 168, 52), (70, 132, 84)],
    float,
)
"""Vehicles have one of these each."""


class CameraConfig(SensorConfig):
    """What a camera is like."""

    rate: float = Field(10.0, gt=0, le=10_000, description="pictures a second")
    width: int = Field(320, ge=2, le=8192, description="of a picture, pixels")
    height: int = Field(240, ge=2, le=8192, description="of a picture, pixels")
    field_of_view_deg: float = Field(
        70.0, gt=0, lt=180, description="from the left to the right edge of a picture"
    )
    range_max: float = Field(2000.0, gt=0, le=100_000, description="what is farther is sky, m")

    @model_validator(mode="after")
    def _possible(self) -> "CameraConfig":
        if self.width * self.height > MOST_PIXELS:
            raise ValueError(f"{self.width * self.height:,} pixels are more than {MOST_PIXELS:,}")
        return self

    @property
    def layout(self) -> ImageLayout:
        half = math.tan(0.5 * math.radians(self.field_of_view_deg))
        return ImageLayout(self.width, self.height, 0.5 * self.width / half)


class Camera(Sensor):
    """Pinhole cameras that take a whole picture at one instant. `values` are PIXEL: `colour`, by
    day; `depth` along the camera's axis, infinity in the sky; `seen`, a class of `Seen`.

    A picture that is lost, or of a vehicle that is nowhere, is black, NOTHING, and nan.
    """

    Config: ClassVar[type[CameraConfig]] = CameraConfig
    on_demand: ClassVar[bool] = True

    def __init__(self, setup: SensorSetup) -> None:
        config = setup.config
        assert isinstance(config, CameraConfig)
        self._config, self._name, self._layout = config, setup.name, config.layout
        mount = config.mount
        self._mount = np.array([mount.x, mount.y, mount.z])
        self._turned = rotation(*np.radians([mount.yaw_deg, mount.pitch_deg, mount.roll_deg]))
        self._bodies = Bodies(setup.roster)
        self._scene = scene_of(setup.terrain)
        # Compiled before anything moves: that takes time, which no tick has.
        nobody = self._bodies.solids(VehicleStates.empty(), (0.0, 0.0, 0.0, 0.0))
        view = View(np.array([0.0, 0.0, 1.0]), np.eye(3), 2, 2, 1.0)
        self._take(view, nobody, 0.0, 0, np.empty((2, 2), PIXEL))

    def sense(self, passage: Passage, others: VehicleStates) -> Readings | None:
        numbers, stamps = passage.instants(self._config.rate)
        if not len(numbers):
            return None
        layout = self._layout
        values = np.zeros((len(passage.vids), len(numbers), layout.height, layout.width), PIXEL)
        values["depth"] = np.nan
        gone = lost(passage.seed, passage.vids, self._name, numbers.tolist(), self._config.dropout)
        for k, t in enumerate(stamps.tolist()):
            poses = passage.poses(t)
            for row in np.flatnonzero(~gone[:, k] & np.isfinite(poses).all(axis=0)).tolist():
                view = self._view(poses[:, row])
                vid, since = int(passage.vids[row]), t - passage.start
                solids = self._bodies.solids(others, self._around(view, others, since))
                self._take(view, solids, since, vid, values[row, k])
        return Readings(self._name, passage.vids, numbers, stamps, values, image=layout)

    def _view(self, pose: F8) -> View:
        turn = rotation(*pose[3:])
        place = pose[:3] + turn @ self._mount
        axes = np.ascontiguousarray(turn @ self._turned)
        return View(place, axes, self._layout.width, self._layout.height, self._layout.focal)

    def _around(
        self, view: View, others: VehicleStates, since: float
    ) -> tuple[float, float, float, float]:
        """Who is outside of this is out of sight."""
        fast = np.hypot(others.vx, others.vy)
        reach = self._config.range_max + 2.0 * self._bodies.widest
        reach += since * float(fast[np.isfinite(fast)].max(initial=0.0))
        x, y = float(view.place[0]), float(view.place[1])
        return x - reach, y - reach, x + reach, y + reach

    def _take(
        self, view: View, solids: Solids, since: float, vid: int, pixels: NDArray[Any]
    ) -> None:
        """Take one picture."""
        scene, count = self._scene, view.width * view.height
        rays, far = np.empty((count, 6)), np.full(count, self._config.range_max)
        met, who = np.full(count, Seen.SKY, np.uint8), np.zeros(count, np.int64)
        x, y, layer = np.empty(count), np.empty(count), np.empty(count, np.int32)

        def look(first: int, last: int) -> None:
            mine = slice(first * view.width, last * view.width)
            aim(view, first, last, rays[mine])
            for storey in scene.storeys:
                bounds = storey.low, storey.high, int(storey.seen)
                meet_storey(storey.scenery, *bounds, rays[mine], far[mine], met[mine])
            meet_ground(scene.ground, int(Seen.GROUND), rays[mine], far[mine], met[mine])
            rest = first, last, rays[mine], far[mine], met[mine], who[mine]
            meet_solids(view, solids, since, vid, *rest)
            far[mine][met[mine] == Seen.SKY] = np.inf
            places_met(rays[mine], far[mine], x[mine], y[mine])
            layer[mine] = scene.lying.layer(x[mine], y[mine])
            name_ground(scene.ground, scene.paint, x[mine], y[mine], layer[mine], met[mine])

        tints = _tints(solids)

        def draw(first: int, last: int) -> None:
            seen = rays, far, met, layer, x, y, tints, who
            shade(view, scene.paint, first, last, *seen, pixels)

        in_threads(look, view.height, BAND)
        in_threads(draw, view.height, BAND)


def _tints(solids: Solids) -> F8:
    """The colour of each of the others."""
    walks = (solids.seen == Seen.PEDESTRIAN)[:, None]
    tints: F8 = np.where(walks, COLOURS[Seen.PEDESTRIAN], PAINTS[solids.vid % len(PAINTS)])
    return tints

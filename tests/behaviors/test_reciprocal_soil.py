"""Reciprocal avoidance where the ground holds worse in some places than in others."""

import math
from pathlib import Path

import numpy as np
import pytest

from movenv.runtime.fast import updates
from movenv.scenario.build import build
from movenv.scenario.load import load
from movenv.testing import Drive

HEAD = "name: x\norigin: {lat: 29.193111, lon: -81.046171}\n"
POND = """
time: {{duration: 80}}
terrain:
  soil: grass
  features:
    - {{kind: lake, name: pond, at: [200, 200], radius: 30}}
    {ice}
vehicles:
  - name: lone
    kind: ground
    model: {{type: ground, build: car, speed: 25}}
    start: {{at: [0, 200], heading_deg: 90}}
    behaviors: {{move_to: {{to: [400, 200]}}, avoid: {{method: reciprocal}}}}
"""
FAR_ICE = "- {kind: soil, soil: ice, at: [0, 2000], radius: 20}"


def test_far_ice_changes_nothing_and_the_pond_is_gone_round(driven) -> None:
    without: Drive = driven(POND.format(ice=""))
    seen: Drive = driven(POND.format(ice=FAR_ICE))
    for column in ("x", "y", "yaw", "speed"):
        assert np.array_equal(seen.column(column, "lone"), without.column(column, "lone"))
    place = seen.place("lone")
    assert np.hypot(place[:, 0] - 200, place[:, 1] - 200).min() > 30
    assert math.hypot(*(place[-1, :2] - [400, 200])) < 5


def test_near_ice_it_is_careful(driven) -> None:
    """The ice is before the pond, and on the way: it must be slow enough for it."""
    near = "- {kind: soil, soil: ice, polygon: [[120, 150], [165, 150], [165, 250], [120, 250]]}"
    seen: Drive = driven(POND.format(ice=near), "vehicles.lone.start.speed=5")
    place = seen.place("lone")
    assert np.hypot(place[:, 0] - 200, place[:, 1] - 200).min() > 30


@pytest.mark.parametrize(("v", "room"), [(25, 25), (14, 8)])
def test_who_starts_too_near_brakes_as_hard_as_the_ground_lets_it(driven, v, room) -> None:
    """Ice is near, so little is sure; but it is on grass, and uses all of that."""
    ice = f"- {{kind: soil, soil: ice, at: [{170 - room}, 220], radius: 10}}"
    start = [f"vehicles.lone.start.at=[{170 - room}, 200]", f"vehicles.lone.model.speed={v}"]
    seen: Drive = driven(POND.format(ice=ice), *start, "time.duration=3")
    place, speed = seen.place("lone"), seen.column("speed", "lone")
    wet = np.hypot(place[:, 0] - 200, place[:, 1] - 200) < 30
    assert wet.any()
    braking = 8.0 * 0.7 + 9.80665 * 0.012
    assert speed[wet][0] < math.sqrt(v**2 - 2 * braking * room) + 0.5


CAR = """
  - name: v{k}
    kind: ground
    model: {{type: ground, build: {build}, speed: 12}}
    start: {{at: [{x}, {y}], heading_deg: {heading}, speed: 0}}
    behaviors: {{go_to_point: {{at: [{to_x}, {to_y}]}}, avoid: {{method: reciprocal}}}}
"""
BUILDS = {"car": 2.7, "jeep": 3.3, "truck": 4.0, "tank": 4.6}


def crossing(count: int, seed: int) -> tuple[str, list[float]]:
    """Vehicles all round that go to the other side, over a patch of ice in the middle."""
    text = "time: {duration: 60}\nterrain:\n  soil: grass\n  features:\n"
    text += "    - {kind: soil, soil: ice, at: [0, 0], radius: 30}\nvehicles:"
    drawn, sizes = np.random.default_rng(seed), []
    for k in range(count):
        angle = math.tau * k / count + drawn.uniform(-0.1, 0.1)
        x, y = round(110 * math.cos(angle), 2), round(110 * math.sin(angle), 2)
        made = list(BUILDS)[drawn.integers(4)]
        heading = round((270 - math.degrees(angle)) % 360, 2)
        text += CAR.format(k=k, build=made, x=x, y=y, heading=heading, to_x=-x, to_y=-y)
        sizes.append(BUILDS[made])
    return text, sizes


@pytest.mark.parametrize(("count", "seed"), [(6, 1), (8, 2)])
def test_a_crowd_that_crosses_over_ice_does_not_touch(driven, count: int, seed: int) -> None:
    text, sizes = crossing(count, seed)
    seen: Drive = driven(text)
    for i, one in enumerate(seen.names):
        for j, other in enumerate(seen.names[:i]):
            assert seen.closest(one, other) > (sizes[i] + sizes[j]) / 2
    east, north = (np.array([seen.column(c, n) for n in seen.names]) for c in "xy")
    assert (np.hypot(east, north) < 30).any(axis=1).sum() >= count - 2


def test_on_ice_three_hosts_drive_as_one(tmp_path: Path) -> None:
    path = tmp_path / "crossing.yaml"
    path.write_text(HEAD + crossing(6, 1)[0].replace("duration: 60", "duration: 25"))
    runs = (updates(build(load(str(path)), hosts)) for hosts in (1, 3))
    for one, three in zip(*runs, strict=True):
        assert np.array_equal(one.snapshot.vehicles.x, three.snapshot.vehicles.x)
        assert np.array_equal(one.snapshot.vehicles.behavior, three.snapshot.vehicles.behavior)

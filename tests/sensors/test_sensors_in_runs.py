"""All sensors in runs: the same bytes on any number of hosts, and no truth among them."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.sensors.rigs import Rig, motion, states

from movenv.parts import Readings
from movenv.parts.registry import find, names
from movenv.runtime.fast import updates
from movenv.scenario.build import build
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import load
from movenv.world.behavior import PartFailed
from movenv.world.messages import Health

SCENARIO = """
name: sensing
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 1.0}
seed: 4
areas:
  tunnel: {polygon: [[-5, -5], [5, -5], [5, 5], [-5, 5]]}
terrain:
  features:
    - {name: hut, kind: building, polygon: [[12, -4], [18, -4], [18, 4], [12, 4]]}
vehicles:
  - name: car
    count: 9
    kind: ground
    model: {speed: 4}
    start: {grid: {center: [0, 0], spacing: 6}}
    behaviors:
      wander: {}
    sensors: &sensors
      scan: {type: lidar, resolution_deg: 1.0, dropout: 0.1, beam_dropout: 0.05}
      inertia: {type: imu, dropout: 0.1}
      fix: {type: gnss, rate: 10, dropout: 0.1, no_coverage: [tunnel]}
      wheels: {type: wheel_speed, dropout: 0.1}
      beacons: {type: radio_range, dropout: 0.1, line_of_sight: true}
      eye: {type: camera, width: 16, height: 12, dropout: 0.1, mount: {z: 1}}
  - name: walker
    count: 2
    kind: pedestrian
    start: {grid: {center: [3, 3], spacing: 6}}
    behaviors:
      wander: {}
    sensors: *sensors
"""


def often(name: str) -> dict[str, Any]:
    """Settings with which a sensor measures twice a tick, and soon."""
    return {"rate": 20.0} | ({"width": 8, "height": 6} if name == "camera" else {})


def measured(path: Path, hosts: int) -> dict[tuple[str, int, int], bytes]:
    """Every sample of a run, by sensor, vid and number."""
    run = build(load(str(path)), hosts)
    assert len(run.hosts) == hosts
    found: dict[tuple[str, int, int], bytes] = {}
    for _ in updates(run):
        for readings in (readings for host in run.hosts for readings in host.readings):
            _keep(readings, found)
    return found


def _keep(readings: Readings, found: dict[tuple[str, int, int], bytes]) -> None:
    for i, vid in enumerate(readings.vids.tolist()):
        for k, number in enumerate(readings.numbers.tolist()):
            said = readings.stamps[k].tobytes() + readings.values[i, k].tobytes()
            assert found.setdefault((readings.sensor, vid, number), said) == said


def test_a_run_measures_the_same_on_one_host_and_on_three(tmp_path: Path) -> None:
    path = tmp_path / "sensing.yaml"
    path.write_text(SCENARIO)
    one, three = measured(path, 1), measured(path, 3)
    assert one == three
    each = {"scan": 40, "inertia": 100, "fix": 10, "wheels": 50, "beacons": 10, "eye": 10}
    for sensor, samples in each.items():
        for vid in range(1, 12):
            numbers = [n for name, v, n in one if (name, v) == (sensor, vid)]
            assert numbers == list(range(1, samples + 1))
    assert len({said for (name, _, _), said in one.items() if name == "inertia"}) > 900


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("no_coverage: [tunnel]", "no_coverage: [cave]", "cave"),
        ("line_of_sight: true", "unit: nobody", "no unit 'nobody'"),
        ("resolution_deg: 1.0", "range_min: 50", "range_max"),
        ("type: wheel_speed", "type: wheel_sped", "Did you mean 'wheel_speed'"),
    ],
)
def test_what_cannot_be_is_refused_with_words(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    path = tmp_path / "sensing.yaml"
    path.write_text(SCENARIO.replace(old, new))
    with pytest.raises(ScenarioError, match=said):
        build(load(str(path)))


@pytest.mark.parametrize("name", names("sensors"))
def test_readings_hold_samples_and_nothing_else(name: str) -> None:
    assert {field.name for field in fields(Readings)} == {
        "sensor", "vids", "numbers", "stamps", "values", "fields", "scan", "image",
    }  # fmt: skip
    rig = Rig(find("sensors", name), often(name), (3, 9), (3, 5, 9), name="it")
    everyone = states([3, 5, 9], np.array([motion(), motion(3), motion(0, 4)]).T)
    readings = rig.sense([motion(), motion(0, 4)], others=everyone)
    assert readings is not None
    assert readings.sensor == "it"
    assert readings.vids.tolist() == [3, 9]
    assert readings.numbers.tolist() == [1, 2]
    shape: tuple[int, ...] = (
        len(readings.fields) or (readings.scan.beams if readings.scan else 0),
    )
    if readings.image is not None:
        shape = readings.image.height, readings.image.width
    assert readings.values.shape == (2, 2, *shape)


@pytest.mark.parametrize("name", ["imu", "lidar", "radio_range", "wheel_speed"])
def test_who_is_elsewhere_measures_the_same(name: str) -> None:
    """All but satellite receivers: the world has moved, and nobody can tell."""

    def at(east: float) -> Readings:
        rig = Rig(find("sensors", name), {}, (1,), (1, 2))
        others = states([1, 2], np.array([motion(east), motion(east + 5, 1, vx=1)]).T)
        after = motion(east + 0.2, 0, 0.1, vx=2, speed=2)
        found = rig.sense([motion(east, vx=2, speed=2)], [after], others)
        assert found is not None
        return found

    np.testing.assert_allclose(at(2.0**15).values, at(0.0).values, atol=1e-6)


@pytest.mark.parametrize("name", names("sensors"))
def test_nobody_else_is_needed_nor_oneself_among_the_others(name: str) -> None:
    """A vehicle that was just placed has not been told of; others may be nowhere."""
    part = find("sensors", name)
    nowhere = states([1, 2], np.full((10, 2), np.nan))
    nowhere.health[:] = Health.UNHEARD
    alone = Rig(part, often(name), everyone=(1, 2)).sense([motion()], others=nowhere)
    empty = Rig(part, often(name), everyone=(1, 2)).sense([motion()])
    assert alone is not None
    assert empty is not None
    np.testing.assert_array_equal(alone.values, empty.values)


@pytest.mark.parametrize("name", names("sensors"))
def test_lost_measurements_are_nan_and_the_others_as_without_loss(name: str) -> None:
    vids = range(1, 101)
    everyone = states(vids, np.array([motion(3.0 * v) for v in vids]).T)
    own = [motion(3.0 * v) for v in vids]
    whole, part = (
        Rig(find("sensors", name), often(name) | {"dropout": dropout}, vids, vids).sense(
            own, others=everyone
        )
        for dropout in (0.0, 0.3)
    )
    assert whole is not None
    assert part is not None
    told = part.values["depth"].reshape(100, 2, -1) if part.image else part.values
    lost = np.isnan(told).all(axis=2)
    assert lost.mean() == pytest.approx(0.3, abs=0.1)
    np.testing.assert_array_equal(part.values[~lost], whole.values[~lost])


BROKEN = """
import numpy as np
from movenv.parts import Passage, Readings, Sensor, SensorConfig, SensorSetup

class Broken(Sensor):
    Config = SensorConfig

    def __init__(self, setup: SensorSetup) -> None:
        pass

    def sense(self, passage, others):
        RETURN
"""


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ("return 1 / 0", "sensor 'odd' failed at t = 0.1 s"),
        ("return 5", "sensor 'odd' failed at t = 0.1 s"),
        (
            "return Readings('odd', passage.vids, np.arange(2), np.zeros(2), np.zeros((1, 2, 3)), "
            "('a', 'b', 'c'))",
            r"sensor 'odd' gives values of shape \(1, 2, 3\) where \(2, 2, 3\) is right",
        ),
    ],
)
def test_a_sensor_that_fails_is_named(tmp_path: Path, returned: str, said: str) -> None:
    (tmp_path / "odd.py").write_text(BROKEN.replace("RETURN", returned))
    path = tmp_path / "odd.yaml"
    path.write_text(
        "name: odd\norigin: {lat: 29.193111, lon: -81.046171}\ntime: {duration: 1}\nvehicles:\n"
        "  - {name: car, count: 2, kind: ground, start: {grid: {center: [0, 0], spacing: 9}},\n"
        "     sensors: {odd: {type: './odd.py:Broken'}}}\n"
    )
    with pytest.raises(PartFailed, match=said):
        list(updates(build(load(str(path)))))

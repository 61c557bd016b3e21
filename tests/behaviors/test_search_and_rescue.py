"""Search, find, call, wait, accompany: in this order, and heard by radio."""

from pathlib import Path

import numpy as np
import pytest

from movenv.runtime.fast import updates
from movenv.scenario.build import build
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import load

RESCUE = """
name: rescue
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 300}
areas: {field: {square: 120, center: [80, 60]}}
radio: {range: 1000}
vehicles:
  - name: uav
    vid: 100
    kind: aerial/rotorcraft
    model: {speed: 8}
    start: {at: [0, 0], z: 20}
    behaviors:
      search_and_rescue:
        {area: field, spacing: 25, altitude: 20, radius: 30, targets: [lost],
         responder: medic, call: CALL, arrived: 4, stay: 6}
  - name: lost
    vid: 7
    kind: pedestrian
    start: {at: [100, 80], speed: 0}
    mission:
      - {step: lie, do: {hover: {}}, until: {within: 3, vehicle: medic}}
      - {step: walk, do: {go_to_point: {at: [40, 80]}}}
      - {step: sit, do: {hover: {}}}
  - name: medic
    vid: 8
    kind: pedestrian
    model: {speed: 2.5}
    start: {at: [0, -40], speed: 0}
    mission:
      - {step: ready, do: {hover: {}}, until: {heard: "lost is at 100 80", vehicle: uav}}
      - {step: come, do: {follow_me: {leader: lost, distance: 1.5}}}
"""


def seen(path: Path, text: str) -> list:
    path.write_text(text)
    return list(updates(build(load(str(path)))))


def test_the_story_from_search_to_company(tmp_path: Path) -> None:
    told = seen(tmp_path / "r.yaml", RESCUE.replace("CALL", '"{target} is at {x:.0f} {y:.0f}"'))
    t = np.array([u.snapshot.t for u in told])
    x, y = (np.array([getattr(u.snapshot.vehicles, a) for u in told]) for a in "xy")
    lost, medic, uav = range(3)  # by vid

    def apart(a: int, b: int) -> np.ndarray:
        return np.hypot(x[:, a] - x[:, b], y[:, a] - y[:, b])

    found = next(u.snapshot.t for u in told if len(u.detections))
    # By brute force: the first time that the two were within 30 m of each other in space.
    in_sight = t[np.argmax(np.hypot(apart(uav, lost), 20) <= 30)]
    assert found == pytest.approx(in_sight, abs=0.15)
    calls = np.array([u.snapshot.t for u in told if 100 in u.broadcasts.vid])
    assert calls[0] == pytest.approx(found, abs=0.25)
    assert np.diff(calls) == pytest.approx(3.0, abs=1e-6)
    assert {p for u in told for p in u.broadcasts.payloads} == {b"lost is at 100 80"}
    arrived = t[np.argmax(apart(medic, lost) <= 4)]
    assert arrived > calls[0]
    assert 0 <= arrived - calls[-1] <= 3.1  # until the medic is there, and no longer
    waits = (t > found + 15) & (t < arrived)
    assert apart(uav, lost)[waits].max() <= 6
    # They walk, and it comes along.
    later = t > arrived + 5
    assert np.ptp(x[later, lost]) > 40
    assert apart(uav, lost)[later].max() <= 8


def test_a_call_must_be_fillable(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="only target, x, y and z"):
        seen(tmp_path / "r.yaml", RESCUE.replace("CALL", '"{who} is there"'))


FRUITLESS = """
name: fruitless
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 3600}
areas: {field: {square: 200}}
vehicles:
  - name: uav
    count: 2
    kind: aerial/rotorcraft
    model: {speed: 8}
    start: {within: field, z: 20}
    behaviors:
      search_and_rescue:
        {area: field, spacing: 40, altitude: 20, radius: 30, targets: [far], responder: far}
  - {name: far, kind: pedestrian, start: {at: [5000, 0]}}
"""


@pytest.mark.soak
def test_an_hour_of_searching_in_vain_stays_over_the_area_and_is_the_same_on_two_hosts(
    tmp_path: Path,
) -> None:
    path = tmp_path / "f.yaml"
    path.write_text(FRUITLESS)
    stages = [updates(build(load(str(path)), hosts)) for hosts in (1, 2)]
    covered = np.zeros((2, 20, 20), int)
    for one, two in zip(*stages, strict=True):
        v = one.snapshot.vehicles
        assert v.x.tobytes() == two.snapshot.vehicles.x.tobytes()
        assert (np.abs([v.x[:2], v.y[:2]]) < 100 + 40).all()  # with room to turn
        cells = np.clip(((np.array([v.x[:2], v.y[:2]]) + 100) // 10).astype(int), 0, 19)
        covered[[0, 1], cells[0], cells[1]] += 1
    rows_flown = (covered.sum(axis=1) > 60).sum(axis=1)
    assert (rows_flown >= 5).all()  # five legs of 200 m, again and again

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from movenv.runtime.fast import updates
from movenv.scenario.build import build
from movenv.scenario.load import load
from movenv.world.messages import Sighting

FLYOVER = """
name: flyover
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 40}
vehicles:
  - name: searcher
    vid: 100
    kind: aerial/rotorcraft
    model: {speed: 10}
    start: {at: [-200, 0], heading_deg: 90, z: 30}
    behaviors: {wander: {}, search_and_report: {radius: 50, targets: ["lost-*"], every: 1.0}}
  - name: lost-hiker
    vid: 7
    kind: pedestrian
    start: {at: TARGET}
  - name: bystander
    vid: 8
    kind: pedestrian
    start: {at: [0, 5]}
"""


class Told(NamedTuple):
    vid: int
    target: int
    sighting: Sighting
    t_seen: float
    x: float


def detections(tmp_path: Path, target: str) -> list[Told]:
    path = tmp_path / "flyover.yaml"
    path.write_text(FLYOVER.replace("TARGET", target))
    told: list[Told] = []
    for update in updates(build(load(str(path)))):
        d = update.detections
        told += [
            Told(int(d.vid[i]), int(d.target[i]), Sighting(d.sighting[i]), d.t_seen[i], d.x[i])
            for i in range(len(d))
        ]
    return told


def test_a_target_is_found_followed_and_lost_with_time_and_place(tmp_path: Path) -> None:
    found = detections(tmp_path, "[0, 0]")
    assert {f.target for f in found} == {7}
    assert {f.vid for f in found} == {100}
    kinds = [f.sighting for f in found]
    assert kinds[0] == Sighting.FOUND
    assert kinds[-1] == Sighting.LOST
    assert set(kinds[1:-1]) == {Sighting.SEEN}
    # It sees 40 m ahead and behind from 30 m up: 16 s to 24 s, and reports once a second.
    assert found[0].t_seen == pytest.approx(16.0, abs=0.25)
    assert found[-1].t_seen == pytest.approx(24.0, abs=0.25)
    assert np.diff([f.t_seen for f in found[:-1]]) == pytest.approx(1.0, abs=0.11)
    assert all(f.x == pytest.approx(0.0, abs=1e-6) for f in found)


def test_out_of_sight_is_out_of_the_report(tmp_path: Path) -> None:
    assert detections(tmp_path, "[0, 45]") == []


def test_the_target_does_not_leak_into_the_motion(driven) -> None:
    body = FLYOVER.partition("time:")[2]
    tracks = [
        driven("time:" + body.replace("TARGET", target)).place("searcher")
        for target in ("[0, 0]", "[900, 900]")
    ]
    assert np.array_equal(*tracks)


@pytest.mark.parametrize(("wall", "count"), [(0.0, 1), (40.0, 0)])
def test_nobody_sees_through_a_hill(tmp_path: Path, wall: float, count: int) -> None:
    """A ridge of a height map between the searcher's way and the target, or only a plain."""
    grey = np.zeros((60, 120), np.uint8)
    grey[24:26] = round(wall / 51 * 255)
    (tmp_path / "ridge.pgm").write_bytes(b"P5 120 60 255\n" + grey.tobytes())
    text = FLYOVER.replace("TARGET", "[0, 30]").replace(
        "vehicles:", "terrain: {relief: {file: ridge.pgm, cell: 4, white: 51}}\nvehicles:"
    )
    (tmp_path / "flyover.yaml").write_text(text.replace("[-200, 0]", "[-200, 10]"))
    told = [update.detections for update in updates(build(load(str(tmp_path / "flyover.yaml"))))]
    found = {int(vid) for one in told for vid in one.target}
    assert len(found) == count

"""What takes long and remembers nothing is measured only while somebody looks."""

from pathlib import Path

import pytest

from movenv.runtime.fast import updates
from movenv.scenario.build import build
from movenv.scenario.load import load
from movenv.world.host import Host

SENSORS = """{scanner: {type: lidar, rate: 10}, eye: {type: camera, width: 8, height: 6},
     imu: {type: imu}, gnss: {type: gnss}}"""
SCENARIO = f"""
name: test
origin: {{lat: 29.19, lon: -81.05}}
time: {{duration: 0.5}}
vehicles:
  - {{name: car, kind: ground, start: {{at: [0, 0]}}, sensors: {SENSORS},
     behaviors: {{BEHAVIORS}}}}
"""


def measured(folder: Path, behaviors: str, looked_at: set[str] | None) -> set[str]:
    (folder / "test.yaml").write_text(SCENARIO.replace("BEHAVIORS", behaviors))
    run = build(load(str(folder / "test.yaml")))
    host: Host = run.hosts[0]
    if looked_at is not None:
        host.looked_at = lambda name: name in looked_at
    list(updates(run))
    return {readings.sensor for readings in host.readings}


@pytest.mark.parametrize(
    ("looked_at", "found"),
    [
        (None, {"scanner", "eye", "imu", "gnss"}),
        (set(), {"imu", "gnss"}),
        ({"eye"}, {"eye", "imu", "gnss"}),
    ],
)
def test_scans_and_pictures_wait_for_somebody_who_looks(
    tmp_path: Path, looked_at: set[str] | None, found: set[str]
) -> None:
    # Ten times a second, and the last tick ends with a sample of each.
    assert measured(tmp_path, "wander: {}", looked_at) - {"gnss"} == found - {"gnss"}


def test_a_behavior_that_senses_looks_at_all(tmp_path: Path) -> None:
    (tmp_path / "sees.py").write_text(
        "from movenv.parts import Behavior, BehaviorConfig\n"
        "class Sees(Behavior):\n"
        "    Config = BehaviorConfig\n"
        "    def __init__(self, setup): pass\n"
        "    def sense(self, own, readings, moment): pass\n"
    )
    assert {"scanner", "eye"} <= measured(tmp_path, '"./sees.py:Sees": {}', set())

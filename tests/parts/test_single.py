"""The single-vehicle adapter gives each vehicle its own view and its own command."""

from pathlib import Path

import numpy as np

from movenv.testing import drive

CODE = '''
from movenv.parts import BehaviorConfig, Command, Field, SingleVehicleBehavior

class SteerConfig(BehaviorConfig):
    """."""
    steer: float = Field(0.0, description="angle")

class Steer(SingleVehicleBehavior):
    Config = SteerConfig
    told = []

    def propose_one(self, me, others, notices, config, moment):
        self.told.append((me.vid, sorted(int(o) for o in notices.other), set(notices.vid.tolist())))
        if me.vid == 9:
            return None
        return Command(steer=config.steer, speed=me.cruise_speed)
'''
SCENARIO = """
name: single
origin: {lat: 29.0, lon: -81.0}
time: {duration: 2}
vehicles:
  - name: left
    vid: 5
    kind: ground
    start: {at: [0, 0]}
    behaviors: {./steer.py:Steer: {steer: 0.3}}
  - name: right
    vid: 3
    kind: ground
    start: {at: [0, 20]}
    behaviors: {./steer.py:Steer: {steer: -0.3}}
  - name: none
    vid: 9
    kind: ground
    start: {at: [500, 0]}
    behaviors: {./steer.py:Steer: {}}
"""


def test_everyone_gets_its_own(tmp_path: Path) -> None:
    (tmp_path / "steer.py").write_text(CODE)
    (tmp_path / "single.yaml").write_text(SCENARIO)
    seen = drive(tmp_path / "single.yaml")
    assert seen.column("yaw", "left")[-1] > 0.3
    assert seen.column("yaw", "right")[-1] < -0.3
    assert set(seen.behaviors("none")) == {""}
    assert np.diff(seen.column("speed", "none")).max() <= 0  # nobody at the wheel: it slows

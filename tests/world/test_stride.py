"""Steps that adapt: exact halvings, by vehicle, finer when fast and where the scenario says so."""

from pathlib import Path

import numpy as np
import pytest

from movenv.runtime.fast import updates
from movenv.scenario.build import build
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import load
from movenv.world.model import MOTION
from movenv.world.stride import SPEED, AdaptiveStep, Sector


def motion(speed: list[float], x: list[float] | None = None) -> np.ndarray:
    table = np.zeros((len(MOTION), len(speed)))
    table[SPEED] = speed
    table[0] = x or 0.0
    return table


def test_the_step_is_halved_until_nobody_gets_too_far_in_one() -> None:
    speeds = [0.0, 4.9, 5.0, 5.1, 11.0, 30.0, -30.0, 1000.0]
    strides = AdaptiveStep(travel=0.05, finest=0.001).strides(motion(speeds), 0.01, 10)
    found = np.empty(len(speeds))
    for rows, h, steps in strides:
        found[rows] = h
        assert h * steps == pytest.approx(0.1)
        assert (np.abs(np.array(speeds)[rows]) * h <= 0.05 + 1e-12).all() or h == 0.01 / 8
    assert found.tolist() == [0.01, 0.01, 0.01, 0.005, 0.0025, 0.00125, 0.00125, 0.00125]


def test_a_sector_makes_it_finer_whatever_the_speed() -> None:
    north = Sector(lambda x, y: x > 0, 0.002)
    strides = AdaptiveStep(1.0, 0.001, [north]).strides(motion([1.0, 1.0], [-5, 5]), 0.01, 10)
    assert [(rows.tolist(), steps) for rows, _, steps in strides] == [([0], 10), ([1], 80)]


MIXED = """
name: m
origin: {lat: 29.193111, lon: -81.046171}
time: {step: STEP, tick: 0.1, duration: 20ADAPTIVE}
areas: {town: {square: 200}}
vehicles:
  - {name: slow, kind: ground, count: 3, start: {line: {from: [-50, 0], to: [50, 0]}},
     model: {speed: 2}, behaviors: {wander: {}, periodic_turn: {}}}
  - {name: jeep, kind: ground, model: {type: ground, build: jeep}, start: {at: [0, 50]},
     behaviors: {wander: {}, periodic_turn: {}}}
  - {name: plane, kind: aerial/fixedwing, model: {type: fixedwing}, start: {at: [0, 90, 80]},
     behaviors: {circle: {center: [100, 90, 80], radius: 150}}}
"""


def way(tmp_path: Path, step: float, adaptive: str = "", hosts: int = 1) -> np.ndarray:
    path = tmp_path / "m.yaml"
    path.write_text(MIXED.replace("STEP", str(step)).replace("ADAPTIVE", adaptive))
    run = build(load(str(path)), hosts)
    return np.array([[u.snapshot.vehicles.x, u.snapshot.vehicles.y] for u in updates(run)])


def test_it_is_the_same_on_three_hosts(tmp_path: Path) -> None:
    adaptive = ", adaptive: {travel: 0.05, sectors: [{area: town, step: 0.005}]}"
    one, three = way(tmp_path, 0.01, adaptive), way(tmp_path, 0.01, adaptive, hosts=3)
    assert one.tobytes() == three.tobytes()


def test_a_step_that_never_adapts_is_the_plain_one_bit_for_bit(tmp_path: Path) -> None:
    plain = way(tmp_path, 0.01)
    assert way(tmp_path, 0.01, ", adaptive: {travel: 1000}").tobytes() == plain.tobytes()


def test_where_it_is_fine_everywhere_it_is_the_fine_one_bit_for_bit(tmp_path: Path) -> None:
    fine = way(tmp_path, 0.0125)
    adaptive = ", adaptive: {travel: 1000, sectors: [{area: town, step: 0.0125}]}"
    coarse = way(tmp_path, 0.1, adaptive)
    assert coarse[:, :, :3].tobytes() == fine[:, :, :3].tobytes()  # who stays in town


@pytest.mark.parametrize(
    ("adaptive", "said"),
    [
        ("{finest: 0.1}", "finest step, 0.1 s, is longer than the step, 0.01 s"),
        ("{sectors: [{area: twon, step: 0.001}]}", "unknown area 'twon'. Did you mean 'town'?"),
        ("{travel: 0}", "travel"),
    ],
)
def test_what_cannot_be_is_named(tmp_path: Path, adaptive: str, said: str) -> None:
    with pytest.raises(ScenarioError, match=said.replace("?", r"\?")):
        way(tmp_path, 0.01, f", adaptive: {adaptive}")

"""What reciprocal avoidance counts on: how far reserves grow, who is stuck, what all agree on."""

import math
from pathlib import Path

import numpy as np
import pytest

from movenv.behaviors.bodies import Bodies
from movenv.behaviors.guards import GUARD, LIMIT, guard
from movenv.behaviors.reserves import (
    ARC,
    BODY,
    BRAKE,
    SHAPE,
    SPEED,
    WHOLE,
    X,
    Y,
    edge_reserve,
    farthest,
    foresee,
    reserve,
)
from movenv.behaviors.sure_braking import braking_after
from movenv.parts import Setup
from movenv.runtime.fast import updates
from movenv.scenario.build import Stage, build
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import load
from movenv.testing import Drive

pytestmark = pytest.mark.long

KINDS = """
vehicles:
  - {name: car, kind: ground, start: {at: [0, 0]}, behaviors: {avoid: {method: reciprocal}}}
  - {name: boat, kind: surface, start: {at: [0, 90]}, behaviors: {avoid: {method: reciprocal}}}
  - {name: man, kind: pedestrian, start: {at: [0, 99]}, behaviors: {avoid: {method: reciprocal}}}
  - {name: plane, kind: aerial/fixedwing, start: {at: [0, 300, 80]},
     behaviors: {avoid: {method: reciprocal}}}
  - {name: tank, kind: ground, start: {at: [0, 600]}, model: {type: ground, build: tank},
     behaviors: {avoid: {method: reciprocal}}}
"""
HEAD = "name: x\norigin: {lat: 29.193111, lon: -81.046171}\n"


def bodies(tmp_path: Path, ground: str) -> Bodies:
    path = tmp_path / "kinds.yaml"
    path.write_text(HEAD + ground + KINDS)
    stage = Stage(load(str(path)), real=False)
    setup = Setup(
        stage.roster.vids, None, {}, {}, {}, {}, stage.roster, None, stage.local, stage.terrain
    )  # type: ignore[arg-type]
    return Bodies(setup, radius=0.5, creep=0.2, yields=True)


BORDER = """terrain:
  soil: grass
  features: [{kind: soil, soil: ice, at: [0, 0], radius: 60}, {kind: soil, soil: mud, at: [80, 0],
    radius: 30}]
"""


@pytest.mark.parametrize(
    "ground", ["", "terrain: {soil: ice}\n", BORDER], ids=["firm", "ice", "border"]
)
@pytest.mark.parametrize("period", [0.05, 0.1, 0.5])
def test_no_command_makes_a_reserve_grow_farther_than_is_counted_on(
    tmp_path: Path, period: float, ground: str
) -> None:
    """By brute force: many commands, many directions."""
    known, rng = bodies(tmp_path, ground), np.random.default_rng(5)
    before, after, then = np.empty(SHAPE), np.empty(SHAPE), np.empty(BODY)
    around = np.arange(0.0, math.tau, math.tau / 24)
    ways = list(zip(np.cos(around), np.sin(around), strict=True))
    for _ in range(40):
        rows = np.arange(5)
        speed = known.min_speed + rng.uniform(0, 1, 5) ** 2 * 20
        steer = rng.uniform(-1, 1, 5) * known.max_steer
        nowhere = np.zeros(5)
        at = dict.fromkeys(("y", "z", "yaw"), nowhere) | {"x": rng.uniform(-400, 400, 5)}
        at |= {"speed": speed, "vx": speed, "vy": 0.5 * speed * steer}
        everyone = known.everyone(at, rows, steer, period)
        for i, body in enumerate(everyone.body):
            reserve(body, before)
            away = np.array([body[X], body[Y]])
            for told in (-1.0, 0.0, 0.5, 1.0):
                for faster in (-1.0, 0.0, 1.0, 100.0):
                    gain = known.gain[i]
                    foresee(
                        body, told * known.max_steer[i], max(speed[i] + faster, 0.0), gain, 1.0,
                        body[BRAKE], period, then,
                    )  # fmt: skip
                    x, y, fast = then[[X, Y, SPEED], None]
                    there = known.braking.about(x, y, fast, rows[i : i + 1], period)
                    # What is counted on then is not less than was foreseen.
                    assert there.brake[0] >= braking_after(body, then, everyone.soils[i])
                    then[BRAKE] = there.brake[0]
                    reserve(then, after)
                    for turn in (ARC, WHOLE):
                        for cos, sin in ways:
                            far = farthest(after, cos, sin, turn)[0]
                            grown = far - farthest(before, cos, sin, turn)[0]
                            assert grown <= everyone.grows[i] + 1e-6
                            near = far - away @ [cos, sin]
                            assert known.radius[i] + near <= everyone.reach[i] + 1e-6


ALONE = """
time: {{duration: 60}}
terrain: {{soil: {soil}}}
vehicles:
  - name: lone
    kind: {kind}
    model: {model}
    start: {{at: [0, 0], heading_deg: 90, speed: 0}}
    behaviors: {{move_to: {{to: [500, 0], speed: {speed}}}, avoid: {{method: reciprocal}}}}
"""


@pytest.mark.parametrize(
    ("kind", "model", "speed", "soil"),
    [
        ("ground", "{}", 3, "grass"),
        ("surface", "{}", "null", "grass"),
        ("ground", "{type: ground, build: truck}", "null", "mud"),
    ],
)
def test_who_is_slow_by_itself_is_not_stuck(driven, kind, model, speed, soil) -> None:
    seen: Drive = driven(ALONE.format(kind=kind, model=model, speed=speed, soil=soil))
    assert "avoid" not in seen.behaviors("lone")
    assert np.abs(seen.column("y", "lone")).max() < 0.1


THROUGH_A_POINT = """
time: {{duration: 20}}
vehicles:
  - name: car
    count: 6
    kind: ground
    start: {{points: [[90, 0], [45, 78], [-45, 78], [-90, 0], [-45, -78], [45, -78]]}}
    behaviors: {{go_to_point: {{at: [0, 0]}}, avoid: {{method: reciprocal, yields: {yields}}}}}
"""


@pytest.mark.parametrize("yields", ["true", "false"])
def test_one_host_or_three_see_the_same_whoever_yields(tmp_path: Path, yields: str) -> None:
    path = tmp_path / "six.yaml"
    path.write_text(HEAD + THROUGH_A_POINT.format(yields=yields))
    runs = (updates(build(load(str(path)), hosts)) for hosts in (1, 3))
    for one, three in zip(*runs, strict=True):
        assert np.array_equal(one.snapshot.vehicles.x, three.snapshot.vehicles.x)


@pytest.mark.parametrize("hosts", [1, 2])
def test_those_who_may_meet_are_told_the_same(tmp_path: Path, hosts: int) -> None:
    path = tmp_path / "two.yaml"
    path.write_text(
        HEAD
        + """vehicles:
  - {name: a, kind: ground, start: {at: [0, 0]}, behaviors: {avoid: {method: reciprocal}}}
  - {name: c, kind: ground, start: {at: [0, 9]}, behaviors: {avoid: {method: turn_away}}}
  - {name: b, kind: ground, start: {at: [9, 0]},
     behaviors: {avoid: {method: reciprocal, margin: 2}}}
notices: {levels: {caution: 2.0}}
"""
    )
    with pytest.raises(
        ScenarioError, match=r":7:.*margin of 'avoid' is 2.* for 'b' and 0.1 for 'a'"
    ):
        build(load(str(path)), hosts)


@pytest.mark.parametrize("margin", [0.0, 1e-4, 0.004, 0.1, 1.0])
def test_ever_so_many_hairs_cost_half_of_the_margin_at_most(margin: float) -> None:
    point, lines = np.zeros(SHAPE), np.zeros((1, GUARD))
    edge_reserve(0.0, 0.0, 0.0, 0.0, point)
    room = 0.01
    for _ in range(2_000):
        guard(lines, 0, point, 1.0, 0.0, room, WHOLE, margin)
        assert lines[0, LIMIT] >= max(room, 0.0)
        room -= lines[0, LIMIT]
    assert -room == pytest.approx(margin / 2, abs=1e-9)

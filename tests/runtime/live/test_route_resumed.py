"""Who goes along a route goes on with it where its host was killed and started again."""

from pathlib import Path

import numpy as np
import pytest

from movenv.scenario.build import Stage
from movenv.scenario.load import load

from .simulated import Simulation

TEXT = """
name: route
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 120}
routes:
  r: {points: [[60, 0], [60, 60], [0, 60]], closed: CLOSED}
vehicles:
  - name: v
    kind: ground
    model: {speed: 8}
    start: {at: [0, 0], heading_deg: 90}
    CARRIES
"""
CARRIES = "behaviors: {move_to: {route: r, laps: LAPS}}"
MISSION = """mission:
      - {step: wait, do: {hover: {at: [0, 0]}}, until: {time: 2}}
      - {step: go, do: {move_to: {route: r, laps: LAPS}}, until: {done: true}}"""


def visits(net: Simulation) -> list[int]:
    order: list[int] = []
    for update in net.kept:
        x, y = (float(getattr(update.snapshot.vehicles, name)[0]) for name in "xy")
        for k, place in enumerate([(60, 0), (60, 60), (0, 60)]):
            if np.hypot(x - place[0], y - place[1]) < 4 and order[-1:] != [k]:
                order.append(k)
    return order


@pytest.mark.parametrize("carries", [CARRIES, MISSION], ids=["always", "in a mission"])
@pytest.mark.parametrize(
    "seconds",
    [
        6.0,
        pytest.param(11.5, marks=pytest.mark.long),
        18.0,
        pytest.param(26.0, marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize(("laps", "wanted"), [(0, [0, 1, 2]), (1, [0, 1, 2, 0])])
def test_no_point_is_gone_to_twice(
    tmp_path: Path, carries: str, seconds: float, laps: int, wanted: list[int]
) -> None:
    path = tmp_path / "route.yaml"
    text = TEXT.replace("CARRIES", carries).replace("LAPS", str(max(laps, 1)))
    path.write_text(text.replace("CLOSED", "true" if laps else "false"))
    net = Simulation(Stage(load(str(path)))).shares(1).start().run(seconds)
    before = visits(net)
    net.kill("h1")
    net.run(1)
    net.host("h1", share=(1, 1))
    net.run(60)
    assert before == wanted[: len(before)]
    assert visits(net) == wanted
    assert net.kept[-1].snapshot.vehicles.speed[0] == pytest.approx(0.0, abs=0.01)

"""Who is kept standing by what is in its way says so, once."""

from movenv.runtime.fast import updates
from movenv.scenario.build import build
from movenv.scenario.load import load

NOSE_TO_A_WALL = """
name: nose
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 45}
terrain: {features: [{kind: building, name: b, at: [10, 0], rectangle: [10, 40]}]}
vehicles:
  - name: car
    kind: ground
    start: {at: [3.3, 0], heading_deg: 90, speed: 0}
    behaviors: {move_to: {to: [100, 0]}, avoid: {method: reciprocal}}
"""


def test_one_that_stands_nose_to_a_wall_says_so(tmp_path) -> None:
    path = tmp_path / "nose.yaml"
    path.write_text(NOSE_TO_A_WALL)
    said = [(u.snapshot.t, r) for u in updates(build(load(str(path)))) for r in u.remarks]
    assert [remark.text for _, remark in said] == ["kept standing for 30 s by what is in its way"]
    assert 29 < said[0][0] < 33

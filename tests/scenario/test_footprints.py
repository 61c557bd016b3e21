"""The box that each vehicle fills: as its scenario says, else as its kind and model have it."""

from pathlib import Path

import pytest

from movenv.scenario.build import Stage
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import load
from movenv.world.model import BODY

SCENARIO = """
name: boxes
origin: {{lat: 29.193111, lon: -81.046171}}
time: {{duration: 1}}
vehicles:
  - {{name: it, kind: {kind}, start: {{at: [0, 0]}}{more}}}
"""


def box(folder: Path, kind: str, more: str = "") -> list[float]:
    path = folder / "boxes.yaml"
    path.write_text(SCENARIO.format(kind=kind, more=more and f", {more}"))
    roster = Stage(load(str(path)), real=False).roster
    return [float(roster.build[name][0]) for name in BODY]


def test_it_is_as_the_scenario_says(tmp_path: Path) -> None:
    more = "footprint: [4.8, 1.8], body_height: 1.7"
    assert box(tmp_path, "ground", more) == [4.8, 1.8, 1.7]


def test_a_person_is_as_tall_as_people_are(tmp_path: Path) -> None:
    assert box(tmp_path, "pedestrian") == [0.5, 0.5, 1.75]


@pytest.mark.parametrize("kind", ["ground", "aerial/rotorcraft", "surface", "underwater"])
def test_the_others_are_at_most_as_high_as_wide(tmp_path: Path, kind: str) -> None:
    length, width, height = box(tmp_path, kind)
    assert 0.0 < height <= width <= length


@pytest.mark.parametrize("height", ["0", "-1", "tall"])
def test_a_height_that_cannot_be_is_refused(tmp_path: Path, height: str) -> None:
    with pytest.raises(ScenarioError, match="body_height"):
        box(tmp_path, "ground", f"body_height: {height}")

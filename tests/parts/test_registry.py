"""Parts are found by name, and what is not found is told in words."""

import pytest

from movenv.parts.registry import PartNotFound, find, names, part_name
from movenv.world.behavior import Behavior


def test_the_built_in_parts_come_through_entry_points() -> None:
    assert names("behaviors") == [
        "avoid",
        "avoid_by_brake",
        "car_follow",
        "circle",
        "driven",
        "follow_me",
        "follow_path",
        "formation",
        "go_to_gate",
        "go_to_point",
        "hover",
        "move_to",
        "navigate",
        "obey",
        "periodic_pitch",
        "periodic_turn",
        "search_and_report",
        "search_and_rescue",
        "search_pattern",
        "stay_in_bounds",
        "walk",
        "wander",
    ]
    assert all(issubclass(find("behaviors", name), Behavior) for name in names("behaviors"))


def test_a_near_miss_is_suggested() -> None:
    with pytest.raises(PartNotFound, match="Did you mean 'wander'"):
        find("behaviors", "wonder")


@pytest.mark.parametrize(
    ("reference", "name"), [("avoid", "avoid"), ("./x/y.py:MyAvoid2", "my_avoid2"), ("z.py:A", "a")]
)
def test_names_in_recordings(reference: str, name: str) -> None:
    assert part_name(reference) == name

"""Names are listed as people count."""

from movenv.world.natural_order import in_natural_order


def test_numbers_in_names_count_as_numbers() -> None:
    names = ["tanks-10", "tanks-2", "b", "Tanks-1", "10", "9", "a2b10", "a2b9", "tanks"]
    wanted = ["9", "10", "a2b9", "a2b10", "b", "tanks", "Tanks-1", "tanks-2", "tanks-10"]
    assert in_natural_order(names) == in_natural_order(reversed(names)) == wanted

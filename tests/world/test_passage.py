"""Where vehicles were within a tick, and when sensors measure."""

import numpy as np
import pytest

from movenv.world.sensor import Passage


def passage(start: float, end: float, before: list[float], after: list[float]) -> Passage:
    table = np.array([before, after]).T[:, :, None]
    return Passage(1, start, end, 0, np.array([1], np.uint32), table[:, 0], table[:, 1])


@pytest.mark.parametrize("rate", [3.0, 10.0, 40.0, 75.0])
def test_every_measurement_falls_into_one_tick(rate: float) -> None:
    found = [
        n for k in range(600)
        for n in passage(round(k * 0.1, 9), round((k + 1) * 0.1, 9), [0.0] * 10, [0.0] * 10)
        .instants(rate)[0].tolist()
    ]  # fmt: skip
    assert found == list(range(1, round(60 * rate) + 1))


def test_a_falling_thing_is_where_its_closed_form_says() -> None:
    def at(t: float) -> list[float]:
        return [3.0 * t, 1.0, 20.0 - 4.9 * t * t, 6.2 + 0.3 * t, 0, 0, 3.0, 3.0, 0.0, -9.8 * t]

    fall = passage(1.0, 1.5, at(1.0), at(1.5))
    for t in (1.0, 1.17, 1.5, 0.97):
        expected = at(t)
        assert fall.poses(t)[:, 0] == pytest.approx(expected[:6], abs=1e-12)


def test_a_turn_across_north_goes_the_shorter_way() -> None:
    turn = passage(0.0, 1.0, [0, 0, 0, 3.1, *[0] * 6], [0, 0, 0, -3.1, *[0] * 6])
    assert turn.poses(0.5)[3, 0] == pytest.approx(np.pi)

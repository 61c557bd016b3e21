"""The paper's third figure: four aircraft keep apart by speed, each on its own path."""

import numpy as np
import pytest

from movenv.testing import Drive, drive

CIRCLES = {"circling-1": (-30.0, 0.0), "circling-2": (30.0, 0.0)}
SETTLED = 10.0


@pytest.fixture(scope="module")
def seen() -> Drive:
    return drive("four-aircraft", "time.duration=120")


@pytest.mark.parametrize("name", CIRCLES)
def test_who_circles_stays_on_its_circle(seen: Drive, name: str) -> None:
    x, y, z = seen.place(name)[seen.t > SETTLED].T
    radius = np.hypot(x - CIRCLES[name][0], y - CIRCLES[name][1])
    assert np.abs(radius - 80.0).max() < 2.0
    assert np.abs(z - 100.0).max() < 1.0


def test_only_the_speed_changes_and_it_does(seen: Drive) -> None:
    for name in seen.names:
        speed = seen.column("speed", name)
        assert speed.min() >= 13.0 - 1e-6
        assert speed.max() <= 28.0 + 1e-6
        assert np.ptp(speed) > 5.0


def test_without_avoidance_the_two_circles_meet_every_half_round() -> None:
    """Both are abreast of the crossings of their circles at the same time, again and again."""
    off = [f"vehicles.{i}.behaviors.avoid=null" for i in range(4)]
    seen = drive("four-aircraft", "time.duration=60", *off)
    gap = seen.place("circling-1") - seen.place("circling-2")
    met = np.linalg.norm(gap, axis=1) < 8.0
    times = seen.t[np.flatnonzero(met[1:] & ~met[:-1])]
    assert len(times) >= 4
    round_trip = 2 * np.pi * 80.0 / 20.0
    assert times[2] - times[0] == pytest.approx(round_trip, rel=0.05)

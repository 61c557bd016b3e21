"""Who a host is told of, against every distance computed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from movenv.world.awareness import Others, completed, near_any
from movenv.world.frames import Frame
from movenv.world.messages import VehicleStates


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 300), st.integers(0, 30), st.floats(1.0, 2e4))
def test_near_is_what_every_distance_says(seed: int, count: int, owned: int, reach: float) -> None:
    rng = np.random.default_rng(seed)
    vehicles = VehicleStates.empty(count)
    vehicles.x[:], vehicles.y[:] = rng.uniform(-5000, 5000, (2, count))
    vehicles.x[rng.random(count) < 0.1] = np.nan
    own = rng.choice(count, min(owned, count), replace=False)
    gaps = np.hypot(vehicles.x[:, None] - vehicles.x[own], vehicles.y[:, None] - vehicles.y[own])
    assert near_any(vehicles, own, reach).tolist() == (gaps <= reach).any(axis=1).tolist()


def test_what_was_left_out_comes_back() -> None:
    others = Others.empty(2)
    others.x[:], others.yaw[:] = [0.0, 1000.0], [0.0, np.pi / 2]
    vehicles = completed(others, Frame(29.0, -81.0))
    assert vehicles.lat[0] == pytest.approx(29.0)
    assert vehicles.lon[1] > vehicles.lon[0]
    assert vehicles.heading_deg == pytest.approx([90, 0], abs=1.5)

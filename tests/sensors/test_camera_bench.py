"""What the measurement of cameras measures is right."""

import numpy as np

from movenv.bench.cameras import Street, plain_depth
from movenv.terrain.seen import Seen


def test_the_baseline_sees_what_cameras_see() -> None:
    street = Street(width=64, height=48)
    readings = street.take()
    assert readings is not None
    for row in range(4):
        ours, plain = readings.values[row, 0], plain_depth(street, row, 100.0, 0.05)
        clear = np.isfinite(plain) & (ours["seen"] != Seen.VEHICLE) & (ours["depth"] < 60.0)
        assert clear.mean() > 0.4
        # A march knows no slope within a cell: level ground is met a little early or late.
        assert np.isclose(ours["depth"], plain, rtol=0.05, atol=0.3)[clear].mean() > 0.9
    assert {Seen.SKY, Seen.BUILDING, Seen.GROUND} <= set(
        np.unique(readings.values["seen"]).tolist()
    )

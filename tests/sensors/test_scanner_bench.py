"""What the measurement of scanners measures is right."""

import numpy as np

from movenv.bench.scanners import CELL, Fleet, plain_scan


def test_the_baseline_sees_what_scanners_see() -> None:
    fleet = Fleet(vehicles=30, speed=0.0, noise=0.0)
    readings = fleet.sense()
    assert readings is not None
    seen = 0
    for row in range(30):
        plain, ours = plain_scan(fleet, row), readings.values[row, 0]
        clear = (ours > 0.0) & (plain < 9.9)
        # A march steps over the corners of cells.
        assert (
            np.isclose(ours[clear], plain[clear], rtol=0.0, atol=CELL).mean() > 0.98
            or not clear.any()
        )
        seen += int(clear.sum())
    assert seen > 10_000

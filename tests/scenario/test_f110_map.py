"""The shipped map is what its script writes, reads as a ROS map, and is one connected circuit."""

import runpy
from pathlib import Path

import numpy as np
from scipy.ndimage import label
from tests.behaviors.f110_track import track

from movenv.terrain.grid_map import FREE, OCCUPIED, UNKNOWN
from movenv.terrain.map_files import read_map

SCRIPT = Path(__file__).parents[2] / "scripts" / "make_f110_map.py"
MAPS = Path(__file__).parents[2] / "src/movenv/scenario/shipped/maps"


def test_the_map_is_what_the_script_writes(tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("sys.argv", ["make_f110_map.py", str(tmp_path)])
    runpy.run_path(str(SCRIPT), run_name="__main__")
    for name in ("f110-track.pgm", "f110-track.yaml"):
        assert (tmp_path / name).read_bytes() == (MAPS / name).read_bytes()


def test_corridors_are_one_circuit_behind_walls() -> None:
    grid = track()
    read = read_map(MAPS / "f110-track.yaml")
    assert (read.cells == grid.cells).all()
    assert (read.resolution, read.west, read.south) == (0.05, -12.0, -8.0)
    assert set(np.unique(grid.cells)) == {FREE, OCCUPIED, UNKNOWN}
    _, parts = label(grid.cells == FREE)
    assert parts == 1
    free = np.pad(grid.cells, 1, constant_values=UNKNOWN) == FREE
    beside = np.zeros_like(free)
    for axis in (0, 1):
        for way in (-1, 1):
            beside |= np.roll(free, way, axis)
    # Nowhere does free ground lead into the unknown.
    assert not (beside[1:-1, 1:-1] & (grid.cells == UNKNOWN)).any()

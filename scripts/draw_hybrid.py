"""Draws the way of a real car past one that is only in its scans, with the layer on and off.

    python scripts/draw_hybrid.py ON.mcap OFF.mcap docs/images/hybrid-f110.png

The recordings are of two runs of `hybrid-f110`. It prints how near the two cars' middles came.
"""

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np

from movenv.recording.reader import Recording
from movenv.scenario.build import Stage
from movenv.scenario.load import load
from movenv.terrain.grid_map import GridMap

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import Rectangle

CELLS = ListedColormap(["white", "0.35", "0.85"])
"""Free, occupied, unknown."""
LENGTH, WIDTH = 0.55, 0.3


def ways(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Where the real and the virtual car were while they were heard: (2, ticks) each."""
    with Recording(path) as recording:
        seen = [snapshot.vehicles for snapshot, _ in recording.snapshots()]
    places = np.array([[states.x, states.y] for states in seen])
    heard = np.isfinite(places).all(axis=(1, 2))
    return places[heard, :, 0].T, places[heard, :, 1].T


def draw(axes: Axes, grid: GridMap, title: str, path: Path) -> None:
    real, virtual = ways(path)
    rows, columns = grid.cells.shape
    east, north = grid.west + columns * grid.resolution, grid.south + rows * grid.resolution
    extent = (grid.west, east, grid.south, north)
    axes.imshow(grid.cells, CELLS, vmin=0, vmax=2, origin="lower", extent=extent)
    axes.plot(*real, color="tab:red", linewidth=1.5, label="car1, real")
    x, y = virtual[:, -1]
    corner = x - LENGTH / 2, y - WIDTH / 2
    axes.add_patch(Rectangle(corner, LENGTH, WIDTH, color="tab:blue", label="car2, virtual"))
    apart = float(np.hypot(*(real - virtual)).min())
    axes.set(title=f"{title}: {apart:.2f} m apart at least", xlabel="east, m", ylabel="north, m")
    axes.legend(loc="center", fontsize="small")
    print(f"{title}: {apart:.3f} m")


def main(on: Path, off: Path, to: Path) -> None:
    grid = Stage(load("hybrid-f110"), real=False).terrain.grid
    assert grid is not None
    figure, axes = plt.subplots(1, 2, figsize=(12, 4.2), layout="constrained")
    draw(axes[0], grid, "injected", on)
    draw(axes[1], grid, "not injected", off)
    figure.savefig(to, dpi=90, pil_kwargs={"optimize": True})


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))

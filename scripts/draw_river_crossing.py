"""Draws a vehicle on its way across a river and round tree lines, with what it could see.

    python scripts/draw_river_crossing.py docs/images/river-crossing.png

It prints how long the way is, and the shortest one for somebody who knows all of it.
"""

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np

from movenv.runtime.fast import updates
from movenv.scenario.build import Stage, build
from movenv.scenario.load import load
from movenv.terrain.features import Terrain

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Polygon

COLORS = {"river": "#9ecae1", "tree_line": "#74a773", "tree": "#74a773", "building": "0.55"}
EVERY = 20.0
"""The vehicle is shown as it stands every so many seconds, s."""
SEEN_ALL = 2000.0
"""A visibility that leaves nothing to be found out, m."""


def way(visibility: float) -> tuple[np.ndarray, np.ndarray, Terrain]:
    """Times, places (2, ticks) and the ground of the shipped scenario."""
    loaded = load("river-crossing", [f"vehicles.tank.behaviors.move_to.visibility={visibility}"])
    seen = list(updates(build(loaded)))
    places = [(update.snapshot.vehicles.x[0], update.snapshot.vehicles.y[0]) for update in seen]
    times = np.array([update.snapshot.t for update in seen])
    return times, np.array(places).T, Stage(loaded, real=False).terrain


def length(places: np.ndarray) -> float:
    return float(np.hypot(*np.diff(places, axis=1)).sum())


def ground(axes: Axes, terrain: Terrain) -> None:
    for soil in terrain.soils:
        axes.add_patch(Polygon(np.array(soil.ground.exterior.coords), color="#e8dcc0"))
    for one in terrain.obstacles:
        axes.add_patch(Polygon(np.array(one.ground.exterior.coords), color=COLORS[one.kind]))
    for crossing in terrain.crossings:
        axes.add_patch(Polygon(np.array(crossing.ground.exterior.coords), color="#8c6d46"))


def draw(to: Path) -> None:
    t, short, terrain = way(150.0)
    _, known, _ = way(SEEN_ALL)
    figure, axes = plt.subplots(figsize=(9, 5), layout="constrained")
    ground(axes, terrain)
    axes.plot(*known, color="0.45", linestyle=":", linewidth=1.2, label="who knew all of it")
    axes.plot(*short, color="tab:red", linewidth=1.5, label="who sees 150 m")
    for k in np.searchsorted(t, np.arange(0.0, t[-1], EVERY)):
        axes.plot(*short[:, k], "o", color="tab:red", markersize=4)
    first = np.searchsorted(t, EVERY)
    axes.add_patch(Circle(tuple(short[:, first]), 150.0, fill=False, color="0.6", linestyle="--"))
    axes.plot(560, 40, "k*", markersize=10, label="goal")
    axes.set(aspect="equal", xlim=(-480, 620), ylim=(-330, 330))
    axes.set(xlabel="east, m", ylabel="north, m")
    axes.legend(loc="lower right", fontsize="small")
    figure.savefig(to, dpi=90, pil_kwargs={"optimize": True})
    there = t[np.argmax(np.hypot(short[0] - 560, short[1] - 40) < 2.0)]
    print(f"seeing 150 m: {length(short):.0f} m, there after {there:.0f} s")
    print(f"knowing all: {length(known):.0f} m")


if __name__ == "__main__":
    draw(Path(sys.argv[1]))

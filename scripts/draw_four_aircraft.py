"""Draws four aircraft that turn and circle across each other, and how near they come.

    python scripts/draw_four_aircraft.py docs/images/four-aircraft.png

Distances are drawn with avoidance and without, and the closest of each pair printed.
"""

import sys
from itertools import combinations
from pathlib import Path

import matplotlib as mpl
import numpy as np

from movenv.testing import Drive, drive

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

SCENARIO = "four-aircraft"
NAMES = ("circling-1", "circling-2", "turning-1", "turning-2")
TRACKED = 60.0
"""So much of the tracks is drawn, s."""
FAR = 200.0
"""Larger distances are left out of the drawing, m."""


def distances(seen: Drive) -> dict[tuple[str, str], np.ndarray]:
    """Of each pair at each tick, m."""
    places = {name: seen.place(name) for name in NAMES}
    return {
        (a, b): np.linalg.norm(places[a] - places[b], axis=1) for a, b in combinations(NAMES, 2)
    }


def tracks(axes: Axes, seen: Drive) -> None:
    shown = seen.t <= TRACKED
    for name in NAMES:
        x, y, _ = seen.place(name)[shown].T
        (line,) = axes.plot(x, y, linewidth=1.2, label=name)
        axes.plot(x[0], y[0], "o", color=line.get_color(), markersize=5)
    axes.set(aspect="equal", xlabel="east, m", ylabel="north, m", title="the first minute")
    axes.legend(fontsize="x-small", loc="upper right")


def apart(axes: Axes, seen: Drive, title: str) -> None:
    for (a, b), distance in distances(seen).items():
        axes.plot(seen.t, np.where(distance < FAR, distance, np.nan), linewidth=0.9)
        print(f"{title}: {a}, {b}: {distance.min():.1f} m at {seen.t[distance.argmin()]:.1f} s")
    axes.set(title=title, xlabel="t, s", ylabel="distance of each pair, m", ylim=(0, FAR))


def draw(to: Path) -> None:
    avoiding = drive(SCENARIO)
    bare = drive(SCENARIO, *(f"vehicles.{name}.behaviors.avoid=null" for name in NAMES))
    figure, axes = plt.subplots(1, 3, figsize=(12, 4.2), layout="constrained")
    tracks(axes[0], avoiding)
    apart(axes[1], avoiding, "by arc and line")
    apart(axes[2], bare, "without avoidance")
    speeds = np.array([avoiding.column("speed", name) for name in NAMES])
    print(f"speeds: {speeds.min():.1f} to {speeds.max():.1f} m/s")
    figure.savefig(to, dpi=90, pil_kwargs={"optimize": True})


if __name__ == "__main__":
    draw(Path(sys.argv[1]))

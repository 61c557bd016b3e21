"""Draws four aircraft that turn and circle across each other, and how near they come.

    python scripts/draw_four_aircraft.py docs/images/four-aircraft.png

The distance of the closest two is drawn with avoidance and without, and beneath it the speeds by
which they keep apart; how near each pair came in the whole run is printed.
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
SHOWN = 120.0
"""And so much of distances and speeds, s."""
LENGTH = 8.0
"""Of an aircraft, m."""


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


def apart(axes: Axes, avoiding: Drive, bare: Drive) -> None:
    """The distance of whichever two are closest, above; and what each pair came to, printed."""
    for seen, name in ((bare, "without avoidance"), (avoiding, "by arc and line")):
        found = distances(seen)
        nearest = np.min(list(found.values()), axis=0)
        axes.plot(seen.t, nearest, linewidth=1.0, label=name)
        for (a, b), apart_by in found.items():
            print(f"{name}: {a}, {b}: {apart_by.min():.1f} m at {seen.t[apart_by.argmin()]:.1f} s")
    axes.axhline(LENGTH, color="0.4", linestyle=":", label="length of one")
    axes.set(xlabel="t, s", ylabel="closest two, m", ylim=(0, None), xlim=(0, SHOWN))
    axes.legend(fontsize="x-small", loc="upper right")


def speeds(axes: Axes, seen: Drive) -> None:
    for name in NAMES:
        axes.plot(seen.t, seen.column("speed", name), linewidth=1.0)
    axes.set(xlabel="t, s", ylabel="speed, m/s", ylim=(0, None), xlim=(0, SHOWN))


def draw(to: Path) -> None:
    avoiding = drive(SCENARIO)
    bare = drive(SCENARIO, *(f"vehicles.{name}.behaviors.avoid=null" for name in NAMES))
    figure = plt.figure(figsize=(11, 4.4), layout="constrained")
    left, above, below = figure.subplot_mosaic([["map", "apart"], ["map", "speed"]]).values()
    tracks(left, avoiding)
    apart(above, avoiding, bare)
    speeds(below, avoiding)
    figure.savefig(to, dpi=90, pil_kwargs={"optimize": True})


if __name__ == "__main__":
    draw(Path(sys.argv[1]))

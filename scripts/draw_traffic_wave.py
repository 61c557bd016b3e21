"""Draws the accordion of the traffic-wave experiment from an exported recording.

    movenv run traffic-wave --fast --record wave.mcap
    movenv export wave.mcap --to csv
    python scripts/draw_traffic_wave.py wave.csv docs/images/traffic-wave.png

Prints what the page on the experiment says in numbers.
"""

import csv
import sys
from itertools import pairwise
from pathlib import Path

import matplotlib as mpl
import numpy as np
from numpy.typing import NDArray

from movenv.scenario.build import Stage
from movenv.scenario.load import load
from movenv.terrain.rounding import rounded
from movenv.terrain.route import Route
from movenv.terrain.route_set import RouteSet

mpl.use("Agg")
from matplotlib import pyplot as plt

Column = NDArray[np.float64]
CARS = ("lead", "follower-1", "follower-2", "follower-3")
LENGTH = 4.5
CUT = 3.0
"""By how much the cars cut corners, m, as in the scenario."""
LOOK = 30.0
"""How far from where it was a car is looked for on the lap, m: phones may be silent for a while."""


def along_lap(path: Path, route: Route) -> dict[str, tuple[Column, Column]]:
    """Times and metres along the lap of each car."""
    places: dict[str, list[tuple[float, float, float]]] = {name: [] for name in CARS}
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["name"] in places and row["run_state"] == "GO" and row["x"]:
                places[row["name"]].append((float(row["t"]), float(row["x"]), float(row["y"])))
    routes, one, reach = RouteSet([route]), np.zeros(1, np.intp), np.full(1, LOOK)
    found = {}
    for name, rows in places.items():
        t, x, y = np.array(rows).T
        here, _ = routes.nearest(one, x[:1], y[:1])
        s = np.empty(len(t))
        for i in range(len(t)):
            here, _ = routes.near(one, x[i : i + 1], y[i : i + 1], here, reach, reach)
            s[i] = here[0]
        found[name] = (t, s)
    return found


def draw(cars: dict[str, tuple[Column, Column]], route: Route, to: Path) -> None:
    figure, (places, gaps) = plt.subplots(
        2, 1, figsize=(8, 7), sharex=True, height_ratios=(3, 2), layout="constrained"
    )
    for name, (t, s) in cars.items():
        places.plot(t, s, label=name, linewidth=1.2)
    for stretch in route.slow:
        places.axhline(stretch.at, color="0.8", linewidth=0.8, zorder=0)
    for stop in route.stops:
        places.axhline(stop.at, color="tab:red", linewidth=0.8, alpha=0.4, zorder=0)
    places.set(ylabel="along the lap, m", title="Speed bumps grey, stop signs red")
    places.legend(loc="upper left")
    for ahead, behind in pairwise(CARS):
        t, gap = gap_of(cars, ahead, behind)
        gaps.plot(t, gap, label=f"{ahead} to {behind}", linewidth=1.2)
    gaps.set(xlabel="time, s", ylabel="gap, bumper to bumper, m")
    gaps.legend(loc="upper right", fontsize="small")
    figure.savefig(to, dpi=90, pil_kwargs={"optimize": True})


def gap_of(
    cars: dict[str, tuple[Column, Column]], ahead: str, behind: str
) -> tuple[Column, Column]:
    t = cars[behind][0]
    return t, np.interp(t, *cars[ahead]) - cars[behind][1] - LENGTH


def tell(cars: dict[str, tuple[Column, Column]], route: Route) -> None:
    marks = [(s.at, "bump") for s in route.slow] + [(s.at, "stop sign") for s in route.stops]
    marks = [(round(at), what) for at, what in marks]
    print("at, what, seconds after the car in front: " + ", ".join(CARS[1:]))
    for at, what in sorted(marks):
        times = [t[int(np.argmax(s >= at - 0.3))] for t, s in cars.values()]
        print(f"{at:6.0f} {what:9}", *(f"{later:5.1f}" for later in np.diff(times)))
    for ahead, behind in pairwise(CARS):
        t, gap = gap_of(cars, ahead, behind)
        under_way = (t > 10) & (np.interp(t, *cars[ahead]) < route.length)
        low, high = gap[under_way].min(), gap[under_way].max()
        print(f"{behind}: gap {low:.1f} to {high:.1f} m, median {np.median(gap[under_way]):.1f} m")
    for at, what in sorted(marks):
        told = []
        for ahead, behind in pairwise(CARS):
            t, gap = gap_of(cars, ahead, behind)
            # From when the car in front slows down for it until the one behind is well past it.
            begins = np.interp(t, *cars[ahead]) > at - 40
            part = gap[begins & (cars[behind][1] < at + 100)]
            told.append(f"{part.min():5.1f} to {part.max():5.1f}")
        print(f"{at:6.0f} {what:9} gaps, m:", *told)


if __name__ == "__main__":
    lap = rounded(Stage(load("traffic-wave")).routes["lap"], CUT, 0.0)
    seen = along_lap(Path(sys.argv[1]), lap)
    draw(seen, lap, Path(sys.argv[2]))
    tell(seen, lap)

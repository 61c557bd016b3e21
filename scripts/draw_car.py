"""Draws the car beside CommonRoad's multi-body model, and prints how far apart they are.

    python -m scripts.draw_car docs/images

Needs the package `commonroad-vehicle-models`.
"""

import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from tests.vehicles import commonroad
from tests.vehicles.commonroad import Profile, Run

mpl.use("Agg")
from matplotlib import pyplot as plt

VEHICLES = {"BMW 320i": 2, "Ford Escort": 1}
SPEEDS = (5.0, 12.0, 20.0, 30.0)
GENTLE, HARD = 3.0, 7.0
"""Lateral accelerations that the steer would give without slip, m/s²."""


def never(_t: float) -> float:
    return 0.0


def brake_from(speed: float) -> Profile:
    hard = min(2.0, 0.15 * speed)
    return lambda t: hard if t > 1.5 else 0.0


def manoeuvres(p: Any, speed: float, lateral: float) -> dict[str, tuple[Profile, Profile]]:
    angle = min(lateral * (p.a + p.b) / speed**2, 0.2)
    gentler = min(0.6 * lateral * (p.a + p.b) / speed**2, 0.2)
    return {
        "step steer": (commonroad.step_steer(angle), never),
        "lane change": (commonroad.lane_change(0.7 * angle), never),
        "braking in a bend": (commonroad.step_steer(gentler), brake_from(speed)),
    }


def both(p: Any, speed: float, lateral: float, name: str) -> tuple[Run, Run, Run]:
    """Theirs, ours as theirs takes slip, and ours as it is."""
    steer, brake = manoeuvres(p, speed, lateral)[name]
    there = commonroad.theirs(p, speed, steer, brake, 4.0)
    return there, *(commonroad.ours(p, speed, steer, brake, 4.0, sway) for sway in (0.0, 1.0))


def draw(to: Path) -> None:
    p = commonroad.parameters(VEHICLES["BMW 320i"])
    figure, axes = plt.subplots(2, 3, figsize=(12, 6), sharex=True, layout="constrained")
    for column, name in enumerate(manoeuvres(p, 20.0, GENTLE)):
        there, here, swaying = both(p, 20.0, GENTLE, name)
        for row, (quantity, unit) in enumerate((("yaw_rate", "rad/s"), ("lateral", "m/s²"))):
            ax = axes[row, column]
            ax.plot(there.time, getattr(there, quantity), color="0.6", linewidth=4)
            ax.plot(here.time, getattr(here, quantity), color="tab:red", linewidth=1.2)
            ax.plot(swaying.time, getattr(swaying, quantity), "--", color="tab:blue", linewidth=1)
            ax.set(ylabel=f"{quantity.replace('_', ' ')}, {unit}")
        axes[0, column].set(title=f"{name} at 20 m/s")
        axes[1, column].set(xlabel="time, s")
    axes[0, 0].legend(["CommonRoad multi-body", "car, sway 0", "car"], fontsize="small")
    figure.savefig(to, dpi=90, pil_kwargs={"optimize": True})


def tabulate(lateral: float) -> None:
    print("| vehicle | manoeuvre | m/s | peak, m/s² | yaw rate | lateral | with sway |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for vehicle, number in VEHICLES.items():
        p = commonroad.parameters(number)
        for name in manoeuvres(p, 20.0, lateral):
            for speed in SPEEDS:
                there, here, swaying = both(p, speed, lateral, name)
                peak = float(np.abs(there.lateral).max())
                off = (
                    commonroad.apart(there.yaw_rate, here.yaw_rate),
                    commonroad.apart(there.lateral, here.lateral),
                )
                swayed = commonroad.apart(there.yaw_rate, swaying.yaw_rate)
                cells = (f"{one:.1%}" for one in (*off, swayed))
                print(f"| {vehicle} | {name} | {speed:g} | {peak:.1f} | {' | '.join(cells)} |")


def main(folder: Path) -> None:
    draw(folder / "car-commonroad.png")
    tabulate(GENTLE)
    tabulate(HARD)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

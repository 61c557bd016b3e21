"""Draws the distances of the evacuation against time, from the table of a run.

movenv run medevac --fast --record medevac.mcap
movenv export medevac.mcap --to csv
python docs/medevac_figure.py medevac.csv docs/images/medevac-distances.png
"""

import csv
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

PAIRS = {
    ("uav", "injured"): ("#0072b2", "1 discovery"),
    ("medic", "injured"): ("#d55e00", "2 approach"),
    ("ambulance", "injured"): ("#009e73", "3 evacuation"),
    ("uav", "ambulance"): ("#999999", "4 return"),
}
NEAR = 25.0
"""Two that are this near to each other, m, have met."""


def places(table: Path) -> dict[str, np.ndarray]:
    """t, x, y of each vehicle, (ticks, 3)."""
    rows: dict[str, list[tuple[float, ...]]] = {}
    with table.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rows.setdefault(row["name"], []).append(tuple(float(row[c]) for c in ("t", "x", "y")))
    return {name: np.array(of) for name, of in rows.items()}


def draw(table: Path, picture: Path) -> None:
    of = places(table)
    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    for (a, b), (color, dip) in PAIRS.items():
        t = of[a][:, 0]
        gap = np.hypot(*(of[a] - of[b])[:, 1:].T)
        axes.plot(t, gap, color=color, label=f"{a} – {b}", linewidth=1.8)
        far = np.flatnonzero(gap > 3 * NEAR)[-1 if dip.startswith("4") else 0]
        met = far + int(np.argmax(gap[far:] < NEAR))
        axes.annotate(
            dip, (t[met], gap[met]), (t[met], gap[met] + 45), ha="center", color=color,
            arrowprops={"arrowstyle": "->", "color": color},
        )  # fmt: skip
    axes.set(xlabel="time, s", ylabel="distance on the ground, m", xlim=(0, t[-1]), ylim=(0, None))
    axes.grid(alpha=0.3)
    axes.legend(loc="upper center", ncols=4, bbox_to_anchor=(0.5, 1.14), frameon=False)
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    draw(Path(sys.argv[1]), Path(sys.argv[2]))

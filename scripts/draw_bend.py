"""Draws fifteen vehicles on their way through a bend of 80 degrees, with their errors.

    python scripts/draw_bend.py docs/images/bend-80.png

On the left each follows the formation's rule, on the right each steers at a station fixed to the
leader.
"""

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np

from movenv.bench.bend import Passage, ride

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

EVERY = 12.0
"""The formation is shown as it stands every so many seconds, s."""


def draw(kept: Passage, naive: Passage, to: Path) -> None:
    figure, axes = plt.subplots(
        2,
        2,
        figsize=(10, 9),
        sharex="row",
        sharey="row",
        height_ratios=(3, 1),
        layout="constrained",
    )
    for (above, below), passage, name in zip(
        axes.T, (kept, naive), ("formation", "each at its fixed station"), strict=True
    ):
        _tracks(above, passage, name)
        _errors(below, passage)
    figure.savefig(to, dpi=90, pil_kwargs={"optimize": True})


def _tracks(axes: Axes, passage: Passage, name: str) -> None:
    axes.plot(passage.x[:, 1:], passage.y[:, 1:], color="0.7", linewidth=0.7)
    axes.plot(passage.x[:, 0], passage.y[:, 0], color="tab:red", linewidth=1.2)
    shown = np.searchsorted(passage.t, np.arange(0.0, passage.t[-1], EVERY))
    for n, k in enumerate(shown):
        color = plt.get_cmap("viridis")(n / len(shown))
        axes.plot(passage.x[k, 1:], passage.y[k, 1:], "o", color=color, markersize=3.5)
        axes.plot(passage.x[k, 0], passage.y[k, 0], "^", color="tab:red", markersize=5)
    axes.set(aspect="equal", title=name, xlabel="east, m", ylabel="north, m")


def _errors(axes: Axes, passage: Passage) -> None:
    since = passage.t - passage.turns_at
    rms = np.sqrt((passage.error**2).mean(axis=1))
    axes.fill_between(since, passage.error.min(axis=1), passage.error.max(axis=1), alpha=0.2)
    axes.plot(since, rms, label="RMS; shaded: from least to largest")
    axes.set(xlabel="since the leader began to turn, s", ylabel="station error, m", xlim=(-5, 50))
    axes.legend(loc="upper right", fontsize="small")


if __name__ == "__main__":
    draw(ride(naive=False), ride(naive=True), Path(sys.argv[1]))

"""Draws the measures of a hybrid test: over the rate of messages, and over the step."""

from collections.abc import Callable
from pathlib import Path

import matplotlib.pyplot as plt

from movenv.bench.hybrid import Measured, Sweep

PANELS: dict[str, Callable[[Measured], float]] = {
    "bandwidth, KB/s": lambda found: found.bandwidth,
    "load of the Core, % of a core": lambda found: 100 * found.core,
    "real-time factor": lambda found: found.real_time,
    "new pose estimates, 1/s": lambda found: found.estimates,
}


def draw(sweep: Sweep, folder: Path) -> None:
    """Write hybrid-rates.png and hybrid-steps.png."""
    folder.mkdir(parents=True, exist_ok=True)
    figure, axes = plt.subplots(1, 4, figsize=(14, 3.2), layout="constrained")
    ways = {"rays where the Core is": sweep.central, "rays at the agent": sweep.beside}
    for axis, (title, value) in zip(axes, PANELS.items(), strict=True):
        for said, found in ways.items():
            axis.plot([one.at for one in found], [value(one) for one in found], "o-", label=said)
        axis.set(title=title, xlabel="messages a second", ylim=(0, None))
    axes[0].legend()
    figure.savefig(folder / "hybrid-rates.png")
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    for axis, title in zip(axes, list(PANELS)[2:], strict=True):
        found = sweep.by_step
        axis.plot([one.at for one in found], [PANELS[title](one) for one in found], "o-")
        axis.set(title=f"{title}, at most", xlabel="step, s", ylim=(0, None))
    figure.savefig(folder / "hybrid-steps.png")

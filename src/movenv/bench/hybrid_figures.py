"""Draws the measures of a hybrid test: over the rate of messages, and over the step."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from movenv.bench.hybrid import WAYS, Measured, Sweep, Where

PANELS: dict[str, Callable[[Measured], float]] = {
    "bandwidth, KB/s": lambda found: found.bandwidth,
    "load of the Core, % of a core": lambda found: 100 * found.core,
    "real-time factor": lambda found: found.real_time,
    "new pose estimates, 1/s": lambda found: found.estimates,
}
REAL_TIME = "real-time factor"
ROOM = 1.1
"""Above the highest point, in its heights."""


def draw(sweep: Sweep, folder: Path) -> None:
    """Write hybrid-rates.png and hybrid-steps.png."""
    folder.mkdir(parents=True, exist_ok=True)
    _figure(sweep.by_rate, {}, "messages a second", folder / "hybrid-rates.png")
    alone = {"the car alone, at most": sweep.alone}
    _figure(sweep.by_step, alone, "step, s", folder / "hybrid-steps.png")


def _figure(
    live: Mapping[Where, Sequence[Measured]], alone: Mapping[str, Sequence[Measured]],
    over: str, to: Path,
) -> None:  # fmt: skip
    figure, axes = plt.subplots(1, 4, figsize=(14, 3.2), layout="constrained")
    for axis, (title, value) in zip(axes, PANELS.items(), strict=True):
        for where, found in live.items():
            _line(axis, found, value, WAYS[where])
        for said, found in alone.items() if title == REAL_TIME else ():
            _line(axis, found, value, said)
            axis.legend()
        axis.set(title=title, xlabel=over, ylim=(0, ROOM * axis.get_ylim()[1]))
    axes[0].legend()
    figure.savefig(to, dpi=90, pil_kwargs={"optimize": True})


def _line(
    axis: Axes, found: Sequence[Measured], value: Callable[[Measured], float], said: str
) -> None:
    axis.plot([one.at for one in found], [value(one) for one in found], "o-", label=said)

"""Draws the measures of a hybrid test for the documentation: over the rate of scans and the step.

`python scripts/draw_hybrid.py` takes some ten minutes and writes docs/images/hybrid-*.svg.
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from movenv.bench.hybrid import RATES, STEPS, Measured, by_rate, by_step

IMAGES = Path(__file__).parents[1] / "docs" / "images"
SECONDS = 20.0


def rates() -> None:
    """Bandwidth, load of the Core, real-time factor and pose estimates over the rate of scans."""
    found = {where: by_rate(RATES, where, SECONDS) for where in ("agent", "core")}
    panels = {
        "bandwidth, KB/s": lambda m: m.bandwidth,
        "load of the Core, % of a core": lambda m: 100 * m.core,
        "real-time factor": lambda m: m.real_time,
        "new pose estimates, 1/s": lambda m: m.estimates,
    }
    figure, axes = plt.subplots(1, 4, figsize=(14, 3.2), layout="constrained")
    for axis, (title, value) in zip(axes, panels.items(), strict=True):
        for where, said in (("core", "rays where the Core is"), ("agent", "rays at the agent")):
            axis.plot(RATES, [value(m) for m in found[where]], "o-", label=said)
        axis.set(title=title, xlabel="scans a second", ylim=(0, None))
    axes[0].legend()
    figure.savefig(IMAGES / "hybrid-rates.svg")
    for where, row in found.items():
        _print(where, row)


def steps() -> None:
    """Real-time factor and pose estimates over the step."""
    found = by_step(STEPS, SECONDS)
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    axes[0].plot(STEPS, [m.real_time for m in found], "o-")
    axes[0].set(title="real-time factor, at most", xlabel="step, s", ylim=(0, None))
    axes[1].plot(STEPS, [m.estimates for m in found], "o-")
    axes[1].set(title="new pose estimates, 1/s, at most", xlabel="step, s", ylim=(0, None))
    figure.savefig(IMAGES / "hybrid-steps.svg")
    _print("step", found)


def _print(name: str, found: list[Measured]) -> None:
    for m in found:
        print(name, m)


if __name__ == "__main__":
    steps()
    rates()

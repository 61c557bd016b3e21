"""The four measures of a hybrid test, over the rate of messages and over the step.

Bandwidth of altered sensor data, real-time factor, load of the Core, rate of new pose estimates:
with the car's scans altered beside it, and with all of them brought to where the Core is.
"""

import json
import subprocess
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from movenv.behaviors.navigate import Navigate
from movenv.bench.live import MOVENV, LiveRun, free_port
from movenv.bench.measure import Row
from movenv.bench.running import pid_of, processor_seconds
from movenv.runtime.fast import FastRun
from movenv.scenario.build import build
from movenv.scenario.load import load

RATES = (10.0, 20.0, 30.0, 40.0)
STEPS = (0.001, 0.002, 0.004, 0.008)
TICK = 0.04
"""A multiple of every step."""
Where = Literal["agent", "core"]
SCENARIO, CAR = "hybrid-f110", "car1"


@dataclass(frozen=True)
class Measured:
    """The four measures of one run."""

    at: float
    """The rate of messages, Hz, or the step, s."""
    bandwidth: float
    """Of sensor data and positions over the network, KB/s."""
    real_time: float
    core: float
    """Share of a processor's core, with what alters scans there."""
    estimates: float
    """New ones a second, of the car's pose."""


@dataclass(frozen=True)
class Sweep:
    """All that was measured."""

    beside: Sequence[Measured]
    """By rate, with rays traced at the agent."""
    central: Sequence[Measured]
    """The same with rays traced where the Core is, as the paper first did."""
    by_step: Sequence[Measured]

    def rows(self) -> list[Row]:
        found = [
            row
            for ours, theirs in zip(self.beside, self.central, strict=True)
            for row in _rows(ours, theirs)
        ]
        coarsest = self.by_step[-1]
        return found + [
            Row(f"the car alone as fast as it can, step {one.at:g} s", one.real_time,
                "× real time", 1.0, "higher", f"step {coarsest.at:g} s", coarsest.real_time)
            for one in self.by_step[:-1]
        ]  # fmt: skip


def measure(quick: bool, figures: Path | None = None) -> list[Row]:
    """`figures` is a folder for drawings of what was measured."""
    rates, steps = (RATES[-1:], STEPS[::3]) if quick else (RATES, STEPS)
    live, alone = (6.0, 4.0) if quick else (15.0, 20.0)
    sweep = Sweep(
        [_live(rate, "agent", live) for rate in rates],
        [_live(rate, "core", live) for rate in rates],
        [_alone(step, alone) for step in steps],
    )
    if figures:
        from movenv.bench.hybrid_figures import draw

        draw(sweep, figures)
    return sweep.rows()


def _rows(ours: Measured, theirs: Measured) -> list[Row]:
    said, baseline = f"hybrid car, {ours.at:g} messages/s", "rays where the Core is"
    return [
        Row(f"{said}, rays at the agent: bandwidth", ours.bandwidth, "KB/s",
            0.5 * ours.at, "lower", baseline, theirs.bandwidth),
        Row(f"{said}: load of the Core", 100 * ours.core, "% of a core", 10.0, "lower",
            baseline, 100 * theirs.core),
        Row(f"{said}: real-time factor", ours.real_time, "× real time", 0.95, "higher", baseline,
            theirs.real_time),
        Row(f"{said}: new pose estimates", ours.estimates, "1/s", min(18.0, 0.9 * ours.at),
            "higher", baseline, theirs.estimates),
    ]  # fmt: skip


def _alone(step: float, seconds: float) -> Measured:
    changes = [f"time.step={step}", f"time.tick={TICK}", f"time.duration={seconds}"]
    run = build(load(SCENARIO, changes))
    began = time.process_time()
    FastRun(run, []).run()
    took = time.process_time() - began
    navigate = run.hosts[0].behavior("navigate")
    assert isinstance(navigate, Navigate)
    return Measured(step, 0.0, seconds / took, 0.0, float(navigate.estimates.scans[0]) / took)


def _live(rate: float, where: Where, seconds: float) -> Measured:
    fixes, scans, altered, poses = (free_port() for _ in range(4))
    change = ["--set", f"vehicles.{CAR}.live.port={fixes}"]
    with ExitStack() as running:
        run = LiveRun(SCENARIO, 3600.0, *change)
        running.callback(run.stop)
        ways = [f"udp:127.0.0.1:{scans}", f"udp:127.0.0.1:{altered}"]
        if where == "core":
            ways = [f"bus:{CAR}", f"bus:{CAR}/altered"]
        at_core = ["--core", run.address]
        layer = _started(["inject", "--vehicle", CAR, "--from", ways[0], "--to", ways[1],
                          "--pose", f"udp:127.0.0.1:{poses}", "--rate", f"{rate:g}", *at_core,
                          "--json"])  # fmt: skip
        running.callback(layer.kill)
        car = _started(["car", SCENARIO, "--vehicle", CAR, "--scans-to", ways[0], "--read-from",
                        ways[1], "--pose-to", f"127.0.0.1:{poses}", "--fixes-to",
                        f"127.0.0.1:{fixes}", *at_core, "--duration", str(seconds), "--json",
                        "--set", f"vehicles.{CAR}.sensors.scanner.rate={rate}"])  # fmt: skip
        running.callback(car.kill)
        run.connect().close()
        pids = [pid_of("core", run.address)] + ([layer.pid] if where == "core" else [])
        before, began = sum(map(processor_seconds, pids)), time.monotonic()
        drove = _told(car)
        used = sum(map(processor_seconds, pids)) - before
        took = time.monotonic() - began
        layer.terminate()
        positions = _told(layer)["core"]["bytes_per_s"]
    sensors = 2 * drove["scan_bytes"] / drove["took_s"] if where == "core" else 0.0
    return Measured(
        rate, (sensors + positions) / 1e3, drove["lived_s"] / drove["took_s"], used / took,
        drove["estimates"] / drove["took_s"],
    )  # fmt: skip


def _started(words: list[str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*MOVENV, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )


def _told(process: "subprocess.Popen[str]") -> dict[str, Any]:
    """What a process says of itself at its end."""
    told: dict[str, Any] = json.loads(process.communicate()[0])
    return told

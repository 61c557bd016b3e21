"""The four measures of a hybrid test, over the rate of messages and over the step.

Bandwidth of altered sensor data, real-time factor, load of the Core, rate of new pose estimates:
with the car's scans altered beside it, and with all of them brought to where the Core is.
"""

import json
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
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
WAYS: dict[Where, str] = {"agent": "rays at the agent", "core": "rays where the Core is"}
"""The second as the paper first did."""
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

    by_rate: Mapping[Where, Sequence[Measured]]
    by_step: Mapping[Where, Sequence[Measured]]
    """At the highest rate."""
    alone: Sequence[Measured]
    """By step: the car alone in one process, as fast as it can."""

    def rows(self) -> list[Row]:
        coarsest = self.alone[-1]
        return [
            *_rows(self.by_rate, lambda rate: f"{rate:g} messages/s"),
            *_rows(self.by_step, lambda step: f"{RATES[-1]:g} messages/s, step {step:g} s"),
            *(Row(f"the car alone as fast as it can, step {one.at:g} s", one.real_time,
                  "× real time", 1.0, "higher", f"step {coarsest.at:g} s", coarsest.real_time)
              for one in self.alone[:-1]),
        ]  # fmt: skip


def measure(quick: bool, figures: Path | None = None) -> list[Row]:
    """`figures` is a folder for drawings of what was measured."""
    rates, steps = (RATES[-1:], STEPS[::3]) if quick else (RATES, STEPS)
    live, alone = (6.0, 4.0) if quick else (15.0, 20.0)
    sweep = Sweep(
        {where: [_live(where, live, rate) for rate in rates] for where in WAYS},
        {where: [_live(where, live, RATES[-1], step) for step in steps] for where in WAYS},
        [_alone(step, alone) for step in steps],
    )
    if figures:
        from movenv.bench.hybrid_figures import draw

        draw(sweep, figures)
    return sweep.rows()


def _rows(found: Mapping[Where, Sequence[Measured]], words: Callable[[float], str]) -> list[Row]:
    """The four measures, with rays at the agent beside those where the Core is."""
    rows, baseline = [], WAYS["core"]
    for ours, theirs in zip(found["agent"], found["core"], strict=True):
        said = f"hybrid car, {words(ours.at)}"
        rows += [
            Row(f"{said}, {WAYS['agent']}: bandwidth", ours.bandwidth, "KB/s",
                theirs.bandwidth / 10, "lower", baseline, theirs.bandwidth),
            Row(f"{said}: load of the Core", 100 * ours.core, "% of a core", 100 * theirs.core,
                "lower", baseline, 100 * theirs.core),
            Row(f"{said}: real-time factor", ours.real_time, "× real time", 0.95, "higher",
                baseline, theirs.real_time),
            Row(f"{said}: new pose estimates", ours.estimates, "1/s", 0.9 * theirs.estimates,
                "higher", baseline, theirs.estimates),
        ]  # fmt: skip
    return rows


def _alone(step: float, seconds: float) -> Measured:
    changes = [f"time.step={step}", f"time.tick={TICK}", f"time.duration={seconds}"]
    run = build(load(SCENARIO, changes))
    began = time.process_time()
    FastRun(run, []).run()
    took = time.process_time() - began
    navigate = run.hosts[0].behavior("navigate")
    assert isinstance(navigate, Navigate)
    return Measured(step, 0.0, seconds / took, 0.0, float(navigate.estimates.scans[0]) / took)


def _live(where: Where, seconds: float, rate: float, step: float | None = None) -> Measured:
    """With the car and its layer as processes of their own."""
    finer = ["--set", f"time.step={step}", "--set", f"time.tick={TICK}"] if step else []
    fixes, scans, altered, poses = (free_port() for _ in range(4))
    change = ["--set", f"vehicles.{CAR}.live.port={fixes}"]
    with ExitStack() as running:
        run = LiveRun(SCENARIO, 3600.0, *change, *finer)
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
                        "--set", f"vehicles.{CAR}.sensors.scanner.rate={rate}",
                        *finer])  # fmt: skip
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
        step or rate, (sensors + positions) / 1e3, drove["lived_s"] / drove["took_s"], used / took,
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

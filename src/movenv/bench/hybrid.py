"""The four measures of a hybrid test, over the rate of scans and over the step.

Bandwidth of altered sensor data, real-time factor, load of the Core, rate of new pose estimates:
with the car's scans altered beside it, and with all of them brought to where the Core is.
"""

import json
import subprocess
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
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
    """The rate of scans, Hz, or the step, s."""
    bandwidth: float
    """Of sensor data and positions over the network, KB/s."""
    real_time: float
    core: float
    """Share of a processor's core, with what alters scans there."""
    estimates: float
    """New ones a second, of the car's pose."""


def measure(quick: bool) -> list[Row]:
    rate = RATES[-1]
    seconds = 6.0 if quick else 15.0
    beside, there = (by_rate((rate,), where, seconds)[0] for where in ("agent", "core"))
    fine, coarse = by_step((STEPS[0], STEPS[-1]), 4.0 if quick else 20.0)
    return [
        Row(f"hybrid car, {rate:g} scans/s, rays at the agent: bandwidth", beside.bandwidth, "KB/s",
            5.0, "lower", "rays where the Core is", there.bandwidth),
        Row("the same: load of the Core", 100 * beside.core, "% of a core", 10.0, "lower",
            "rays where the Core is", 100 * there.core),
        Row("the same: new pose estimates", beside.estimates, "1/s", 18.0, "higher",
            "rays where the Core is", there.estimates),
        Row(f"the car as fast as it can, step {STEPS[0]:g} s", fine.real_time, "× real time", 1.0,
            "higher", f"step {STEPS[-1]:g} s", coarse.real_time),
    ]  # fmt: skip


def by_rate(rates: Sequence[float], where: Where, seconds: float) -> list[Measured]:
    """Live runs with the car and its layer as processes of their own."""
    return [_live(rate, where, seconds) for rate in rates]


def by_step(steps: Sequence[float], seconds: float) -> list[Measured]:
    """The car alone in one process, as fast as it can."""
    return [_alone(step, seconds) for step in steps]


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
                          "--pose", f"udp:127.0.0.1:{poses}", *at_core, "--json"])  # fmt: skip
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

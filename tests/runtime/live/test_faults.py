"""Kills, stalls and strangers, provoked with real processes."""

import os
import signal
import subprocess
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from movenv.recording.reader import Recording
from movenv.runtime.fast import updates
from movenv.scenario.build import build
from movenv.scenario.load import load
from movenv.world.messages import Health

from .processes import (
    MOVENV,
    LiveRun,
    lacks_only_what_is_told,
    live_run,
    movenv,
    wait_until,
)

pytestmark = pytest.mark.xdist_group("live")  # one real-time run at a time
EVERYONE = ("movenv core", "movenv record", "--name host-1", "--name host-2")
TICK_AND_ASKING = 0.25
STALL = 3.0
ENOUGH = 25
"""Ticks that are on time show that a live run is the fast one."""
SIX = ("--set", "vehicles.uav.count=6", "--duration", "600")


def health_of(run: LiveRun) -> list[str]:
    return [vehicle["health"] for vehicle in run.status().get("each", ())]


def snapshots(path: Path) -> list:
    with Recording(path) as recording:
        return [snapshot for snapshot, _ in recording.snapshots()]


def test_a_live_run_is_the_fast_run_bit_for_bit(tmp_path: Path) -> None:
    fast = [u.snapshot for u in updates(build(load("three-uavs", ["time.duration=10"])))]
    for speed, duration in (("4", "10"), ("2", "10"), ("1", "10"), ("0.5", "6"), ("0.25", "4")):
        folder = tmp_path / speed
        folder.mkdir()
        with live_run(folder, "three-uavs", "--duration", duration, "--speed", speed) as run:
            code, told, said = run.ended()
        assert code == 0, said
        live = _on_time(snapshots(run.recording))
        same = [_alike(one, other) for one, other in zip(live, fast, strict=False)]
        late = sum(host["late"] for host in told["hosts"])  # who hears late decides by old news
        assert all(same) or late, same.index(False)
        same_until = same.index(False) if late and not all(same) else len(same)
        if same_until >= ENOUGH:
            return
    pytest.fail(f"only the first {same_until} ticks were on time, at a quarter of the speed")


def _alike(one: Any, other: Any) -> bool:
    """Bit for bit."""
    both = zip(one.vehicles.columns(), other.vehicles.columns(), strict=True)
    return all(a.tobytes() == b.tobytes() for (_, a), (_, b) in both)


def _on_time(seen: list) -> list:
    """The snapshots before the first that a busy machine kept from being in time, as it says: one
    that is not there, or has somebody in it who was carried on."""
    late = (k for k, s in enumerate(seen) if s.tick != k or (s.vehicles.age > 0).any())
    return seen[: next(late, len(seen))]


def test_a_killed_host_is_missed_at_once_and_comes_back_where_it_was(tmp_path: Path) -> None:
    with live_run(tmp_path, "three-uavs", *SIX) as run:
        run.wait_for("GO", t=1.0)
        killed_at = time.monotonic()
        run.kill("--name host-2")
        wait_until(lambda: health_of(run).count("lost") == 3, timeout=5)
        missed_after = time.monotonic() - killed_at
        wait_until(lambda: health_of(run).count("heard") == 6)
        back_after = time.monotonic() - killed_at
        run.wait_for("GO", t=run.status()["t"] + 1)
        run.state("stop")
        code, told, said = run.ended()
    print(f"host killed: lost after {missed_after:.3f} s, back after {back_after:.2f} s")
    assert code == 0, said
    assert told["restarts"] == 1
    assert missed_after < 1.0
    seen = snapshots(run.recording)
    assert lacks_only_what_is_told(run.recording)  # nobody else noticed
    lost = [s for s in seen if (s.vehicles.health == Health.LOST).any()]
    before = next(s for s in reversed(seen) if s.tick < lost[0].tick).vehicles
    after = next(s for s in seen if s.tick > lost[-1].tick).vehicles
    for row in np.flatnonzero(lost[0].vehicles.health == Health.LOST):
        moved = np.hypot(after.x[row] - before.x[row], after.y[row] - before.y[row])
        assert moved < 5.0  # it rejoined from its last report, and flew a few ticks at most
    others = np.flatnonzero(lost[0].vehicles.health == Health.HEARD)
    assert _steady(seen, others)


def _steady(seen: list, rows: np.ndarray) -> bool:
    """Whether nobody moves farther in a tick than a vehicle can.

    Who was carried on from an old report may have turned meanwhile.
    """
    place = np.array([[s.vehicles.x[rows], s.vehicles.y[rows]] for s in seen])
    age = np.array([s.vehicles.age[rows] for s in seen])
    ticks = np.diff([s.tick for s in seen])
    step = np.hypot(*np.diff(place, axis=0).transpose(1, 0, 2))
    return bool((step <= 7.0 * (0.1 * ticks[:, None] + age[:-1])).all())


@pytest.mark.long
def test_a_core_and_a_host_killed_together_go_on_where_everyone_was(tmp_path: Path) -> None:
    with live_run(tmp_path, "three-uavs", *SIX) as run:
        run.wait_for("GO", t=4.0)
        run.kill("movenv core")
        run.kill("--name host-2")
        run.wait_for("GO", t=6.0)
        wait_until(lambda: health_of(run).count("heard") == 6)
        run.wait_for("GO", t=run.status(False)["t"] + 1)
        run.state("stop")
        code, _, said = run.ended()
    assert code == 0, said
    seen = [s for s in snapshots(run.recording) if (s.vehicles.health == Health.HEARD).all()]
    assert _steady(seen, np.arange(3))
    after = next(i for i, (a, b) in enumerate(pairwise(seen), 1) if b.tick > a.tick + 1)
    before, back = seen[after - 1].vehicles, seen[after + 5].vehicles
    moved = np.hypot(back.x - before.x, back.y - before.y)[3:]
    assert (moved < 6.0).all()  # not where it all began, but where they were


@pytest.mark.long
def test_a_core_killed_without_a_recording_goes_on_too(tmp_path: Path) -> None:
    with live_run(tmp_path, "three-uavs", *SIX, "--no-record") as run:
        t = run.wait_for("GO", t=2.0)["t"]
        run.kill("movenv core")
        run.wait_for("GO", t=t + 0.5)
        wait_until(lambda: health_of(run).count("heard") == 6)
        run.state("stop")
        code, told, said = run.ended()
    assert code == 0, said
    assert told["restarts"] == 1


@pytest.mark.parametrize("then", ["go_on", pytest.param("hold", marks=pytest.mark.long)])
def test_a_killed_core_comes_back_and_goes_on(tmp_path: Path, then: str) -> None:
    options = (*SIX, "--set", f"link_loss.then={then}", "--set", "link_loss.after=0.5")
    with live_run(tmp_path, "three-uavs", *options) as run:
        run.wait_for("GO", t=2.0)
        t_killed = run.status(False)["t"]
        killed_at = time.monotonic()
        run.kill("movenv core")
        run.wait_for("GO", t=t_killed + 0.5)
        wait_until(lambda: health_of(run).count("heard") == 6)
        back_after = time.monotonic() - killed_at
        run.wait_for("GO", t=run.status()["t"] + 1)
        held = [host["held"] for host in run.status()["hosts"]]
        drift = run.status(False)["t"] - t_killed - (time.monotonic() - killed_at)
        run.state("stop")
        code, told, said = run.ended()
    print(f"Core killed ({then}): back after {back_after:.2f} s, drift {drift:+.3f} s")
    assert code == 0, said
    assert abs(drift) < TICK_AND_ASKING
    assert (min(held) > 0) == (then == "hold")
    seen = snapshots(run.recording)
    with Recording(run.recording) as recording:
        # On a busy machine a tick or two may be missed besides, which is told.
        gaps = [gap for gap in recording.gaps() if gap.ticks > 3]
    assert len(gaps) == 1
    assert gaps[0].after_t >= t_killed - 1.0  # whole up to its last second
    assert told["ticks"] >= len(seen) - 12  # the summary went on, but for its last second
    everyone = np.arange(6)
    assert _steady(seen, everyone)
    if then == "hold":
        before = next(s for s in seen if s.t == gaps[0].after_t).vehicles
        after = next(s for s in seen if s.t == gaps[0].before_t).vehicles
        moved = np.hypot(after.x - before.x, after.y - before.y)
        assert min(held) >= 5
        drove = gaps[0].before_t - gaps[0].after_t - 0.1 * min(held)
        assert (moved <= 5.0 * (drove + 0.3)).all()  # they stood still for all of those ticks


@pytest.mark.long
def test_a_core_killed_in_pause_comes_back_in_pause(tmp_path: Path) -> None:
    with live_run(tmp_path, "three-uavs", *SIX) as run:
        run.wait_for("GO", t=1.0)
        run.state("pause")
        run.wait_for("PAUSE")
        time.sleep(1.5)
        t = run.status(False)["t"]
        pid = run.kill("movenv core")
        wait_until(lambda: run.pid("movenv core") not in (None, pid))
        run.wait_for("PAUSE")
        wait_until(lambda: health_of(run).count("heard") == 6)
        assert run.status(False)["t"] == t
        assert run.state("go").returncode == 0
        run.wait_for("GO", t=t + 1)
        run.state("stop")
        code, _, said = run.ended()
    assert code == 0, said


def test_a_killed_recorder_costs_nothing(tmp_path: Path) -> None:
    with live_run(tmp_path, "three-uavs", *SIX) as run:
        run.wait_for("GO", t=2.0)
        killed_at = time.monotonic()
        run.kill("movenv record")
        wait_until(lambda: not run.status(False)["recorders"], timeout=5)
        wait_until(lambda: run.status(False)["recorders"])
        back_after = time.monotonic() - killed_at
        run.wait_for("GO", t=run.status(False)["t"] + 1.5)
        run.state("stop")
        code, told, said = run.ended()
    assert code == 0, said
    assert run.recording.with_name("run.part2.mcap").exists()
    ticks = [s.tick for s in snapshots(run.recording)]
    print(f"recorder killed: back after {back_after:.2f} s, {told['ticks'] + 1 - len(ticks)} lost")
    assert len(ticks) == told["ticks"] + 1  # all that were ever stated
    assert lacks_only_what_is_told(run.recording)
    assert all(host["worst_lag"] < 0.5 for host in told["hosts"])  # nobody waited for it


@pytest.mark.parametrize("who", ["--name host-1", "movenv core", "movenv record"])
@pytest.mark.long
def test_a_stalled_process_catches_up(tmp_path: Path, who: str) -> None:
    with live_run(tmp_path, "three-uavs", *SIX) as run:
        t = run.wait_for("GO", t=1.0)["t"]
        began = time.monotonic()
        run.kill(who, signal.SIGSTOP)
        time.sleep(STALL)
        run.kill(who, signal.SIGCONT)
        wait_until(lambda: health_of(run).count("heard") == 6)
        wait_until(lambda: abs(_drift(run, t, began)) < TICK_AND_ASKING)
        wait_until(lambda: _in_time(run))
        back_after = time.monotonic() - began - STALL
        time.sleep(1)
        drift = _drift(run, t, began)
        run.state("stop")
        code, told, said = run.ended()
    print(f"{who} stalled {STALL} s: caught up after {back_after:.2f} s, drift {drift:+.3f} s")
    assert code == 0, said
    assert abs(drift) < TICK_AND_ASKING
    assert told["restarts"] == 0
    seen = snapshots(run.recording)
    rows = np.arange(3, 6) if who == "--name host-1" else np.arange(6)
    assert _steady(seen, rows)
    if who == "--name host-1":
        assert lacks_only_what_is_told(run.recording)


def _drift(run: LiveRun, t: float, began: float) -> float:
    """How far simulated time is off what it should be, given that it was `t` at `began`, s."""
    return float(run.status(False).get("t", 0.0)) - t - (time.monotonic() - began)


def _in_time(run: LiveRun) -> bool:
    found = run.status(False)
    return all(h["lag"] < 0.05 and h["tick"] >= found["tick"] - 2 for h in found["hosts"])


def test_a_second_core_is_refused_with_words(tmp_path: Path) -> None:
    with live_run(tmp_path, "three-uavs", *SIX, "--no-record") as run:
        run.wait_for("GO")
        second = movenv("core", "hello", "--listen", run.address, cwd=tmp_path)
        assert second.returncode == 2
        assert "the address is in use; the run 'three-uavs' in GO is there" in second.stderr
        another = movenv("run", "hello", "--listen", run.address, "--no-record", cwd=tmp_path)
        assert another.returncode != 0
        assert "'three-uavs' in GO is there" in another.stderr
        assert run.status(False)["state"] == "GO"


def test_ctrl_c_is_stop_and_leaves_a_whole_recording(tmp_path: Path) -> None:
    with live_run(tmp_path, "three-uavs", *SIX) as run:
        run.wait_for("GO", t=1.0)
        children = [run.pid(words) for words in EVERYONE]
        run.process.send_signal(signal.SIGINT)
        code, told, _ = run.ended()
    assert code == 130
    assert told["interrupted"]
    assert not any(os.path.exists(f"/proc/{pid}") for pid in children)
    info = movenv("info", str(run.recording), "--json")
    assert '"STOP"' in info.stdout
    with Recording(run.recording) as recording:
        recording.verify()
        assert not recording.damage


def test_children_do_not_outlive_a_killed_launcher(tmp_path: Path) -> None:
    with live_run(tmp_path, "three-uavs", *SIX) as run:
        run.wait_for("GO", t=1.0)
        children = [run.pid(words) for words in EVERYONE]
        run.process.kill()
        run.process.wait()
        wait_until(lambda: not any(_runs(pid) for pid in children))
    with Recording(run.recording) as recording:
        recording.verify()
        assert not recording.damage
        assert recording.run_states()[-1].state == "STOP"


def _runs(pid: int | None) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.long
def test_a_host_of_its_own_brings_one_vehicle(tmp_path: Path) -> None:
    options = ("--away", "uav-3", "--duration", "8", "--hosts", "1")
    with live_run(tmp_path, "three-uavs", *options) as run:
        run.wait_for("READY")
        wait_until(lambda: run.status(False)["waiting_for"] == ["uav-3"])
        words = ["host", "--name", "pi", "--vehicles", "uav-3", "--core", run.address]
        pi = subprocess.Popen([*MOVENV, *words], cwd=tmp_path, stdout=subprocess.PIPE)
        run.wait_for("GO")
        taken = movenv("host", "--name", "thief", "--vehicles", "uav-*", "--core", run.address)
        assert taken.returncode == 1
        assert "belongs to the host" in taken.stderr
        code, told, said = run.ended()
        assert pi.wait(timeout=60) == 0
        assert pi.stdout is not None
        pi.stdout.close()
    assert code == 0, said
    fast = [u.snapshot for u in updates(build(load("three-uavs", ["time.duration=8"])))]
    live = snapshots(run.recording)
    assert len(live) == len(fast) - told["core"]["missed_ticks"]
    assert live[10].vehicles.x == pytest.approx(fast[live[10].tick].vehicles.x, abs=0.5)


def test_a_behavior_that_fails_is_told_with_its_line_and_fails_the_run(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    (tmp_path / "broken.yaml").write_text(SCENARIO)
    with live_run(tmp_path, "broken.yaml", "--hosts", "1") as run:
        code, _, said = run.ended()
    assert code == 1
    assert "behavior 'broken' failed at t = 1" in said
    assert 'raise ValueError("no idea")' in said


SCENARIO = """
name: broken
origin: {lat: 29, lon: -81}
time: {duration: 60}
vehicles:
  - {name: car, kind: ground, start: {at: [0, 0]}, behaviors: {./broken.py:Broken: {}}}
"""
BROKEN = """
from movenv.parts import Command, SingleVehicleBehavior, BehaviorConfig


class Broken(SingleVehicleBehavior):
    Config = BehaviorConfig

    def propose_one(self, me, others, notices, config, moment):
        if moment.t >= 1:
            raise ValueError("no idea")
        return Command(0.0, 1.0)
"""

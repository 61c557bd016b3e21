"""Orders with real processes: by the command line, through kills, into recording and replay."""

import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from movenv.recording.reader import Recording
from movenv.runtime.live.bus import STATUS, Bus
from movenv.web.replay.feed import ReplayFeed

from .processes import LiveRun, live_run, movenv, wait_until
from .test_orders import HEAD

pytestmark = pytest.mark.xdist_group("live")  # one real-time run at a time


def listed(run: LiveRun) -> list[dict[str, Any]]:
    with Bus.connect(run.address, patience=3) as bus:
        found: dict[str, Any] = msgspec.json.decode(bus.ask(STATUS, b"console", timeout=3))
    orders: list[dict[str, Any]] = found["orders"]
    return orders


def behaviors(run: LiveRun) -> dict[str, str]:
    return {one["name"]: one.get("behavior", "") for one in run.status().get("each", ())}


def ordered(run: LiveRun, *words: str) -> tuple[int, str, str]:
    done = movenv("order", *words, "--core", run.address)
    return done.returncode, done.stdout.strip(), done.stderr.strip()


@pytest.mark.long
def test_orders_hold_through_killed_hosts_and_a_killed_core(tmp_path: Path) -> None:
    path = tmp_path / "ordered.yaml"
    path.write_text(HEAD.replace("duration: 60", "duration: 600"))
    with live_run(tmp_path, str(path)) as run:
        run.wait_for("GO", t=1.0, timeout=120)  # kernels may have to be compiled
        code, said, _ = ordered(run, "go", "tank-1", "--to", "-300,0", "--to", "300,80")
        assert (code, said.split(" at ")[0]) == (0, "order 1")
        assert ordered(run, "hold", "tank-[23]", "--unit", "alpha")[0] == 0
        code, _, why = ordered(run, "hold", "man")
        assert (code, why) == (2, "'man' takes no orders: it carries no behavior obey")
        assert ordered(run, "resume", "tank-6")[1].endswith(": tank-6")
        wait_until(lambda: behaviors(run).get("tank-5") == "obey")
        run.kill("--name host-2")
        time.sleep(1.0)
        run.kill("movenv core")
        wait_until(lambda: (run.status(vehicles=False) or {}).get("t", 0) > 4)
        wait_until(lambda: [entry["vids"] for entry in listed(run)] == [[1, 2, 3, 4, 5]])
        wait_until(lambda: behaviors(run).get("tank-5") == "obey")
        wait_until(lambda: behaviors(run).get("tank-6") == "wander")
        told = movenv("order", "list", "--core", run.address).stdout
        assert "5 vehicles: hold" in told
        assert wait_until(lambda: ordered(run, "resume", "*")[0] == 0)
        assert movenv("order", "list", "--core", run.address).stdout.strip() == "no order holds"
        run.state("stop")
        assert run.ended()[0] == 0
    with Recording(run.recording) as recording:
        orders = recording.orders()
        events = [event.text for event in recording.events() if event.kind == "order"]
    assert [(o.number, o.what, len(o.vids)) for o in orders] == [
        (1, "go", 1), (2, "hold", 6), (3, "resume", 1), (4, "resume", 6)
    ]  # fmt: skip
    assert events[0] == "tank-1: go to 2 places"
    check_replay(run.recording, [order.t for order in orders])


def check_replay(path: Path, times: list[float]) -> None:
    """At any time a replay shows what held then."""
    feed = ReplayFeed(path)
    try:
        assert feed.index.wait(20)
        shown = [[entry["vids"] for entry in feed.index.orders.listed(t + 0.01)] for t in times]
        assert shown == [[[1]], [[1, 2, 3, 4, 5, 6]], [[1, 2, 3, 4, 5]], []]
        assert feed.index.orders.listed(times[0] - 0.01) == []
    finally:
        feed.close()

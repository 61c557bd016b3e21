"""A field test at a desk: real processes, real sockets, played phones, and a real browser."""

import csv
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from movenv.recording.layouts import RECEPTIONS
from movenv.recording.reader import Recording
from movenv.review.fidelity import rate
from movenv.scenario.build import Stage
from movenv.scenario.load import load
from movenv.world.frames import Frame
from movenv.world.messages import Health

from .processes import (
    MOVENV,
    LiveRun,
    free_port,
    lacks_only_what_is_told,
    live_run,
    movenv,
    wait_until,
)

pytestmark = pytest.mark.xdist_group("live")  # one real-time run at a time


def ports() -> list[str]:
    """`mixed-field` with ports of our own."""
    udp, http = free_port(), free_port()
    return [
        "--set", f"vehicles.medic.live.port={udp - 1}",
        "--set", f"vehicles.walker.live.port={http}",
    ]  # fmt: skip


@contextmanager
def phones(folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*MOVENV, "phones", *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


def vehicle(run: LiveRun, name: str) -> dict[str, Any]:
    return next((v for v in run.status().get("each", ()) if v["name"] == name), {})


def errors(recording: Path, truth: Path, name: str) -> np.ndarray:
    """How far the recorded track of somebody is from the true one, at each tick, m."""
    places = [
        (float(utc), float(lat), float(lon))
        for device, utc, lat, lon in list(csv.reader(truth.read_text().splitlines()))[1:]
        if device == name
    ]
    utc, lat, lon = np.array(places).T
    with Recording(recording) as source:
        frame = Frame(*source.run.origin)
        row = source.roster.names.index(name)
        x, y, _ = frame.to_local(lat, lon)
        found = []
        for snapshot, numbers in source.snapshots():
            # The Core stamps a snapshot some milliseconds after the instant it is of.
            now = numbers["utc"]
            if snapshot.t > 3 and utc[0] < now < utc[-1]:
                true = np.interp(now, utc, x), np.interp(now, utc, y)
                here = snapshot.vehicles.x[row], snapshot.vehicles.y[row]
                found.append(np.hypot(here[0] - true[0], here[1] - true[1]))
    return np.array(found)


def test_two_rehearsed_phones_walk_among_twelve_virtual_vehicles(tmp_path: Path) -> None:
    with live_run(tmp_path, "mixed-field", "--rehearse", "--duration", "12", *ports()) as run:
        code, told, said = run.ended()
    assert code == 0, said
    assert told["vehicles"] == 14
    with Recording(run.recording) as recording:
        stated = [s.vehicles for s, _ in recording.snapshots()]
        packets = [p for record in recording.packets() for p in record.outcome]
        receptions = [table for _, table in recording.tables(RECEPTIONS)]
        rehearsed, rating = recording.run.rehearsed, rate(recording)
    assert rehearsed == ["medic", "walker"]
    assert told["fidelity"] == rating.quintet
    assert [*rating.quintet.values()] == [1, 1, 1, 2, 3]
    assert rating.remark.endswith("the run itself was 1/1/1/1/1 = 5")
    assert len(stated) == 121 - told["core"]["missed_ticks"]
    assert all((v.health == Health.HEARD).all() for v in stated)
    walked = [np.hypot(stated[-1].x[i] - stated[0].x[i], stated[-1].y[i] - stated[0].y[i])
              for i in (0, 1)]  # fmt: skip
    assert all(5 < way < 25 for way in walked)  # 1.4 m/s for 12 s
    assert packets.count("accepted") >= 20
    assert len(receptions) == len(stated)
    assert movenv("export", "run.mcap", "--to", "csv", cwd=tmp_path).returncode == 0
    rows = csv.DictReader((tmp_path / "run.csv").read_text().splitlines())
    last = {row["name"]: row for row in rows}
    assert float(last["walker"]["accuracy"]) == 1.0
    assert float(last["walker"]["battery"]) > 0.9
    assert last["medic"]["accuracy"] == ""  # HyperIMU does not tell
    assert last["cart-1"]["accuracy"] == ""
    assert 0 < float(last["medic"]["age"]) < 2


@pytest.mark.long
def test_bad_phones_are_followed_within_metres_and_retracked_the_same(tmp_path: Path) -> None:
    """As a lab would rehearse it: 40% lost, up to 1 s late, 3 m of noise."""
    where = ports()
    bad = ["--noise", "3", "--drop", "0.4", "--jitter", "1", "--rate", "2", "--seed", "5"]
    with live_run(tmp_path, "mixed-field", "--duration", "25", *where) as run:
        wait_until(lambda: run.host("gateway").get("state"), timeout=40)
        with phones(tmp_path, "mixed-field", "--truth", "truth.csv", *bad, *where):
            code, _, said = run.ended(timeout=90)
    assert code == 0, said
    for name in ("medic", "walker"):
        off = errors(run.recording, tmp_path / "truth.csv", name)
        print(f"{name}: 95% of {len(off)} within {np.percentile(off, 95):.2f} m")
        assert len(off) > 150
        assert np.percentile(off, 95) < 6  # fifty metres of one walk; many walks are tested alone
    again = movenv("retrack", "run.mcap", "--json", "--to", "new.csv", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    for one in json.loads(again.stdout)["vehicles"]:
        assert one["fixes"] > 20
        assert one["accepted_now"] == one["accepted_then"] > 10
        assert one["apart_rms"] < 0.6  # which packets a tick had is known to some milliseconds
    rows = list(csv.DictReader((tmp_path / "new.csv").read_text().splitlines()))
    assert {row["name"] for row in rows} == {"medic", "walker"}
    stubborn = movenv(
        "retrack", "run.mcap", "--json", "--set", "vehicles.medic.live.max_speed=0.1", cwd=tmp_path
    )
    changed = json.loads(stubborn.stdout)["vehicles"][0]
    assert changed["accepted_now"] < changed["accepted_then"]


def test_a_stranger_is_dropped_counted_and_shown(tmp_path: Path) -> None:
    where = ports()
    port = int(where[1].rpartition("=")[2]) + 1
    with live_run(tmp_path, "mixed-field", "--duration", "600", *where) as run:
        wait_until(lambda: run.host("gateway").get("state"), timeout=40)
        with phones(tmp_path, "mixed-field", *where):
            run.wait_for("GO", t=1, timeout=60)
            before = vehicle(run, "medic")
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
                stranger.bind(("127.0.0.2", 0))
                for i in range(20):
                    line = (f"{time.time():.3f},{i},0,{time.time():.3f},29.1941,-81.0462,3,1,0,3,3,"
                            "-9999,medic")  # fmt: skip
                    stranger.sendto(line.encode(), ("127.0.0.1", port))
                    time.sleep(0.02)
            wait_until(lambda: run.host("gateway")["refused"].get("other address") == 20, timeout=5)
            after = vehicle(run, "medic")
            shown = movenv("status", "--core", run.address)
            run.state("stop")
            run.ended()
    assert np.hypot(after["x"] - before["x"], after["y"] - before["y"]) < 10
    assert "20 dropped" in shown.stdout
    with Recording(run.recording) as recording:
        (event,) = (e for e in recording.events() if e.kind == "refused")
    assert "127.0.0.2" in event.text
    assert "other address" in event.text


def test_a_killed_gateway_comes_back_and_hears_everybody(tmp_path: Path) -> None:
    where = ports()
    with live_run(tmp_path, "mixed-field", "--duration", "600", *where) as run:
        wait_until(lambda: run.host("gateway").get("state"), timeout=40)
        with phones(tmp_path, "mixed-field", "--rate", "5", *where):
            run.wait_for("GO", t=2, timeout=60)
            killed_at = time.monotonic()
            run.kill("movenv gateway")
            wait_until(lambda: vehicle(run, "medic").get("health") == "lost", timeout=5)
            both = ("medic", "walker")
            wait_until(lambda: all(vehicle(run, n)["health"] == "heard" for n in both))
            print(f"gateway killed: heard again after {time.monotonic() - killed_at:.1f} s")
            run.wait_for("GO", t=run.status()["t"] + 1)
            run.state("stop")
            code, told, said = run.ended()
    assert code == 0, said
    assert told["restarts"] == 1
    assert lacks_only_what_is_told(run.recording)


def test_a_taken_port_is_named_before_anything_moves(tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        words = ["--set", f"vehicles.medic.live.port={port - 1}"]
        with live_run(tmp_path, "mixed-field", "--duration", "5", *words) as run:
            code, _, said = run.ended()
    assert code == 1
    assert f"UDP port {port} is in use" in said


def test_a_host_to_notify_that_nobody_knows_is_named(tmp_path: Path) -> None:
    where = [*ports(), "--set", "vehicles.medic.live.notify=nowhere.invalid:5005"]
    with live_run(tmp_path, "mixed-field", "--duration", "5", *where) as run:
        code, _, said = run.ended()
    assert code == 1
    assert "medic: notify nowhere.invalid:5005" in said
    assert "Traceback" not in said


CROSSING = """
name: crossing
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 600}
areas: {street: {rectangle: [120, 30]}}
vehicles:
  - name: medic
    vid: 1
    kind: pedestrian
    characteristic_length: 2.0
    live: {type: join, port: PORT}
  - name: cart
    vid: 10
    count: 8
    kind: ground
    model: {length: 1.5, speed: 6}
    start: {within: street}
    behaviors:
      wander: {}
      periodic_turn: {priority: 2}
      stay_in_bounds: {priority: 4, area: street}
"""


def fixes_in(data: bytes) -> list[dict[str, float]]:
    """Of a message of the join page."""
    found: list[dict[str, float]] = json.loads(data).get("fixes", []) if data else []
    return found


@pytest.mark.long
def test_a_browser_joins_walks_is_warned_cut_off_and_stopped(tmp_path: Path, browser: Any) -> None:
    """The whole way, with nothing made up but the place that the browser is told."""
    from playwright.sync_api import expect

    scenario = tmp_path / "crossing.yaml"
    scenario.write_text(CROSSING.replace("PORT", str(free_port())))
    frame = Stage(load(str(scenario))).frame
    shots = Path(os.environ.get("MOVENV_SHOTS", tmp_path))
    shown: list[tuple[float, float]] = []  # when the Core gave notice, and how long it took
    with live_run(tmp_path, str(scenario)) as run:
        wait_until(lambda: run.host("gateway").get("state"), timeout=60)
        links = movenv("join", "--json", "--core", run.address)
        (link,) = json.loads(links.stdout)["links"]
        assert "█" in movenv("join", "medic", "--core", run.address).stdout
        context = browser.new_context(
            viewport={"width": 390, "height": 844}, device_scale_factor=2, ignore_https_errors=True,
            permissions=["geolocation"], is_mobile=True, has_touch=True,
        )  # fmt: skip

        def walk(seconds: float, vy: float = 1.0) -> None:
            for _ in range(round(seconds * 5)):
                walk.y += vy * 0.2  # type: ignore[attr-defined]
                lat, lon, _ = frame.to_geodetic(0.0, walk.y)  # type: ignore[attr-defined]
                place = {"latitude": float(lat), "longitude": float(lon), "accuracy": 3}
                context.set_geolocation(place)
                page.wait_for_timeout(200)

        walk.y = -12.0  # type: ignore[attr-defined]
        page = context.new_page()
        page.on("websocket", lambda it: it.on("framesent", lambda data: note(data)))

        def note(data: Any) -> None:
            if isinstance(data, str) and '"shown"' in data:
                said = json.loads(data)
                shown.append((float(said["id"].rpartition("-")[2]), said["delay"]))

        page.goto(link["url"])
        page.get_by_role("button", name="Join").tap()
        walk(3)
        run.wait_for("GO")
        walk(12, 0.5)
        expect(page.locator("body")).to_contain_text("GO")
        before = vehicle(run, "medic")
        assert (before["heard"], before["accuracy"]) == ("heard", 3.0)
        assert before["y"] == pytest.approx(walk.y, abs=3)  # type: ignore[attr-defined]
        page.get_by_role("button", name="Seen").first.tap(timeout=20_000)
        page.screenshot(path=shots / "run-warned.png")
        context.set_offline(True)
        cut_off = time.time()
        walk(10, 0.3)
        assert vehicle(run, "medic")["health"] == "stale"
        connected = time.time()
        context.set_offline(False)
        wait_until(lambda: vehicle(run, "medic")["health"] == "heard")
        walk(2, 0.0)
        run.state("pause")
        expect(page.get_by_text("PAUSE", exact=True).first).to_be_visible(timeout=3000)
        page.screenshot(path=shots / "run-paused.png")
        run.state("go")
        walk(15, 0.0)
        run.state("stop")
        expect(page.get_by_text("STOP", exact=True).first).to_be_visible(timeout=3000)
        page.screenshot(path=shots / "run-stopped.png")
        code, _, said = run.ended()
        context.close()
    assert code == 0, said
    with Recording(run.recording) as recording:
        events = recording.events()
        sent = [fix["time"] for r in recording.packets() for d in r.data for fix in fixes_in(d)]
    kinds = [event.kind for event in events]
    assert {"join", "ack", "stale", "heard", "back"} <= set(kinds)
    (ack, *_) = (event.text for event in events if event.kind == "ack")
    assert "acknowledged" in ack
    assert "shown after" in ack
    in_dead_zone = [at for at in sent if cut_off < at < connected]
    assert len(in_dead_zone) > 40  # none is lost
    delays = [took for sent, took in shown if not cut_off - 1 < sent < connected + 1]
    print(f"{len(delays)} notices shown, p99 after {np.percentile(delays, 99):.3f} s; {ack}")
    assert len(delays) > 10
    assert np.median(delays) < 0.2


def resident(pid: int) -> float:
    """MiB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@pytest.mark.soak
def test_a_gateway_does_not_grow_over_half_a_million_packets(tmp_path: Path) -> None:
    scenario = tmp_path / "many.yaml"
    scenario.write_text(MANY.replace("PORT", str(free_port())))
    with live_run(tmp_path, str(scenario), "--duration", "3600") as run:
        wait_until(lambda: run.host("gateway").get("state"), timeout=40)
        with phones(tmp_path, str(scenario), "--rate", "10", "--format", "json"):
            run.wait_for("GO", t=60, timeout=200)
            everyone = {name: run.pid(name) for name in ("movenv core", "movenv gateway")}
            before = {name: resident(pid) for name, pid in everyone.items() if pid}
            run.wait_for("GO", t=330, timeout=400)
            after = {name: resident(pid) for name, pid in everyone.items() if pid}
            run.state("stop")
            run.ended()
    for name, size in before.items():
        print(f"{name}: {size:.1f} MiB, then {after[name]:.1f} MiB")
        assert after[name] - size < 20


MANY = """
name: many
origin: {lat: 29.193111, lon: -81.046171}
areas: {field: {square: 400}}
vehicles:
  - name: phone
    count: 200
    kind: pedestrian
    live: {type: datagram, port: PORT}
    start: {within: field}
    behaviors: {wander: {}, stay_in_bounds: {priority: 4, area: field}}
  - name: cart
    count: 5
    kind: ground
    start: {within: field}
    behaviors: {wander: {}, stay_in_bounds: {priority: 4, area: field}, avoid: {priority: 10}}
"""

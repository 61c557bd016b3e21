"""The console in a real Chromium beside a real run: watch, run, mark, stop, replay.

Set MOVENV_SHOTS to a folder to keep the pictures.
"""

import io
import math
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, Page, expect
from tests.runtime.live.processes import MOVENV, LiveRun, free_port, live_run, wait_until

from movenv.recording.reader import Recording

pytestmark = pytest.mark.xdist_group("live")  # one real-time run at a time

DESK = {"width": 1280, "height": 720}
SCENARIO = """
name: crossing
origin: {lat: 29.193111, lon: -81.046171}
seed: 3
time: {duration: 600}
areas: {field: {square: 120}}
vehicles:
  - name: slow
    count: 6
    kind: ground
    model: {length: 2, speed: 3}
    start: {within: field}
    behaviors:
      wander: {}
      periodic_turn: {priority: 2}
      stay_in_bounds: {priority: 4, area: field}
"""
COLORS = {"virtual": ((86, 180, 233), (0, 114, 178))}
"""Of the symbols, by night and by day."""


def link(run: LiveRun, role: str) -> str:
    """As the run printed it."""

    def printed() -> str:
        log = run.folder / "run.log"
        found = re.findall(rf"http\S+#{role}=\S+", log.read_text() if log.exists() else "")
        return found[-1] if found else ""

    return str(wait_until(printed, timeout=40))


@contextmanager
def console_run(folder: Path, *options: str) -> Iterator[LiveRun]:
    scenario = folder / "crossing.yaml"
    scenario.write_text(SCENARIO)
    port = str(free_port())
    with live_run(folder, str(scenario), "--console-port", port, *options) as run:
        yield run


@contextmanager
def opened(browser: Browser, url: str) -> Iterator[Page]:
    page = browser.new_page(viewport=DESK)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(url)
    try:
        yield page
    finally:
        page.close()
    assert wrong == []


def by_id(page: Page, name: str) -> Any:
    return page.get_by_test_id(name)


def shot(page: Page, name: str, folder: Path) -> NDArray[np.uint8]:
    """The page's pixels."""
    path = Path(os.environ.get("MOVENV_SHOTS", folder)) / f"console-{name}.png"
    data = page.screenshot(path=path)
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


def on_screen(page: Page, lat: float, lon: float) -> tuple[float, float]:
    """Where a place is by Web Mercator, worked out here from the map's middle and zoom."""
    middle = page.evaluate(
        """() => { const m = window.movenv.map, c = m.getCenter(), b = m.getContainer()
             .getBoundingClientRect();
             return [c.lng, c.lat, m.getZoom(), b.left + b.width / 2, b.top + b.height / 2]; }"""
    )
    world = 512 * 2 ** middle[2]

    def mercator(lon: float, lat: float) -> tuple[float, float]:
        across = (lon + 180) / 360
        down = (1 - math.asinh(math.tan(math.radians(lat))) / math.pi) / 2
        return across * world, down * world

    x, y = mercator(lon, lat)
    middle_x, middle_y = mercator(middle[0], middle[1])
    return middle[3] + x - middle_x, middle[4] + y - middle_y


def symbol_near(pixels: NDArray[np.uint8], x: float, y: float, reach: int = 20) -> Any:
    """The middle of what is painted in a virtual vehicle's colour near a place; None: nothing."""
    left, top = round(x) - reach, round(y) - reach
    part = pixels[top : top + 2 * reach, left : left + 2 * reach].astype(int)
    painted = np.zeros(part.shape[:2], bool)
    for color in COLORS["virtual"]:
        painted |= (np.abs(part - color) < 40).all(axis=2)
    if painted.sum() < 15:
        return None
    rows, columns = np.nonzero(painted)
    return left + columns.mean(), top + rows.mean()


def everyone(run: LiveRun) -> list[dict[str, Any]]:
    each: list[dict[str, Any]] = run.status()["each"]
    return each


def standing_still(run: LiveRun) -> list[dict[str, Any]]:
    run.wait_for("PAUSE")

    def same() -> Any:
        before = everyone(run)
        time.sleep(0.3)
        after = everyone(run)
        return after if [v["x"] for v in before] == [v["x"] for v in after] else None

    found: list[dict[str, Any]] = wait_until(same)
    return found


def press(page: Page, state: str, times: int = 1) -> None:
    for _ in range(times):
        by_id(page, f"state-{state}").click()


def test_watch_select_follow_pause_go_mark_stop_and_replay(
    browser: Browser, tmp_path: Path
) -> None:
    with console_run(tmp_path, "--manual") as run, opened(browser, link(run, "operator")) as page:
        expect(by_id(page, "run-state")).to_have_text("READY", timeout=20_000)
        assert "operator" not in page.url, "the token stays out of the address"
        press(page, "SET")
        expect(by_id(page, "run-state")).to_have_text("SET")
        press(page, "GO")
        expect(by_id(page, "run-state")).to_have_text("GO")
        watch_them_move(page, run, tmp_path)
        select_and_follow(page, run)
        expect(by_id(page, "state-READY")).to_be_disabled()
        mark(page, run)
        look_only(browser, run)
        press(page, "STOP", times=2)
        expect(by_id(page, "banner")).to_contain_text("ended", timeout=15_000)
        expect(by_id(page, "banner")).to_contain_text("movenv replay")
        code, _, said = run.ended()
        assert code == 0, said
    with Recording(run.recording) as recording:
        marks = [event.text for event in recording.events() if event.kind == "mark"]
    assert marks == ["second car looks wrong"]
    replay_it(browser, run.recording, tmp_path)


def watch_them_move(page: Page, run: LiveRun, folder: Path) -> None:
    """Twice: hold the run, and every symbol is where the vehicle's coordinates say."""
    seen: list[list[tuple[float, float]]] = []
    for turn in range(2):
        run.wait_for("GO", t=run.status(False)["t"] + 2)
        press(page, "PAUSE")
        expect(by_id(page, "run-state")).to_have_text("PAUSE")
        vehicles = standing_still(run)
        time.sleep(0.7)
        pixels = shot(page, f"paused-{turn}", folder)
        places = []
        for vehicle in vehicles:
            x, y = on_screen(page, vehicle["lat"], vehicle["lon"])
            found = symbol_near(pixels, x, y)
            assert found is not None, f"{vehicle['name']} is not at {x:.0f}, {y:.0f}"
            assert math.dist(found, (x, y)) < 5
            places.append((x, y))
        seen.append(places)
        press(page, "GO")
        expect(by_id(page, "run-state")).to_have_text("GO")
    moved = [math.dist(a, b) for a, b in zip(*seen, strict=True)]
    assert max(moved) > 10, "they move on the screen"


def select_and_follow(page: Page, run: LiveRun) -> None:
    press(page, "PAUSE")
    vehicle = standing_still(run)[2]
    time.sleep(0.5)
    page.mouse.click(*on_screen(page, vehicle["lat"], vehicle["lon"]))
    card = by_id(page, "vehicle-card")
    expect(card).to_contain_text(vehicle["name"])
    by_id(page, "vehicle-follow").click()
    press(page, "GO")
    run.wait_for("GO", t=run.status(False)["t"] + 3)
    press(page, "PAUSE")
    there = standing_still(run)[2]
    assert math.hypot(there["x"] - vehicle["x"], there["y"] - vehicle["y"]) > 5
    box = page.evaluate(
        """() => { const b = window.movenv.map.getContainer().getBoundingClientRect();
             return [b.left + b.width / 2, b.top + b.height / 2]; }"""
    )
    wait_until(lambda: math.dist(on_screen(page, there["lat"], there["lon"]), box) < 25)
    press(page, "GO")


def mark(page: Page, run: LiveRun) -> None:
    page.keyboard.press("Escape")
    page.keyboard.press("m")
    by_id(page, "mark-input").fill("second car looks wrong")
    page.keyboard.press("Enter")
    expect(by_id(page, "event-log")).to_contain_text("second car looks wrong")
    assert run.process.poll() is None


def look_only(browser: Browser, run: LiveRun) -> None:
    """An observer sees the same, and nothing can be pressed."""
    with opened(browser, link(run, "observer")) as page:
        expect(by_id(page, "run-state")).to_have_text("GO", timeout=20_000)
        for state in ("PAUSE", "STOP"):
            expect(by_id(page, f"state-{state}")).to_be_disabled()
        refused = page.evaluate(
            """() => fetch("api/state", {method: "POST", body: '{"state": "STOP"}', headers: {
                 "Content-Type": "application/json",
                 Authorization: "Bearer " + sessionStorage.getItem("movenv-token")}})
                 .then((answer) => answer.status)"""
        )
        assert refused == 403


@contextmanager
def replaying(recording: Path) -> Iterator[str]:
    port = free_port()
    process = subprocess.Popen(
        [*MOVENV, "replay", str(recording), "--port", str(port), "--no-browser"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        found = re.search(r"http\S+", process.stdout.readline())
        assert found
        yield found[0]
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


def clock(page: Page) -> float:
    """The time on the page, s."""
    minutes, seconds = by_id(page, "clock-t").inner_text().split(":")[-2:]
    return 60 * float(minutes) + float(seconds)


def replay_it(browser: Browser, path: Path, folder: Path) -> None:
    with Recording(path) as recording:
        snapshots = {snapshot.tick: snapshot for snapshot, _ in recording.snapshots()}
        marked = next(event.t for event in recording.events() if event.kind == "mark")
    with replaying(path) as url, opened(browser, url) as page:
        by_id(page, "replay-play").click(timeout=20_000)
        wait_until(lambda: clock(page) > 1.0)
        by_id(page, "replay-play").click()
        scrubbed_to_the_middle(page)
        shown = snapshots[round(clock(page) / 0.1)].vehicles
        pixels = shot(page, "replay", folder)
        for row in range(len(shown)):
            x, y = on_screen(page, float(shown.lat[row]), float(shown.lon[row]))
            found = symbol_near(pixels, x, y)
            assert found is not None
            assert math.dist(found, (x, y)) < 5
        before = clock(page)
        by_id(page, "replay-step").click()
        wait_until(lambda: clock(page) == pytest.approx(before + 0.1, abs=0.01))
        by_id(page, "replay-previous-mark").click() if before > marked else by_id(
            page, "replay-next-mark"
        ).click()
        wait_until(lambda: clock(page) == pytest.approx(marked, abs=0.11))


def scrubbed_to_the_middle(page: Page) -> None:
    box = by_id(page, "replay-scrub").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    time.sleep(1.0)


@pytest.mark.long
def test_the_page_outlives_its_server_and_shows_a_dead_hosts_vehicles(
    browser: Browser, tmp_path: Path
) -> None:
    with (
        console_run(tmp_path, "--hosts", "2") as run,
        opened(browser, link(run, "operator")) as page,
    ):
        expect(by_id(page, "run-state")).to_have_text("GO", timeout=20_000)
        run.kill("movenv console")
        expect(by_id(page, "banner")).to_contain_text("The run goes on", timeout=10_000)
        at = run.status(False)["t"]
        expect(by_id(page, "banner")).to_be_hidden(timeout=30_000)
        updates = page.evaluate("window.movenv.updates")
        wait_until(lambda: page.evaluate("window.movenv.updates") > updates + 10)
        assert run.status(False)["t"] > at
        run.kill("host --name host-2", signal.SIGSTOP)
        lost = wait_until(lambda: [v for v in everyone(run) if v["health"] == "lost"])
        row = by_id(page, f"roster-row-{lost[0]['name']}")
        expect(row).to_contain_text(re.compile(r"lost", re.IGNORECASE), timeout=5_000)
        expect(row).to_contain_text(re.compile(r"[4-9](\.\d)? s"), timeout=10_000)
        shot(page, "lost", tmp_path)
        run.kill("host --name host-2", signal.SIGCONT)
        expect(row).not_to_contain_text(re.compile(r"lost", re.IGNORECASE), timeout=10_000)
        run.state("stop")
        code, _, said = run.ended()
    assert code == 0, said

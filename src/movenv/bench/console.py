"""The console: what a real browser draws beside the run it shows, and what that costs the run."""

import importlib.util
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from movenv.bench.live import MOVENV, STARTING, TICK, LiveRun, free_port, live_swarm
from movenv.bench.measure import Row
from movenv.bench.replay import replay_rows
from movenv.web.access import Access, Role

CHROMIUM = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
FLAGS = [
    "--no-sandbox", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run",
]  # fmt: skip
SIZE = {"width": 1280, "height": 720}
WATCHERS = 10

PAN = """async (seconds) => {
  const map = window.movenv.map;
  const began = performance.now(), updates = window.movenv.updates;
  let drawn = 0, turn = 0;
  const count = () => { drawn += 1; };
  map.on("render", count);
  while (performance.now() - began < seconds * 1000) {
    await new Promise(requestAnimationFrame);
    turn += 0.05;
    map.panBy([6 * Math.cos(turn), 6 * Math.sin(turn)], { animate: false });
  }
  map.off("render", count);
  const passed = (performance.now() - began) / 1000;
  return [drawn / passed, (window.movenv.updates - updates) / passed];
}"""
"""Moves the map in a circle; returns frames and updates drawn a second."""
WATCH = """async (seconds) => {
  const began = performance.now(), updates = window.movenv.updates;
  await new Promise((done) => setTimeout(done, seconds * 1000));
  return (window.movenv.updates - updates) / ((performance.now() - began) / 1000);
}"""
EMPTY = """async (seconds) => {
  const began = performance.now();
  let drawn = 0;
  while (performance.now() - began < seconds * 1000) {
    await new Promise(requestAnimationFrame);
    drawn += 1;
  }
  return drawn / ((performance.now() - began) / 1000);
}"""


def _has_browser() -> bool:
    playwright = importlib.util.find_spec("playwright") is not None
    return playwright and any(Path(place).exists() for place in CHROMIUM)


@contextmanager
def _browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    path = next(place for place in CHROMIUM if Path(place).exists())
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def _console(run: LiveRun) -> Iterator[str]:
    """A console beside a run; its observer's link."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        access = Access.kept_in(Path(folder))
        process = subprocess.Popen(
            [*MOVENV, "console", "--core", run.address, "--port", str(port), "--state", folder,
             "--no-browser"],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield access.link(f"http://127.0.0.1:{port}", Role.OBSERVER)
        finally:
            process.terminate()
            process.communicate()


def _opened(browser: Any, link: str) -> Any:
    page = browser.new_page(viewport=SIZE)
    page.goto(link)
    until = time.monotonic() + STARTING
    while page.evaluate("window.movenv ? window.movenv.updates : 0") < 5:
        if time.monotonic() > until:
            raise TimeoutError("the page draws nothing")
        time.sleep(0.2)
    return page


def _one_browser(vehicles: int, seconds: float) -> dict[str, float]:
    """One page beside a run of so many vehicles: what it draws, still and while panning."""
    with _browser() as browser, live_swarm(vehicles, 3600.0, "--no-console") as run:
        run.connect().close()
        blank = browser.new_page(viewport=SIZE)
        empty = blank.evaluate(EMPTY, seconds / 2)
        blank.close()
        with _console(run) as link:
            page = _opened(browser, link)
            still = page.evaluate(WATCH, seconds)
            frames, updates = page.evaluate(PAN, seconds)
    return {"still": still, "frames": frames, "panning": updates, "empty": empty}


def _many_browsers(vehicles: int, seconds: float, watchers: int) -> tuple[float, float]:
    """The share of ticks the Core kept with many pages open, one of which hangs; and without."""
    kept = []
    for count in (0, watchers):
        with _browser() as browser, live_swarm(vehicles, 3600.0, "--no-console") as run:
            run.connect().close()
            with _console(run) as link:
                pages = [_opened(browser, link) for _ in range(count)]
                if pages:
                    _stop_reading(pages[0])
                time.sleep(seconds)
                told = run.stop_now()
            kept.append(1 - told["core"]["missed_ticks"] / told["ticks"])
    return kept[1], kept[0]


def _stop_reading(page: Any) -> None:
    """The page's thread never comes back to its socket."""
    page.evaluate("() => { setTimeout(() => { for (;;) { Math.random(); } }, 0); }")


def measure(quick: bool) -> list[Row]:
    if not _has_browser():
        print("the console is left out: it needs Chromium and Playwright", file=sys.stderr)
        return replay_rows(quick)
    seconds = 5.0 if quick else 20.0
    few, many = (200, 1_000) if quick else (1_000, 10_000)
    small, large = _one_browser(few, seconds), _one_browser(many, seconds)
    watchers = 3 if quick else WATCHERS
    kept, alone = _many_browsers(few, seconds, watchers)
    beside = "beside the run, software WebGL"
    return [
        Row(f"{few:,} vehicles {beside}: updates drawn a second", small["still"], "1/s",
            0.95 / TICK, "higher", "ticks of the run", 1 / TICK),
        Row(f"{few:,} vehicles {beside}: frames a second while panning", small["frames"], "1/s",
            30.0, "higher", "an empty page in the same browser", small["empty"]),
        Row(f"{many:,} vehicles {beside}: updates drawn a second", large["still"], "1/s",
            5.0, "higher", "ticks of the run", 1 / TICK),
        Row(f"{many:,} vehicles {beside}: frames a second while panning", large["frames"], "1/s",
            1.0, "higher", "an empty page in the same browser", large["empty"]),
        Row(f"{watchers} browsers watch {few:,} vehicles, one hangs: ticks that the Core kept",
            kept, "share", 1.0, "higher", "without browsers", alone),
        *replay_rows(quick),
    ]  # fmt: skip

"""For all tests: patience, a real browser, and precedence for what runs in real time.

The kernels are compiled once for all workers.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# A test never asserts a time, so hypothesis must not either. In CI it tries the same every time:
# what somebody changed is judged there; new finds are made wherever else the tests run.
settings.register_profile("patient", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("patient")

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]

COMPILING = ["one-of-everything", "river-crossing"]
"""Scenarios that use most kernels between them."""
LAYER = "from movenv.runtime.injection.process import warm_up; warm_up()"
YIELDING = 10
"""How nice everything is but the real-time runs, as `nice` counts it."""


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the kernels before the workers start: else each would, and each live process."""
    if not session.config.getoption("numprocesses", None) or hasattr(session.config, "workerinput"):
        return
    from movenv.world.kernel import COMPILED_BEFORE

    if not COMPILED_BEFORE:
        command = [sys.executable, "-m", "movenv", "run", "--fast", "--no-record", "--duration=2"]
        commands = [[*command, name] for name in COMPILING] + [[sys.executable, "-c", LAYER]]
        runs = [subprocess.Popen(words, stdout=subprocess.DEVNULL) for words in commands]
        codes = [run.wait(timeout=600) for run in runs]
        if any(codes):
            pytest.exit("the kernels cannot be compiled", returncode=1)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let real-time runs go first on a busy machine: whatever else is tested makes way.

    Their group and that of the browser are the largest, so a worker each begins with them; it
    yields once the real-time runs are through.
    """
    live = any("live" in mark.args for mark in item.iter_markers("xdist_group"))
    if not live and os.environ.get("PYTEST_XDIST_WORKER") and os.nice(0) < YIELDING:
        os.nice(YIELDING - os.nice(0))


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """Chromium; in CI a missing one is a failure."""
    from playwright.sync_api import sync_playwright

    if not CHROMIUM.exists():
        if os.environ.get("CI"):
            pytest.fail(f"{CHROMIUM} is missing")
        pytest.skip(f"needs {CHROMIUM}")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()

"""The console that `movenv run` starts: it comes back, and the run never needs it."""

import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from movenv.cli.page import browser_is_seen

from .processes import MOVENV, LiveRun, free_port, live_run, movenv, wait_until

pytestmark = pytest.mark.xdist_group("live")  # one real-time run at a time
LINK = re.compile(r"console: (http://127\.0\.0\.1:(\d+)/#operator=(\S+))")


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=2) as page:
            return bool(page.status == 200)
    except OSError:
        return False


def link(run: LiveRun) -> str:
    """The operator's link, the newest."""
    log = (run.folder / "run.log").read_text()
    return LINK.findall(log)[-1][0] if LINK.search(log) else ""


@pytest.mark.long
def test_a_killed_console_comes_back_under_the_same_link(tmp_path: Path) -> None:
    port = free_port()
    with live_run(tmp_path, "three-uavs", "--duration", "600", "--console-port", str(port)) as run:
        run.wait_for("GO")
        wait_until(lambda: answers(port), timeout=40)
        first = link(run)
        assert f":{port}/" in first
        killed = run.kill("movenv console")
        wait_until(lambda: run.pid("movenv console") not in (None, killed))
        wait_until(lambda: answers(port), timeout=40)
        assert link(run) == first
        assert len(LINK.findall((tmp_path / "run.log").read_text())) == 2
        run.state("stop")
        stopped_at = time.monotonic()
        code, told, said = run.ended()
    assert code == 0, said
    assert told["restarts"] == 1
    assert time.monotonic() - stopped_at < 12
    assert not answers(port)


@pytest.mark.long
def test_the_run_goes_on_without_a_console_that_fails(tmp_path: Path) -> None:
    """One whose port is taken as it starts again."""
    port = free_port()
    with live_run(tmp_path, "three-uavs", "--duration", "600", "--console-port", str(port)) as run:
        run.wait_for("GO")
        wait_until(lambda: answers(port), timeout=40)
        run.kill("movenv console")
        with taken(port):
            wait_until(lambda: "console: port" in (tmp_path / "run.log").read_text(), timeout=40)
            t = run.status(False)["t"]
            run.wait_for("GO", t=t + 1)
        run.state("stop")
        code, _, said = run.ended()
    assert code == 0, said


def taken(port: int) -> socket.socket:
    """Somebody else has it, as soon as it can be had."""
    other = socket.socket()
    other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)

    def try_it() -> bool:
        try:
            other.bind(("127.0.0.1", port))
        except OSError:
            return False
        other.listen()
        return True

    wait_until(try_it, every=0.001)
    return other


def test_a_port_that_is_taken_is_told_before_anything_starts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        done = movenv("run", "three-uavs", "--console-port", port, cwd=tmp_path)
    assert done.returncode == 2
    assert f"port {port} is in use" in done.stderr
    assert "Core" not in done.stderr


def test_a_console_by_itself_tells_two_links_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    with live_run(tmp_path, "three-uavs", "--manual", "--no-record") as run:
        run.wait_for("READY")
        words = ["console", "--core", run.address, "--port", str(free_port()), "--no-browser"]
        console = subprocess.Popen(
            [*MOVENV, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert console.stdout is not None
        first, second = console.stdout.readline(), console.stdout.readline()
        found = LINK.search(first)
        assert found
        assert "to look only" in second
        wait_until(lambda: answers(int(found[2])))
        console.send_signal(signal.SIGINT)
        _, said = console.communicate(timeout=60)
        assert said == ""
        assert console.returncode == 0


def test_without_its_packages_the_console_says_which(tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['uvicorn'] = None; sys.argv = ['movenv', 'console', '--core',"
        " sys.argv[1], '--no-browser']; from movenv.cli import main; main()"
    )
    with live_run(tmp_path, "three-uavs", "--manual", "--no-record") as run:
        run.wait_for("READY")
        done = subprocess.run(
            [sys.executable, "-c", script, run.address], capture_output=True, text=True, timeout=60
        )
    assert done.returncode == 1
    assert "the console needs the package 'uvicorn'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("platform", "terminal", "environment", "seen"),
    [
        ("linux", True, {"DISPLAY": ":0"}, True),
        ("linux", True, {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("linux", True, {}, False),
        ("linux", False, {"DISPLAY": ":0"}, False),
        ("linux", True, {"DISPLAY": ":0", "CI": "true"}, False),
        ("darwin", True, {}, True),
        ("win32", True, {}, True),
        ("darwin", False, {}, False),
    ],
)
def test_a_browser_is_opened_only_where_somebody_sees_it(
    platform: str,
    terminal: bool,
    environment: dict[str, str],
    seen: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "CI"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    assert browser_is_seen() is seen

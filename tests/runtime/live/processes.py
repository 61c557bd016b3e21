"""Real processes for the tests of faults: start a run, look at it, kill parts of it."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
from tests.forked import forked

from movenv.recording.reader import Recording
from movenv.runtime.live.bus import STATUS, Bus, BusError

MOVENV = [sys.executable, "-m", "movenv"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(what: Callable[[], Any], timeout: float = 60.0, every: float = 0.02) -> Any:
    """What `what` gives as soon as it is true."""
    until = time.monotonic() + timeout
    while time.monotonic() < until:
        found = what()
        if found:
            return found
        time.sleep(every)
    raise AssertionError(f"waited {timeout} s in vain")


def is_so_within(seconds: float, what: Callable[[], Any]) -> bool:
    """Whether `what` becomes true in that time."""
    try:
        wait_until(what, seconds)
    except AssertionError:
        return False
    return True


class LiveRun:
    """A `movenv run` in a process of its own, with all that it started."""

    def __init__(self, folder: Path, scenario: str, *options: str, file: bool = True) -> None:
        self.folder = folder
        self.address = f"tcp/127.0.0.1:{free_port()}"
        self.recording = folder / "run.mcap"
        written = file and "--no-record" not in options
        record = ["--record", str(self.recording)] if written else []
        command = [*MOVENV, "run", scenario, "--listen", self.address, "--json"]
        command += [] if "--console-port" in options else ["--no-console"]
        self.process = subprocess.Popen(
            [*command, *record, *options],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._bus: Bus | None = None

    def status(self, vehicles: bool = True) -> dict[str, Any]:
        """The Core's status; empty while there is no Core."""
        try:
            if self._bus is None:
                self._bus = Bus.connect(self.address, patience=0.5)
            asked = b"vehicles" if vehicles else b""
            found: dict[str, Any] = msgspec.json.decode(self._bus.ask(STATUS, asked, timeout=1))
            return found
        except BusError:
            return {}

    def wait_for(self, state: str, t: float = 0.0, timeout: float = 90.0) -> dict[str, Any]:
        def there() -> dict[str, Any] | None:
            assert self.process.poll() is None, self.ended()
            found = self.status(vehicles=False)
            return found if found.get("state") == state and found["t"] >= t else None

        found: dict[str, Any] = wait_until(there, timeout)
        return found

    def host(self, name: str) -> dict[str, Any]:
        return next((h for h in self.status(False).get("hosts", ()) if h["host"] == name), {})

    def pid(self, words: str) -> int | None:
        """The process among our children whose command line holds these words."""
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                    parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                except (OSError, ValueError):
                    continue
                if parent == self.process.pid and words in line:
                    return int(entry.name)
        return None

    def kill(self, words: str, how: signal.Signals = signal.SIGKILL) -> int:
        pid = self.pid(words)
        assert pid is not None, f"no process '{words}'"
        os.kill(pid, how)
        return pid

    def state(self, wanted: str) -> subprocess.CompletedProcess[str]:
        return movenv("state", wanted, "--core", self.address)

    def ended(self, timeout: float = 90.0) -> tuple[int, dict[str, Any], str]:
        """Exit code, what was printed and what was said, when it is over."""
        out, err = self.process.communicate(timeout=timeout)
        return self.process.returncode, json.loads(out) if out.strip() else {}, err

    def close(self) -> None:
        if self._bus is not None:
            self._bus.close()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.communicate()
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()


def movenv(
    *words: str, timeout: float = 60.0, cwd: Path | str = "."
) -> subprocess.CompletedProcess[str]:
    return forked([*words], cwd, timeout)


@contextmanager
def live_run(folder: Path, scenario: str, *options: str, file: bool = True) -> Iterator[LiveRun]:
    """`file`: recorded into `run.recording`."""
    run = LiveRun(folder, scenario, *options, file=file)
    try:
        yield run
    finally:
        run.close()


def lacks_only_what_is_told(recording: Path) -> bool:
    """Whether every tick is there but those that the Core says it missed, as on a busy machine."""
    with Recording(recording) as seen:
        ticks = [snapshot.tick for snapshot, _ in seen.snapshots()]
        told = [re.match(r"the Core missed (\d+) tick", event.text) for event in seen.events()]
    missed = sum(int(match[1]) for match in told if match)
    rising = all(later > one for one, later in pairwise(ticks))
    return rising and ticks[-1] - ticks[0] + 1 - len(ticks) == missed

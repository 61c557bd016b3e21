"""A layer that comes, goes, is switched and killed while a vehicle lives on its scans."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from movenv.runtime.injection.inlet import ScanInlet, ScanOutlet
from movenv.runtime.injection.process import switch
from movenv.runtime.live.bus import Bus
from movenv.world.scan import Scan

from ..live.processes import free_port, wait_until
from .made_scans import a_scan

pytestmark = pytest.mark.xdist_group("live")
LAYER = Path(__file__).with_name("layer_process.py")
PERIOD = 1 / 40


class Driver:
    """A scanner at 40 Hz, and the software that reads it."""

    def __init__(self, address: str) -> None:
        self.sent = 0
        self.got: list[tuple[int, bool]] = []
        self.scanner, self.software = Bus.connect(address), Bus.connect(address)
        self.inlet = ScanInlet(self.software, "test", "test/altered", self._take)
        self._out = ScanOutlet(self.scanner, "test")
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._scan)
        time.sleep(0.3)  # until everyone knows of each other
        self._thread.start()

    def _take(self, scan: Scan, altered: bool) -> None:
        self.got.append((scan.number, altered))

    def _scan(self) -> None:
        due = time.monotonic()
        while not self._over.is_set():
            self._out.write(a_scan(self.sent))
            self.sent += 1
            due += PERIOD
            time.sleep(max(0.0, due - time.monotonic()))

    def through_layer(self) -> bool:
        """Whether the latest scans came through a layer."""
        return len(self.got) > 5 and all(altered for _, altered in self.got[-5:])

    def raw(self) -> bool:
        return len(self.got) > 5 and not any(altered for _, altered in self.got[-5:])

    def stop(self) -> None:
        if not self._over.is_set():
            self._over.set()
            self._thread.join()

    def close(self) -> None:
        self.stop()
        self.inlet.close()
        self.scanner.close()
        self.software.close()


@pytest.fixture
def address() -> Iterator[str]:
    where = f"tcp/127.0.0.1:{free_port()}"
    with Bus.listen([where], None):
        yield where


@pytest.fixture
def driver(address: str) -> Iterator[Driver]:
    it = Driver(address)
    yield it
    it.close()


def started(address: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, str(LAYER), address], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    return process


def test_no_scan_is_lost_or_doubled_whatever_becomes_of_the_layer(
    address: str, driver: Driver
) -> None:
    wait_until(driver.raw)
    for end in (signal.SIGTERM, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM):
        layer = started(address)
        try:
            wait_until(driver.through_layer)
            assert switch(driver.scanner, "me", "off")["on"] is False
            assert switch(driver.scanner, "me", "on")["on"] is True
            wait_until(driver.through_layer)
            layer.send_signal(end)
            wait_until(driver.raw)
            layer.wait(timeout=10)
        finally:
            layer.kill()
            layer.communicate()
    driver.stop()
    wait_until(lambda: len(driver.got) >= driver.sent)
    assert [number for number, _ in driver.got] == list(range(driver.sent))
    assert driver.inlet.order.missing == 0
    assert driver.inlet.unreadable == 0


def test_a_layer_that_stands_still_holds_nobody_up(address: str, driver: Driver) -> None:
    """Its token is still there, so only patience helps."""
    layer = started(address)
    try:
        wait_until(driver.through_layer)
        layer.send_signal(signal.SIGSTOP)
        wait_until(driver.raw)
        layer.send_signal(signal.SIGCONT)
        wait_until(driver.through_layer)
    finally:
        layer.kill()
        layer.communicate()
    driver.stop()
    wait_until(lambda: len(driver.got) >= driver.sent)
    assert [number for number, _ in driver.got] == list(range(driver.sent))

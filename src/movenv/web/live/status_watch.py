"""Asks the Core of a live run, once a second, where the run stands."""

import threading
import time
from collections.abc import Callable
from typing import Any

import msgspec

from movenv.runtime.live import bus as keys
from movenv.runtime.live.bus import Bus, BusError
from movenv.world.run_state import RunState

EVERY = 1.0
PATIENCE = 2.0
"""How long the Core may take to answer, s."""
STOP = RunState.STOP.name


class StatusWatch:
    """Keeps `latest` up to date in a thread of its own, until STOP."""

    def __init__(self, bus: Bus, run: str, on_change: Callable[[], None]) -> None:
        self.latest: dict[str, Any] | None = None
        """The Core's last word; with `core_silent` (s) while it does not answer."""
        self._bus, self._run, self._on_change = bus, run, on_change
        self._heard_at = time.monotonic()
        self._wake = threading.Event()
        self._stopped = False
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._work, name="status", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def ask_now(self, stopped: bool = False) -> None:
        """Something changed; `stopped` says that the run has ended, and the Core soon will."""
        self._stopped |= stopped
        self._wake.set()

    def close(self) -> None:
        """Ask no more; returns when no question is under way."""
        self._closed.set()
        self._wake.set()
        self._thread.join(timeout=PATIENCE + EVERY)

    def _work(self) -> None:
        while not self._closed.is_set():
            self._wake.clear()
            began = time.monotonic()
            try:
                self._take(self._ask())
            except (BusError, msgspec.MsgspecError):
                self._miss()
            if self._closed.is_set():
                return
            self._on_change()
            if self.latest is not None and self.latest["state"] == STOP:
                return  # nothing comes after it
            self._wake.wait(max(0.0, began + EVERY - time.monotonic()))

    def _ask(self) -> dict[str, Any]:
        """Raises BusError or MsgspecError."""
        data = self._bus.ask(keys.STATUS, b"console", timeout=PATIENCE)
        found = msgspec.json.decode(data, type=dict[str, Any])
        if found.get("run") != self._run:
            raise BusError("the Core of another run answers")
        return found

    def _take(self, found: dict[str, Any]) -> None:
        self._heard_at = time.monotonic()
        if self.latest is not None and found["host_of"] == self.latest.get("host_of"):
            found["host_of"] = self.latest["host_of"]  # the same list: who has it needs no other
        self.latest = found

    def _miss(self) -> None:
        """The Core does not answer: it has ended after STOP, or was killed and comes back."""
        before = self.latest or {}
        if self._stopped:
            self.latest = before | {"state": STOP, "legal": [], "missing": [], "missing_more": 0}
        elif before:
            self.latest = before | {"core_silent": time.monotonic() - self._heard_at}

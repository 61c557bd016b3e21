"""The process that sends snapshots on to 3D engines."""

import queue

from movenv.recording.cdr import DecodeError
from movenv.recording.layouts import RUN_STATE, SNAPSHOT_LAYOUT, SNAPSHOTS
from movenv.runtime.live import bus as keys
from movenv.runtime.live import wire
from movenv.runtime.live.bus import Bus
from movenv.runtime.live.record_process import stops
from movenv.runtime.live.run_info import run_info
from movenv.runtime.live.wire import Garbled, Records
from movenv.runtime.render import RenderSender
from movenv.world.messages import Snapshot
from movenv.world.run_state import RunState

WAITING = 3
"""Snapshots that may wait; a renderer wants the newest, not all."""


class RenderProcess:
    """Sends every snapshot of a run to some addresses, until STOP."""

    def __init__(self, bus: Bus, sender: RenderSender) -> None:
        """Raises BusError."""
        self._bus = bus
        self._sender = sender
        self._incoming: queue.Queue[Records] = queue.Queue(WAITING)
        self.skipped = 0
        _, record = run_info(bus)
        self._roster = record.roster.roster()
        bus.hear(keys.RECORDS, self._on_records)

    def run(self) -> None:
        while True:
            message = self._incoming.get()
            for topic, _, data in message.items:
                if topic == SNAPSHOTS:
                    self._render(data)
            if stops(message):
                break
        self._sender.close()

    def _render(self, data: bytes) -> None:
        try:
            numbers, vehicles = SNAPSHOT_LAYOUT.decode(data)
            state = RunState(numbers["state"])
        except (DecodeError, ValueError):
            self.skipped += 1
            return
        self._sender.send(Snapshot(numbers["tick"], numbers["t"], state, vehicles), self._roster)

    def _on_records(self, _key: str, data: bytes) -> None:
        try:
            message = wire.decode(Records, data)
            self._incoming.put(message, timeout=None if _has_state(message) else 0.5)
        except (Garbled, queue.Full):
            self.skipped += 1


def _has_state(message: Records) -> bool:
    return any(topic == RUN_STATE for topic, _, _ in message.items)

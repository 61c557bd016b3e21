"""The process of the recorder: writes down what the Core says, as it comes."""

import queue
import time
from pathlib import Path

import msgspec

from movenv.recording.layouts import RUN_STATE, SUMMARY, RunStateRecord
from movenv.recording.parts import open_next_part
from movenv.runtime.live import bus as keys
from movenv.runtime.live import wire
from movenv.runtime.live.bus import Bus, BusError
from movenv.runtime.live.run_info import run_info
from movenv.runtime.live.wire import Garbled, Records
from movenv.world.run_state import RunState

NAME_PATIENCE = 5.0
"""How long a name that is in use may take to become free, s: a killed recorder's is, soon."""


class RecordProcess:
    """Writes one run's recording, in a further part if there is one already."""

    def __init__(self, bus: Bus, path: Path, name: str = "recorder") -> None:
        """Raises BusError or RecordingRefused."""
        self._bus = bus
        self._incoming: queue.SimpleQueue[Records] = queue.SimpleQueue()
        self.garbled = 0
        _wait_for_name(bus, name)
        bus.hear(keys.RECORDS, self._on_records)
        info, record = run_info(bus)
        self._run = info.beacon.run
        self._writer = open_next_part(path, record)
        self.path = self._writer.path
        self._core, self._sequence = "", 0
        bus.be_alive(keys.recorder_key(name))

    def run(self) -> None:
        """Until STOP. Raises RecordingError when the disk refuses."""
        summary: tuple[float, bytes] | None = None
        try:
            while True:
                message = self._incoming.get()
                if not self._is_news(message):
                    continue
                for topic, t, data in message.items:
                    if topic == SUMMARY:
                        summary = t, data
                    self._write(topic, t, data)
                if stops(message):
                    break
        except BaseException:
            self._writer.abandon()
            raise
        if summary:
            self._writer.close(summary[0], msgspec.json.decode(summary[1]))
        else:
            self._writer.abandon()
        if self.garbled:
            print(f"{self.garbled} messages that no Core sends were dropped", flush=True)

    def _write(self, topic: str, t: float, data: bytes) -> None:
        try:
            self._writer.put(topic, t, data)
        except ValueError:  # not what a Core says
            self.garbled += 1

    def _is_news(self, message: Records) -> bool:
        """Whether it is to be recorded, and is not here already."""
        if message.run != self._run or not message.keep:
            return False
        if message.sequence == 0 and message.core != self._core:
            self._core, self._sequence = message.core, 0  # from here on all comes in order
        if message.core != self._core or message.sequence <= self._sequence:
            return False
        self._sequence = message.sequence
        return True

    def _on_records(self, _key: str, data: bytes) -> None:
        try:
            self._incoming.put(wire.decode(Records, data))
        except Garbled:
            self.garbled += 1


def _wait_for_name(bus: Bus, name: str) -> None:
    """Two recorders of one name would write into each other's parts. Raises BusError."""
    until = time.monotonic() + NAME_PATIENCE
    while name in msgspec.json.decode(bus.ask(keys.STATUS, b""))["recorders"]:
        if time.monotonic() > until:
            raise BusError(f"a recorder called '{name}' is here already; choose another --name")
        time.sleep(0.1)


def stops(message: Records) -> bool:
    for topic, _, data in message.items:
        if topic == RUN_STATE:
            try:
                return msgspec.json.decode(data, type=RunStateRecord).state == RunState.STOP.name
            except msgspec.MsgspecError:
                return False
    return False

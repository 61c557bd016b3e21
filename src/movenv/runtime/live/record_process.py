"""The process of the recorder: writes down what the Core says, as it comes."""

import queue
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from movenv.recording.layouts import RUN_STATE, SUMMARY, RunStateRecord
from movenv.recording.parts import open_next_part
from movenv.runtime.live import bus as keys
from movenv.runtime.live import wire
from movenv.runtime.live.bus import Bus, BusError
from movenv.runtime.live.run_info import run_info
from movenv.runtime.live.wire import Garbled, KeptRecords, Records, RecordsAgain
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
            for message in self._news():
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

    def _news(self) -> Iterator[Records]:
        """What is to be recorded, each message once and in order."""
        while True:
            message = self._incoming.get()
            if message.run != self._run or not message.keep:
                continue
            if message.core != self._core:
                self._core, self._sequence = message.core, 0
            if message.sequence > self._sequence:
                while message.sequence > self._sequence + 1 and (missed := self._again(message)):
                    yield from map(self._next, missed)
                yield self._next(message)

    def _again(self, later: Records) -> list[Records]:
        """What was said before that and has not come, as far as the Core keeps it.

        A link that breaks is made anew by itself, and tells nobody what it lost.
        """
        asked = RecordsAgain(self._core, self._sequence, later.sequence)
        try:
            answer = wire.decode(
                KeptRecords, self._bus.ask(keys.RECORDS_AGAIN, asked.encoded(), timeout=5)
            )
            return [wire.decode(Records, data) for data in answer.messages]
        except (BusError, Garbled):
            return []

    def _next(self, message: Records) -> Records:
        missing = message.sequence - self._sequence - 1
        if missing and self._sequence:  # before the first of a Core nobody was here to miss it
            told = f"{missing} messages of the Core never came and are not in the recording"
            print(told, flush=True)
        self._sequence = message.sequence
        return message

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

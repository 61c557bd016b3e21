"""The stream of records: what is kept for a recorder that is not there, and for how long."""

import threading
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import msgspec
import pytest

from movenv.recording.layouts import EventRecord, RunRecord, RunStateRecord
from movenv.recording.reader import Recording
from movenv.runtime.fast import updates
from movenv.runtime.live import bus as keys
from movenv.runtime.live import records, wire
from movenv.runtime.live.bus import BusError
from movenv.runtime.live.record_process import RecordProcess
from movenv.runtime.live.records import (
    IN_HAND,
    Item,
    RecordStream,
    event_item,
    state_item,
    summary_item,
)
from movenv.runtime.recorded import run_record
from movenv.scenario.build import Run, build
from movenv.scenario.load import load
from movenv.world.core import Update
from movenv.world.summary import Summary


class Wire:
    """A stream, the time it sees, and what it sent."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.sent: list[wire.Records] = []
        self.gate = threading.Event()
        self.gate.set()
        self.stream = RecordStream("run", "core", self._send)

    def monotonic(self) -> float:
        return self.now

    def monotonic_ns(self) -> int:
        return round(self.now * 1e9)

    def _send(self, data: bytes) -> None:
        self.gate.wait()
        self.sent.append(wire.decode(wire.Records, data))

    def happen(self, *texts: str) -> None:
        for text in texts:
            self.stream.say([event_item(EventRecord(0.0, 0.0, "test", text, "", []))])
        self.settle()

    def settle(self) -> None:
        """Wait until all that was put in has been worked off."""
        done = threading.Event()
        self.stream._jobs.put(done.set)
        assert done.wait(10)

    def take(self) -> list[int]:
        """The numbers of what was sent."""
        self.settle()
        numbers = [message.sequence for message in self.sent]
        self.sent.clear()
        return numbers


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> Iterator[Wire]:
    line = Wire()
    monkeypatch.setattr(records, "time", line)
    yield line
    line.gate.set()
    line.stream.close()


@pytest.fixture(scope="module")
def ticks() -> list[Update]:
    return list(updates(build(load("three-uavs", ["time.duration=2"]))))


def test_without_a_recorder_everything_is_kept(line: Wire) -> None:
    line.happen("a", "b", "c")
    line.now += 3600
    line.happen("d")
    assert line.take() == [1, 2, 3, 4]
    line.stream.recorders(1)
    assert line.take() == [1, 2, 3, 4]
    assert line.stream.given_up == 0


def test_with_a_recorder_only_what_it_may_have_in_hand_is_kept(line: Wire) -> None:
    line.stream.recorders(1)
    for text in "abcdefgh":
        line.happen(text)
        line.now += 1
    line.take()
    line.stream.recorders(0)
    line.happen("i")
    line.now += 100
    line.happen("j")
    line.take()
    line.stream.recorders(1)
    again = line.take()
    assert again == list(range(again[0], 11))
    assert 11 - again[0] == pytest.approx(IN_HAND + 2, abs=1)
    assert line.stream.given_up == 0


def test_what_is_given_again_comes_before_what_is_new(line: Wire) -> None:
    line.happen("a", "b")
    line.take()
    line.gate.clear()
    line.stream.recorders(1)
    line.stream.say([event_item(EventRecord(0.0, 0.0, "test", "c", "", []))])
    line.gate.set()
    assert line.take() == [1, 2, 3]


def test_only_a_recorder_that_is_new_is_given_anything(line: Wire) -> None:
    line.happen("a")
    line.stream.recorders(1)
    line.take()
    line.stream.recorders(1)
    assert line.take() == []
    line.stream.recorders(0)
    assert line.take() == []
    line.stream.recorders(2)
    assert line.take() == [1]


def test_beyond_the_cap_the_oldest_goes_and_is_counted(
    line: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "KEPT_BYTES", 1000)
    line.happen(*["x" * 100] * 20)
    line.take()
    line.stream.recorders(1)
    again = line.take()
    assert again == list(range(21 - len(again), 21))
    assert 3 < len(again) < 10
    assert line.stream.given_up == 20 - len(again)
    assert line.stream._kept_bytes <= 1000


def test_what_is_not_to_be_recorded_is_sent_but_not_kept(line: Wire, ticks: list[Update]) -> None:
    line.stream.tick(ticks[0], 5.0, keep=False)
    line.stream.tick(ticks[1], 5.1, keep=True)
    line.settle()
    assert [(m.keep, m.sequence) for m in line.sent] == [(False, 0), (True, 1)]
    assert next(topic for topic, _, _ in line.sent[1].items) == "/snapshots"
    line.sent.clear()
    line.stream.recorders(1)
    assert line.take() == [1]


def test_a_reader_that_does_not_read_costs_ticks_but_never_the_core(
    line: Wire, ticks: list[Update]
) -> None:
    line.gate.clear()
    for _ in range(records.WAITING + 100):
        line.stream.tick(ticks[1], 0.0, keep=True)
    assert 95 <= line.stream.given_up <= 100
    assert line.stream._jobs.qsize() <= records.WAITING + 1
    line.gate.set()
    line.settle()


def test_closing_sends_what_waits(line: Wire) -> None:
    line.gate.clear()
    for text in "abc":
        line.stream.say([event_item(EventRecord(0.0, 0.0, "test", text, "", []))])
    line.gate.set()
    line.stream.close()
    assert [message.sequence for message in line.sent] == [1, 2, 3]


def test_a_link_that_fails_once_does_not_end_the_recording(line: Wire) -> None:
    send, failures = line.stream._send, [RuntimeError("broken pipe")]

    def fails_once(data: bytes) -> None:
        if failures:
            raise failures.pop()
        send(data)

    line.stream._send = fails_once
    line.happen("a", "b")
    line.stream.recorders(1)
    assert line.take() == [2, 1, 2]


@cache
def a_run() -> Run:
    return build(load("three-uavs", ["time.duration=1"]))


def stop_at(t: float) -> list[Item]:
    run = a_run()
    summary = Summary(run.roster, run.level_names, run.every_pair).as_record()
    return [summary_item(t, summary), state_item(RunStateRecord(t, "STOP"))]


def numbers(found: wire.KeptRecords) -> list[int]:
    return [wire.decode(wire.Records, data).sequence for data in found.messages]


def test_a_recorder_is_given_again_what_it_asks_for(
    line: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    line.stream.recorders(1)
    line.happen(*"abcdefgh")
    again = line.stream.again
    assert numbers(again(wire.RecordsAgain("core", 2, 6))) == [3, 4, 5]
    assert numbers(again(wire.RecordsAgain("core", 7, 100))) == [8]
    assert numbers(again(wire.RecordsAgain("another", 0, 9))) == []
    assert line.stream.again(wire.RecordsAgain("core", 5, 5)).messages == []
    monkeypatch.setattr(records, "AT_ONCE", 1)
    assert numbers(again(wire.RecordsAgain("core", 2, 6))) == [3]
    line.now += IN_HAND + 1
    line.happen("i")
    assert numbers(again(wire.RecordsAgain("core", 0, 10))) == [9]


class StillBus:
    """A bus on which only the test speaks."""

    def __init__(self, record: RunRecord) -> None:
        self.handlers: dict[str, Callable[[str, bytes], None]] = {}
        self.streams: list[RecordStream] = []
        """Of Cores, the one that lives last."""
        self._record = msgspec.json.encode(record)

    def hear(self, key: str, handler: Callable[[str, bytes], None]) -> None:
        self.handlers[key] = handler

    def ask(self, key: str, data: bytes, **_options: float) -> bytes:
        if key == keys.STATUS:
            return b'{"recorders": []}'
        if key == keys.RECORDS_AGAIN:
            if not self.streams:
                raise BusError("the Core does not answer")
            return self.streams[-1].again(wire.decode(wire.RecordsAgain, data)).encoded()
        beacon = wire.Beacon("run", "core", 0, 3, 0, 0, 0, 1e8, 0)
        return wire.RunInfo(beacon, "here", self._record).encoded()

    def be_alive(self, _key: str) -> None:
        pass


def test_a_recorder_writes_what_was_kept_although_it_heard_something_newer_first(
    tmp_path: Path,
) -> None:
    bus = StillBus(run_record(a_run(), 1e9, [], "run"))
    recorder = RecordProcess(bus, tmp_path / "r.mcap")
    stream: list[bytes] = []
    sender = RecordStream("run", "core", stream.append)
    bus.streams.append(sender)
    for update in updates(a_run()):
        sender.tick(update, 0.0, keep=True)
    sender.say(stop_at(1.0))
    sender.recorders(1)
    sender.close()
    live, kept = stream[:12], stream[12:]
    for data in [*live[5:], *kept]:  # it came when the sixth was sent
        bus.handlers[keys.RECORDS]("records", data)
    recorder.run()
    with Recording(tmp_path / "r.mcap") as recording:
        assert [s.tick for s, _ in recording.snapshots()] == list(range(11))
        assert not recording.gaps()


def core(bus: StillBus, name: str, first: int, last: int) -> list[bytes]:
    """What a Core that lives now says: an event for each number, and STOP after 20."""
    said: list[bytes] = []
    stream = RecordStream("run", name, said.append)
    bus.streams.append(stream)
    for number in range(first, last + 1):
        stream.say([event_item(EventRecord(number, 0.0, "test", str(number), "", []))])
    if last == 20:
        stream.say(stop_at(20.0))
    stream.close()
    return said


@pytest.fixture
def still(tmp_path: Path) -> tuple[StillBus, RecordProcess]:
    bus = StillBus(run_record(a_run(), 1e9, [], "run"))
    return bus, RecordProcess(bus, tmp_path / "r.mcap")


def written(bus: StillBus, recorder: RecordProcess, heard: list[bytes]) -> list[str]:
    for data in heard:
        bus.handlers[keys.RECORDS]("records", data)
    recorder.run()
    with Recording(recorder.path) as recording:
        return [event.text for event in recording.events()]


ALL = [str(number) for number in range(1, 21)]


@pytest.mark.parametrize("lost", [[4], [4, 5, 6, 12, 17, 18], list(range(2, 20)), [0, 1, 2]])
@pytest.mark.parametrize("at_once", [1, records.AT_ONCE])
def test_what_got_lost_on_the_way_is_asked_for_again(
    still: tuple[StillBus, RecordProcess],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    lost: list[int],
    at_once: int,
) -> None:
    monkeypatch.setattr(records, "AT_ONCE", at_once)
    bus, recorder = still
    said = core(bus, "core", 1, 20)
    assert written(bus, recorder, [d for i, d in enumerate(said) if i not in lost]) == ALL
    assert capfd.readouterr().out == ""


def test_nothing_is_lost_where_a_link_breaks_as_the_core_is_started_again(
    still: tuple[StillBus, RecordProcess],
) -> None:
    """What is kept is sent as the recorder's token is seen, before it hears or a second time."""
    bus, recorder = still
    before = core(bus, "core", 1, 8)
    said = core(bus, "another", 9, 20)
    heard = [*before[:6], *before[7:], *said[6:8], *said[2:6], *said[:6], *said[10:]]
    assert written(bus, recorder, heard) == [text for text in ALL if text != "7"]


def test_what_the_core_has_no_more_is_told(
    still: tuple[StillBus, RecordProcess], capfd: pytest.CaptureFixture[str]
) -> None:
    bus, recorder = still
    said = core(bus, "core", 1, 20)
    bus.streams.clear()
    found = written(bus, recorder, [*said[2:9], *said[12:]])
    assert found == [*ALL[2:9], *ALL[12:]]
    out = capfd.readouterr().out
    assert out == "3 messages of the Core never came and are not in the recording\n"

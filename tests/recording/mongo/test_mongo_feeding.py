"""A feeder that is killed, or whose database is, at any moment: each message once."""

import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from pymongo.collection import Collection
from pymongo.errors import AutoReconnect

from movenv.bench.recorded import MadeUp, record_made_up
from movenv.recording.mongo import feeder as feeding_module
from movenv.recording.mongo.feeder import Feeder, TakenOver
from movenv.recording.mongo.upload import upload
from movenv.recording.mongo.url import parse
from movenv.recording.writer import RecordingWriter
from movenv.scenario.build import Run
from movenv.world.core import Update

from ..continued import live, new_summary, next_part
from .comparing import assert_same, brought, feeding
from .mongod import Mongod

pytestmark = pytest.mark.long

MOVENV = [sys.executable, "-m", "movenv"]


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("movenv.recording.writer.CHUNK_SIZE", 4000)
    monkeypatch.setattr(feeding_module, "BATCH_ROWS", 100)
    monkeypatch.setattr(feeding_module, "BACKOFF", (0.01, 0.1))


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("method", ["insert_many", "update_one", "find_one_and_update"])
def test_any_call_may_fail_whether_the_database_has_done_it_or_not(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch, method: str, when: str
) -> None:
    file = record_made_up(tmp_path / "made.mcap", MadeUp(10), 0, 300, "run")
    original: Any = getattr(Collection, method)
    calls = 0

    def failing(self: Any, *words: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if when == "before" and calls % 3 == 2:
            raise AutoReconnect("gone")
        done = original(self, *words, **named)
        if calls % 3 == 2:
            raise AutoReconnect("gone")
        return done

    monkeypatch.setattr(Collection, method, failing)
    with feeding(url, file) as (_, feeder):
        assert feeder.feed(live=False, patience=60)
    monkeypatch.undo()
    assert calls > (10 if method != "find_one_and_update" else 0)
    assert_same(file, url)


@pytest.mark.usefixtures("small_batches")
def test_an_insert_that_comes_after_its_feeder_was_given_up_leaves_nothing(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server may still be taking in what a killed feeder sent when the next one begins."""
    file = record_made_up(tmp_path / "made.mcap", MadeUp(10), 0, 100, "run")
    original: Any = Collection.insert_many
    held: list[Any] = []

    def late(self: Any, documents: Any, **named: Any) -> Any:
        if not held:
            held.append(lambda: original(self, documents, **named))
            raise AutoReconnect("gone")
        if len(held) == 1:
            held.append(None)
            return original(self, documents, **named)
        if len(held) == 2:
            held.append(None)
            held[0]()
        return original(self, documents, **named)

    monkeypatch.setattr(Collection, "insert_many", late)
    brought_by(file, url)
    monkeypatch.undo()
    assert len(held) == 3
    assert_same(file, url)


def brought_by(file: Path, url: str) -> None:
    with feeding(url, file) as (_, feeder):
        assert feeder.feed(live=False, patience=60)


@pytest.mark.usefixtures("small_batches")
def test_of_two_feeders_of_a_run_the_later_one_goes_on(tmp_path: Path, url: str) -> None:
    file = record_made_up(tmp_path / "made.mcap", MadeUp(10), 0, 300, "run")
    with feeding(url, file) as (_, first), feeding(url, file) as (_, second):
        steps = first._attempt(False)
        for _ in range(3):
            next(steps)
        more = second._attempt(False)
        next(more)
        with pytest.raises(TakenOver):
            next(steps)
        for _ in more:
            pass
    assert_same(file, url)


@pytest.mark.usefixtures("small_batches")
def test_a_file_is_followed_while_it_grows_and_into_its_next_part(
    tmp_path: Path, url: str, run: Run, ticks: list[Update]
) -> None:
    file = tmp_path / "run.mcap"
    with feeding(url, file) as (database, feeder):
        thread = threading.Thread(target=feeder.feed, args=(True, 60.0))
        thread.start()
        first = next_part(file, run, "r")
        live(first, ticks[:100], new_summary(run))
        until = time.monotonic() + 30
        while not database.snapshots.count_documents({"tick": 80}):
            assert time.monotonic() < until
            time.sleep(0.05)
        _kill(first)
        second = next_part(file, run, "r")
        summary = new_summary(run)
        live(second, ticks[90:200], summary)
        second.close(summary.simulated, summary.as_record())
        thread.join(30)
        assert not thread.is_alive()
    assert_same(file, url)


def _kill(writer: RecordingWriter) -> None:
    """Leave the file as kill -9 would: no end."""
    writer.abandon()
    whole = writer.path.read_bytes()
    from movenv.recording.container import walk

    with writer.path.open("rb") as opened:
        end = next(place.offset for place in walk(opened) if place.opcode == 15)
    writer.path.write_bytes(whole[:end])


def test_a_feeder_that_is_killed_again_and_again(tmp_path: Path, own_server: Mongod) -> None:
    file = record_made_up(tmp_path / "made.mcap", MadeUp(300), 0, 600, "run")
    url = own_server.url("db")
    for pause in (0.9, 1.0, 1.1, 1.2, 1.4):
        process = subprocess.Popen([*MOVENV, "upload", str(file), url], stdout=subprocess.DEVNULL)
        time.sleep(pause)
        process.kill()
        process.wait()
    brought(file, url)
    assert_same(file, url)


@pytest.mark.usefixtures("small_batches")
def test_a_database_that_is_killed_while_it_takes_in(
    tmp_path: Path, own_server: Mongod, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeding_module, "BATCH_ROWS", 2000)
    file = record_made_up(tmp_path / "made.mcap", MadeUp(100), 0, 1000, "run")
    url = own_server.url("db")
    said: list[str] = []
    with feeding(url, file) as (database, _):
        feeder = Feeder(database, file, said.append)
        thread = threading.Thread(target=feeder.feed, args=(False, 120.0))
        thread.start()
        for _ in range(3):
            time.sleep(0.4)
            own_server.kill()
            time.sleep(0.3)
            own_server.start()
        thread.join(120)
        assert not thread.is_alive()
    assert any("Nothing is lost" in line for line in said)
    assert any("is back" in line for line in said)
    assert_same(file, url)


def test_a_database_that_stays_away_is_told(tmp_path: Path, own_server: Mongod) -> None:
    file = record_made_up(tmp_path / "made.mcap", MadeUp(10), 0, 50, "run")
    address = parse(own_server.url("db"))
    own_server.kill()
    assert upload(file, address, patience=0.0) is None
    own_server.start()
    brought(file, address.uri)
    assert_same(file, address.uri)

"""Recordings: whole, torn, damaged, and read by others."""

import errno
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory

from movenv.cli.info import describe
from movenv.recording.file import RecordingFile
from movenv.recording.layouts import NOTICES, SNAPSHOTS
from movenv.recording.reader import Recording
from movenv.recording.replay import updates as replayed
from movenv.recording.writer import RecordingError
from movenv.runtime.fast import updates
from movenv.scenario.build import build
from movenv.scenario.load import load
from movenv.world.summary import Summary

from .conftest import STARTED, record


def test_what_was_run_is_what_is_read(recorded: Path) -> None:
    live = list(updates(build(load("one-of-everything", ["time.duration=30"]))))
    with Recording(recorded) as recording:
        read = [snapshot for snapshot, _ in recording.snapshots()]
        assert not recording.damage
        assert recording.run.scenario.startswith("# Every kind of vehicle")
        assert recording.run.changes == ["time.duration=30"]
    assert len(read) == len(live) == 301
    for snapshot, update in zip(read, live, strict=True):
        assert (snapshot.tick, snapshot.t) == (update.snapshot.tick, update.snapshot.t)
        for name, column in update.snapshot.vehicles.columns():
            assert np.array_equal(getattr(snapshot.vehicles, name), column)


def test_the_summary_can_be_worked_out_again_from_the_messages(recorded: Path) -> None:
    with Recording(recorded) as recording:
        again = Summary(recording.roster, list(recording.run.levels), recording.run.every_pair)
        for update in replayed(recording):
            again.add(update)
        assert again.as_dict() == recording.summary()
        assert again.found > 0


def test_a_reader_that_is_not_ours_opens_it(recorded: Path) -> None:
    with recorded.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        summary = reader.get_summary()
        assert summary is not None
        topics = {channel.topic for channel in summary.channels.values()}
        assert topics == {
            *("/run", "/run_state", "/snapshots", "/notices"),
            *("/detections", "/broadcasts", "/summary"),
        }
        theirs = list(reader.iter_decoded_messages(topics=[SNAPSHOTS]))
    with Recording(recorded) as recording:
        ours = list(recording.snapshots())
    assert len(theirs) == len(ours)
    for (_, _, message, decoded), (snapshot, _) in zip(theirs[::50], ours[::50], strict=True):
        assert message.log_time == round((STARTED + snapshot.t) * 1e9)
        assert list(decoded.x) == snapshot.vehicles.x.tolist()
        assert list(decoded.lat) == snapshot.vehicles.lat.tolist()


def test_an_existing_recording_is_never_overwritten(recorded: Path) -> None:
    before = recorded.read_bytes()
    with pytest.raises(RecordingError, match="exists already"):
        record(recorded, "hello")
    assert recorded.read_bytes() == before


def test_a_truncated_recording_gives_all_its_whole_chunks(chunky: Path, tmp_path: Path) -> None:
    data = chunky.read_bytes()
    with RecordingFile(chunky) as recording:
        whole = [place.offset + place.length for place in recording._contents.chunks]
        per_chunk = []
        for place in recording._contents.chunks:
            recording_one = [op for op, _ in recording._chunk(place)]
            per_chunk.append(recording_one)
        everything = [snapshot.tick for snapshot, _ in recording.snapshots()]
    assert len(whole) > 10
    torn = tmp_path / "torn.mcap"
    seen = []
    for cut in [*whole, *(end - 1 for end in whole[1:]), len(data) - 1, len(data) - 30]:
        torn.write_bytes(data[:cut])
        with Recording(torn) as recording:
            ticks = [snapshot.tick for snapshot, _ in recording.snapshots()]
            assert recording.damage.truncated
            assert len(recording.parts[0]._contents.chunks) == sum(end <= cut for end in whole)
            assert describe(recording)["damage"]
        assert ticks == everything[: len(ticks)]
        seen.append(len(ticks))
    assert seen[len(whole) - 1] == len(everything)
    assert seen[: len(whole)] == sorted(seen[: len(whole)])


def test_a_damaged_chunk_costs_only_itself(chunky: Path) -> None:
    data = bytearray(chunky.read_bytes())
    with RecordingFile(chunky) as recording:
        place = recording._contents.chunks[5]
        total = sum(1 for _ in recording.snapshots())
    data[place.offset + place.length // 2] ^= 0xFF
    chunky.write_bytes(data)
    with Recording(chunky) as recording:
        left = sum(1 for _ in recording.snapshots())
        assert recording.damage.chunks == 1
    assert 0 < total - left < total / 4


def test_info_sees_damage_in_a_closed_file(chunky: Path) -> None:
    with RecordingFile(chunky) as recording:
        place = recording._contents.chunks[7]
    data = bytearray(chunky.read_bytes())
    data[place.offset + place.length - 5] ^= 0x55
    chunky.write_bytes(data)
    done = subprocess.run(
        [sys.executable, "-m", "movenv", "info", str(chunky)], capture_output=True, text=True
    )
    assert "1 unreadable chunk" in done.stdout


def test_a_chunk_that_claims_another_size_is_left_out(chunky: Path) -> None:
    """zstd believes the size in its own header, whatever that would take."""
    with RecordingFile(chunky) as recording:
        place = recording._contents.chunks[3]
    data = bytearray(chunky.read_bytes())
    frame = data.index(b"\x28\xb5\x2f\xfd", place.offset)
    data[frame + 4] = 0xC0  # eight bytes of content size follow
    chunky.write_bytes(data)
    with Recording(chunky) as recording:
        recording.verify()
        assert recording.damage.chunks == 1


def test_a_short_recording_has_more_than_one_chunk(recorded: Path) -> None:
    with RecordingFile(recorded) as recording:
        assert len(recording._contents.chunks) > 2


@pytest.mark.parametrize(
    "broken", ["RecordingWriter._write", "_File.cut_torn_end", "Writer.finish"]
)
def test_a_writer_that_breaks_in_any_way_never_hangs_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    def fail(*_: object) -> None:
        raise (
            MemoryError("no memory")
            if broken.endswith("_write")
            else OSError(errno.EIO, "I/O error")
        )

    monkeypatch.setattr(f"movenv.recording.writer.{broken}", fail)
    if broken == "_File.cut_torn_end":
        monkeypatch.setattr("movenv.recording.writer.Writer.finish", fail)
    with pytest.raises(RecordingError, match=r"no memory|I/O error"):
        record(tmp_path / "broken.mcap", "three-uavs", "time.duration=100")


def assert_survives(file: Path) -> None:
    """Every way of reading ends in data or in a RecordingError."""
    try:
        with Recording(file) as recording:
            list(recording.snapshots())
            list(recording.tables(NOTICES))
            describe(recording)
    except RecordingError as error:
        assert str(error)


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_scribbled_recordings_are_read_or_refused(chunky: Path, data: st.DataObject) -> None:
    original = chunky.with_suffix(".original")
    if not original.exists():
        original.write_bytes(chunky.read_bytes())
    raw = bytearray(original.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(
            st.one_of(
                st.integers(0, 400),
                st.integers(0, len(raw) - 1),
                st.integers(len(raw) - 400, len(raw) - 1),
            )
        )
        raw[at : at + 1] = data.draw(st.binary(min_size=0, max_size=9))
    chunky.write_bytes(
        raw[: data.draw(st.integers(0, len(raw)))] if data.draw(st.booleans()) else raw
    )
    assert_survives(chunky)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(tail=st.binary(max_size=300), magic=st.booleans())
def test_any_bytes_are_read_or_refused(tmp_path: Path, tail: bytes, magic: bool) -> None:
    file = tmp_path / "any.mcap"
    file.write_bytes((b"\x89MCAP0\r\n" if magic else b"") + tail)
    assert_survives(file)


def test_somebody_elses_mcap_is_refused_in_words(tmp_path: Path) -> None:
    from mcap.writer import Writer

    file = tmp_path / "other.mcap"
    writer = Writer(str(file))
    writer.start()
    channel = writer.register_channel("/chatter", "json", 0)
    writer.add_message(channel, 0, b"{}", 0)
    writer.finish()
    with pytest.raises(RecordingError, match="not a recording of movenv"):
        Recording(file)


RUN = [
    sys.executable,
    "-m",
    "movenv",
    "run",
    "swarm-10k",
    "--fast",
    "--set",
    "vehicles.0.count=500",
]


def test_a_full_disk_ends_the_run_with_words_and_keeps_what_was_written(tmp_path: Path) -> None:
    """The limit on the size of files stands in for the disk: the same refusal, without root."""
    file = tmp_path / "full.mcap"
    limit = 3_000_000

    def small_disk() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run(
        [*RUN, "--record", str(file)], preexec_fn=small_disk, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert f"cannot write {file}: {os.strerror(errno.EFBIG)}" in done.stderr
    kept = float(done.stderr.partition("kept up to t = ")[2].split()[0])
    with Recording(file) as recording:
        times = [snapshot.t for snapshot, _ in recording.snapshots()]
    assert times[-1] == pytest.approx(kept, abs=0.11)
    assert kept > 1


def test_a_killed_run_leaves_a_readable_recording(tmp_path: Path) -> None:
    """Flushed at least every second: kill -9 costs no more than that."""
    file = tmp_path / "killed.mcap"
    run = subprocess.Popen(
        [*RUN, "--duration", "100000", "--record", str(file)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        import time

        while not file.exists() or file.stat().st_size < 2_000_000:
            assert run.poll() is None
            time.sleep(0.05)
        before = file.stat().st_size
        time.sleep(1.2)
        assert file.stat().st_size > before
    finally:
        run.kill()
        run.wait()
    with Recording(file) as recording:
        ticks = [snapshot.tick for snapshot, _ in recording.snapshots()]
        assert recording.damage.truncated
    assert ticks == list(range(len(ticks)))
    assert len(ticks) > 10

"""What a recording last saw, against reading all of it."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from movenv.recording.container import walk
from movenv.recording.last_seen import LastSeen, last_seen
from movenv.recording.order_record import OrderRecord
from movenv.recording.reader import Recording
from movenv.recording.writer import RecordingRefused
from movenv.scenario.build import Run
from movenv.world.core import Update
from movenv.world.run_state import RunState

from .continued import live, new_summary, next_part


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory, run: Run, ticks: list[Update]) -> Path:
    """A live recording in many small chunks, closed."""
    file = tmp_path_factory.mktemp("lived") / "live.mcap"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("movenv.recording.writer.CHUNK_SIZE", 3000)
        writer = next_part(file, run, "r")
        summary = new_summary(run)
        writer.run_state(0.0, RunState.SET)
        live(writer, ticks, summary)
        writer.run_state(summary.simulated, RunState.STOP)
        writer.close(summary.simulated, summary.as_record())
    return file


def slowly(file: Path) -> tuple[int, float, int | None]:
    """Tick, time and ticks of the summary, from the whole recording."""
    with Recording(file) as recording:
        *_, (snapshot, _) = recording.snapshots()
        latest = recording.latest_summary()
    return snapshot.tick, snapshot.t, latest and latest.ticks


def quickly(seen: LastSeen | None) -> tuple[int, float, int | None]:
    assert seen is not None
    return seen.tick, seen.t, seen.summary and seen.summary["ticks"]


def test_a_closed_recording(lived: Path) -> None:
    seen = last_seen(lived)
    assert seen is not None
    assert (seen.run_id, seen.run_state) == ("r", RunState.STOP)
    assert quickly(seen) == slowly(lived) == (600, 60.0, 600)


def test_cut_off_anywhere_it_agrees_with_reading_all(lived: Path, tmp_path: Path) -> None:
    data = lived.read_bytes()
    with lived.open("rb") as file:
        places = list(walk(file))
    chunk_ends = [place.end for place in places if place.opcode == 6]
    assert len(chunk_ends) > 30
    torn = tmp_path / "torn.mcap"
    edges = [place.end + off for place in places[8::17] for off in (-1, 0, 1)]
    for cut in [*edges, len(data) - 1, len(data) - 30, chunk_ends[5] + 9]:
        torn.write_bytes(data[:cut])
        assert quickly(last_seen(torn)) == slowly(torn)
    torn.write_bytes(data[: chunk_ends[20]])
    seen = last_seen(torn)
    assert seen is not None
    assert seen.run_state == RunState.GO
    for cut in (0, 3, 8, chunk_ends[0] - 1):
        torn.write_bytes(data[:cut])
        assert last_seen(torn) is None
    torn.write_bytes(data[: chunk_ends[0]])
    assert last_seen(torn) == LastSeen("r", RunState.READY, 0, 0.0, None, None)


def test_only_the_ends_are_read(lived: Path, tmp_path: Path) -> None:
    """With everything between the first and the last chunks blotted out it sees the same."""
    data = bytearray(lived.read_bytes())
    with lived.open("rb") as file:
        chunks = [place for place in walk(file) if place.opcode == 6]
    start, end = chunks[0].end, chunks[-8].offset
    data[start:end] = bytes(end - start)
    blotted = tmp_path / "blotted.mcap"
    blotted.write_bytes(data)
    assert last_seen(blotted) == last_seen(lived)


def test_the_newest_part_counts_and_the_one_before_where_it_says_nothing(
    tmp_path: Path, run: Run, ticks: list[Update]
) -> None:
    file = tmp_path / "x.mcap"
    assert last_seen(file) is None
    writer = next_part(file, run, "r")
    summary = new_summary(run)
    live(writer, ticks[:105], summary)
    writer.abandon()
    first = last_seen(file)
    assert quickly(first) == (104, 10.4, 100)
    next_part(file, run, "r").abandon()
    assert last_seen(file) == first
    writer = next_part(file, run, "r")
    for update in ticks[300:303]:
        writer.update(update)
    writer.run_state(30.2, RunState.PAUSE)
    writer.abandon()
    seen = last_seen(file)
    assert quickly(seen) == (302, 30.2, 100)
    assert seen is not None
    assert seen.run_state == RunState.PAUSE
    writer = next_part(tmp_path / "y.mcap", run, "another")
    writer.update(ticks[500])
    writer.abandon()
    (tmp_path / "y.mcap").rename(tmp_path / "x.part9.mcap")
    assert last_seen(file) == seen


def test_a_run_goes_on_counting_from_what_was_seen(
    lived: Path, tmp_path: Path, run: Run, ticks: list[Update]
) -> None:
    with lived.open("rb") as file:
        chunks = [place for place in walk(file) if place.opcode == 6]
    torn = tmp_path / "torn.mcap"
    torn.write_bytes(lived.read_bytes()[: chunks[len(chunks) // 2].end])
    seen = last_seen(torn)
    assert seen is not None
    assert seen.summary is not None
    resumed, whole = new_summary(run), new_summary(run)
    resumed.resume(seen.summary)
    for update in ticks[1:]:
        whole.add(update)
        if update.snapshot.t > seen.summary["simulated_s"]:
            resumed.add(update)
    assert resumed.as_record() == whole.as_record()


def test_no_recording_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.mcap"
    file.write_bytes(b"something else")
    with pytest.raises(RecordingRefused, match="not an MCAP file"):
        last_seen(file)
    with pytest.raises(RecordingRefused, match="cannot read"):
        last_seen(tmp_path)


def assert_survives(file: Path) -> None:
    try:
        seen = last_seen(file)
    except RecordingRefused as error:
        assert str(error)
    else:
        assert seen is None or seen.run_id == "r"


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_damaged_bytes_are_seen_through_or_refused(
    lived: Path, tmp_path: Path, data: st.DataObject
) -> None:
    raw = bytearray(lived.read_bytes())
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(
            st.one_of(
                st.integers(0, 2000),
                st.integers(0, len(raw) - 1),
                st.integers(len(raw) - 4000, len(raw) - 1),
            )
        )
        raw[at : at + 1] = data.draw(st.binary(min_size=0, max_size=9))
    if data.draw(st.booleans()):
        raw = raw[: data.draw(st.integers(0, len(raw)))]
    file = tmp_path / "damaged.mcap"
    file.write_bytes(raw)
    assert_survives(file)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(tail=st.binary(max_size=300), first=st.integers(0, 3))
def test_any_end_is_seen_through(lived: Path, tmp_path: Path, tail: bytes, first: int) -> None:
    """Also one that looks like a chunk."""
    raw = lived.read_bytes()
    seeming = b"\x06" + bytes(8) + bytes(28) + b"\x04\x00\x00\x00zstd"
    file = tmp_path / "any.mcap"
    file.write_bytes((b"", raw[:8], raw[:4000], raw)[first] + tail + seeming + tail)
    assert_survives(file)


def test_orders_are_found_though_later_summaries_do_not_repeat_them(
    tmp_path: Path, run: Run, ticks: list[Update]
) -> None:
    held = OrderRecord(1.0, 0.0, 7, "hold", [1])
    file = tmp_path / "live.mcap"
    for part, told in ((ticks[:100], [held]), (ticks[100:200], None)):
        writer, summary = next_part(file, run, "r"), new_summary(run)
        for update in part:
            writer.update(update)
        first, rest = part[0].snapshot.t, part[-1].snapshot.t
        writer.summary(first, summary.as_record() | {"orders": told})
        writer.summary(rest, summary.as_record() | {"orders": None})
        writer.close(rest, summary.as_record() | {"orders": None})
    seen = last_seen(file)
    assert seen is not None
    assert (seen.tick, seen.orders) == (199, [held])

"""What was recorded comes back from the database, byte for byte."""

from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from pymongo import MongoClient

from movenv.bench.recorded import MadeUp, record_made_up
from movenv.cli.goal import Goal
from movenv.recording.layouts import (
    EVENTS,
    JSON_TOPICS,
    LAYOUTS,
    NOTICES,
    RECEPTIONS,
    RUN,
    SNAPSHOT_LAYOUT,
    SNAPSHOTS,
    SUMMARY,
    RosterRecord,
    RunRecord,
)
from movenv.recording.mongo.documents import PIECE
from movenv.recording.mongo.url import parse
from movenv.recording.reference import open_recording
from movenv.recording.writer import RecordingRefused, RecordingWriter
from movenv.scenario.build import Run
from movenv.world.core import Update
from movenv.world.messages import VehicleStates

from ..continued import write
from .comparing import assert_same, brought, contents
from .mongod import Mongod

pytestmark = pytest.mark.long


def run_record(vehicles: int = 3, **more: Any) -> RunRecord:
    roster = RosterRecord(
        vids=list(range(1, vehicles + 1)),
        names=[f"v{i}" for i in range(vehicles)],
        kinds=["pedestrian"],
        kind=[0] * vehicles,
        origin=[1] * vehicles,
        length=[1.0] * vehicles,
        behaviors=["wander"],
    )
    known: dict[str, Any] = {
        "format": 1, "movenv": "0", "scenario": "a: b", "name": "made", "seed": 1,
        "started_utc": 1.7e9, "origin": (1.0, 2.0, 3.0), "tick": 0.1, "levels": {"near": 1.0},
        "every_pair": True, "fidelity": None, "changes": [], "roster": roster,
    }  # fmt: skip
    return RunRecord(**(known | more))


def written(path: Path, run: RunRecord, messages: list[tuple[str, float, bytes]]) -> Path:
    writer = RecordingWriter(path, run)
    for topic, t, data in messages:
        writer.put(topic, t, data)
    writer.abandon()
    return path


def numbers(tick: int, **more: float) -> dict[str, float]:
    return dict.fromkeys(SNAPSHOT_LAYOUT.numbers, 0) | {"tick": tick, "t": tick * 0.1} | more


def test_a_fast_run_of_everything(recorded: Path, url: str) -> None:
    brought(recorded, url)
    assert_same(recorded, url)


def test_a_live_run_with_real_vehicles_marks_and_health(tmp_path: Path, url: str) -> None:
    file = record_made_up(tmp_path / "made.mcap", MadeUp(40), 0, 900, "r" * 16)
    assert brought(file, url).run.run == "r" * 16
    assert_same(file, url)


def test_parts_with_and_without_an_end(
    tmp_path: Path, url: str, run: Run, ticks: list[Update]
) -> None:
    file = tmp_path / "run.mcap"
    write(file, run, ticks[:100], closed=False)
    write(file, run, ticks[90:200])
    write(file, run, ticks[250:300], closed=False)
    brought(file, url)
    assert_same(file, url)


def test_a_part_of_another_run_is_left_out_as_it_is_when_reading(
    tmp_path: Path, url: str, run: Run, ticks: list[Update]
) -> None:
    file = tmp_path / "run.mcap"
    write(file, run, ticks[:50])
    write(tmp_path / "other.mcap", run, ticks[:50], "other").rename(tmp_path / "run.part2.mcap")
    brought(file, url)
    assert_same(file, url)


def test_a_recording_cut_off_is_uploaded_so_far_and_goes_on_where_it_was(
    tmp_path: Path, url: str, run: Run, ticks: list[Update]
) -> None:
    file = tmp_path / "run.mcap"
    write(file, run, ticks[:100], closed=False)
    brought(file, url)
    assert_same(file, url)
    write(file, run, ticks[100:200])
    assert brought(file, url).documents > 0
    assert_same(file, url)
    assert brought(file, url).documents == 0


def test_a_recording_that_was_closed_goes_on_in_a_further_part(
    tmp_path: Path, url: str, run: Run, ticks: list[Update]
) -> None:
    file = tmp_path / "run.mcap"
    write(file, run, ticks[:100])
    brought(file, url)
    assert brought(file, url).documents == 0
    write(file, run, ticks[100:200], closed=False)
    with MongoClient(url) as client:
        runs: Any = client.get_default_database()["runs"]
        assert runs.find_one()["feeding"]["complete"]
        assert brought(file, url).documents > 0
        assert not runs.find_one()["feeding"]["complete"]
    assert_same(file, url)


def test_a_file_nobody_asked_for_is_removed_with_its_parts_when_all_is_in_the_database(
    tmp_path: Path, url: str, run: Run, ticks: list[Update]
) -> None:
    file, copy = tmp_path / "run.mcap", tmp_path / "copy.mcap"
    write(file, run, ticks[:100])
    brought(file, url)
    write(file, run, ticks[100:200])
    other = write(tmp_path / "other.mcap", run, ticks[:50], "other")
    other.rename(tmp_path / "run.part3.mcap")
    copy.write_bytes(file.read_bytes())
    (tmp_path / "copy.part2.mcap").write_bytes((tmp_path / "run.part2.mcap").read_bytes())
    assert Goal(file, parse(url), keep=False).reach(quiet=True)
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["copy.mcap", "copy.part2.mcap", "run.part3.mcap"]
    assert_same(copy, url)


def test_a_damaged_chunk_costs_that_chunk(chunky: Path, url: str) -> None:
    whole = bytearray(chunky.read_bytes())
    whole[len(whole) // 2] ^= 0xFF
    chunky.write_bytes(whole)
    brought(chunky, url)
    assert_same(chunky, url)


def test_another_recording_of_the_same_run_is_refused(tmp_path: Path, url: str, run: Run,
                                                      ticks: list[Update]) -> None:  # fmt: skip
    for name, some in (("a", ticks[:100]), ("b", ticks[3:100])):
        write(tmp_path / f"{name}.mcap", run, some, closed=False)
    brought(tmp_path / "a.mcap", url)
    with pytest.raises(RecordingRefused, match="another recording of this run"):
        brought(tmp_path / "b.mcap", url)
    assert_same(tmp_path / "a.mcap", url)


floats = st.floats(width=64) | st.just(float("nan"))
odd_names = st.text(max_size=4) | st.sampled_from(["$gt", "a.b", "", "\0", "_id"])
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(odd_names, inner, max_size=3),
    max_leaves=8,
)


@st.composite
def table_messages(draw: st.DrawFn) -> tuple[str, float, bytes]:
    topic = draw(st.sampled_from(sorted(LAYOUTS)))
    layout = LAYOUTS[topic]
    rows = draw(st.integers(0, 4))
    columns = {
        name: draw(arrays.arrays(dtype, rows)) for name, dtype in layout.table.dtypes.items()
    }
    if draw(st.booleans()):
        columns["vid"] = np.arange(1, rows + 1, dtype=np.uint32)
    said = {
        name: draw(floats if kind == "float64" else st.integers(0, 200))
        for name, kind in layout.numbers.items()
    }
    return topic, draw(st.floats(0, 1e6)), layout.encode(said, layout.table(columns))


json_messages = st.tuples(
    st.sampled_from(sorted(JSON_TOPICS.keys() - {RUN})),
    st.floats(0, 1e6),
    st.dictionaries(odd_names, plain, max_size=4).map(msgspec.json.encode),
)
garbage = st.tuples(
    st.sampled_from(sorted(LAYOUTS.keys() | JSON_TOPICS.keys() - {RUN})),
    st.floats(0, 10),
    st.binary(max_size=40),
)


@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(messages=st.lists(table_messages() | json_messages | garbage, max_size=12))
def test_any_message_comes_back_as_it_was(
    messages: list[tuple[str, float, bytes]], tmp_path: Path, url: str
) -> None:
    n = uuid4().hex  # not of hypothesis, which may repeat itself
    file = written(tmp_path / f"{n}.mcap", run_record(run_id=n), messages)
    brought(file, url)
    with open_recording(f"{url}?run={n}") as fetched:
        assert contents(fetched)[0][1:] == [(topic, data) for topic, _, data in messages]


def test_integers_of_any_size_come_back(tmp_path: Path, url: str) -> None:
    sizes = [2**n + d for n in (31, 32, 53, 63, 64, 80) for d in (-1, 0)]
    said = msgspec.json.encode({"a": [*sizes, *(-size for size in sizes)]})
    file = written(tmp_path / "a.mcap", run_record(seed=2**40), [(EVENTS, 1.0, said)])
    brought(file, url)
    assert_same(file, url)


def test_a_message_larger_than_a_document_may_be(tmp_path: Path, url: str) -> None:
    long = msgspec.json.encode({"text": "x" * (3 * PIECE + 7)})
    file = written(tmp_path / "a.mcap", run_record(), [(EVENTS, 1.0, long), (EVENTS, 2.0, b"{}")])
    brought(file, url)
    assert_same(file, url)


def test_a_fleet_larger_than_a_document(tmp_path: Path, url: str) -> None:
    count = 60_000
    table = VehicleStates.empty(count)
    table.vid = np.arange(1, count + 1, dtype=np.uint32)
    data = SNAPSHOT_LAYOUT.encode(numbers(1), table)
    run = run_record(count, seed=2**80)
    file = written(tmp_path / "a.mcap", run, [(SNAPSHOTS, 0.1, data)])
    brought(file, url)
    assert_same(file, url)


def test_a_vehicle_without_a_place_on_earth_has_none_in_the_database(
    tmp_path: Path, url: str
) -> None:
    table = VehicleStates.empty(3)
    table.vid = np.array([1, 2, 3], np.uint32)
    table.lat = np.array([1.0, np.nan, 1e9])
    file = written(
        tmp_path / "a.mcap",
        run_record(),
        [(SNAPSHOTS, 0.1, SNAPSHOT_LAYOUT.encode(numbers(1), table))],
    )
    brought(file, url)
    assert_same(file, url)
    with MongoClient(url) as client:
        found: Any = client.get_default_database().snapshots.find({"place": {"$exists": True}})
        assert [document["meta"]["vid"] for document in found] == [1]


def test_two_runs_in_one_database_and_the_latest_without_a_name(
    tmp_path: Path, url: str, recorded: Path
) -> None:
    older = written(tmp_path / "a.mcap", run_record(started_utc=1e9), [(SUMMARY, 0.0, b"{}")])
    first, second = brought(recorded, url), brought(older, url)
    assert_same(recorded, url)
    assert_same(recorded, first.run.told)
    assert_same(older, second.run.told)
    with pytest.raises(RecordingRefused, match=f"no run 'nope'; there are {first.run.run}"):
        open_recording(f"{url}?run=nope").__enter__()


def test_readable_documents(recorded: Path, url: str) -> None:
    """A user's own query, without movenv, finds what the recording says."""
    brought(recorded, url)
    with open_recording(url) as fetched, MongoClient(url, tz_aware=True) as client:
        base: Any = client.get_default_database()
        snapshot, _ = next(pair for pair in fetched.snapshots() if pair[0].tick == 77)
        for document in base.snapshots.find({"tick": 77}):
            row = int(np.flatnonzero(snapshot.vehicles.vid == document["meta"]["vid"])[0])
            for name, column in snapshot.vehicles.columns():
                if name != "vid":
                    assert document[name] == column[row], name
            place = document["place"]["coordinates"]
            assert place == [snapshot.vehicles.lon[row], snapshot.vehicles.lat[row]]
            assert document["t"] == snapshot.t
            assert abs(document["at"].timestamp() - fetched.run.started_utc - snapshot.t) < 0.001
        (told, pairs) = next(iter(fetched.tables(NOTICES)))
        notice = base.events.find_one({"meta.topic": NOTICES, "body.tick": told["tick"]})
        assert notice["body"]["distance"] == pairs.distance.tolist()
        run = base.runs.find_one()
        assert run["name"] == "one-of-everything"
        assert [v["name"] for v in run["roster"]] == fetched.roster.names


def winning(plan: Any) -> str:
    """The index a query was answered with."""
    return str(_values(plan, "indexName"))


def _values(node: Any, name: str) -> list[Any]:
    if isinstance(node, dict):
        found = [node[name]] if name in node else []
        return found + [v for value in node.values() for v in _values(value, name)]
    return [v for item in node for v in _values(item, name)] if isinstance(node, list) else []


def test_queries_use_the_indexes(recorded: Path, url: str) -> None:
    run = brought(recorded, url).run.run
    with MongoClient(url) as client:
        base: Any = client.get_default_database()
        snapshots = base.snapshots
        one = snapshots.find_one({"meta.run": run})
        by_vid = snapshots.find({"meta.run": run, "meta.vid": 1, "at": {"$gte": one["at"]}})
        assert "meta.run_1_meta.vid_1_at_1" in winning(by_vid.explain())
        by_time = snapshots.find({"meta.run": run, "at": one["at"]}).hint("meta.run_1_at_1")
        assert "meta.run_1_at_1" in winning(by_time.explain())
        near = {"$geoWithin": {"$centerSphere": [one["place"]["coordinates"], 50 / 6378100]}}
        by_place = snapshots.find({"place": near})
        assert "place_2dsphere" in winning(by_place.explain())
        assert len(list(by_place)) > 0
        nearest = snapshots.aggregate(
            [{"$geoNear": {"near": one["place"], "distanceField": "far", "key": "place"}},
             {"$limit": 1}]
        )  # fmt: skip
        assert next(iter(nearest))["far"] == 0.0
        of_topic = base.events.find({"meta.run": run, "meta.topic": NOTICES})
        assert "meta.run_1_meta.topic_1_at_1" in winning(of_topic.explain())
        kinds = {c["name"]: c["type"] for c in base.list_collections()}
        assert kinds["snapshots"] == kinds["events"] == "timeseries"


def test_somebody_elses_collection_is_not_touched(recorded: Path, url: str) -> None:
    with MongoClient(url) as client:
        client.get_default_database()["snapshots"].insert_one({"mine": 1})
        with pytest.raises(RecordingRefused, match="somebody else's"):
            brought(recorded, url)
        assert client.get_default_database()["snapshots"].count_documents({}) == 1


@pytest.mark.parametrize(
    "text",
    [
        "mongodb://", "mongodb://host", "mongodb://host/", "mongodb://user:secret@host",
        "mongodb://host/a.b", "mongodb://host/db?run=", "mongodb://host/db?run=a&run=b",
        "mongodb://user:secret@host:99999/db", "mongodb://user:secret@host/db?nonsense=secret&tls=x",
        "mongodb://user:se/cret@host/db", "mongodb://us er:secret@ho st:x/db",
        "mongodb:/user:secret@host/db", "mongodb:user:secret@host/db", "MongoDB:/u:secret@host/db",
        "mongodb+srv:/user:secret@host/db", " mongodb://user:secret@host/db",
    ],
)  # fmt: skip
def test_an_address_that_is_none_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(RecordingRefused) as refused:
        open_recording(text).__enter__()
    assert "secret" not in str(refused.value)
    assert "cret@" not in str(refused.value)


def test_what_is_shown_of_an_address_is_no_secret() -> None:
    address = parse("mongodb://user:secret@a:1,b:2/db?authSource=admin&password=secret&run=x%20y")
    assert address.told == "mongodb://a:1,b:2/db?run=x%20y"
    assert "secret" not in repr(address)
    assert address.uri == "mongodb://user:secret@a:1,b:2/db?authSource=admin&password=secret"
    assert address.run == "x y"


def test_wrong_password(tmp_path: Path) -> None:
    folder = tmp_path / "guarded"
    folder.mkdir()
    guarded = Mongod(folder, "--auth")
    try:
        with pytest.raises(RecordingRefused, match="does not let us in") as refused:
            open_recording(f"mongodb://user:secret@127.0.0.1:{guarded.port}/db").__enter__()
        assert "secret" not in str(refused.value)
    finally:
        guarded.kill()


def test_receptions_are_documents(tmp_path: Path, url: str) -> None:
    file = record_made_up(tmp_path / "made.mcap", MadeUp(5), 0, 50)
    brought(file, url)
    with MongoClient(url) as client:
        base: Any = client.get_default_database()
        assert base.events.count_documents({"meta.topic": RECEPTIONS, "body.vid": [1, 2, 3]}) > 0
        assert base.events.count_documents({"raw": {"$exists": True}}) == 0

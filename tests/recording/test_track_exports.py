"""Tracks for maps, read back by parsers of others, against the CSV export of the same recording."""

import csv
import json
import math
import resource
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from movenv.bench.recorded import LEVELS, STARTED, MadeUp
from movenv.recording.export import Format, export
from movenv.recording.layouts import RUN_STATE, RunRecord, RunStateRecord, encoded
from movenv.recording.parts import open_next_part
from movenv.recording.reader import Recording
from movenv.world.messages import Health, VehicleStates
from movenv.world.run_state import RunState
from movenv.world.summary import Summary

from .continued import cut_off

Point = tuple[float, float, float, float]
"""Seconds since 1970, longitude, latitude, altitude."""
Ways = dict[str, list[list[Point]]]
TRACKS: list[Format] = ["geojson", "gpx", "kml", "czml"]
GPX = "{http://www.topografix.com/GPX/1/1}"
KML = "{http://www.opengis.net/kml/2.2}"
GX = "{http://www.google.com/kml/ext/2.2}"
HARD_NAMES = ["<&\"'>", "emoji 🚁 ü", "bell\x07 ]]> &amp;", "{json: [\\]}"]


def seconds(text: str) -> float:
    assert text.endswith("Z")
    return datetime.fromisoformat(text).timestamp()


class Made(MadeUp):
    """A made-up run in which some are not heard, and ticks are missing."""

    names: list[str] | None = None

    def unheard(self, tick: int) -> dict[int, Health]:  # noqa: ARG002
        return {}

    def record(self, run_id: str = "") -> RunRecord:
        record = super().record(run_id)
        record.roster.names = self.names or record.roster.names
        return record

    def states(self, tick: int) -> VehicleStates:
        table = VehicleStates(dict(super().update(tick).snapshot.vehicles.columns()))
        health = table.health.copy()
        for row, value in self.unheard(tick).items():
            health[row] = value
        table.health = health
        return table


def write(path: Path, made: Made, ticks: Iterable[int], live: bool = True) -> Path:
    writer = open_next_part(path, made.record())
    for tick in ticks:
        update = made.update(tick)
        update = replace(update, snapshot=replace(update.snapshot, vehicles=made.states(tick)))
        for topic, data in encoded(update, STARTED + 0.1 * tick if live else 0.0):
            writer.put(topic, update.snapshot.t, data)
    writer.close(0.0, Summary(made.roster, list(LEVELS), False).as_record())
    return path


def exported(file: Path, form: Format, every: float | None = None) -> Path:
    target = file.with_suffix(f".{form}")
    with Recording(file) as recording:
        export(recording, target, form, every=every)
    return target


def from_geojson(file: Path) -> Ways:
    data = json.loads(file.read_text(encoding="utf-8"))
    Draft202012Validator(GEOJSON).validate(data)
    ways: Ways = {}
    for feature in data["features"]:
        geometry, facts = feature["geometry"], feature["properties"]
        lines = geometry["coordinates"] if geometry else []
        times = facts["coordinateProperties"]["times"]
        if geometry and geometry["type"] == "LineString":
            lines, times = [lines], [times]
        ways[facts["name"]] = [
            [(seconds(when), *place) for place, when in zip(line, whens, strict=True)]
            for line, whens in zip(lines, times, strict=True)
        ]
    return ways


POSITIONS: dict[str, Any] = {
    "type": "array",
    "minItems": 2,
    "items": {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3},
}
GEOMETRY = [
    {"type": "null"},
    {
        "type": "object",
        "properties": {"type": {"const": "LineString"}, "coordinates": POSITIONS},
    },
    {
        "type": "object",
        "properties": {
            "type": {"const": "MultiLineString"},
            "coordinates": {"type": "array", "items": POSITIONS, "minItems": 2},
        },
    },
]
GEOJSON = {
    "required": ["type", "features"],
    "properties": {
        "type": {"const": "FeatureCollection"},
        "features": {
            "items": {
                "required": ["type", "properties", "geometry"],
                "properties": {
                    "type": {"const": "Feature"},
                    "geometry": {"oneOf": GEOMETRY},
                    "properties": {
                        "required": ["vid", "name", "kind", "origin"],
                        "properties": {"origin": {"enum": ["virtual", "real", "replayed"]}},
                    },
                },
            }
        },
    },
}
"""What RFC 7946 asks of lines, and we of their properties."""


def in_order(element: ElementTree.Element, order: list[str], namespace: str) -> None:
    """The children stand in the order that the schema wants, and no others do."""
    places = [order.index(child.tag.removeprefix(namespace)) for child in element]
    assert places == sorted(places)


def from_gpx(file: Path) -> Ways:
    root = ElementTree.parse(file).getroot()
    assert (root.tag, root.get("version"), bool(root.get("creator"))) == (f"{GPX}gpx", "1.1", True)
    in_order(root, ["metadata", "wpt", "rte", "trk"], GPX)
    ways: Ways = {}
    for track in root.iter(f"{GPX}trk"):
        order = ["name", "cmt", "desc", "src", "link", "number", "type", "extensions", "trkseg"]
        in_order(track, order, GPX)
        assert int(track.findtext(f"{GPX}number", "")) > 0
        pieces = []
        for segment in track.iter(f"{GPX}trkseg"):
            points = list(segment.iter(f"{GPX}trkpt"))
            for point in points:
                in_order(point, ["ele", "time"], GPX)
                assert -180 <= float(point.attrib["lon"]) < 180
            pieces.append([gpx_point(point) for point in points])
        ways[track.findtext(f"{GPX}name", "")] = pieces
    return ways


def gpx_point(point: ElementTree.Element) -> Point:
    return (
        seconds(point.findtext(f"{GPX}time", "")),
        float(point.attrib["lon"]),
        float(point.attrib["lat"]),
        float(point.findtext(f"{GPX}ele", "")),
    )


def from_kml(file: Path) -> Ways:
    root = ElementTree.parse(file).getroot()
    styles = {style.get("id") for style in root.iter(f"{KML}Style")}
    ways: Ways = {}
    for mark in root.iter(f"{KML}Placemark"):
        in_order(mark, ["name", "styleUrl", "ExtendedData", f"{GX}MultiTrack"], KML)
        origin = mark.findtext(f"{KML}ExtendedData/{KML}Data[@name='origin']/{KML}value")
        assert mark.findtext(f"{KML}styleUrl") == f"#{origin}"
        assert origin in styles
        pieces = []
        for track in mark.iter(f"{GX}Track"):
            in_order(track, ["altitudeMode", "when", f"{GX}coord"], KML)
            whens = [seconds(when.text or "") for when in track.iter(f"{KML}when")]
            places = [(coord.text or "").split() for coord in track.iter(f"{GX}coord")]
            pieces.append(
                [
                    (when, float(lon), float(lat), float(alt))
                    for when, (lon, lat, alt) in zip(whens, places, strict=True)
                ]
            )
        ways[mark.findtext(f"{KML}name", "")] = pieces
    return ways


def from_czml(file: Path) -> Ways:
    document, *packets = json.loads(file.read_text(encoding="utf-8"))
    assert (document["id"], document["version"]) == ("document", "1.0")
    ways: Ways = {}
    for packet in packets:
        ways[packet["name"]] = pieces = []
        if "position" not in packet:
            assert "availability" not in packet
            continue
        assert packet["label"]["text"] == packet["name"]
        flat = packet["position"]["cartographicDegrees"]
        epoch = seconds(packet["position"]["epoch"])
        points = [
            (epoch + t, lon, lat, alt)
            for t, lon, lat, alt in zip(*(flat[i::4] for i in range(4)), strict=True)
        ]
        for interval in packet["availability"]:
            first, last = (seconds(text) for text in interval.split("/"))
            pieces.append([p for p in points if first - 1e-4 <= p[0] <= last + 1e-4])
        assert sum(len(piece) for piece in pieces) == len(points)
        for piece, tail in zip(pieces, packet["path"]["trailTime"], strict=True):
            longest = np.max(tail["number"])
            assert longest == pytest.approx(piece[-1][0] - piece[0][0], abs=2e-3)
        first, last = (seconds(text) for text in document["clock"]["interval"].split("/"))
        assert first - 1e-4 <= points[0][0] <= points[-1][0] <= last + 1e-4
    return ways


READERS: dict[Format, Callable[[Path], Ways]] = {
    "geojson": from_geojson,
    "gpx": from_gpx,
    "kml": from_kml,
    "czml": from_czml,
}


def from_csv(file: Path, every: float = 0.0) -> Ways:
    """What the tracks have to be, worked out row by row from the table."""
    with exported(file, "csv").open(newline="", encoding="utf-8") as text:
        rows = list(csv.DictReader(text))
    whole: dict[str, list[list[dict[str, str]]]] = {row["name"]: [] for row in rows}
    latest: dict[str, dict[str, str]] = {}
    for row in rows:
        before = latest.get(row["name"])
        if row["health"] == "heard":
            together = before and before["health"] == "heard"
            if not (before and together and float(row["t"]) - float(before["t"]) < 1.05):
                whole[row["name"]].append([])
            whole[row["name"]][-1].append(row)
        latest[row["name"]] = row
    return {n: [list(thinned(piece, every)) for piece in pieces] for n, pieces in whole.items()}


def thinned(piece: list[dict[str, str]], every: float) -> Iterator[Point]:
    """The first row of a slot, and both ends."""
    slot = None
    for i, row in enumerate(piece):
        mine = math.floor(round(float(row["t"]) / every, 3)) if every else i
        if mine != slot or i == len(piece) - 1:
            when = datetime.fromisoformat(row["utc"]).replace(tzinfo=UTC).timestamp()
            yield when, float(row["lon"]), float(row["lat"]), float(row["alt"])
        slot = mine


def same(found: Ways, wanted: Ways) -> None:
    """Places to a tenth of a millimetre, heights and times to a thousandth."""
    assert list(found) == list(wanted)
    for name, pieces in wanted.items():
        assert [len(piece) for piece in found[name]] == [len(piece) for piece in pieces], name
        for piece, points in zip(found[name], pieces, strict=True):
            assert np.abs(np.array(piece) - points).max(axis=0).tolist() == pytest.approx(
                [0, 0, 0, 0], abs=1e-3
            )
            assert np.abs(np.array(piece) - points)[:, 1:3].max() <= 1e-9


@pytest.mark.parametrize("every", [0.0, 1.0, 7.0])
@pytest.mark.parametrize("form", TRACKS)
def test_places_and_times_are_those_of_the_table(
    recorded: Path, tmp_path: Path, form: Format, every: float
) -> None:
    file = tmp_path / "run.mcap"
    file.write_bytes(recorded.read_bytes())
    found = READERS[form](exported(file, form, every))
    same(found, from_csv(file, every))
    assert any(len(piece) > 4 for pieces in found.values() for piece in pieces)


class Flaky(Made):
    """The first is heard late, the second lost and back, the third stale, the fourth never."""

    def unheard(self, tick: int) -> dict[int, Health]:
        gone = {3: Health.UNHEARD}
        if tick < 34:
            gone[0] = Health.UNHEARD
        if 50 <= tick < 53 or 80 <= tick < 120 or tick == 121:
            gone[1] = Health.LOST
        if tick > 77:
            gone[2] = Health.STALE
        return gone


@pytest.mark.parametrize("live", [True, False])
@pytest.mark.parametrize("every", [0.0, 1.0])
@pytest.mark.parametrize("form", TRACKS)
def test_a_way_is_broken_where_the_vehicle_was_not_known(
    tmp_path: Path, form: Format, every: float, live: bool
) -> None:
    ticks = [*range(90), *range(91, 130), *range(139, 150), *range(161, 200)]
    file = write(tmp_path / "flaky.mcap", Flaky(5), ticks, live)
    found = READERS[form](exported(file, form, every))
    wanted = from_csv(file, every)
    assert [len(pieces) for pieces in wanted.values()] == [2, 5, 1, 0, 2]
    if form == "geojson":  # a line of a single point has it twice
        for pieces in wanted.values():
            pieces[:] = [piece * 2 if len(piece) == 1 else piece for piece in pieces]
        assert [len(piece) for piece in wanted["uav-2"]].count(2) >= 1
    same(found, wanted)


@pytest.mark.parametrize("form", TRACKS)
def test_a_pause_breaks_every_way(tmp_path: Path, form: Format) -> None:
    file = tmp_path / "paused.mcap"
    made = Made(2)
    writer = open_next_part(file, made.record())
    for tick in range(100):
        late = 60.0 if tick > 40 else 0.0
        utc = STARTED + tick * 0.1 + late
        for topic, data in encoded(made.update(tick), utc):
            writer.put(topic, tick * 0.1, data)
        if tick == 40:
            for state, waited in ((RunState.GO, -4.0), (RunState.PAUSE, 0.0), (RunState.GO, 60.0)):
                record = RunStateRecord.of(4.0 if waited >= 0 else 0.0, state, utc + waited)
                writer.put(RUN_STATE, 4.0, json.dumps(as_dict(record)).encode())
    writer.close(0.0, Summary(made.roster, list(LEVELS), False).as_record())
    ways = READERS[form](exported(file, form, 0.0))
    assert [[len(piece) for piece in pieces] for pieces in ways.values()] == [[41, 59]] * 2


@pytest.mark.parametrize("every", [0.0, 1.0])
@pytest.mark.parametrize("form", TRACKS)
def test_a_clock_that_is_set_back_breaks_every_way_and_times_grow_on(
    tmp_path: Path, form: Format, every: float
) -> None:
    """By a minute at 4 s, and by an hour ahead at 8 s, where it is the clock again."""
    file = tmp_path / "back.mcap"
    made = Made(2)
    writer = open_next_part(file, made.record())
    for tick in range(120):
        off = 0.0 if tick <= 40 else -60.0 if tick <= 80 else 3600.0
        for topic, data in encoded(made.update(tick), STARTED + tick * 0.1 + off):
            writer.put(topic, tick * 0.1, data)
    writer.close(0.0, Summary(made.roster, list(LEVELS), False).as_record())
    for pieces in READERS[form](exported(file, form, every)).values():
        first, second = pieces
        times = [point[0] - STARTED for point in first + second]
        assert (np.diff(times) > 0).all()
        assert (first[0][0], first[-1][0]) == pytest.approx((STARTED, STARTED + 4.0))
        own = [i * 0.1 + (3600.0 if i > 80 else 0.0) for i in range(120)]
        kept = [i for i in range(120) if not every or i % 10 == 0 or i in (41, 119)]
        assert times == pytest.approx([own[i] for i in kept], abs=2e-3)
    rows = exported(file, "csv").read_text().splitlines()[1:]
    assert rows[0].split(",")[1] > rows[-79 * 2].split(",")[1]  # the clock as it was


@pytest.mark.parametrize("form", TRACKS)
def test_ticks_in_one_millisecond_are_one_way_with_times_that_grow(
    tmp_path: Path, form: Format
) -> None:
    """As a run catches up after it stood still."""
    file = tmp_path / "burst.mcap"
    made = Made(1)
    writer = open_next_part(file, made.record())
    for tick in range(60):
        late = max(tick, 30) * 0.1 if tick > 20 else tick * 0.1
        for topic, data in encoded(made.update(tick), STARTED + late + tick * 1e-5):
            writer.put(topic, tick * 0.1, data)
    writer.close(0.0, Summary(made.roster, list(LEVELS), False).as_record())
    ((piece,),) = READERS[form](exported(file, form, 0.0)).values()
    times = np.array([point[0] for point in piece]) - STARTED
    assert len(times) == 60
    assert (np.diff(times) > 0).all()
    assert times[21:31] == pytest.approx(3.0, abs=0.011)
    assert times[31:] == pytest.approx(np.arange(31, 60) * 0.1, abs=0.011)


def as_dict(record: RunStateRecord) -> dict[str, Any]:
    return {"t": record.t, "state": record.state, "utc": record.utc}


@pytest.mark.parametrize("form", TRACKS)
def test_one_vehicle_at_one_tick_and_none_at_all(tmp_path: Path, form: Format) -> None:
    ways = READERS[form](exported(write(tmp_path / "one.mcap", Made(1), [0]), form))
    assert [len(pieces) for pieces in ways.values()] == [1]
    assert {point for piece in ways["uav-1"] for point in piece} == {ways["uav-1"][0][0]}
    empty = write(tmp_path / "empty.mcap", Made(3), [])
    assert READERS[form](exported(empty, form)) == {f"uav-{i}": [] for i in (1, 2, 3)}


@pytest.mark.parametrize("form", TRACKS)
def test_names_come_back_whatever_is_in_them(tmp_path: Path, form: Format) -> None:
    made = Made(4)
    made.names = HARD_NAMES
    ways = READERS[form](exported(write(tmp_path / "names.mcap", made, range(30)), form))
    wanted = HARD_NAMES
    if form in ("gpx", "kml"):  # XML has no way to write a bell
        wanted = [name.replace("\x07", "\ufffd") for name in HARD_NAMES]
    assert list(ways) == wanted


@pytest.mark.parametrize("form", TRACKS)
def test_a_recording_that_was_cut_off_gives_what_is_whole(chunky: Path, form: Format) -> None:
    whole = from_csv(chunky)
    raw = chunky.read_bytes()
    chunky.write_bytes(raw[: len(raw) // 2])
    cut_off(chunky)
    found = READERS[form](exported(chunky, form, 0.0))
    same(found, from_csv(chunky))
    for name, (piece,) in found.items():
        assert 10 < len(piece) < len(whole[name][0])


def test_tracks_of_any_length_are_laid_aside_in_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path / "flaky.mcap", Flaky(5), range(200))
    at_once = exported(file, "gpx", 0.0).read_text()
    monkeypatch.setattr("movenv.recording.formats.tracks.POINTS_A_BLOCK", 17)
    assert exported(file, "gpx", 0.0).read_text() == at_once
    assert sorted(path.name for path in tmp_path.iterdir()) == ["flaky.gpx", "flaky.mcap"]


def test_a_thinned_table_has_one_tick_a_slot(recorded: Path, tmp_path: Path) -> None:
    target = tmp_path / "thin.csv"
    with Recording(recorded) as recording:
        count = export(recording, target, "csv", every=2.5)
        names = recording.roster.names
    with target.open(newline="") as text:
        times = [float(row["t"]) for row in csv.DictReader(text)]
    assert count == len(times) == 13 * len(names)
    assert sorted(set(times)) == pytest.approx([2.5 * i for i in range(13)])


def test_a_disk_that_is_full_leaves_no_half_file(tmp_path: Path) -> None:
    file = write(tmp_path / "run.mcap", Made(50), range(200))
    for form in ("kml", "parquet", "csv"):
        words = ["export", str(file), "--to", form, "--every", "0"]
        done = subprocess.run(
            [sys.executable, "-m", "movenv", *words],
            capture_output=True,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
        )
        assert done.returncode == 1, done.stderr
        assert "cannot write" in done.stderr
        assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["run.mcap"]


def test_the_command_tells_points_and_thins_to_a_second(tmp_path: Path) -> None:
    file = write(tmp_path / "run.mcap", Made(2), range(101))

    def said(*words: str) -> str:
        command = [sys.executable, "-m", "movenv", "export", str(file), "--force", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.split(": ")[1].strip()

    assert said("--to", "kml") == "22 points"
    assert said("--to", "czml", "--every", "0") == "202 points"
    assert said("--to", "csv") == "202 rows"
    assert said("--to", "csv", "--every", "1") == "22 rows"

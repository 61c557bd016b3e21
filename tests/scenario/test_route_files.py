"""Routes from files of other programs, sound, broken and hostile."""

import contextlib
import json
import math
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import Geod

from movenv.recording.layouts import RunRecord
from movenv.runtime.live.host_process import stage_of
from movenv.runtime.live.wire import RunInfo
from movenv.runtime.recorded import run_record
from movenv.scenario import route_files
from movenv.scenario.build import Stage
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import load
from movenv.scenario.map_schema import MapLayer
from movenv.scenario.route_files import READERS, RouteFileError, read_route

SCENARIO = """
name: test
origin: {lat: 29.19, lon: -81.05, alt: 10}
routes:
  way:
    file: FILE
vehicles:
  - name: a
    kind: ground
    start: {at: [0, 0]}
    behaviors: {follow_path: {route: way}}
"""
PLACES = [(29.19, -81.05, 12.0), (29.191, -81.05, 14.0), (29.191, -81.048, 16.0)]
GPX = """<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="hand" xmlns="http://www.topografix.com/GPX/1/1">
  <wpt lat="1" lon="1"/>
  <rte><name>lap</name>
    <rtept lat="29.19" lon="-81.05"><ele>12</ele></rtept>
    <rtept lat="29.191" lon="-81.05"><ele>14</ele><name>corner</name></rtept>
    <rtept lat="29.191" lon="-81.048"><ele>16</ele></rtept>
  </rte>
  <trk><trkseg><trkpt lat="5" lon="5"/><trkpt lat="6" lon="6"/></trkseg></trk>
</gpx>"""
TRACK = """<gpx xmlns="http://www.topografix.com/GPX/1/1"><trk>
  <trkseg><trkpt lat="29.19" lon="-81.05"><ele>12</ele><time>2026-01-01T00:00:00Z</time></trkpt>
  <trkpt lat="29.191" lon="-81.05"><ele>14</ele></trkpt></trkseg>
  <trkseg><trkpt lat="29.191" lon="-81.048"><ele>16</ele></trkpt></trkseg>
</trk></gpx>"""
KML = """<kml xmlns="http://www.opengis.net/kml/2.2"><Document><Placemark>
  <Point><coordinates>1,1</coordinates></Point>
  <LineString><altitudeMode>MODE</altitudeMode><coordinates>
    -81.05,29.19,12 -81.05,29.191,14
    -81.048,29.191,16
  </coordinates></LineString></Placemark></Document></kml>"""
LINE = {"type": "LineString", "coordinates": [[lon, lat, alt] for lat, lon, alt in PLACES]}
MULTI = {
    "type": "MultiLineString",
    "coordinates": [LINE["coordinates"][:2], [[-81.048, 29.191, 16]]],
}
FEATURES = {
    "type": "FeatureCollection",
    "features": [
        {"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": [1, 1]}},
        {"type": "Feature", "properties": {}, "geometry": MULTI},
    ],
}
WPL = """QGC WPL 110
0\t1\t0\t16\t0\t0\t0\t0\t29.0\t-81.0\t3\t1
1\t0\t3\t22\t0\t0\t0\t0\t29.19\t-81.05\t20\t1
2\t0\t3\t16\t0\t0\t0\tnan\t29.19\t-81.05\t20\t1
3\t0\t0\t178\t1\t7.5\t-1\t0\t0\t0\t0\t1
4\t0\t0\t16\t4\t0\t0\t0\t29.191\t-81.05\t25\t1
5\t0\t0\t178\t1\t5\t-1\t0\t0\t0\t0\t1
6\t0\t3\t16\t0\t0\t0\t0\t29.191\t-81.048\t30\t1
"""


def item(command: int, frame: int, *params: float | None) -> dict[str, object]:
    return {
        "type": "SimpleItem", "autoContinue": True, "command": command, "doJumpId": 1,
        "frame": frame, "params": list(params),
    }  # fmt: skip


PLAN = {
    "fileType": "Plan",
    "version": 1,
    "groundStation": "QGroundControl",
    "mission": {
        "version": 2,
        "plannedHomePosition": [29.0, -81.0, 3],
        "items": [
            item(22, 3, 15, 0, 0, None, 29.19, -81.05, 20),
            item(16, 3, 0, 0, 0, None, 29.19, -81.05, 20),
            item(178, 2, 1, 7.5, -1, 0, 0, 0, 0),
            item(16, 0, 4, 0, 0, None, 29.191, -81.05, 25),
            item(178, 2, 1, 5, -1, 0, 0, 0, 0),
            {
                "type": "ComplexItem",
                "complexItemType": "survey",
                "TransectStyleComplexItem": {
                    "Items": [item(16, 3, 0, 0, 0, None, 29.191, -81.048, 30)]
                },
            },
        ],
    },
}


def stage(tmp_path: Path, name: str, text: str, *changes: str) -> Stage:
    (tmp_path / name).write_text(text)
    (tmp_path / "test.yaml").write_text(SCENARIO.replace("FILE", name))
    return Stage(load(str(tmp_path / "test.yaml"), list(changes)))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("way.gpx", GPX),
        ("way.gpx", TRACK),
        ("way.kml", KML.replace("MODE", "absolute")),
        ("way.geojson", json.dumps(LINE)),
        ("way.geojson", json.dumps(FEATURES)),
        ("way.json", json.dumps({"type": "Feature", "properties": None, "geometry": MULTI})),
    ],
)
def test_the_same_line_in_every_format(tmp_path: Path, name: str, text: str) -> None:
    route = stage(tmp_path, name, text).routes["way"]
    assert route.points[:, 2] == pytest.approx([2, 4, 6])  # above the origin's 10 m
    earth = Geod(ellps="WGS84")
    measured = [earth.inv(a[1], a[0], b[1], b[0])[2] for a, b in pairwise(PLACES)]
    assert np.diff(route.along) == pytest.approx(measured, rel=5e-4)  # UTM's scale
    assert np.isnan(route.speed).all()


@pytest.mark.parametrize(("name", "text"), [("way.waypoints", WPL), ("way.plan", json.dumps(PLAN)),
                                            ("way.json", json.dumps(PLAN))])  # fmt: skip
def test_missions_of_planners_have_speeds_frames_and_holds(
    tmp_path: Path, name: str, text: str
) -> None:
    route = stage(tmp_path, name, text).routes["way"]
    assert len(route.points) == 3  # neither home nor the take-off
    assert route.points[:, 2] == pytest.approx([20, 15, 30])  # relative, absolute, relative
    assert route.speed.tolist() == [7.5, 5.0]
    assert [(stop.at, stop.wait) for stop in route.stops] == [(route.along[1], 4.0)]


def test_the_scenario_overrules_the_file_and_may_close_it(tmp_path: Path) -> None:
    ring = {"type": "LineString", "coordinates": [*LINE["coordinates"], LINE["coordinates"][0]]}
    made = stage(
        tmp_path, "way.geojson", json.dumps(ring), "routes.way.closed=true", "routes.way.speed=3"
    ).routes["way"]
    assert made.closed
    assert len(made.points) == 3
    assert made.speed.tolist() == [3.0, 3.0, 3.0]


@pytest.mark.parametrize(("mode", "z"), [("clampToGround", None), ("relativeToGround", 12.0)])
def test_kml_altitudes_are_what_their_mode_says(tmp_path: Path, mode: str, z: float | None) -> None:
    route = stage(tmp_path, "way.kml", KML.replace("MODE", mode)).routes["way"]
    assert np.isnan(route.points[0, 2]) if z is None else route.points[0, 2] == z


BOMB = """<?xml version="1.0"?><!DOCTYPE gpx [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>
<gpx><rte><rtept lat="&b;" lon="1"/></rte></gpx>"""


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("w.gpx", BOMB, "a DOCTYPE is not allowed"),
        ("w.gpx", "<gpx><rte>", "is not XML"),
        ("w.gpx", "<gpx/>", "no route and no track"),
        ("w.gpx", KML, "is not GPX: it begins with <kml>"),
        ("w.gpx", "<gpx><rte><rtept lat='91' lon='0'/></rte></gpx>", "point 1 is not on the globe"),
        ("w.gpx", "<gpx><rte><rtept lon='0'/></rte></gpx>", "lat of a point is '', expected a num"),
        ("w.gpx", "<gpx><rte><rtept lat='nan' lon='0'/></rte></gpx>", "is not finite"),
        ("w.kml", "<kml><LineString><coordinates>1</coordinates></LineString></kml>", "'1' is no"),
        ("w.kml", "<kml/>", "no LineString"),
        ("w.geojson", "[1]", "is not a JSON object"),
        ("w.geojson", '{"type": "Point", "coordinates": [1, 2]}', "no LineString and no Multi"),
        ("w.geojson", '{"type": "LineString", "coordinates": [["a", 2]]}', "'a' is no number"),
        ("w.geojson", '{"type": "LineString", "coordinates": [[true, 2]]}', "is no number"),
        ("w.geojson", '{"type": "LineString"}', "no list where one is expected"),
        ("w.geojson", '{"a": ' + "[" * 100_000, "is not JSON"),
        ("w.waypoints", "", "does not begin with QGC WPL 110"),
        ("w.waypoints", "QGC WPL 110\n1 0 3 16\n", "line 2 has 4 columns, expected 12"),
        ("w.waypoints", "QGC WPL 110\n1 0 10 16 0 0 0 0 1 1 1 1\n", "line 2 has frame 10"),
        ("w.waypoints", "QGC WPL 110\n0 1 0 16 0 0 0 0 1 1 1 1\n", "has no waypoints"),
        ("w.plan", "{}", "is no plan with a mission"),
        ("w.plan", '{"fileType": "Plan", "mission": {"items": [3]}}', "item 1 is no object"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(name: str, text: str, said: str) -> None:
    with pytest.raises(RouteFileError) as refused:
        read_route(name, text)
    assert str(refused.value).startswith(f"{name}: ")
    assert said in str(refused.value)


def test_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many = [[0.001 * (i % 100), 0.0] for i in range(100_001)]
    with pytest.raises(RouteFileError, match="more than 100,000 points"):
        read_route("w.geojson", json.dumps({"type": "LineString", "coordinates": many}))
    monkeypatch.setattr(route_files, "MAX_BYTES", 1 << 20)
    with pytest.raises(ScenarioError, match="is larger than 1 MiB"):
        stage(tmp_path, "way.gpx", " " * ((1 << 20) + 1))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<gpx><rte><rtept lat='-29' lon='99'/><rtept lat='-29' lon='98'/></rte></gpx>", "200 km"),
        ("<gpx><rte><rtept lat='29.19' lon='-81'/></rte></gpx>", "only one place"),
    ],
)
def test_a_place_too_far_or_alone_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        stage(tmp_path, "way.gpx", text)


def test_a_missing_file_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "test.yaml"
    path.write_text(SCENARIO.replace("FILE", "nowhere.gpx"))
    with pytest.raises(ScenarioError) as refused:
        Stage(load(str(path)))
    line = SCENARIO.splitlines().index("    file: FILE") + 1
    assert f"{path}:{line}:" in str(refused.value)
    assert "nowhere.gpx: no such file" in str(refused.value)


@pytest.mark.parametrize(
    "name",
    ["/etc/x.gpx", "//etc/x.gpx", "///etc/x.gpx", "../x.gpx", "a/../../x.gpx", "c:x.gpx",
     "c:/x.gpx", "\\\\host\\share\\x.gpx", "..\\x.gpx", "\\x.gpx", ".gpx", "a/.gpx", "gpx",
     "x.GPX"],
)  # fmt: skip
def test_a_file_elsewhere_or_of_no_kind_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "way.yaml").write_text(SCENARIO.replace("FILE", f"'{name}'"))
    with pytest.raises(ScenarioError, match=r"does not lie beside|is none of"):
        Stage(load(str(tmp_path / "way.yaml")))
    with pytest.raises(ValueError, match=r"does not lie beside|is none of"):
        MapLayer(name="a", file=name.replace("gpx", "geojson").replace("GPX", "GEOJSON"))


def test_a_file_in_a_folder_beside_the_scenario_is_read(tmp_path: Path) -> None:
    (tmp_path / "ways").mkdir()
    assert stage(tmp_path, "ways/a..b.gpx", GPX).routes["way"].legs == 2
    assert MapLayer(name="a", file="maps/a.b.pmtiles").file == "maps/a.b.pmtiles"


def test_a_host_elsewhere_has_the_files_from_the_record(tmp_path: Path) -> None:
    here = stage(tmp_path, "way.gpx", GPX)
    sent = msgspec.json.encode(run_record(here, 0.0, []))
    record = msgspec.json.decode(sent, type=RunRecord)
    assert record.files == {"way.gpx": GPX}
    elsewhere = stage_of(FAKE_INFO, record, tmp_path / "not-here")
    assert np.array_equal(elsewhere.routes["way"].points, here.routes["way"].points)
    bare = msgspec.structs.replace(record, files={})
    with pytest.raises(ScenarioError, match="cannot read"):
        stage_of(FAKE_INFO, bare, tmp_path / "not-here")


class _Info:
    source = "test.yaml"


FAKE_INFO: RunInfo = _Info()  # type: ignore[assignment]

TEXTS = st.one_of(
    st.text(max_size=200),
    st.sampled_from([GPX, TRACK, KML, WPL, json.dumps(PLAN), json.dumps(FEATURES)]),
)


@settings(max_examples=300, deadline=None)
@given(
    ending=st.sampled_from(sorted(READERS)),
    text=TEXTS,
    cut=st.integers(0, 2000),
    junk=st.text(alphabet='<>&;"{}[],0-9.eE\t\n nax!', max_size=12),
)
def test_whatever_is_in_a_file_it_is_read_or_refused(
    ending: str, text: str, cut: int, junk: str
) -> None:
    at = cut % (len(text) + 1)
    for damaged in (text[:at], text[:at] + junk + text[at:], text[:at] + text[at + len(junk) :]):
        try:
            points = read_route(f"w{ending}", damaged)
        except RouteFileError as error:
            assert str(error).startswith(f"w{ending}: ")
        else:
            assert all(math.isfinite(point.lat + point.lon) for point in points)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(
        st.sampled_from(["type", "coordinates", "features", "geometry", "items", "mission",
                         "fileType", "params", "frame", "command", "geometries"]),
        inner | st.sampled_from(["LineString", "MultiLineString", "Feature", "FeatureCollection",
                                 "GeometryCollection", "Plan", "SimpleItem", 16, 178]),
        max_size=6,
    ),
    max_leaves=30,
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(data=values, ending=st.sampled_from([".geojson", ".json", ".plan"]))
def test_any_json_is_read_or_refused(data: object, ending: str) -> None:
    with contextlib.suppress(RouteFileError):
        read_route(f"w{ending}", json.dumps(data))

"""GPX files of many makers, and what is between two points."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from movenv.gateways.fix import Unreadable
from movenv.gateways.part import Track
from movenv.gateways.playback.codec import decode_point, encode_point, position, read_gpx

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="a watch" {}>'
NEW = HEAD.format('xmlns="http://www.topografix.com/GPX/1/1"')
WALK = (
    NEW
    + """<metadata><time>2026-09-01T00:00:00Z</time></metadata>
  <wpt lat="1" lon="2"><time>2026-09-05T11:00:00Z</time></wpt>
  <trk><name>walk</name><trkseg>
    <trkpt lat="48.0000" lon="11.0000"><ele>500</ele><time>2026-09-05T12:00:00Z</time>
      <extensions><time>no</time><speed>1.5</speed></extensions></trkpt>
    <trkpt lat="48.0001" lon="11.0000"><ele>510</ele><time>2026-09-05T12:00:10.500Z</time></trkpt>
  </trkseg><trkseg>
    <trkpt lat="48.0002" lon="11.0002"><time> 2026-09-05T14:01:00+02:00 </time></trkpt>
  </trkseg></trk></gpx>"""
)
ROUTE = NEW + '<rte><rtept lat="0" lon="10"/><rtept lat="0" lon="10.001"/></rte></gpx>'


def test_segments_are_joined_and_times_count_from_the_begin() -> None:
    track = read_gpx(WALK.encode())
    assert track.t == [0.0, 10.5, 60.0]
    assert track.lat == [48.0, 48.0001, 48.0002]
    assert track.lon == [11.0, 11.0, 11.0002]
    assert track.alt[:2] == [500.0, 510.0]
    assert math.isnan(track.alt[2])


@pytest.mark.parametrize("space", ['xmlns="http://www.topografix.com/GPX/1/0"', ""])
def test_version_1_0_and_files_without_a_namespace_are_read(space: str) -> None:
    assert read_gpx(WALK.replace(NEW, HEAD.format(space)).encode()).t == [0.0, 10.5, 60.0]


def test_a_prefix_and_another_encoding_are_read() -> None:
    spaced = '<g:gpx xmlns:g="http://www.topografix.com/GPX/1/1"><g:trk><g:trkseg>{}</g:trkseg></g:trk></g:gpx>'
    point = '<g:trkpt lat="1" lon="2"><g:time>2026-09-05T12:00:00Z</g:time></g:trkpt>'
    assert read_gpx(spaced.format(point).encode("utf-16")).lat == [1.0]


def test_a_route_without_times_needs_a_speed() -> None:
    with pytest.raises(Unreadable, match="point 1 has no time, and no speed is set"):
        read_gpx(ROUTE.encode())
    track = read_gpx(ROUTE.encode(), speed=2.0)
    assert track.t == pytest.approx([0.0, math.radians(0.001) * 6_371_009 / 2])


def test_times_that_are_there_count_more_than_a_speed() -> None:
    assert read_gpx(WALK.encode(), speed=9.0).t == [0.0, 10.5, 60.0]


def test_a_track_counts_more_than_a_route() -> None:
    assert read_gpx(WALK.replace("</gpx>", ROUTE.split("\n")[1].split(">", 1)[1]).encode()).t[1:]


def test_twice_the_same_instant_is_once() -> None:
    text = WALK.replace("2026-09-05T12:00:10.500Z", "2026-09-05T12:00:00Z")
    assert read_gpx(text.encode()).lat == [48.0, 48.0002]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("<time> 2026-09-05T14:01:00+02:00 </time>", "", "point 3 has no time"),
        ("2026-09-05T12:00:10.500Z", "noon", "the time of point 2 cannot be read"),
        ("2026-09-05T12:00:10.500Z", "2026-09-05T11:00:00Z", "point 2 is earlier than the one"),
        ('lat="48.0001"', "", "point 2 has no place"),
        ('lat="48.0001"', 'lat="north"', "point 2 has no place"),
        ('lat="48.0001"', 'lat="98"', "point 2 is not on the globe"),
        ('lat="48.0001"', 'lat="nan"', "point 2 is not on the globe"),
        ("</trk>", "", "no XML: mismatched tag"),
        ("<gpx", "<!DOCTYPE gpx [<!ENTITY a 'b'>]><gpx", "a DOCTYPE is not allowed"),
        ("<name>walk", "<name>&lol;", "no XML: undefined entity"),
        ("trkpt", "point", "no track and no route in it"),
        ("gpx", "kml", "not a GPX file"),
        ("UTF-8", "klingon", "no XML: unknown encoding"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(old: str, new: str, words: str) -> None:
    assert old in WALK
    with pytest.raises(Unreadable, match=words):
        read_gpx(WALK.replace(old, new).encode())


def test_entities_are_refused_before_they_grow() -> None:
    lines = [f'<!ENTITY a{i + 1} "{f"&a{i};" * 10}">' for i in range(30)]
    bomb = (
        f'<?xml version="1.0"?><!DOCTYPE gpx [<!ENTITY a0 "ha">{"".join(lines)}]><gpx>&a30;</gpx>'
    )
    with pytest.raises(Unreadable, match="a DOCTYPE is not allowed"):
        read_gpx(bomb.encode())


def test_depth_does_not_matter() -> None:
    deep = NEW + "<a>" * 100_000 + "</a>" * 100_000 + "</gpx>"
    with pytest.raises(Unreadable, match="no track and no route"):
        read_gpx(deep.encode())


def test_between_two_points_it_goes_straight_on() -> None:
    track = Track([0.0, 10.0, 20.0], [48.0, 48.001, 48.001], [11.0, 11.0, 11.001], [0, 100, 100])
    lat, lon, alt, speed, course = position(track, 2.5)
    assert (lat, lon, alt) == pytest.approx((48.00025, 11.0, 25.0))
    assert speed == pytest.approx(11.12, abs=0.01)
    assert course == 0.0
    assert position(track, 15.0)[4] == pytest.approx(90.0)
    assert position(track, -5.0)[:2] == (48.0, 11.0)
    assert position(track, 99.0)[:2] == pytest.approx((48.001, 11.001))


def test_the_shorter_way_is_taken_over_the_date_line() -> None:
    track = Track([0.0, 10.0], [0.0, 0.0], [179.99, -179.99], [math.nan] * 2)
    _, lon, alt, speed, course = position(track, 7.5)
    assert lon == pytest.approx(-179.995)
    assert math.isnan(alt)
    assert speed == pytest.approx(222.4, abs=0.1)
    assert course == pytest.approx(90.0)


def test_who_stands_still_goes_nowhere() -> None:
    for track in (
        Track([0.0], [1.0], [2.0], [3.0]),
        Track([0.0, 9.0], [1.0] * 2, [2.0] * 2, [3.0] * 2),
    ):
        lat, lon, alt, speed, course = position(track, 4.0)
        assert (lat, lon, alt, speed) == (1.0, 2.0, 3.0, 0.0)
        assert math.isnan(course)


def test_a_played_point_is_read_again() -> None:
    track = read_gpx(WALK.encode())
    (fix,) = decode_point(encode_point(track, 5.25, 1.8e9))
    assert (fix.lat, fix.lon, fix.alt) == pytest.approx((48.00005, 11.0, 505.0))
    assert fix.time == 1.8e9
    assert math.isnan(decode_point(encode_point(track, 30.0, 1.8e9))[0].alt)


def tried(data: bytes) -> None:
    try:
        track = read_gpx(data, 1.0)
    except Unreadable:
        pass
    else:
        assert track.t == sorted(track.t)
        for t in (track.t[0], track.t[-1] / 2, track.t[-1]):
            lat, lon, *_ = position(track, t)
            assert -90 <= lat <= 90
            assert -180 <= lon <= 180
    try:
        (fix,) = decode_point(data)
    except Unreadable as reason:
        assert 0 < len(str(reason)) < 40
    else:
        assert -90 <= fix.lat <= 90


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_track_or_unreadable(data: bytes) -> None:
    tried(data)


@settings(max_examples=600, deadline=None)
@given(
    st.integers(0, 5000),
    st.binary(max_size=4) | st.sampled_from([b"<", b"nan", b"9e9"]),
    st.integers(0, 9),
)
def test_a_damaged_file_is_a_track_or_unreadable(at: int, put: bytes, cut: int) -> None:
    whole = WALK.encode()
    at %= len(whole)
    tried(whole[:at] + put + whole[at + cut :])


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.floats(-91, 91),
            st.floats(-181, 181) | st.just(180.0),
            st.datetimes().map(str) | st.just(""),
            st.floats() | st.just(""),
        ),
        max_size=4,
    )
)
def test_any_points_are_a_track_or_unreadable(points: list[tuple[object, ...]]) -> None:
    body = "".join(
        f'<trkpt lat="{lat}" lon="{lon}"><time>{t}</time><ele>{ele}</ele></trkpt>'
        for lat, lon, t, ele in points
    )
    tried(f"{NEW}<trk><trkseg>{body}</trkseg></trk></gpx>".encode())


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 200), st.binary(max_size=3), st.integers(0, 4))
def test_a_damaged_point_is_a_fix_or_unreadable(at: int, put: bytes, cut: int) -> None:
    whole = encode_point(read_gpx(WALK.encode()), 3.0, 1.8e9)
    at %= len(whole)
    tried(whole[:at] + put + whole[at + cut :])

"""What the layer does with scans, without socket or clock."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from movenv.gateways.scans.codec import encode_datagram, encode_line, encode_pose, read_scan
from movenv.runtime.injection.layer import Layer
from movenv.runtime.injection.neighbourhood import Neighbourhood
from movenv.runtime.injection.poses import OwnPoses
from movenv.runtime.live.around import PLACE, REST, Around
from movenv.runtime.live.clock import SECOND
from movenv.world.scan import Pose

from .made_scans import AHEAD, BEAMS, a_scan

NOW, UTC = 100 * SECOND, 1_800_000_000 * SECOND


def told(**changes: object) -> Around:
    """At t = 7: we stand at (100, 50) and look east; a box 4 m long comes at 2 m/s, 10 m away."""
    fields = {
        "core": "core", "received": NOW, "answered": NOW, "instant": NOW, "t": 7.0, "speed": 1.0,
        "loss_after": 1.0, "own": (100.0, 50.0, 0.0, 0.0, 0.0), "middle": (100.0, 50.0),
        "places": np.array([[10.0, 0.0]], PLACE).tobytes(),
        "rest": np.array([[0.0, 4.0, 2.0, -2.0, 0.0]], REST).tobytes(),
    }  # fmt: skip
    return Around(**(fields | changes))


def around(**changes: object) -> Neighbourhood:
    it = Neighbourhood()
    it.hear(told(**changes), NOW, NOW)
    return it


def ahead(data: bytes | None) -> float:
    assert data is not None
    return float(read_scan(data).scan.ranges[AHEAD])


def test_a_scan_shows_who_is_in_the_way_when_it_was_taken() -> None:
    layer = Layer(around())
    data = encode_datagram(a_scan())
    assert ahead(layer.passed(data, NOW, UTC)) == 8.0
    assert ahead(layer.passed(data, NOW + SECOND // 2, UTC)) == 7.0
    assert layer.counts.altered == 2
    assert layer.counts.beams > 10


def test_off_it_gives_the_very_same_bytes_whatever_they_are() -> None:
    layer = Layer(around(), on=False)
    for data in (encode_datagram(a_scan()), encode_line(a_scan()), b"garbage"):
        assert layer.passed(data, NOW, UTC) is data
    assert layer.counts.altered == 0


@given(st.binary(max_size=300))
def test_what_is_no_scan_goes_on_as_it_came(data: bytes) -> None:
    layer = Layer(around())
    assert layer.passed(data, NOW, UTC) == data
    assert layer.counts.refused["unreadable"] == 1


def test_where_nothing_changes_the_bytes_are_those_that_came() -> None:
    hidden = encode_datagram(a_scan(ranges=3.0))
    assert Layer(around()).passed(hidden, NOW, UTC) is hidden
    line = b" " + encode_line(a_scan())[1:].replace(b":", b" : ")
    assert Layer(Neighbourhood()).passed(b"{" + line, NOW, UTC) == b"{" + line


def test_without_the_core_nobody_is_shown() -> None:
    data = encode_datagram(a_scan())
    layer = Layer(Neighbourhood())
    assert layer.passed(data, NOW, UTC) is data
    assert layer.counts.refused == {"core": 1}
    lost = Layer(around())
    assert lost.passed(data, NOW + 2 * SECOND, UTC) is data
    assert lost.counts.refused == {"core": 1}


def test_without_a_place_nothing_is_injected() -> None:
    data = encode_datagram(a_scan())
    layer = Layer(around(own=None))
    assert layer.passed(data, NOW, UTC) is data
    assert layer.counts.refused == {"pose": 1}


def test_the_vehicle_may_know_better_where_it_is() -> None:
    poses = OwnPoses()
    layer = Layer(around(own=None), poses)
    data = encode_datagram(a_scan(number=40))
    assert layer.passed(data, NOW, UTC) is data
    poses.take(encode_pose(Pose(102.0, 50.0, 0.0)), NOW)
    assert ahead(layer.passed(data, NOW, UTC)) == 6.0
    poses.take(encode_pose(Pose(102.0, 50.0, 0.0, 10.0), stamp=0.9), NOW)  # the scan is of 1.0
    assert ahead(layer.passed(data, NOW, UTC)) == pytest.approx(5.0)
    assert layer.place[:2] == pytest.approx((103.0, 50.0))
    poses.take(b"{}", NOW)
    assert (poses.heard, poses.unreadable) == (2, 1)
    poses.take(encode_pose(Pose(102.0, 50.0, 0.0), stamp=-5.0), NOW)
    assert layer.passed(data, NOW, UTC) is data


def test_a_line_may_bring_its_pose() -> None:
    line = encode_line(a_scan())[:-1] + b',"pose":{"x":100,"y":50,"yaw":1.5707963267948966}}'
    layer = Layer(around())
    after = layer.passed(line, NOW, UTC)
    assert ahead(after) == 20.0
    assert read_scan(after).scan.ranges[0] == pytest.approx(8.0)  # to its right
    assert b'"pose":{"x":100,"y":50,"yaw":1.5707963267948966}' in after


@pytest.mark.parametrize(
    ("stamps", "stamp", "seen"),
    [
        ("run", 7.0, 8.0),
        ("run", 7.5, 7.0),
        ("utc", 1_800_000_000.25, 7.5),
        ("arrival", 7.5, 8.0),
        ("arrival", math.nan, 8.0),
    ],
)
def test_stamps_tell_when_a_scan_was_taken(stamps: str, stamp: float, seen: float) -> None:
    layer = Layer(around(), stamps=stamps)
    data = encode_datagram(replace(a_scan(), stamp=stamp))
    assert ahead(layer.passed(data, NOW, UTC)) == pytest.approx(seen)


@pytest.mark.parametrize("stamps", ["run", "utc"])
@pytest.mark.parametrize("stamp", [math.nan, math.inf, -1e300, 1e300, 1.0, 1e12])
def test_a_stamp_of_another_time_is_refused(stamps: str, stamp: float) -> None:
    layer = Layer(around(), stamps=stamps)
    data = encode_datagram(replace(a_scan(), stamp=stamp))
    assert layer.passed(data, NOW, UTC) is data
    assert layer.counts.refused == {"stamp": 1}


def test_too_few_or_too_many_beams_go_on_as_they_are() -> None:
    scan = a_scan()
    layer = Layer(around())
    for beams in (BEAMS - 1, BEAMS + 1):
        data = encode_datagram(replace(scan, layout=replace(scan.layout, beams=beams)))
        assert layer.passed(data, NOW, UTC) is data
    assert layer.counts.refused == {"beams": 2}


def test_a_jump_is_believed_and_counted() -> None:
    layer = Layer(around(), poses := OwnPoses())
    data = encode_datagram(a_scan())
    for x in (100.0, 100.1, 103.0, 103.1):
        poses.take(encode_pose(Pose(x, 50.0, 0.0)), NOW)
        assert ahead(layer.passed(data, NOW, UTC)) == pytest.approx(108.0 - x)
    assert layer.counts.jumps == 1


def test_a_form_that_must_be_is_written() -> None:
    scan = a_scan()
    to_lines = Layer(around(), form="line")
    assert ahead(to_lines.passed(encode_datagram(scan), NOW, UTC)) == 8.0
    assert to_lines.passed(encode_datagram(scan), NOW, UTC)[:1] == b"{"
    assert to_lines.passed(b"garbage", NOW, UTC) is None
    off = Layer(around(), form="datagram", on=False)
    assert off.passed(encode_line(scan), NOW, UTC) == encode_datagram(scan)


def test_a_scanner_beside_the_middle_of_its_vehicle() -> None:
    scan = a_scan()
    mounted = replace(scan, layout=replace(scan.layout, mount=(1.0, 0.0, math.pi)))
    layer = Layer(around())
    behind = layer.passed(encode_datagram(mounted), NOW, UTC)
    assert ahead(behind) == 20.0  # it looks back
    mounted = replace(scan, layout=replace(scan.layout, mount=(1.0, 0.0, 0.0)))
    assert ahead(layer.passed(encode_datagram(mounted), NOW, UTC)) == 7.0

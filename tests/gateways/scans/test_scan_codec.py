"""Scans as bytes: what goes out comes back, and nothing else comes in."""

import json
import math
import struct
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from movenv.gateways.fix import Unreadable
from movenv.gateways.scans.codec import (
    HEAD,
    Arrived,
    decode_datagram,
    encode_datagram,
    encode_line,
    encode_pose,
    read_line,
    read_pose,
    read_scan,
)
from movenv.world.scan import MOST_BEAMS, Pose, Scan
from movenv.world.sensor import ScanLayout

FLOATS = st.floats(allow_nan=True, allow_infinity=True)
BITS = st.lists(st.integers(0, 2**32 - 1), max_size=50)


def a_scan(ranges: Any = (1.5, 2.5, 3.5)) -> Scan:
    layout = ScanLayout(len(ranges), -0.5, 0.5, 1e-5, 0.025, 0.06, 10.0, (0.2, -0.1, 0.05))
    return Scan(41, 12.25, layout, np.array(ranges, np.float32))


def same(a: Scan, b: Scan) -> bool:
    """To the bit."""
    return encode_datagram(a) == encode_datagram(b)


@given(
    st.integers(0, 2**64 - 1),
    FLOATS,
    st.integers(0, 2**32 - 1),
    st.lists(FLOATS, min_size=9, max_size=9),
    BITS,
)
def test_a_datagram_comes_back_to_the_bit(
    number: int, stamp: float, beams: int, numbers: list[float], bits: list[int]
) -> None:
    ranges = np.array(bits, np.uint32).view(np.float32)
    layout = ScanLayout(beams, *numbers[:6], mount=tuple(numbers[6:]))
    back = decode_datagram(encode_datagram(Scan(number, stamp, layout, ranges)))
    assert back.ranges.tobytes() == ranges.tobytes()
    assert (back.number, back.layout.beams) == (number, beams)
    assert struct.pack("<d", back.stamp) == struct.pack("<d", stamp)
    assert repr(back.layout) == repr(layout)


def test_the_datagram_is_laid_out_as_the_page_says() -> None:
    data = encode_datagram(a_scan())
    assert data[:4] == b"MVS\x01"
    assert struct.unpack_from("<Qd", data, 4) == (41, 12.25)
    assert struct.unpack_from("<6d", data, 20) == (-0.5, 0.5, 1e-5, 0.025, 0.06, 10.0)
    assert struct.unpack_from("<3d", data, 68) == (0.2, -0.1, 0.05)
    assert struct.unpack_from("<I", data, 92) == (3,)
    assert struct.unpack_from("<3f", data, 96) == (1.5, 2.5, 3.5)
    assert len(data) == 96 + 12


@given(st.lists(st.floats(width=32), max_size=40))
def test_a_line_comes_back_as_it_was_but_for_what_a_nan_hides(ranges: list[float]) -> None:
    scan = a_scan(ranges)
    line = encode_line(scan)
    assert b"\n" not in line
    assert json.loads(line)["angle_increment"] == 0.5
    back = read_line(line).scan
    assert np.array_equal(back.ranges, scan.ranges, equal_nan=True)
    assert (back.number, back.stamp, back.layout) == (scan.number, scan.stamp, scan.layout)


def test_what_json_has_no_number_for() -> None:
    scan = a_scan([math.nan, math.inf, -math.inf])
    scan = replace(scan, layout=replace(scan.layout, range_max=math.inf))
    line = encode_line(scan)
    assert json.loads(line)["ranges"] == [None, "inf", "-inf"]
    assert json.loads(line)["range_max"] == "inf"
    assert same(read_line(line).scan, scan)


def test_a_line_as_ros_has_it() -> None:
    line = (
        b'{"header": {"frame_id": "laser"}, "angle_min": 0, "angle_max": 1.5, '
        b'"angle_increment": 0.5, "range_min": 0.1, "range_max": 8, "ranges": [1, null, "inf", 2]}'
    )
    scan = read_scan(line).scan
    assert scan.layout.beams == 4
    assert list(scan.ranges[[0, 2, 3]]) == [1.0, math.inf, 2.0]
    assert np.isnan(scan.ranges[1])
    short = read_line(line.replace(b', "inf", 2]', b"]")).scan
    assert (short.layout.beams, len(short.ranges)) == (4, 2)


def test_of_an_altered_line_all_else_stays_as_it_was_written() -> None:
    line = (
        '{"frame":"lasér","angle_min":0,"angle_increment":0.5,"range_min":0.1,"range_max":8,'
        '"ranges":[1.23456789012,null,"inf",2],"intensities":[1e2,7]}'
    ).encode()
    came = read_line(line)
    ranges = came.scan.ranges.copy()
    ranges[2] = 0.5
    after = came.altered(came.scan.with_ranges(ranges))
    assert after == line.replace(b'"inf"', b"0.5").replace(b",2]", b",2.0]")


def test_of_an_altered_datagram_all_else_stays() -> None:
    data = encode_datagram(a_scan())
    came = read_scan(data)
    ranges = came.scan.ranges.copy()
    ranges[1] = 0.5
    assert came.altered(came.scan.with_ranges(ranges)) == (
        data[:100] + struct.pack("<f", 0.5) + data[104:]
    )


def test_a_pose_comes_with_a_line_or_alone() -> None:
    line = encode_line(a_scan())[:-1] + b',"pose":{"x":1,"y":2,"yaw":0.5,"vx":3}}'
    assert read_line(line).pose == Pose(1.0, 2.0, 0.5, 3.0)
    pose, stamp = read_pose(b'{"x":1,"y":2,"yaw":0.5,"yaw_rate":0.25,"stamp":7.5}')
    assert (pose, stamp) == (Pose(1.0, 2.0, 0.5, 0.0, 0.0, 0.25), 7.5)
    assert read_pose(encode_pose(pose, 7.5)) == (pose, 7.5)
    assert math.isnan(read_pose(encode_pose(pose))[1])


WHOLE = encode_datagram(a_scan())
LINE = encode_line(a_scan())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        LINE.replace(b"{", b'{"\x80":0,', 1),
        b"[]",
        b"{}",
        b"null",
        b"\xff" * 200,
        WHOLE[:-1],
        WHOLE[:50],
        b"MVS\x02" + WHOLE[4:],
        encode_datagram(a_scan([])) + bytes(4 * (MOST_BEAMS + 1)),
        LINE.replace(b"1.5,", b'"1.5",'),
        LINE.replace(b"1.5,", b"true,"),
        LINE.replace(b"1.5,", b"NaN,"),
        LINE.replace(b"1.5,", b"[1.5],"),
        LINE.replace(b'"ranges"', b'"rangs"'),
        LINE.replace(b'"number":41', b'"number":-1'),
        LINE.replace(b'"number":41', b'"number":1e400'),
        LINE[:-1] + b',"pose":{"x":1}}',
        LINE[:-1] + b',"beams":-1}',
        LINE[:-1] + b',"beams":1' + b"0" * 400 + b"}",
        LINE[:-1] + b',"more":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        LINE + b"x",
        LINE.replace(b"1.5,", b"1.5," * (MOST_BEAMS + 1)),
        b"{" + b" " * 4_000_000,
    ],
)
def test_what_is_no_scan_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable):
        read_scan(data)


@pytest.mark.parametrize("data", [b"", b"[]", b'{"x":1,"y":2}', b'{"x":"1","y":2,"yaw":0}', b"{"])
def test_what_is_no_pose_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable):
        read_pose(data)


def took(data: bytes) -> Arrived | None:
    try:
        return read_scan(data)
    except Unreadable:
        return None


def mangled(whole: bytes) -> st.SearchStrategy[bytes]:
    """A sound message with some bytes overwritten and its end cut off."""
    spoilt = st.lists(st.tuples(st.integers(0, len(whole) - 1), st.integers(0, 255)), max_size=8)

    def spoil(changes: list[tuple[int, int]], end: int) -> bytes:
        data = bytearray(whole)
        for at, value in changes:
            data[at] = value
        return bytes(data[:end])

    return st.builds(spoil, spoilt, st.integers(len(whole) - 20, len(whole)))


@settings(max_examples=400)
@given(st.one_of(st.binary(max_size=200), mangled(WHOLE), mangled(LINE),
                 st.binary(max_size=100).map(lambda tail: WHOLE[: HEAD.size] + tail)))  # fmt: skip
def test_no_bytes_break_the_codec(data: bytes) -> None:
    came = took(data)
    if came is not None:
        assert came.data == data
        assert came.scan.ranges.dtype == np.float32
        assert came.scan.ranges.ndim == 1
        assert 4 * len(came.scan.ranges) <= 2 * len(data)  # "1," is two bytes, four in memory
        assert took(came.altered(came.scan)) is not None

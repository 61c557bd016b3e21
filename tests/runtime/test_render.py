"""What a 3D engine receives: by struct, not by our own dtype, and over a real socket."""

import re
import socket
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from movenv.runtime.render import (
    A_PART,
    HEADER,
    MOST_VEHICLES,
    RECORD,
    Address,
    BadAddress,
    NotADatagram,
    RenderSender,
    datagrams,
    decode,
)
from movenv.world.kinds import Kind
from movenv.world.messages import Roster, Snapshot, VehicleStates
from movenv.world.run_state import RunState

ROOT = Path(__file__).parents[2]
HEAD, ROW = struct.Struct("<4sBBHIHHHHd"), struct.Struct("<IBBBB5d4f")
TYPES = {"bytes": "S4", "u8": "u1", "u16": "<u2", "u32": "<u4", "f64": "<f8", "f32": "<f4"}


def scene(count: int, tick: int = 7) -> tuple[Snapshot, Roster]:
    """Cars and planes in turn, each somewhere else."""
    number = np.arange(count)
    vehicles = VehicleStates.empty(count)
    vehicles.vid[:] = 3 * number + 1
    vehicles.run_state[:] = RunState.GO
    vehicles.behavior[:] = number % 5
    for i, name in enumerate(("x", "y", "z", "lat", "lon", "yaw", "pitch", "roll", "speed")):
        getattr(vehicles, name)[:] = number * 0.25 + i
    roster = Roster(
        vids=vehicles.vid,
        names=[f"v-{i}" for i in number],
        kinds=[Kind("aerial", "fixedwing"), Kind("ground")],
        kind=(number % 2).astype(np.uint8),
        origin=(1 + number % 3).astype(np.uint8),
        length=np.ones(count),
        behaviors=["wander"],
    )
    return Snapshot(tick, 0.1 * tick, RunState.GO, vehicles), roster


@pytest.mark.parametrize("count", [0, 1, A_PART, A_PART + 1, 10_000])
def test_an_engine_reads_every_vehicle_with_struct_alone(count: int) -> None:
    sent = datagrams(*scene(count))
    rows = []
    for number, datagram in enumerate(sent):
        assert len(datagram) < 1400
        head = HEAD.unpack_from(datagram)
        assert head[:-3] == (b"MOVE", 1, 3, ROW.size, 7, number, len(sent))
        assert head[-3:] == (len(datagram[HEAD.size :]) // ROW.size, 0, pytest.approx(0.7))
        rows += ROW.iter_unpack(datagram[HEAD.size :])
    assert len(rows) == count
    for i, row in enumerate(rows):
        assert row[:5] == (3 * i + 1, (2, 1)[i % 2], 1 + i % 3, 3, i % 5)
        assert row[5:] == tuple(i * 0.25 + k for k in range(9))


def test_what_is_sent_is_read_back() -> None:
    snapshot, roster = scene(50)
    parts = [decode(part) for part in datagrams(snapshot, roster)]
    assert [part.part for part in parts] == [0, 1, 2]
    assert {(p.tick, p.t, p.parts, p.run_state) for p in parts} == {(7, snapshot.t, 3, RunState.GO)}
    together = np.concatenate([part.records for part in parts])
    for name in ("vid", "x", "lat", "yaw", "speed", "behavior"):
        assert (together[name] == getattr(snapshot.vehicles, name)).all()


def test_a_vehicle_that_has_not_reported_is_left_out() -> None:
    snapshot, roster = scene(5)
    snapshot.vehicles.age[2] = np.nan
    (part,) = datagrams(snapshot, roster)
    assert decode(part).records["vid"].tolist() == [1, 4, 10, 13]


@given(st.binary(max_size=200) | st.binary(max_size=200).map(lambda rest: b"MOVE\x01" + rest))
def test_noise_is_refused(noise: bytes) -> None:
    with pytest.raises(NotADatagram):
        decode(noise)


@given(
    at=st.integers(0, HEAD.size + 2 * ROW.size - 1),
    value=st.integers(0, 255),
    cut=st.integers(0, HEAD.size + 2 * ROW.size),
)
def test_a_damaged_datagram_is_refused_or_still_one(at: int, value: int, cut: int) -> None:
    (whole,) = datagrams(*scene(2))
    for content in (whole[:at] + bytes([value]) + whole[at + 1 :], whole[:cut], whole + whole[:at]):
        try:
            read = decode(content)
        except NotADatagram:
            continue
        assert len(content) == len(whole)
        assert read.records.tobytes() == content[HEAD.size :]


@pytest.mark.parametrize(
    ("offset", "value"),
    [(0, 0), (4, 2), (5, 0), (5, 6), (6, 65), (12, 1), (14, 2), (16, 1), (18, 1), (27, 127),
     (HEAD.size + 4, 5), (HEAD.size + 5, 0), (HEAD.size + 5, 4)],
)  # fmt: skip
def test_each_field_that_can_be_wrong_is_checked(offset: int, value: int) -> None:
    (whole,) = datagrams(*scene(2))
    content = bytearray(whole)
    content[offset] = value
    if offset == 27:  # infinity
        content[20:28] = struct.pack("<d", float("inf"))
    with pytest.raises(NotADatagram):
        decode(bytes(content))


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("127.0.0.1:5005", "127.0.0.1", 5005),
        ("udp://engine.local:65535", "engine.local", 65535),
        ("[::1]:5005", "::1", 5005),
        ("udp://[fe80::1%eth0]:1", "fe80::1%eth0", 1),
    ],
)
def test_addresses(text: str, host: str, port: int) -> None:
    assert Address.parse(text) == (host, port)


@pytest.mark.parametrize(
    "text",
    ["", "5005", ":5005", "host", "host:", "host:0", "host:65536", "::1:5005", "[]:5", "[::1]",
     "tcp://host:5", "udp://host:5/", "host:５", "a b:5"],
)  # fmt: skip
def test_what_is_no_address_is_refused_in_words(text: str) -> None:
    with pytest.raises(BadAddress, match="write HOST:PORT"):
        RenderSender([text])


def test_a_host_that_cannot_be_found_is_named_before_the_run() -> None:
    with pytest.raises(BadAddress, match=r"cannot find the renderer 'nobody\.invalid:5'"):
        RenderSender(["nobody.invalid:5"])


def test_everyone_gets_everything_and_each_snapshot_begins_elsewhere() -> None:
    first, second = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
    with first, second:
        for receiver in (first, second):
            receiver.bind(("127.0.0.1", 0))
            receiver.settimeout(10)
        ports = [receiver.getsockname()[1] for receiver in (first, second)]
        sender = RenderSender([f"127.0.0.1:{ports[0]}", f"udp://localhost:{ports[1]}"])
        begins = set()
        for tick in range(8):
            sender.send(*scene(60, tick))
            for receiver in (first, second):
                parts = [decode(receiver.recv(2048)) for _ in range(3)]
                assert {part.part for part in parts} == {0, 1, 2}
                begins.add(parts[0].part)
        assert begins == {0, 1, 2}
        assert (sender.sent, sender.unsent) == (48, 0)
        sender.close()


def test_what_the_system_refuses_is_counted_and_the_run_goes_on() -> None:
    sender = RenderSender(["127.0.0.1:9"])
    sender.close()
    sender.send(*scene(60))
    assert (sender.sent, sender.unsent) == (0, 3)


def test_more_vehicles_than_the_format_holds_are_counted_and_not_sent() -> None:
    sender = RenderSender(["127.0.0.1:9"])
    snapshot, roster = scene(0)
    many = VehicleStates.empty(MOST_VEHICLES + 1)
    sender.send(Snapshot(1, 0.1, snapshot.run_state, many), roster)
    assert (sender.sent, sender.unsent) == (0, 1)
    sender.close()


def test_the_receiver_of_twenty_lines_prints_where_vehicles_are() -> None:
    example = ROOT / "examples" / "render_receiver.py"
    assert len(example.read_text().splitlines()) <= 20
    assert "movenv" not in example.read_text()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    words = [sys.executable, str(example), port]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as receiver:
        assert receiver.stdout is not None
        assert receiver.stdout.readline() == "listening\n"
        sender = RenderSender([f"127.0.0.1:{port}"])
        sender.send(*scene(30))
        told = [receiver.stdout.readline().split() for _ in range(30)]
        sender.close()
        receiver.kill()
    by_vid = {int(words[2]): words for words in told}
    assert by_vid[1] == ["0.70", "s", "1", "aerial", "0.00", "1.00", "2.00"]
    assert by_vid[88] == ["0.70", "s", "88", "ground", "7.25", "8.25", "9.25"]


@pytest.mark.parametrize(("title", "layout"), [("Header", HEADER), ("Record", RECORD)])
def test_the_page_says_what_the_bytes_are(title: str, layout: np.dtype) -> None:
    page = (ROOT / "docs" / "reference" / "renderer.md").read_text()
    section = page.split(f"## {title}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (\d+) \| (\d+) \| (\w+) \| `(\w+)` \|", section, re.MULTILINE)
    told = [(name, int(at), int(size), np.dtype(TYPES[kind])) for at, size, kind, name in rows]
    assert told == [
        (name, layout.fields[name][1], layout[name].itemsize, layout[name]) for name in layout.names
    ]
    assert f"{layout.itemsize} bytes" in page

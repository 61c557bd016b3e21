"""Who looks on sees the scans that a vehicle's software reads, and nothing waits for them."""

import threading
from collections.abc import Callable, Iterator

import msgspec
import numpy as np
import pytest

from movenv.gateways.scans.codec import encode_datagram, encode_line, encode_pose, read_scan
from movenv.runtime.injection.layer import Layer
from movenv.runtime.injection.neighbourhood import Neighbourhood
from movenv.runtime.injection.onlookers import SENSOR, Onlookers
from movenv.runtime.injection.poses import OwnPoses
from movenv.runtime.live import bus as keys
from movenv.runtime.live.bus import Bus, sensor_key
from movenv.runtime.live.sensor_feed import SensorMessage, decoded
from movenv.runtime.live.wire import Beacon, RunInfo
from movenv.runtime.recorded import run_record
from movenv.scenario.build import build
from movenv.scenario.document import parse_document
from movenv.scenario.load import load_document
from movenv.world.run_state import RunState
from movenv.world.scan import Pose

from ..live.processes import free_port, wait_until
from .made_scans import AHEAD, BEAMS, LAYOUT, SCENARIO, a_scan
from .test_layer import NOW, UTC, around


class Played:
    """A Core that says nothing but what its run is, and an onlooker."""

    def __init__(self, folder: object) -> None:
        run = build(load_document(parse_document(SCENARIO, "way.yaml", folder), [], {}))
        beacon = Beacon("the-run", "c1", 1, RunState.GO, 0, 0, 0, 1e8, 0)
        info = RunInfo(beacon, "way.yaml", msgspec.json.encode(run_record(run, 0.0, [])))
        self.address = f"tcp/127.0.0.1:{free_port()}"
        self.core = Bus.listen([self.address], None)
        self.core.answer(keys.RUN, lambda _: info.encoded())
        self.seen: list[SensorMessage] = []
        self._looker = Bus.connect(self.address)

    def look(self) -> Callable[[], None]:
        key = sensor_key(1, "*")
        return self._looker.hear(key, lambda _, data: self.seen.append(decoded(data)))

    def close(self) -> None:
        self._looker.close()
        self.core.close()


@pytest.fixture
def played(tmp_path: object) -> Iterator[Played]:
    found = Played(tmp_path)
    yield found
    found.close()


def shows(played: Played, layer: Layer, data: bytes, before: bool = True) -> SensorMessage:
    """What the first message holds when this scan is passed on again and again."""
    with Bus.connect(played.address) as bus:
        onlookers = Onlookers("me", layer)
        if before:
            played.look()
        onlookers.begin(bus)
        if not before:
            played.look()

        def offered() -> bool:
            went = layer.passed(data, NOW, UTC)
            assert went is not None
            onlookers.offer(data, went, NOW, UTC)
            return bool(played.seen)

        wait_until(offered)
        onlookers.close()
    return played.seen[0]


@pytest.mark.parametrize("encode", [encode_datagram, encode_line])
@pytest.mark.parametrize("before", [True, False])
def test_onlookers_see_the_altered_scan_and_which_beams_were_altered(
    played: Played, encode: Callable[..., bytes], before: bool
) -> None:
    """Whether they come before the layer or after it."""
    layer, data = Layer(around()), encode(a_scan())
    told = shows(played, layer, data, before)
    went = layer.passed(data, NOW, UTC)
    assert went is not None
    assert told.table()[0].tobytes() == read_scan(went).scan.ranges.tobytes()
    # Everybody else is 20 m away; the box, 2 m wide, begins 8 m ahead.
    marked = np.flatnonzero(told.altered_values()[0])
    wide = int(np.degrees(np.arctan(1 / 8)))
    assert marked.tolist() == list(range(AHEAD - wide, AHEAD + wide + 1))
    assert (told.run, told.vid, told.sensor, told.scan) == ("the-run", 1, SENSOR, LAYOUT)
    assert told.stamps == [7.0]
    assert told.pose is not None
    assert told.pose[:3] == (100.0, 50.0, 0.0)


def test_they_see_the_scan_also_while_the_layer_is_off(played: Played) -> None:
    told = shows(played, Layer(around(), on=False), encode_datagram(a_scan()))
    assert told.altered == b""
    assert told.table()[0].tolist() == [20.0] * BEAMS
    assert told.stamps == [7.0]


def test_it_is_placed_where_the_vehicle_says_to_be(played: Played) -> None:
    poses = OwnPoses()
    poses.take(encode_pose(Pose(3.0, 4.0, 0.5, 1.0, 0.0), 0.0), NOW)
    told = shows(played, Layer(around(), poses, on=False), encode_datagram(a_scan(number=4)))
    assert told.pose == Pose(3.1, 4.0, 0.5, 1.0, 0.0)  # the scan was taken 0.1 s later


def test_what_is_no_scan_or_of_no_known_time_is_not_shown(played: Played) -> None:
    onlookers = Onlookers("me", Layer(Neighbourhood()))
    with Bus.connect(played.address) as bus:
        played.look()
        onlookers.begin(bus)
        data = encode_datagram(a_scan())
        wait_until(lambda: onlookers.offer(data, data, NOW, UTC) or onlookers.looked)
        looked = onlookers.looked
        garbage = b"garbage"
        wait_until(lambda: onlookers.offer(garbage, garbage, NOW, UTC) or onlookers.looked > looked)
        onlookers.close()
    assert onlookers.shown == 0
    assert played.seen == []


def test_where_nobody_listens_nothing_is_kept(played: Played) -> None:
    layer, data = Layer(around()), encode_datagram(a_scan())
    with Bus.connect(played.address) as bus:
        onlookers = Onlookers("me", layer)
        leave = played.look()
        onlookers.begin(bus)
        wait_until(lambda: onlookers.offer(data, data, NOW, UTC) or played.seen)
        leave()
        wait_until(lambda: not onlookers.heard)
        shown = onlookers.shown
        for _ in range(100):
            onlookers.offer(data, data, NOW, UTC)
        onlookers.close()
    assert onlookers.shown <= shown + 1  # one may have been under way


def test_a_scan_never_waits_for_onlookers(monkeypatch: pytest.MonkeyPatch, played: Played) -> None:
    """While one is being shown, which takes for ever here, others go on; the newest is next."""
    layer = Layer(around())
    let, taken = threading.Event(), []

    def placed(_came: object, now: int, _utc: int) -> tuple[float, None]:
        taken.append(now)
        let.wait(20)
        return 7.0, None

    monkeypatch.setattr(layer, "placed", placed)
    data = encode_datagram(a_scan())
    with Bus.connect(played.address) as bus:
        onlookers = Onlookers("me", layer)
        played.look()
        onlookers.begin(bus)
        wait_until(lambda: onlookers.offer(data, data, 0, UTC) or taken)
        for now in range(1, 1000):
            onlookers.offer(data, data, now, UTC)
        assert taken == [0]
        let.set()
        wait_until(lambda: len(taken) == 2)
        onlookers.close()
    assert taken == [0, 999]

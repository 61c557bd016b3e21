"""Tracks played in real time."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pydantic import ValidationError

from movenv.gateways.config import Entry
from movenv.gateways.fix import Fix
from movenv.gateways.inlet import Arrival, Inlet
from movenv.gateways.part import GatewayFailed, Surroundings, Track
from movenv.gateways.playback.codec import decode_point
from movenv.gateways.playback.gateway import PlaybackConfig, PlaybackGateway
from movenv.world.kinds import Kind

GPX = """<gpx><trk><trkseg>
<trkpt lat="48.0" lon="11.0"><time>2019-05-01T12:00:00Z</time></trkpt>
<trkpt lat="48.0001" lon="11.0"><time>2019-05-01T12:00:01Z</time></trkpt>
</trkseg></trk></gpx>"""


def entry(vid: int, **config: object) -> Entry:
    return Entry(vid, f"v{vid}", Kind("pedestrian"), PlaybackConfig(type="playback", **config))


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., PlaybackGateway]]:
    (tmp_path / "walk.gpx").write_text(GPX)
    gateways = []

    def open_one(*entries: Entry, **around: object) -> PlaybackGateway:
        gateway = PlaybackGateway(list(entries), Inlet(), Surroundings(folder=tmp_path, **around))
        gateways.append(gateway)
        gateway.open()
        return gateway

    yield open_one
    for gateway in gateways:
        started = time.monotonic()
        gateway.close()
        assert time.monotonic() - started < 1
    assert not [thread for thread in threading.enumerate() if thread.name == "playback"]


def ended(gateway: PlaybackGateway, count: int) -> list[Arrival]:
    """What was played until so many tracks had ended."""
    until, news = time.monotonic() + 10, 0
    while news < count:
        assert time.monotonic() < until
        news += len(gateway.inlet.news())
        time.sleep(0.01)
    return gateway.inlet.drain()


def fixes(got: list[Arrival], vid: int) -> list[Fix]:
    return [fix for one in got for of, fix in one.fixes if of == vid]


def test_a_walk_of_years_ago_happens_now_and_then_ends(opened) -> None:
    began = time.time()
    gateway = opened(entry(3, file="walk.gpx", rate=10.0))
    got = ended(gateway, 1)
    *walk, last = fixes(got, 3)
    assert 5 <= len(walk) <= 10
    for fix in walk:
        assert (fix.lat - 48.0) / 1e-4 == pytest.approx(fix.time - began, abs=0.3)
        assert fix.speed == pytest.approx(11.12, abs=0.01)
        assert fix.course == 0.0
    assert walk[0].lat == 48.0
    assert (last.lat, last.speed) == (48.0001, 0.0), "it stands at the end"
    assert got[2].sender == "file:0"
    assert repr(decode_point(got[2].data)) == repr([walk[2]])


def test_several_are_played_each_at_its_own_rate(opened) -> None:
    gateway = opened(
        entry(1, file="walk.gpx", rate=4.0),
        entry(2, file="walk.gpx", rate=20.0),
        entry(3, file="walk.gpx", rate=0.6),
    )
    got = ended(gateway, 3)
    assert 3 <= len(fixes(got, 1)) <= 5
    assert 10 <= len(fixes(got, 2)) <= 21
    assert [fix.lat for fix in fixes(got, 3)] == pytest.approx([48.0, 48.0001])


def test_a_loop_begins_anew(opened) -> None:
    gateway = opened(entry(1, file="walk.gpx", rate=4.0, loop=True))
    time.sleep(1.9)
    steps = [round((fix.lat - 48) / 2.5e-5) for fix in fixes(gateway.inlet.drain(), 1)]
    assert set(steps) <= {0, 1, 2, 3}
    assert 0 in steps[2:]
    assert gateway.inlet.news() == []


def test_a_recording_is_read_by_who_knows_how(opened, tmp_path) -> None:
    asked = []

    def track(path: Path, vehicle: str) -> Track:
        asked.append((path, vehicle))
        return Track([5.0, 5.5], [1.0, 2.0], [3.0, 3.0], [4.0, 4.0])

    gateway = opened(entry(1, file="run.mcap", vehicle="ann", rate=4.0), track=track)
    places = [fix.lat for fix in fixes(ended(gateway, 1), 1)]
    assert (places[0], places[-1]) == (1.0, 2.0)
    assert asked == [(tmp_path / "run.mcap", "ann")]


def test_a_file_that_cannot_be_played_is_refused_in_words(opened, tmp_path) -> None:
    (tmp_path / "route.GPX").write_text(
        '<gpx><rte><rtept lat="1" lon="2"/><rtept lat="1.0001" lon="2"/></rte></gpx>'
    )
    for config, words in [
        ({"file": "gone.gpx"}, "v1 cannot play gone.gpx: No such file or directory"),
        ({"file": "route.GPX"}, "v1 cannot play route.GPX: point 1 has no time, and no speed"),
        ({"file": "run.mcap"}, "v1 cannot play run.mcap: only GPX files can be read here"),
    ]:
        with pytest.raises(GatewayFailed, match=words):
            opened(entry(1, **config))
    gateway = opened(entry(1, file="route.GPX", speed=100.0, rate=50.0))
    assert fixes(ended(gateway, 1), 1)[-1].lat == 1.0001


def test_a_file_has_no_token_and_needs_a_rate() -> None:
    for wrong in ({"token": "sesame"}, {"address": "10.0.0.1"}, {"rate": 0.0}, {"speed": 0.0}):
        with pytest.raises(ValidationError):
            PlaybackConfig(type="playback", file="walk.gpx", **wrong)

"""Replays: moved by wishes and by an injected clock, against reading from the beginning."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.recording.test_seek import sequential

from movenv.bench.recorded import LEVELS, PERIOD, MadeUp, record_made_up
from movenv.recording.layouts import EventRecord
from movenv.recording.parts import open_next_part
from movenv.recording.reader import Recording
from movenv.recording.seek import Seeker
from movenv.recording.writer import RecordingRefused
from movenv.web.feed import FeedRefused, Moment, News
from movenv.web.notice_log import NoticeLog
from movenv.web.replay.feed import ReplayFeed
from movenv.web.replay.source import LOG, ReplaySource
from movenv.world.messages import Health

MADE_UP = MadeUp(12)
LAST = 1400


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """In two parts that overlap, the first of them cut off, with a gap."""
    path = tmp_path_factory.mktemp("replay") / "x.mcap"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("movenv.recording.writer.CHUNK_SIZE", 20_000)
        first = record_made_up(path, MADE_UP, 0, 500, "r")
        first.write_bytes(first.read_bytes()[:-40])
        record_made_up(path, MADE_UP, 480, 900, "r", whole=False)
        record_made_up(path, MADE_UP, 930, LAST, "r")
    return path


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def feed(file: Path, clock: Clock) -> Iterator[ReplayFeed]:
    feed = ReplayFeed(file, clock)
    yield feed
    feed.close()


@pytest.fixture
def source(feed: ReplayFeed) -> ReplaySource:
    assert feed.index.wait(30)
    return feed.open()


def moment_of(source: ReplaySource) -> Moment:
    moment = source.moment()
    assert moment is not None
    return moment


def replay_of(news: News) -> dict[str, Any]:
    assert news.status is not None
    told: dict[str, Any] = news.status["replay"]
    return told


def brute_force(file: Path) -> tuple[list[float], list[EventRecord]]:
    """When ticks with new notices are, and all events with them, read from the beginning."""
    with Recording(file) as recording:
        log = NoticeLog(recording.roster, list(LEVELS))
        ticks, events = [], recording.events()
        for one in sequential(file):
            new = log.events(one.snapshot.t, one.numbers["utc"], one.encounters)
            events += new
            if new:
                ticks.append(one.snapshot.t)
    return ticks, sorted(events, key=lambda event: event.t)


def test_a_feed_knows_what_it_shows(feed: ReplayFeed, file: Path) -> None:
    assert feed.replay == {"start": 0.0, "end": pytest.approx(LAST * PERIOD)}
    assert feed.source == str(file)
    assert feed.record.name == "made up"


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.mcap").write_bytes(b"no recording at all")
    for name in ("x.mcap", "missing.mcap"):
        with pytest.raises(RecordingRefused):
            ReplayFeed(tmp_path / name)
    record = msgspec.structs.replace(MADE_UP.record(), origin=(99.0, 0.0, 0.0))
    open_next_part(tmp_path / "y.mcap", record).abandon()
    with pytest.raises(RecordingRefused, match="latitude"):
        ReplayFeed(tmp_path / "y.mcap")


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("rate", [0.1, 1.0, 7.3, 100.0])
def test_it_plays_at_any_rate_both_ways(
    source: ReplaySource, clock: Clock, rate: float, direction: int
) -> None:
    source.control({"t": 70.0})
    source.control({"rate": rate, "direction": direction, "playing": True})
    t = 70.0
    for wait in (0.1, 0.05, 0.31, 0.0, 0.1):
        clock.now += wait
        t += rate * direction * wait
        expected = max(0.0, min(t, LAST * PERIOD))
        moment = moment_of(source)
        assert moment.t <= expected + 1e-6
        assert expected - moment.t < PERIOD + 1e-6
        truth = MADE_UP.update(moment.tick).snapshot.vehicles
        assert np.array_equal(moment.vehicles.x, truth.x)
        assert moment.utc == pytest.approx(1_700_000_000.0 + moment.t)


@pytest.mark.parametrize(("direction", "begin", "end"), [(1, 139.0, 140.0), (-1, 1.0, 0.0)])
def test_at_the_ends_it_stops(
    source: ReplaySource, clock: Clock, direction: int, begin: float, end: float
) -> None:
    source.control({"t": begin, "playing": True, "direction": direction})
    source.news()
    clock.now += 0.9
    source.control({"rate": 1.0})
    assert replay_of(source.news())["playing"] is True
    clock.now += 0.2
    replay = replay_of(source.news())
    assert (replay["playing"], replay["t"]) == (False, pytest.approx(end))
    assert moment_of(source).t == pytest.approx(end)
    source.control({"playing": True})
    assert replay_of(source.news())["t"] == pytest.approx(140.0 - end)


def test_paused_it_stays(source: ReplaySource, clock: Clock) -> None:
    source.control({"t": 20.0})
    before = moment_of(source)
    clock.now += 1000.0
    assert moment_of(source) is before


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"rate": 0.05}, "rate must be between 0.1 and 100"),
        ({"rate": 101}, "rate must be between 0.1 and 100"),
        ({"rate": float("nan")}, "rate must be between"),
        ({"rate": "fast"}, "rate must be between"),
        ({"t": float("inf")}, "t must be a number of seconds"),
        ({"t": None}, "t must be a number of seconds"),
        ({"t": True}, "t must be a number of seconds"),
        ({"playing": 1}, "playing must be true or false"),
        ({"direction": 0}, "direction must be 1 or -1"),
        ({"step": 1.5}, "step must be a whole number of ticks"),
        ({"step": 10**9}, "step must be a whole number of ticks"),
        ({"jump": "moon"}, "jump must be to a notice, a mark or an event"),
        ({"speed": 3}, "a replay knows no 'speed'"),
        ({"t": 3.0, "step": 1}, "one place at a time"),
        ({}, "nothing was wished for"),
    ],
)
def test_wrong_wishes_are_refused_in_words(
    source: ReplaySource, wish: dict[str, Any], words: str
) -> None:
    source.control({"t": 20.0})
    with pytest.raises(FeedRefused, match=words):
        source.control(wish)
    assert moment_of(source).t == pytest.approx(20.0)


def test_steps_go_from_tick_to_tick_and_over_gaps(source: ReplaySource) -> None:
    source.control({"t": 89.96})
    seen = []
    for step in (1, 1, -1, -1, -2, 10, 10**6, -(10**6)):
        source.control({"step": step})
        seen.append(moment_of(source).tick)
    assert seen == [900, 930, 900, 899, 897, 936, LAST, 0]


def test_playing_on_is_no_jump_and_scrubbing_is(source: ReplaySource, clock: Clock) -> None:
    moment_of(source)
    assert source.jumped() is False
    source.control({"playing": True, "rate": 10})
    for _ in range(20):
        clock.now += 0.1
        moment_of(source)
        assert source.jumped() is False
    source.control({"t": moment_of(source).t + 0.1})
    assert source.jumped() is True
    moment_of(source)
    assert source.jumped() is False
    source.control({"t": 120.0})
    moment_of(source)
    assert [source.jumped(), source.jumped()] == [True, False]


@pytest.mark.parametrize(
    ("wish", "frames", "expected"),
    [({"t": 0.0, "rate": 100}, 11, 1), ({"t": 80.0, "direction": -1}, 24, 3)],
)
def test_leaps_and_going_back_draw_tails_anew_once_a_second(
    source: ReplaySource, clock: Clock, wish: dict[str, Any], frames: int, expected: int
) -> None:
    source.control({"playing": True} | wish)
    moment_of(source)
    assert source.jumped()
    jumps = 0
    for _ in range(frames):
        clock.now += 0.125
        moment_of(source)
        jumps += source.jumped()
    assert jumps == expected


@pytest.mark.parametrize("direction", [1, -1])
def test_jumps_find_every_notice_that_a_scan_finds(
    source: ReplaySource, file: Path, direction: int
) -> None:
    expected, _ = brute_force(file)
    assert len(expected) > 10
    source.control({"t": 0.0 if direction > 0 else 1e9})
    for t in expected[::direction]:
        source.control({"jump": "notice", "direction": direction})
        assert moment_of(source).t == t
    with pytest.raises(FeedRefused, match="there is no notice"):
        source.control({"jump": "notice", "direction": direction})


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(t=st.floats(-5.0, 150.0), what=st.sampled_from(["mark", "event"]), back=st.booleans())
def test_jumps_to_marks_and_events(
    source: ReplaySource, file: Path, t: float, what: str, back: bool
) -> None:
    with Recording(file) as recording:
        times = [e.t for e in recording.events() if what == "event" or e.kind == "mark"]
    assert len(times) == (2 if what == "event" else 1)
    source.control({"t": t})
    t = min(max(t, 0.0), LAST * PERIOD)
    expected = [x for x in times[::-1] if x < t] if back else [x for x in times if x > t]
    wish = {"jump": what, "direction": -1 if back else 1}
    if not expected:
        with pytest.raises(FeedRefused, match=f"there is no {what}"):
            source.control(wish)
        return
    source.control(wish)
    assert replay_of(source.news())["t"] == expected[0]


@pytest.fixture
def may_read(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """The index reads nothing until this is set."""
    may_read = threading.Event()
    read = Seeker.read_chunk

    def read_chunk(self: Seeker, number: int) -> Any:
        if threading.current_thread().name == "replay index":
            assert may_read.wait(30)
        return read(self, number)

    monkeypatch.setattr(Seeker, "read_chunk", read_chunk)
    return may_read


@pytest.mark.parametrize("direction", [1, -1])
def test_a_jump_waits_for_the_index_without_keeping_anybody_waiting(
    file: Path, clock: Clock, may_read: threading.Event, direction: int
) -> None:
    feed = ReplayFeed(file, clock)
    source = feed.open()
    source.control({"t": 30.0})
    source.control({"jump": "notice", "direction": direction})
    clock.now += 2.0
    waiting = replay_of(source.news())
    assert (waiting["t"], waiting["seeking"]) == (30.0, "notice")
    assert waiting["indexed"] < 1.0
    may_read.set()
    assert feed.index.wait(30)
    expected, _ = brute_force(file)
    nearest = (
        [t for t in expected if t > 30.0] if direction > 0 else [t for t in expected if t < 30]
    )
    assert moment_of(source).t == nearest[0 if direction > 0 else -1]
    assert source.jumped()
    assert replay_of(source.news())["seeking"] is None
    feed.close()


def test_a_jump_to_nothing_is_told_when_that_is_known(
    tmp_path: Path, clock: Clock, may_read: threading.Event
) -> None:
    file = record_made_up(tmp_path / "x.mcap", MADE_UP, 0, 100)
    feed = ReplayFeed(file, clock)
    source = feed.open()
    source.control({"jump": "notice"})
    assert source.news().events == []
    may_read.set()
    assert feed.index.wait(30)
    (event,) = source.news().events
    assert (event.kind, event.text) == ("replay", "there is no notice after this")
    feed.close()


def test_the_log_is_what_happened_up_to_now(source: ReplaySource, clock: Clock, file: Path) -> None:
    _, expected = brute_force(file)
    known = {msgspec.json.encode(event) for event in expected}

    def check(log: list[EventRecord], t: float) -> None:
        happened = [event for event in expected if event.t <= t][-LOG:]
        assert len(log) == len(happened)
        assert [event.t for event in log] == [event.t for event in happened]
        assert {msgspec.json.encode(event) for event in log} <= known

    log = source.news().events
    source.control({"playing": True, "rate": 20})
    for _ in range(60):
        clock.now += 0.1
        news = source.news()
        log = news.events if news.forget_events else log + news.events
        check(log[-LOG:], moment_of(source).t + PERIOD / 10)
    source.control({"t": 45.0, "playing": False})
    news = source.news()
    assert news.forget_events
    check(news.events, 45.0)
    assert len(news.events) > 3
    source.control({"t": 1e9})
    check(source.news().events, np.inf)
    source.control({"playing": True, "direction": -1, "rate": 50})
    for _ in range(3):
        clock.now += 1.1
        news = source.news()
        if news.forget_events:
            check(news.events, moment_of(source).t + PERIOD / 10)
    assert source.news().events == []


def test_the_latest_word_on_every_target_is_told(source: ReplaySource) -> None:
    for t in (1.0, 33.3, 120.0, 0.0):
        source.control({"t": t})
        latest = {}
        for tick in [n for n in range(LAST + 1) if not 900 < n < 930 and n * PERIOD <= t]:
            finds = MADE_UP.update(tick).detections
            for row in range(len(finds)):
                latest[int(finds.target[row])] = finds.take(np.array([row]))
        sighted = source.news().sighted
        assert sighted is not None
        assert {one.target + 1 for one in sighted} == set(latest)
        for one in sighted:
            find = latest[one.target + 1]
            assert (one.row, one.t) == (3, find.t_seen[0])
            assert one.sighting == {1: "found", 2: "seen", 3: "lost"}[int(find.sighting[0])]
            lat, lon, _ = MADE_UP.frame.to_geodetic(find.x, find.y)
            assert (one.lat, one.lon) == pytest.approx((lat[0], lon[0]), abs=1e-7)


def test_the_status_is_that_of_the_time(source: ReplaySource, clock: Clock) -> None:
    source.control({"t": 103.44, "rate": 2})
    status = source.news().status
    assert status is not None
    assert (status["tick"], status["state"], status["legal"]) == (1034, "GO", [])
    assert status["duration"] == pytest.approx(140.0)
    assert status["core"]["missed_ticks"] == 1
    assert status["hosts"][0]["host"] == "local-1"
    assert status["real"][0] == {
        "row": 0,
        "heard": "heard",
        "accuracy": 4.0,
        "age": pytest.approx(0.4),
        "delay": 0.0,
        "loss": 0.0,
        "battery": None,
        "rate": 1.0,
        "accepted": 103,
        "rejected": 0,
    }
    assert set(status["summary"]) == {"notices", "closest", "detections", "missions"}
    assert status["replay"] == {
        "t": 103.44,
        "playing": False,
        "rate": 2.0,
        "direction": 1,
        "indexed": 1.0,
        "seeking": None,
    }
    assert source.news().status is None
    clock.now += 1.01
    assert source.news().status is not None
    source.control({"t": 1e9})
    status = source.news().status
    assert status is not None
    assert status["state"] == "STOP"
    source.control({"t": 92.5})  # in a gap: how vehicles were heard before it is old
    status = source.news().status
    assert status is not None
    assert "real" not in status


def test_the_tail_is_of_the_last_minute(source: ReplaySource) -> None:
    source.control({"t": 95.05})
    past = asyncio.run(source.history())
    ticks = np.round(past.t / PERIOD).astype(int)
    expected = {t for t in (round(950 - 10 * back) for back in range(61)) if not 900 < t < 930}
    assert set(ticks) == expected
    for point, tick in enumerate(ticks):
        vehicles = MADE_UP.update(int(tick)).snapshot.vehicles
        assert np.array_equal(past.lat[point], vehicles.lat)
        assert np.array_equal(past.x[point], vehicles.x.astype(np.float32))
    source.control({"t": 0.0})
    assert asyncio.run(source.history()).t.tolist() == [0.0]


def test_viewers_do_not_disturb_each_other(feed: ReplayFeed) -> None:
    one, other = feed.open(), feed.open()
    one.control({"t": 50.0})
    assert (moment_of(one).tick, moment_of(other).tick) == (500, 0)
    assert (one.jumped(), other.jumped()) == (True, False)


def test_whoever_waits_hears_of_a_wish_at_once(source: ReplaySource) -> None:
    async def both() -> float:
        loop = asyncio.get_running_loop()
        begin = loop.time()
        waiting = asyncio.create_task(source.changed())
        await asyncio.sleep(0.01)
        source.control({"playing": True})
        await waiting
        await source.changed()
        return loop.time() - begin

    assert asyncio.run(both()) < 0.5


def test_of_nobody_and_nothing(tmp_path: Path, clock: Clock) -> None:
    open_next_part(tmp_path / "x.mcap", MADE_UP.record()).abandon()
    feed = ReplayFeed(tmp_path / "x.mcap", clock)
    source = feed.open()
    assert feed.index.wait(30)
    assert feed.replay == {"start": 0.0, "end": 0.0}
    assert source.moment() is None
    for wish in ({"t": 5.0}, {"playing": True}, {"step": 3}):
        source.control(wish)
        clock.now += 1.0
        assert source.moment() is None
        assert replay_of(source.news())["t"] == 0.0
    with pytest.raises(FeedRefused, match="there is no mark"):
        source.control({"jump": "mark"})
    past = asyncio.run(source.history())
    assert (past.t.shape, past.lat.shape) == ((0,), (0, 12))
    feed.close()


def test_vehicles_that_nobody_heard_have_no_tail(tmp_path: Path) -> None:
    writer = open_next_part(tmp_path / "x.mcap", MADE_UP.record())
    for tick in range(20):
        update = MADE_UP.update(tick)
        health = update.snapshot.vehicles.health.copy()
        health[3] = Health.UNHEARD
        update.snapshot.vehicles.health = health
        writer.update(update)
    writer.abandon()
    feed = ReplayFeed(tmp_path / "x.mcap")
    source = feed.open()
    source.control({"t": 1.5})
    past = asyncio.run(source.history())
    assert np.isnan(past.x[:, 3]).all()
    assert np.isfinite(np.delete(past.x, 3, axis=1)).all()
    feed.close()


def test_a_closed_feed_shows_nothing_and_breaks_nothing(file: Path) -> None:
    feed = ReplayFeed(file)
    source = feed.open()
    source.control({"t": 30.0})
    feed.close()
    assert source.moment() is None
    assert len(asyncio.run(source.history()).t) == 0


def test_an_overview_tells_of_all_notices_marks_and_gaps(feed: ReplayFeed, file: Path) -> None:
    assert feed.index.wait(30)
    expected, events = brute_force(file)
    told = feed.happenings()
    assert {t for t, _ in told.notices} <= set(expected)
    parts = {int(t / (LAST * PERIOD) * 1000) for t in expected}
    assert len(told.notices) == len(parts), "one for every part of the recording that has any"
    assert told.marks == sorted({event.t for event in events if event.kind == "mark"})
    assert told.gaps == [(pytest.approx(90.0), pytest.approx(93.0))]
    assert told.remarks == []


def test_a_recording_that_was_cut_off_says_so_and_gives_no_false_all_clear(
    tmp_path: Path, clock: Clock
) -> None:
    path = tmp_path / "x.mcap"
    record_made_up(path, MADE_UP, 0, 190)
    path.write_bytes(path.read_bytes()[:-40])
    last = sequential(path)[-1].snapshot.tick
    with Recording(path) as recording:
        assert [s.tick for s, _ in recording.snapshots()][-1] - last in (0, 1)
    feed = ReplayFeed(path, clock)
    assert feed.remarks == ["the file was not closed: the run or the disk ended early"]
    assert feed.replay is not None
    assert feed.replay["end"] == pytest.approx(last * PERIOD)
    feed.close()

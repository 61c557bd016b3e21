"""A live run as the console sees it: the newest moment, the log, tails, and the operator's hand."""

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np
import pytest
from runtime.live.processes import LiveRun, free_port, live_run, wait_until

from movenv.recording.layouts import (
    DETECTION_LAYOUT,
    DETECTIONS,
    EVENTS,
    RUN_STATE,
    EventRecord,
    RunRecord,
    RunStateRecord,
    encoded,
)
from movenv.recording.reader import Recording
from movenv.runtime.fast import updates
from movenv.runtime.live import bus as keys
from movenv.runtime.live.bus import Bus, BusError
from movenv.runtime.live.wire import Beacon, Done, Mark, Marked, Records, Refusal, RunInfo, decode
from movenv.runtime.recorded import run_record
from movenv.scenario.build import Run, build
from movenv.scenario.load import load
from movenv.web.feed import FeedRefused, Moment, News
from movenv.web.live.feed import EVENTS_KEPT, LiveFeed, LiveSource
from movenv.web.live.tails import SPAN, STEP, Tails
from movenv.world.core import Update
from movenv.world.frames import Frame
from movenv.world.messages import Detections, Health, Sighting, VehicleStates
from movenv.world.run_state import RunState

RUN = "5e"
BEACON = Beacon(RUN, "c1", 1, RunState.GO, 0, 0, 0, 1e8, 0)


class BusOfOne:
    """A Core that is played, on a bus without network."""

    def __init__(self, record: RunRecord) -> None:
        self.heard: Callable[[str, bytes], None] = lambda _key, _data: None
        self.status: dict[str, Any] | None = {"run": RUN, "state": "GO", "host_of": [0, 0, -1]}
        self.asked: list[tuple[str, bytes]] = []
        self.answers = {keys.RUN: RunInfo(BEACON, "three.yaml", msgspec.json.encode(record))}
        self._sequence = 0

    def hear(self, key: str, handler: Callable[[str, bytes], None]) -> None:
        assert key == keys.RECORDS
        self.heard = handler

    def ask(self, key: str, data: bytes, **_: float) -> bytes:
        self.asked.append((key, data))
        if key == keys.STATUS:
            if self.status is None:
                raise BusError("the Core does not answer")
            return msgspec.json.encode(self.status)
        return self.answers[key].encoded()

    def say(
        self, items: list[tuple[str, float, bytes]], keep: bool = True, core: str = "c1"
    ) -> bytes:
        self._sequence += keep
        message = Records(RUN, core, self._sequence, keep, 0, items).encoded()
        self.heard("records", message)
        return message

    def tick(self, update: Update, keep: bool = True) -> bytes:
        t = update.snapshot.t
        return self.say([(topic, t, data) for topic, data in encoded(update, 1e9 + t)], keep)

    def event(self, text: str) -> bytes:
        event = EventRecord(1.0, 1e9, "mark", text, "ann")
        return self.say([(EVENTS, 1.0, msgspec.json.encode(event))])


@pytest.fixture(scope="module")
def run() -> Run:
    return build(load("three-uavs", ["time.duration=80"]))


@pytest.fixture(scope="module")
def ticks(run: Run) -> list[Update]:
    return list(updates(run))


@pytest.fixture
def bus(run: Run) -> BusOfOne:
    return BusOfOne(run_record(run, 0.0, []))


@pytest.fixture
def feed(bus: BusOfOne) -> Iterator[LiveFeed]:
    found = LiveFeed(cast(Bus, bus))
    yield found
    found.close()


def watching(feed: LiveFeed) -> LiveSource:
    async def come() -> LiveSource:
        return feed.open()

    return asyncio.run(come())


def same(moment: Moment, update: Update) -> bool:
    told, true = moment.vehicles.columns(), update.snapshot.vehicles.columns()
    return all(a.tobytes() == b.tobytes() for (_, a), (_, b) in zip(told, true, strict=True))


def test_the_newest_moment_is_what_the_core_stated(
    bus: BusOfOne, feed: LiveFeed, ticks: list[Update]
) -> None:
    source = watching(feed)
    assert source.moment() is None
    for update in ticks[:30]:
        bus.tick(update)
    moment = source.moment()
    assert moment is not None
    assert (moment.tick, moment.t, moment.utc) == (29, ticks[29].snapshot.t, 1e9 + moment.t)
    assert moment.run_state == RunState.GO
    assert same(moment, ticks[29])
    assert not source.jumped()
    met = next(update for update in ticks if len(update.encounters))
    bus.tick(met)
    shown = source.moment()
    assert shown is not None
    assert shown.encounters.distance.tolist() == met.encounters.distance.tolist()


def test_what_is_sent_again_for_a_recorder_is_not_taken_twice(
    bus: BusOfOne, feed: LiveFeed, ticks: list[Update]
) -> None:
    sent = [bus.tick(update) for update in ticks[:5]] + [bus.event("rain"), bus.tick(ticks[5])]
    for message in sent:
        bus.heard("records", message)
    source = watching(feed)
    moment = source.moment()
    assert moment is not None
    assert moment.tick == 5
    assert [e.text for e in source.news().events if e.kind == "mark"] == ["rain"]
    assert not source.jumped()


def test_another_core_of_the_run_is_heard_and_other_runs_are_not(
    bus: BusOfOne, feed: LiveFeed
) -> None:
    bus.event("before")
    bus._sequence = 0
    event = msgspec.json.encode(EventRecord(1.0, 0.0, "core", "the Core was restarted"))
    bus.say([(EVENTS, 1.0, event)], core="c2")
    bus.heard("records", Records("other", "c9", 1, True, 0, [(EVENTS, 1.0, event)]).encoded())
    assert [e.text for e in watching(feed).news().events] == ["before", "the Core was restarted"]


def test_what_makes_no_sense_is_counted_and_harms_nothing(
    bus: BusOfOne, feed: LiveFeed, ticks: list[Update]
) -> None:
    bus.tick(ticks[0])
    bus.heard("records", b"nonsense")
    bus.say([(EVENTS, 1.0, b"{")])
    bus.say([("/snapshots", 1.0, b"\x00\x01\x00\x00")])
    other = build(load("hello", ["time.duration=1"]))
    bus.tick(next(iter(updates(other))))
    assert feed.garbled == 4
    bus.tick(ticks[1])
    assert feed.moment is not None
    assert feed.moment.tick == 1


def test_notices_stand_in_the_log_once_a_level(
    bus: BusOfOne, feed: LiveFeed, ticks: list[Update]
) -> None:
    source, told = watching(feed), 0
    for update in ticks:
        bus.tick(update)
        events = source.news().events
        told += sum(event.kind == "notice" for event in events)
        if events:
            assert len(update.encounters)
    assert told > 0
    inside: dict[tuple[int, int], int] = {}
    expected = 0
    for update in ticks:
        pairs = update.encounters
        now = dict(zip(zip(pairs.vid, pairs.other, strict=True), pairs.level, strict=True))
        expected += sum(level > inside.get(pair, 0) for pair, level in now.items())
        inside = {pair: max(level, inside.get(pair, 0)) for pair, level in now.items()}
    assert told == expected


def test_each_viewer_is_told_each_event_once_and_latecomers_the_log(
    bus: BusOfOne, feed: LiveFeed
) -> None:
    early = watching(feed)
    bus.event("one")
    assert [e.text for e in early.news().events] == ["one"]
    bus.event("two")
    late = watching(feed)
    assert [e.text for e in early.news().events] == ["two"]
    assert [e.text for e in late.news().events] == ["one", "two"]
    assert early.news().events == late.news().events == []
    for i in range(EVENTS_KEPT + 10):
        bus.event(str(i))
    texts = [e.text for e in early.news().events]
    assert len(texts) == EVENTS_KEPT
    assert texts[-1] == str(EVENTS_KEPT + 9)


def test_the_last_word_on_each_target_is_on_the_map(bus: BusOfOne, feed: LiveFeed) -> None:
    source = watching(feed)
    vids = feed.record.roster.vids
    frame = Frame(*feed.record.origin)

    def sees(sighting: Sighting, target: int, t: float, x: float) -> None:
        one = {"vid": [vids[0]], "target": [target], "sighting": [sighting], "t_seen": [t]}
        place = {"x": [x], "y": [2.0], "z": [0.0]}
        columns = {name: np.array(values) for name, values in (one | place).items()}
        data = DETECTION_LAYOUT.encode({"t": t, "tick": 1}, Detections(columns))
        bus.say([(DETECTIONS, t, data)])

    sees(Sighting.FOUND, vids[1], 1.0, 100.0)
    sees(Sighting.FOUND, vids[2], 2.0, 50.0)
    sees(Sighting.LOST, vids[1], 3.0, 120.0)
    sees(Sighting.LOST, 4_000_000, 3.0, 0.0)  # nobody on the roster
    sighted = source.news().sighted
    assert sighted is not None
    assert [(s.row, s.target, s.sighting, s.t) for s in sighted] == [
        (0, 2, "found", 2.0),
        (0, 1, "lost", 3.0),
    ]
    x, y, _ = frame.to_local(sighted[1].lat, sighted[1].lon)
    assert (float(x), float(y)) == pytest.approx((120.0, 2.0), abs=1e-6)
    assert source.news().sighted is None


def test_tails_are_the_last_minute_every_half_second(
    bus: BusOfOne, feed: LiveFeed, ticks: list[Update]
) -> None:
    for update in ticks:
        bus.tick(update)
    history = asyncio.run(watching(feed).history())
    assert len(history.t) == SPAN / STEP
    np.testing.assert_allclose(np.diff(history.t), STEP)
    assert history.t[-1] == ticks[-1].snapshot.t
    true = {update.snapshot.t: update.snapshot.vehicles for update in ticks}
    for i, t in enumerate(history.t.tolist()):
        np.testing.assert_array_equal(history.lat[i], true[t].lat)
        np.testing.assert_array_equal(history.lon[i], true[t].lon)
        np.testing.assert_array_equal(history.z[i], true[t].z.astype(np.float32))


def test_tails_begin_anew_where_time_goes_back(
    bus: BusOfOne, feed: LiveFeed, ticks: list[Update]
) -> None:
    source = watching(feed)
    for update in (*ticks[:100], ticks[0]):
        bus.tick(update)
    assert source.jumped()
    assert not source.jumped()
    for update in ticks[1:11]:
        bus.tick(update)
    assert feed.history().t.tolist() == pytest.approx([0.0, 0.5, 1.0])


def test_tails_do_not_know_the_unheard_and_are_bounded() -> None:
    vehicles = VehicleStates.empty(3)
    vehicles.health[:] = Health.HEARD, Health.UNHEARD, Health.LOST
    tails = Tails(3)
    tails.add(0.0, vehicles)
    assert np.isnan(tails.history().lat).tolist() == [[False, True, False]]
    assert np.isnan(tails.history().x).tolist() == [[False, True, False]]
    many = Tails(200_000)
    assert sum(column.nbytes for column in many._places.values()) <= 64 * 1024 * 1024


def status_of(source: LiveSource, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    def there() -> dict[str, Any] | None:
        status = source.news().status
        return status if status is not None and wanted(status) else None

    found: dict[str, Any] = wait_until(there, timeout=40)
    return found


def test_whose_vehicles_they_are_is_told_when_it_changes(bus: BusOfOne, feed: LiveFeed) -> None:
    source = watching(feed)
    first = status_of(source, lambda _: True)
    assert first["host_of"] == [0, 0, -1]
    assert "host_of" not in status_of(source, lambda _: True)
    bus.status = {"run": RUN, "state": "GO", "host_of": [0, 0, 1]}
    assert status_of(source, lambda s: "host_of" in s)["host_of"] == [0, 0, 1]
    assert status_of(watching(feed), lambda _: True)["host_of"] == [0, 0, 1]
    assert (keys.STATUS, b"console") in bus.asked


def test_a_core_that_is_gone_is_told_and_so_is_its_return(bus: BusOfOne, feed: LiveFeed) -> None:
    source = watching(feed)
    status_of(source, lambda _: True)
    bus.status = None
    silent = status_of(source, lambda s: s.get("core_silent", 0) > 1)
    assert silent["state"] == "GO"
    bus.status = {"run": "another", "state": "READY", "host_of": []}
    assert status_of(source, lambda s: s["core_silent"] > silent["core_silent"])["state"] == "GO"
    bus.status = {"run": RUN, "state": "PAUSE", "host_of": [0, 0, -1]}
    assert "core_silent" not in status_of(source, lambda s: s["state"] == "PAUSE")


def test_stop_is_told_at_once_and_stays_although_the_core_ends(
    bus: BusOfOne, feed: LiveFeed, ticks: list[Update]
) -> None:
    source = watching(feed)
    status_of(source, lambda _: True)
    bus.tick(ticks[7])
    bus.status = None  # it ends before anybody could ask
    stop = msgspec.json.encode(RunStateRecord(0.7, "STOP", 1e9))
    bus.say([(RUN_STATE, 0.7, stop)])
    status = status_of(source, lambda s: s["state"] == "STOP")
    assert status["legal"] == []
    assert "core_silent" not in status
    time.sleep(1.2)
    assert source.news() == News()
    assert source.moment() is feed.moment is not None


def test_viewers_are_woken_by_what_comes(
    bus: BusOfOne, feed: LiveFeed, ticks: list[Update]
) -> None:
    async def watch() -> tuple[float, float, News]:
        loop = asyncio.get_running_loop()
        source = feed.open()
        await source.changed()
        source.news()
        loop.run_in_executor(None, bus.tick, ticks[0])
        began = loop.time()
        await asyncio.wait_for(source.changed(), 5)
        woken = loop.time() - began
        source.close()
        began = loop.time()
        await source.changed()
        return woken, loop.time() - began, source.news()

    woken, alone, _ = asyncio.run(watch())
    assert woken < 0.5
    assert alone > 0.9  # nobody wakes it any more; yet it looks every second
    bus.tick(ticks[1])  # the loop is closed: harms nobody


def test_a_live_run_cannot_be_moved(feed: LiveFeed) -> None:
    with pytest.raises(FeedRefused, match="this run is live; seek is for recordings"):
        watching(feed).control({"seek": 3})


def test_the_core_decides_on_commands_and_marks(bus: BusOfOne, feed: LiveFeed) -> None:
    bus.answers[keys.COMMAND] = Done(BEACON, ["uav-1"])
    assert feed.command(RunState.GO, "ann") == {"state": "GO", "silent": ["uav-1"]}
    bus.answers[keys.MARK] = Marked(4.5)
    assert feed.mark("rain", "ann") == {"t": 4.5}
    key, data = bus.asked[-1] if bus.asked[-1][0] == keys.MARK else bus.asked[-2]
    assert key == keys.MARK
    assert decode(Mark, data) == Mark("rain", "ann")
    bus.answers[keys.COMMAND] = bus.answers[keys.MARK] = Refusal("not now")
    with pytest.raises(FeedRefused, match="not now"):
        feed.command(RunState.SET, "ann")
    with pytest.raises(FeedRefused, match="not now"):
        feed.mark("rain", "ann")


def test_where_nobody_joins_there_are_no_links(feed: LiveFeed) -> None:
    assert feed.links() == []
    with pytest.raises(FeedRefused, match="real vehicle called 'uav-1'"):
        feed.change_link("uav-1", "renew")
    with pytest.raises(FeedRefused, match="renew and revoke"):
        feed.change_link("uav-1", "steal")


def test_links_come_from_the_gateways_that_are_here(bus: BusOfOne, feed: LiveFeed) -> None:
    def answer(key: str, data: bytes, *_: float) -> bytes:
        said.append((key, msgspec.json.decode(data)))
        return msgspec.json.encode(answers[key])

    said: list[tuple[str, list[str]]] = []
    medic = {"vehicle": "uav-1", "url": "https://x/j/1", "connected": False, "used": False}
    answers = {
        keys.gateway_key("door"): {"links": [medic]},
        keys.gateway_key("other"): {"refused": "no real vehicle of this run comes through join"},
    }
    hosts = [{"host": name, "lost": name == "gone"} for name in ("door", "other", "gone")]
    real = [{"row": row} for row in range(3)]
    feed._watch.close()
    feed._watch.latest = {"state": "GO", "host_of": [0, 1, 2], "hosts": hosts, "real": real}
    bus.ask = answer  # type: ignore[method-assign]
    assert feed.links() == [medic]
    feed.change_link("uav-1", "renew")
    assert said[-1] == (keys.gateway_key("door"), ["join", "renew", "uav-1"])
    with pytest.raises(FeedRefused, match="comes through join"):
        feed.change_link("uav-2", "revoke")
    with pytest.raises(FeedRefused, match="no gateway that is here"):
        feed.change_link("uav-3", "revoke")


FIELD = """
name: field
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 600}
areas: {street: {rectangle: [120, 30]}}
vehicles:
  - {name: medic, vid: 1, kind: pedestrian, live: {type: join, port: PORT}}
  - {name: cart, vid: 10, count: 4, kind: ground, start: {within: street}, behaviors: {wander: {}}}
"""


@pytest.mark.xdist_group("live")
def test_a_real_run_is_watched_and_run_from_ready_to_stop(tmp_path: Path) -> None:
    (tmp_path / "field.yaml").write_text(FIELD.replace("PORT", str(free_port())))
    with live_run(tmp_path, "field.yaml", "--manual", "--hosts", "1") as run:
        run.wait_for("READY")
        with Bus.connect(run.address) as bus:
            feed = LiveFeed(bus)
            try:
                _watch_and_run(run, feed, watching(feed))
            finally:
                feed.close()
        code, _, said = run.ended()
    assert code == 0, said
    with Recording(run.recording) as recording:
        events = [(event.kind, event.text, event.who) for event in recording.events()]
    assert ("mark", "the gate opens", "ann") in events
    assert ("state", "SET to GO", "ann") in events


def _watch_and_run(run: LiveRun, feed: LiveFeed, source: LiveSource) -> None:
    status = status_of(source, lambda s: len(s["hosts"]) == 2 and len(s["missing"]) == 1)
    assert status["state"] == "READY"
    assert status["legal"] == ["SET", "STOP"]
    assert status["missing"] == [{"what": "medic's phone", "why": "never heard", "vid": 1}]
    (link,) = feed.links()
    assert link["vehicle"] == "medic"
    feed.change_link("medic", "renew")
    assert feed.links()[0]["url"] != link["url"]
    with pytest.raises(FeedRefused, match="cannot go from READY to GO"):
        feed.command(RunState.GO, "ann")
    assert feed.command(RunState.SET, "ann") == {"state": "SET", "silent": ["medic"]}
    wait_until(lambda: source.moment() is not None)
    feed.command(RunState.GO, "ann")
    assert feed.mark("the gate opens", "ann")["t"] >= 0
    wait_until(lambda: (moment := source.moment()) is not None and moment.t > 1)
    assert len(asyncio.run(source.history()).t) >= 3
    moment = source.moment()
    assert moment is not None
    run.kill("movenv core")
    wait_until(lambda: (now := source.moment()) is not None and now.t > moment.t + 2, timeout=30)
    status_of(source, lambda s: s["state"] == "GO" and "core_silent" not in s)
    feed.command(RunState.STOP, "ann")
    stopped = status_of(source, lambda s: s["state"] == "STOP")
    assert stopped["legal"] == stopped["missing"] == []

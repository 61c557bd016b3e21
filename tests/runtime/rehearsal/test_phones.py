"""Phones that are played: in every format, into the real gateway, as bad as was asked for."""

import math
import socket
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from movenv.gateways.config import Entry
from movenv.gateways.fix import Fix
from movenv.gateways.inlet import Arrival, Inlet
from movenv.gateways.part import Surroundings, Track
from movenv.parts.registry import find
from movenv.runtime.errors import WrongInput
from movenv.runtime.rehearsal.doors import DOORS, FORMATS, sender_for, sender_in, spoken
from movenv.runtime.rehearsal.imperfections import Chance, Imperfections
from movenv.runtime.rehearsal.motion import SimulatedMotion, TrackMotion
from movenv.runtime.rehearsal.plan import Wishes, rehearsal
from movenv.runtime.rehearsal.player import Phone, Player
from movenv.runtime.surroundings import NoTrack, recorded_track
from movenv.scenario.build import Stage
from movenv.scenario.load import load
from movenv.world.frames import Frame
from movenv.world.kinds import Kind

WALK = Track(
    [0.0, 10.0, 20.0],
    [29.193111, 29.193237, 29.193237],  # 14 m north, then 14 m east
    [-81.046171, -81.046171, -81.046027],
    [3.0, 3.0, 3.0],
)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Kept:
    """A sender that keeps what it is given."""

    def __init__(self) -> None:
        self.trouble: Counter[str] = Counter()
        self.fixes: list[tuple[float, Fix]] = []

    def send(self, fix: Fix) -> None:
        self.fixes.append((time.time(), fix))

    def close(self) -> None:
        pass


def arrived(inlet: Inlet, count: int, timeout: float = 10.0) -> list[Arrival]:
    found: list[Arrival] = []
    until = time.monotonic() + timeout
    while sum(len(one.fixes) for one in found) < count and time.monotonic() < until:
        found += inlet.drain()
        time.sleep(0.02)
    return found


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_goes_through_its_gateway_over_a_real_socket(name: str) -> None:
    part = find("gateways", FORMATS[name])
    port = free_port()
    own = {"own_port": True} if "own_port" in part.Config.model_fields else {}
    needed = {"component": "126.1.10"} if part.name == "jaus" else {}
    config = part.Config(type=part.name, port=port - 1 if own else port, **own, **needed)
    entry = Entry(1, "medic", Kind("pedestrian"), config)
    inlet = Inlet()
    gateway = part([entry], inlet, Surroundings())
    sender = sender_for(entry, "127.0.0.1", name)  # of gpsd it is the server
    gateway.open()
    time.sleep(0.3)
    player = Player([Phone(entry.device, "", sender)], TrackMotion([WALK]), 10, Imperfections(0.01))
    try:
        player.play(0.95)
        came = arrived(inlet, player.sent - 1)  # of NMEA the first epoch ends with the second
    finally:
        player.close()
        gateway.close()
    fixes = [fix for one in came for _, fix in one.fixes]
    assert player.sent == 10
    assert not player.trouble
    assert len(fixes) >= 9, [one.refused for one in came]
    assert not any(one.refused for one in came)
    for fix in fixes:
        assert fix.lon == pytest.approx(WALK.lon[0], abs=2e-6)
        assert WALK.lat[0] - 2e-6 <= fix.lat <= WALK.lat[1]
        assert abs(time.time() - fix.time) < 12
    assert fixes[-1].lat > fixes[0].lat
    speeds = [fix.speed for fix in fixes if math.isfinite(fix.speed)]
    assert all(speed == pytest.approx(1.4, abs=0.15) for speed in speeds)


@pytest.mark.parametrize("gateway", ["phone_udp", "phone_http", "datagram"])
@pytest.mark.parametrize("device", [None, "3C:5A:B4:01:02:03", "Dr. Müller"])
def test_a_phone_that_shares_its_port_says_who_it_is(gateway: str, device: str | None) -> None:
    part, port = find("gateways", gateway), free_port()
    configs = [
        part.Config(type=gateway, port=port, device=device),
        part.Config(type=gateway, port=port),
    ]
    medic, other = (
        Entry(vid, name, Kind("pedestrian"), config)
        for vid, name, config in zip((1, 2), ("medic", "other"), configs, strict=True)
    )
    inlet = Inlet()
    gate = part([medic, other], inlet, Surroundings())
    gate.open()
    sender = sender_for(medic, "127.0.0.1", None)
    player = Player([Phone(medic.device, "", sender)], TrackMotion([WALK]), 10, Imperfections())
    try:
        player.play(0.45)
        came = arrived(inlet, player.sent)
    finally:
        player.close()
        gate.close()
    assert [one.refused for one in came if one.refused] == []
    assert {vid for one in came for vid, _ in one.fixes} == {1}


@pytest.mark.parametrize(
    ("device", "wanted", "speaks"),
    [
        ("medic", None, "sensorlog"),
        ("3C:5A:B4:01:02:03", None, "hyperimu"),
        ("02:00:00:00:00:00", None, "sensorlog"),  # what Android shows for every phone
        ("3C:5A:B4:01:02:03", "sensorlog", "sensorlog"),
        ("medic", "hyperimu", None),
        ("7", None, None),
        ("a,b", None, None),
        ("a#b", None, None),
        ("a\nb", None, None),
    ],
)
def test_a_format_that_cannot_say_who_it_is_from_is_not_spoken(
    device: str, wanted: str | None, speaks: str | None
) -> None:
    config = find("gateways", "phone_udp").Config
    shared = Entry(1, "medic", Kind("pedestrian"), config(type="phone_udp", device=device))
    alone = Entry(
        1, "medic", Kind("pedestrian"), config(type="phone_udp", device=device, own_port=True)
    )
    assert spoken(alone, wanted) == (wanted or "hyperimu")
    if speaks is None:
        with pytest.raises(WrongInput, match=r"medic: .*set own_port: true"):
            spoken(shared, wanted)
    else:
        assert spoken(shared, wanted) == speaks


def test_over_tcp_the_receiver_connects_to_the_gateway() -> None:
    part = find("gateways", "nmea")
    entry = Entry(
        1, "boat", Kind("surface"), part.Config(type="nmea", over="tcp", port=free_port())
    )
    inlet = Inlet()
    gateway = part([entry], inlet, Surroundings())
    gateway.open()
    player = Player(
        [Phone("boat", "", sender_for(entry, "127.0.0.1", None))],
        TrackMotion([WALK]), 10, Imperfections(),
    )  # fmt: skip
    player.play(0.5)
    assert len(arrived(inlet, 3)) >= 3
    player.close()
    gateway.close()


def test_a_receiver_that_the_gateway_looks_for_here_is_played() -> None:
    part = find("gateways", "nmea")
    config = part.Config(type="nmea", over="tcp", host="127.0.0.1", port=free_port())
    entry = Entry(1, "boat", Kind("surface"), config)
    inlet = Inlet()
    sender = sender_for(entry, "127.0.0.1", None)
    gateway = part([entry], inlet, Surroundings())
    gateway.open()
    time.sleep(0.3)
    player = Player([Phone("boat", "", sender)], TrackMotion([WALK]), 10, Imperfections())
    player.play(0.5)
    assert len(arrived(inlet, 3)) >= 3
    gateway.close()
    player.close()


def test_what_is_refused_is_told() -> None:
    part = find("gateways", "phone_http")
    port = free_port()
    entry = Entry(1, "medic", Kind("pedestrian"), part.Config(type="phone_http", port=port))
    gateway = part([entry], Inlet(), Surroundings())
    gateway.open()
    stranger = Phone("somebody", "", sender_in("owntracks", "127.0.0.1", port))
    nobody = Phone("medic", "", sender_in("owntracks", "127.0.0.1", free_port()))
    player = Player([stranger, nobody], TrackMotion([WALK, WALK]), 5, Imperfections())
    player.play(0.5)
    player.close()
    gateway.close()
    reasons = " ".join(player.trouble)
    assert "403" in reasons
    assert "unknown device" in reasons
    assert "refused" in reasons.lower()


def test_noise_is_as_large_as_asked_for_on_each_axis() -> None:
    chance = Chance(Imperfections(noise=3.0), seed=1)
    frame = Frame(29.193111, -81.046171)
    places = np.array([chance.misplaced(29.193111, -81.046171) for _ in range(4000)])
    x, y, _ = frame.to_local(places[:, 0], places[:, 1])
    for axis in (x, y):
        assert abs(axis.mean()) < 0.2
        assert axis.std() == pytest.approx(3.0, rel=0.05)
    inside = np.hypot(x, y) < chance.accuracy
    assert inside.mean() == pytest.approx(0.68, abs=0.03)


def test_losses_and_delays_are_as_asked_for() -> None:
    chance = Chance(Imperfections(drop=0.4, delay=0.2, jitter=1.0), seed=2)
    assert np.mean([chance.is_lost() for _ in range(5000)]) == pytest.approx(0.4, abs=0.02)
    takes = np.array([chance.takes() for _ in range(5000)])
    assert takes.min() >= 0.2
    assert takes.max() <= 1.2
    assert takes.mean() == pytest.approx(0.7, abs=0.02)
    perfect = Chance(Imperfections(), seed=3)
    assert perfect.misplaced(1.0, 2.0) == (1.0, 2.0)
    assert not perfect.is_lost()
    assert perfect.takes() == 0.0


def play(seconds: float, rate: float, how: Imperfections, phones: int = 1) -> list[Kept]:
    kept = [Kept() for _ in range(phones)]
    everyone = [Phone(f"p{i}", "", one) for i, one in enumerate(kept)]
    Player(everyone, TrackMotion([WALK] * phones), rate, how, seed=4).play(seconds)
    return kept


def test_delayed_packets_come_late_and_out_of_order_but_all_come() -> None:
    (kept,) = play(1.0, 20, Imperfections(delay=0.1, jitter=0.4))
    assert sorted(fix.sequence for _, fix in kept.fixes) == list(range(1, 21))
    late = [at - fix.time for at, fix in kept.fixes]
    assert min(late) >= 0.1
    assert max(late) < 0.7
    assert [fix.sequence for _, fix in kept.fixes] != list(range(1, 21))


def test_every_phone_measures_at_its_rate_and_not_all_at_once() -> None:
    kept = play(1.0, 5, Imperfections(), phones=30)
    assert {len(one.fixes) for one in kept} <= {4, 5, 6}
    moments = {round(fix.time, 3) for one in kept for _, fix in one.fixes}
    assert len(moments) > 50


def test_a_track_is_walked_along_and_begun_again() -> None:
    motion = TrackMotion([WALK])
    one = np.array([0])
    early, late = motion.at(5.0, one), motion.at(15.0, one)
    assert early.lat[0] == pytest.approx((WALK.lat[0] + WALK.lat[1]) / 2)
    assert early.speed[0] == pytest.approx(1.4, abs=0.01)
    assert early.course[0] == pytest.approx(0.0, abs=0.1)
    assert late.course[0] == pytest.approx(90.0, abs=0.1)
    assert motion.at(25.0, one).lat[0] == pytest.approx(early.lat[0])


def test_the_real_vehicles_of_a_scenario_walk_as_its_behaviors_say() -> None:
    stage = Stage(load("mixed-field"), real=False)
    rows = np.array([0, 1])
    motion = SimulatedMotion(stage, rows)
    before, after = motion.at(0.0, rows), motion.at(10.0, rows)
    for i in rows:
        x, y, _ = stage.frame.to_local([before.lat[i], after.lat[i]], [before.lon[i], after.lon[i]])
        assert np.hypot(np.diff(x), np.diff(y))[0] == pytest.approx(14.0, abs=0.5)
        assert after.speed[i] == pytest.approx(1.4, abs=0.05)
    assert motion.at(10.0, np.array([1])).lat[0] == after.lat[1]


def wishes(**changes: object) -> Wishes:
    plain: dict[str, object] = {
        "source": "mixed-field", "host": "127.0.0.1", "port": None, "format": None, "rate": 1.0,
        "imperfections": Imperfections(), "with_speed": True, "count": 1, "device": None,
        "vehicles": ["*"], "seed": 0, "changes": [], "truth": lambda *place: None,
    }  # fmt: skip
    return Wishes(**(plain | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"source": "three-uavs"}, "no real vehicles"),
        ({"format": "morse"}, "does not speak morse"),
        ({"source": "walk.gpx"}, "cannot read walk.gpx"),
        ({"vehicles": ["nobody"]}, "no real vehicles called nobody"),
        ({"count": 3}, "--count is for tracks"),
        ({"source": "every-gateway", "vehicles": ["medic"]}, "open its link in a browser"),
        ({"source": "every-gateway", "vehicles": ["boat"]}, "looked for at 192.168.1.40"),
        ({"source": "every-gateway", "vehicles": ["buoy"]}, "on a line of its own"),
        (
            {"source": "every-gateway", "vehicles": ["truck"]},
            "is asked at 192.168.1.30:3794",
        ),
    ],
)
def test_what_cannot_be_rehearsed_is_said(changes: dict[str, object], said: str) -> None:
    with pytest.raises(WrongInput, match=said):
        rehearsal(wishes(**changes))


def test_a_track_needs_a_format_and_a_known_one(tmp_path: Path) -> None:
    path = tmp_path / "walk.gpx"
    points = "".join(
        f'<trkpt lat="{lat}" lon="{lon}"><time>2026-11-15T12:00:{int(t):02}Z</time></trkpt>'
        for t, lat, lon in zip(WALK.t, WALK.lat, WALK.lon, strict=True)
    )
    path.write_text(f"<gpx><trk><trkseg>{points}</trkseg></trk></gpx>")
    with pytest.raises(WrongInput, match="--format"):
        rehearsal(wishes(source=str(path)))
    player, lines = rehearsal(wishes(source=str(path), format="owntracks", count=3))
    assert [line.partition(":")[0] for line in lines] == ["walk-1", "walk-2", "walk-3"]
    player.close()
    with pytest.raises(WrongInput, match="unknown format"):
        sender_in("morse", "127.0.0.1", None)


def test_formats_have_names_of_their_own() -> None:
    assert sum(len(door.formats) for door in DOORS.values()) == len(FORMATS)


def test_a_recording_without_that_vehicle_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoTrack):
        recorded_track(tmp_path / "none.mcap", "medic")
    assert issubclass(NoTrack, ValueError)  # so gateways tell it in words


def test_each_phone_sends_at_its_own_rate_and_counts_its_own_fixes() -> None:
    quick, slow = Kept(), Kept()
    phones = [Phone("quick", "", quick, rate=20.0), Phone("slow", "", slow)]
    Player(phones, TrackMotion([WALK, WALK]), 5.0, Imperfections()).play(0.98)
    assert len(quick.fixes) == 20
    assert len(slow.fixes) == 5
    assert [fix.sequence for _, fix in slow.fixes] == [1, 2, 3, 4, 5]

"""What comes in is bounded, whoever sends it."""

from movenv.gateways.config import Entry, LiveConfig
from movenv.gateways.fix import Fix, NothingInIt, Unreadable
from movenv.gateways.inlet import WAITING_BYTES, Arrival, Inlet
from movenv.gateways.part import KEPT_OF_REFUSED, Gateway, Surroundings
from movenv.runtime.live.gateway_process import OUTBOX, Outbox
from movenv.runtime.live.real_vehicles import REFUSED_KEPT, RealVehicles
from movenv.world.frames import Frame
from movenv.world.kinds import Kind

ENTRY = Entry(1, "medic", Kind("pedestrian"), LiveConfig(type="test"))


class Door(Gateway):
    name = "test"


def refuse(_data: bytes) -> list[Fix]:
    raise Unreadable("garbled")


def test_a_flood_is_dropped_by_bytes_and_counted() -> None:
    inlet = Inlet(lambda: 1.8e9)
    large = b"x" * (WAITING_BYTES // 10 + 1)
    for _ in range(15):
        inlet.take(Arrival(1.8e9, "test", "1.2.3.4:5", large))
    assert inlet.refused == {"too many": 5}
    assert len(inlet.drain()) == 10
    inlet.take(Arrival(1.8e9, "test", "1.2.3.4:5", large))
    assert len(inlet.drain()) == 1


def test_of_what_is_refused_only_the_beginning_is_kept() -> None:
    inlet = Inlet(lambda: 1.8e9)
    door = Door([ENTRY], inlet, Surroundings())
    assert door.receive(b"x" * 10_000, "1.2.3.4:5", refuse) == "garbled"
    whole = Fix(29.0, -81.0, device="medic")
    assert door.receive(b"y" * 10_000, "1.2.3.4:5", lambda _: [whole]) == ""
    assert [len(one.data) for one in inlet.drain()] == [KEPT_OF_REFUSED, 10_000]


def test_what_tells_nothing_is_not_counted_as_dropped() -> None:
    inlet = Inlet(lambda: 1.8e9)
    door = Door([ENTRY], inlet, Surroundings())

    def nothing(_data: bytes) -> list[Fix]:
        raise NothingInIt("no fix")

    assert door.receive(b"x", "1.2.3.4:5", nothing, vid=1) == "no fix"
    (one,) = inlet.drain()
    assert (one.refused, one.empty, one.vid) == ("", "no fix", 1)
    assert not inlet.refused


def test_a_flood_of_refused_packets_does_not_fill_the_recording() -> None:
    inlet = Inlet(lambda: 1.8e9)
    vehicles = RealVehicles(Frame(29.0, -81.0), [ENTRY], inlet)
    for i in range(1500):
        inlet.take(Arrival(1.8e9, "test", f"10.0.{i // 200}.{i % 200}:5", b"x", refused="garbled"))
        if i % 100 == 0:
            fix = Fix(29.0 + i * 1e-7, -81.0, 1.8e9 + i)
            inlet.take(Arrival(1.8e9 + i, "test", "1.2.3.4:5", b"y", [(1, fix)]))
    vehicles.listen()
    (packets,), happenings = vehicles.news()
    assert packets.count(b'"garbled"') == REFUSED_KEPT
    assert packets.count(b'"accepted"') == 15
    assert len(happenings) == 100
    assert inlet.refused["garbled"] == 1500


def test_what_cannot_be_sent_does_not_hold_up_who_sends() -> None:
    import threading

    gate = threading.Event()
    sent: list[bytes] = []

    def slow(data: bytes) -> None:
        gate.wait(10)
        sent.append(data)

    outbox = Outbox(slow)
    accepted = [outbox.send(b"%d" % i) for i in range(OUTBOX + 50)]
    assert OUTBOX <= sum(accepted) <= OUTBOX + 1
    gate.set()


def test_why_a_fix_is_not_believed_is_told_once_a_vehicle() -> None:
    inlet = Inlet(lambda: 1.8e9)
    vehicles = RealVehicles(Frame(29.0, -81.0), [ENTRY], inlet)
    for i in range(5):
        fix = Fix(29.0, -81.0, 1.8e9 + 5 + i)
        inlet.take(Arrival(1.8e9 + i, "test", "1.2.3.4:5", b"y", [(1, fix)]))
    vehicles.listen()
    ((kind, text, vid),) = vehicles.news()[1]
    assert (kind, vid) == ("refused", 1)
    assert "from the future" in text
    assert "+5.0 s" in text
    assert inlet.refused == {"from the future": 5}

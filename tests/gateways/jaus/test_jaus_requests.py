"""Reports without asking each time: events, and service connections."""

from dataclasses import replace

import pytest
from tests.gateways.jaus.played import ANN, BOB, SIGHT, TICK, Played

from movenv.gateways.jaus import messages as m
from movenv.gateways.jaus import subscriptions as s
from movenv.gateways.jaus.message import Message, decode_message, encode_message
from movenv.gateways.jaus.packet import Address
from movenv.gateways.jaus.reporting import UNSEEN
from movenv.gateways.jaus.requests import MOST, MOST_EACH, SILENT
from movenv.gateways.jaus.saying import Said
from movenv.gateways.jaus.scaled import Dialect
from movenv.gateways.jaus.stamp import stamp_at

SAE, REFERENCE = Dialect.SAE, Dialect.REFERENCE
POSE = encode_message(m.QueryGlobalPose(), SAE)
STATUS = encode_message(m.QueryStatus(), SAE)


def periodic(rate: float, query: bytes = POSE, request: int = 1) -> s.CreateEvent:
    return s.CreateEvent(request, s.When.PERIODIC, rate, query)


def on_change(query: bytes = POSE) -> s.CreateEvent:
    return s.CreateEvent(1, s.When.EVERY_CHANGE, 0.0, query)


def confirmed(car: Played, asked: Message, by: Address = ANN) -> s.ConfirmEventRequest:
    answer = car.answer(asked, by)
    assert isinstance(answer, s.ConfirmEventRequest)
    return answer


def rejected(car: Played, asked: Message, by: Address = ANN) -> s.Refusal:
    answer = car.answer(asked, by)
    assert isinstance(answer, s.RejectEventRequest)
    assert answer.request == asked.request  # type: ignore[attr-defined]
    return s.Refusal(answer.response or 0)


def seen() -> Played:
    car = Played()
    car.see()
    return car


def opened(said: Said) -> Message:
    """The report in an event."""
    assert isinstance(said.message, s.Event)
    return decode_message(said.message.report, SAE)


def times_told(car: Played, steps: list[float]) -> list[float]:
    """When something was told, since now; with a sight before each step."""
    begin, found = car.now, []
    for step in steps:
        car.see()
        found += [car.now - begin] * len(car.later(step))
    return found


def test_a_periodic_event_keeps_to_its_grid_without_drift() -> None:
    car = seen()
    assert confirmed(car, periodic(4.0)).rate == pytest.approx(4.0)
    told = []
    begin = car.now
    for _ in range(1000):  # it is looked every 30 ms, which does not divide a quarter of a second
        told += [car.now - begin] * len(car.later(0.03))
    assert len(told) == 120  # of 30 s
    late = [(at + 0.03) % 0.25 for at in told]
    assert max(min(off, 0.25 - off) for off in late) < 0.031
    assert told[-1] - told[0] == pytest.approx(119 / 4.0, abs=0.03)


def test_what_was_missed_is_not_made_up_for() -> None:
    car = seen()
    confirmed(car, periodic(4.0))
    assert len(car.later(0.0)) == 1
    assert len(car.later(10.1)) == 1
    assert len(car.later(0.1)) == 0  # 10.2: the next is at 10.25
    assert len(car.later(0.06)) == 1


@pytest.mark.parametrize("rate", [1 / TICK, 25.0, 1092.0])
def test_more_often_than_it_is_seen_is_as_often_as_it_is_seen(rate: float) -> None:
    car = seen()
    assert confirmed(car, periodic(rate)).rate == pytest.approx(1 / TICK)
    assert len(car.later(0.01)) == 1
    assert len(car.later(0.01)) == 0
    assert len(car.later(0.5)) == 0  # it was not seen
    car.see()
    assert len(car.later(0.0)) == 1


def test_an_event_is_an_envelope_with_the_report_that_the_query_asks_for() -> None:
    car = seen()
    only_yaw = encode_message(m.QueryGlobalPose(1 << 6), SAE)
    number = confirmed(car, periodic(1.0, only_yaw)).event
    for count in range(300):
        (said,) = car.later(1.0)
        assert (said.to, said.dialect) == (ANN, SAE)
        assert isinstance(said.message, s.Event)
        assert (said.message.event, said.message.number) == (number, count % 256)
        report = decode_message(said.message.report, SAE)
        assert isinstance(report, m.ReportGlobalPose)
        assert report.yaw == pytest.approx(0.5, abs=1e-4)
        assert report.latitude != report.latitude


def test_every_change_is_a_change_of_what_is_told() -> None:
    car = seen()
    confirmed(car, on_change(STATUS))
    confirmed(car, on_change())
    assert len(car.later(0.0)) == 2
    assert times_told(car, [TICK] * 5) == []  # the same sight again
    car.see(replace(SIGHT, lat=29.2))
    (said,) = car.later(TICK)
    assert isinstance(said.message, s.Event)
    assert isinstance(decode_message(said.message.report, SAE), m.ReportGlobalPose)
    car.say(m.SetEmergency(), BOB)
    (said,) = car.later(0.0)
    assert isinstance(said.message, s.Event)
    assert decode_message(said.message.report, SAE) == m.ReportStatus(m.Status.EMERGENCY)
    assert car.later(TICK) == []


def test_nothing_is_told_of_a_vehicle_that_was_not_seen_but_its_status() -> None:
    car = Played()
    confirmed(car, periodic(5.0))
    assert car.later(1.0) == []
    confirmed(car, periodic(5.0, STATUS))
    assert len(car.later(1.0)) == 1


def test_who_is_not_seen_for_long_has_failed_and_where_it_was_is_still_told() -> None:
    car = seen()
    confirmed(car, on_change(STATUS))
    confirmed(car, on_change(encode_message(m.QueryVelocityState(), SAE)))
    assert len(car.later(UNSEEN * 0.9)) == 2
    status, velocity = (opened(said) for said in car.later(UNSEEN * 1.1))
    assert status == m.ReportStatus(m.Status.FAILURE)
    assert repr(velocity) == repr(m.ReportVelocityState(time=stamp_at(SIGHT.utc)))
    pose = car.answer(m.QueryGlobalPose())
    assert isinstance(pose, m.ReportGlobalPose)
    assert (pose.latitude, pose.time) == (SIGHT.lat, stamp_at(SIGHT.utc))
    car.see()
    assert opened(car.later(0.0)[0]) == m.ReportStatus(m.Status.STANDBY)


def test_an_event_is_updated_and_cancelled_by_whose_it_is() -> None:
    car = seen()
    number = confirmed(car, periodic(1.0)).event
    update = s.UpdateEvent(9, s.When.PERIODIC, 2.0, number, STATUS)
    assert rejected(car, update, BOB) == s.Refusal.UNKNOWN_EVENT
    assert rejected(car, s.CancelEvent(9, number), BOB) == s.Refusal.UNKNOWN_EVENT
    assert confirmed(car, update) == s.ConfirmEventRequest(9, number, 2.0)
    (said,) = car.later(0.0)
    assert isinstance(said.message, s.Event)
    assert isinstance(decode_message(said.message.report, SAE), m.ReportStatus)
    assert len(car.later(0.5)) == 1
    assert rejected(car, replace(update, query=b"\xff\xff")) == s.Refusal.MESSAGE_NOT_SUPPORTED
    assert rejected(car, replace(update, rate=0.0)) == s.Refusal.INVALID_SETUP
    assert len(car.later(0.5)) == 1  # and is as it was
    assert confirmed(car, s.CancelEvent(3, number)) == s.ConfirmEventRequest(3, number, 0.0)
    assert car.later(9.0) == []
    assert rejected(car, s.CancelEvent(4, number)) == s.Refusal.UNKNOWN_EVENT


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (periodic(0.0), s.Refusal.INVALID_SETUP),
        (s.CreateEvent(1, 2, 5.0, POSE), s.Refusal.INVALID_SETUP),
        (periodic(5.0, b"\xff\xff"), s.Refusal.MESSAGE_NOT_SUPPORTED),
        (periodic(5.0, POSE[:3]), s.Refusal.MESSAGE_NOT_SUPPORTED),
        (periodic(5.0, encode_message(m.Shutdown(), SAE)), s.Refusal.MESSAGE_NOT_SUPPORTED),
        (periodic(5.0, encode_message(m.QueryControl(), SAE)), s.Refusal.MESSAGE_NOT_SUPPORTED),
    ],
)
def test_what_cannot_be_an_event_is_rejected(asked: Message, why: s.Refusal) -> None:
    car = seen()
    assert rejected(car, asked) == why
    assert car.later(1.0) == []


def test_the_first_is_told_after_an_update_and_when_it_is_asked_for_again() -> None:
    car = seen()
    number = confirmed(car, on_change(STATUS)).event
    assert len(car.later(0.0)) == 1
    assert car.later(TICK) == []
    confirmed(car, s.UpdateEvent(2, s.When.EVERY_CHANGE, 0.0, number, STATUS))
    assert len(car.later(TICK)) == 1
    assert car.later(TICK) == []
    assert confirmed(car, on_change(STATUS)).event == number
    assert len(car.later(TICK)) == 1
    assert car.later(TICK) == []


def test_one_client_leaves_room_for_others() -> None:
    car = seen()
    for k in range(MOST_EACH):
        confirmed(car, periodic(1.0 + 0.5 * k))
    assert rejected(car, periodic(0.5)) == s.Refusal.CONNECTION_REFUSED
    confirmed(car, periodic(1.0))  # which it has already
    confirmed(car, periodic(0.5), BOB)


def test_which_events_there_are() -> None:
    car = seen()
    first = confirmed(car, periodic(5.0), BOB).event
    second = confirmed(car, on_change(STATUS), BOB).event
    connect(car, 0x4402, 5.0)  # is no event
    poses, states = (0, first, POSE), (1, second, STATUS)
    for which, told in [
        ((s.Which.ALL, 0), (poses, states)),
        ((s.Which.QUERY, 0x2402), (poses,)),
        ((s.Which.QUERY, 0x2403), ()),
        ((s.Which.WHEN, s.When.EVERY_CHANGE), (states,)),
        ((s.Which.EVENT, second), (states,)),
        ((s.Which.EVENT, 99), ()),
    ]:
        assert car.answer(s.QueryEvents(which)) == s.ReportEvents(told)


def test_there_is_a_bound_and_who_asks_twice_has_one() -> None:
    car = seen()
    numbers = {confirmed(car, periodic(5.0), Address(1, 1, 1 + k)).event for k in range(MOST)}
    assert len(numbers) == MOST
    assert rejected(car, periodic(5.0)) == s.Refusal.CONNECTION_REFUSED
    assert car.refused == {"too many events": 1}
    again = confirmed(car, periodic(5.0, request=7), Address(1, 1, 1))
    assert again.request == 7
    assert again.event in numbers
    assert len(car.later(1.0)) == MOST
    car.say(s.CancelEvent(1, again.event), Address(1, 1, 1))
    assert confirmed(car, periodic(5.0)).event == again.event


def test_who_left_gives_way_where_there_is_no_room() -> None:
    car = seen()
    clients = [Address(1, 1, 1 + k) for k in range(MOST)]
    numbers = [confirmed(car, periodic(5.0), client).event for client in clients]
    car.now += SILENT - 1.0
    for client in (*clients[:7], *clients[8:]):
        car.say(m.ReportHeartbeatPulse(), client)
    assert rejected(car, periodic(5.0)) == s.Refusal.CONNECTION_REFUSED
    car.now += 2.0
    assert confirmed(car, periodic(5.0)).event == numbers[7]
    assert rejected(car, periodic(5.0), BOB) == s.Refusal.CONNECTION_REFUSED
    assert clients[7] not in {said.to for said in car.later(1.0)}


# --- service connections


def connect(car: Played, report: int, rate: float, wanted: int = 0x1FF) -> Message | None:
    return car.answer(s.CreateServiceConnection(report, rate, wanted), ANN, REFERENCE)


def test_a_service_connection_has_the_wanted_fields_and_ends() -> None:
    car = seen()
    answer = connect(car, 0x4402, 5.0, 0b11)
    assert isinstance(answer, s.ConfirmServiceConnection)
    assert (answer.report, answer.response) == (0x4402, s.Connected.SUCCESSFUL)
    assert answer.rate == pytest.approx(5.0)
    (said,) = car.later(0.0)
    pose = m.ReportGlobalPose(latitude=29.19, longitude=-81.05)
    assert repr(said) == repr(Said(ANN, REFERENCE, pose, serves=True))
    assert len(car.later(0.2)) == 1
    for other in (ANN, BOB):  # another report, another's
        report = 0x4404 if other == ANN else 0x4402
        car.say(s.TerminateServiceConnection(report, answer.instance), other, REFERENCE)
    assert car.refused == {"no such connection": 2}
    assert len(car.later(0.2)) == 1
    car.say(s.TerminateServiceConnection(0x4402, answer.instance), ANN, REFERENCE)
    assert car.later(5.0) == []


def test_a_connection_that_is_suspended_tells_nothing_until_it_is_activated() -> None:
    car = seen()
    answer = connect(car, 0x4402, 5.0)
    assert isinstance(answer, s.ConfirmServiceConnection)
    assert len(car.later(0.2)) == 1
    for by in (BOB, ANN):
        car.say(s.SuspendServiceConnection(0x4402, answer.instance), by, REFERENCE)
        assert len(car.later(0.2)) == (by == BOB)
    assert car.later(5.0) == []
    car.say(s.ActivateServiceConnection(0x4402, answer.instance), ANN, REFERENCE)
    assert len(car.later(0.2)) == 1
    assert car.refused == {"no such connection": 1}


def test_connecting_again_replaces() -> None:
    car = seen()
    for rate in (1.0, 2.0, 5.0):
        connect(car, 0x4404, rate)
    car.later(0.0)
    assert len(car.later(0.2)) == 1


@pytest.mark.parametrize(
    ("report", "rate", "why"),
    [
        (0x4402, 0.0, s.Connected.INVALID_PARAMETER),
        (0x2402, 5.0, s.Connected.COMMAND_NOT_SUPPORTED),
        (0x0402, 5.0, s.Connected.COMMAND_NOT_SUPPORTED),
        (0x400D, 5.0, s.Connected.COMMAND_NOT_SUPPORTED),
        (0xFFFF, 5.0, s.Connected.COMMAND_NOT_SUPPORTED),
    ],
)
def test_what_cannot_be_connected_is_refused(report: int, rate: float, why: s.Connected) -> None:
    car = seen()
    assert connect(car, report, rate) == s.ConfirmServiceConnection(report, 0, 0.0, why)
    assert car.later(5.0) == []


def test_connections_share_the_bound() -> None:
    car = seen()
    for k in range(MOST):
        confirmed(car, periodic(5.0), Address(1, 1, 1 + k))
    refused = s.ConfirmServiceConnection(0x4402, 0, 0.0, s.Connected.REFUSED)
    assert connect(car, 0x4402, 5.0) == refused

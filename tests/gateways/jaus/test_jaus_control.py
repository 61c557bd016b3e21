"""Who drives a vehicle by JAUS, in which state, and what becomes of the wheel."""

from collections.abc import Callable

import pytest
from tests.gateways.jaus.played import ANN, BOB, BRAKED, CAR, TIMEOUT, Played, heard

from movenv.gateways.fix import NothingInIt, Unreadable
from movenv.gateways.jaus import messages as m
from movenv.gateways.jaus.codec import Heard
from movenv.gateways.jaus.component import Component
from movenv.gateways.jaus.control import OVERTAKEN
from movenv.gateways.jaus.message import Message, decode_message, encode_message
from movenv.gateways.jaus.packet import Acknowledge, Address, Packet
from movenv.gateways.jaus.saying import Said
from movenv.gateways.jaus.scaled import Dialect

SAE, REFERENCE = Dialect.SAE, Dialect.REFERENCE
Status, Confirmed = m.Status, m.Confirmed
FULL = m.SetWrenchEffort(propulsive_x=100.0, propulsive_yaw=50.0, resistive_x=0.0)


def ready(dialect: Dialect = SAE, authority: int = 200) -> Played:
    """Ann is in control, and it goes."""
    car = Played()
    assert car.answer(m.RequestControl(authority), dialect=dialect) == m.ConfirmControl()
    car.say(m.Resume(), dialect=dialect)
    assert (car.control.status, car.wheel.driver) == (Status.READY, "JAUS 126.1.20")
    return car


def standby(dialect: Dialect) -> Played:
    car = ready(dialect)
    car.say(m.Standby(), dialect=dialect)
    return car


def stopped(dialect: Dialect) -> Played:
    car = ready(dialect)
    car.say(m.SetEmergency(), BOB, dialect)
    return car


def shut(dialect: Dialect) -> Played:
    car = ready(dialect)
    car.say(m.Shutdown(), dialect=dialect)
    return car


IN: dict[Status, Callable[[Dialect], Played]] = {
    Status.READY: ready,
    Status.STANDBY: standby,
    Status.EMERGENCY: stopped,
    Status.SHUTDOWN: shut,
}
BECOMES: dict[tuple[type[Message], Status], Status] = {
    (m.Resume, Status.STANDBY): Status.READY,
    (m.Standby, Status.READY): Status.STANDBY,
    (m.Reset, Status.READY): Status.STANDBY,
    (m.Shutdown, Status.READY): Status.SHUTDOWN,
    (m.Shutdown, Status.STANDBY): Status.SHUTDOWN,
    (m.Shutdown, Status.EMERGENCY): Status.SHUTDOWN,
    (m.ClearEmergency, Status.EMERGENCY): Status.STANDBY,
}
"""What Ann brings about; in every other state it is as it was."""
COMMANDS = [m.Resume(), m.Standby(), m.Reset(), m.Shutdown(), m.ClearEmergency(), FULL]
CHANGES_NOTHING = {(m.Resume, Status.READY), (m.Standby, Status.STANDBY), (m.Reset, Status.STANDBY)}
"""As it is already: neither done nor refused."""


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("status", IN)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: type(c).__name__)
def test_commands_of_the_controller_in_every_state(
    command: Message, status: Status, dialect: Dialect
) -> None:
    car = IN[status](dialect)
    assert car.control.status == status
    counted = sum(car.refused.values())
    answered = car.say(command, ANN, dialect)
    kind = type(command)
    assert car.control.status == BECOMES.get((kind, status), status)
    obeyed = (kind, status) in BECOMES or (kind is m.SetWrenchEffort and status == Status.READY)
    known = obeyed or (kind, status) in CHANGES_NOTHING
    assert sum(car.refused.values()) == counted + (not known)
    told = [Said(ANN, dialect, m.RejectControl())] if kind is m.Shutdown and obeyed else []
    assert answered == told
    moving = kind is m.SetWrenchEffort and status == Status.READY
    assert (car.wheel.turns[-1] != BRAKED) is moving


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("status", IN)
@pytest.mark.parametrize("command", [*COMMANDS, m.ReleaseControl()], ids=lambda c: type(c).__name__)
def test_commands_of_another_are_counted_and_change_nothing(
    command: Message, status: Status, dialect: Dialect
) -> None:
    car = IN[status](dialect)
    before = car.control.controller, car.control.effort, len(car.wheel.turns)
    counted = sum(car.refused.values())
    assert car.say(command, BOB, dialect) == []
    assert car.control.status == status
    assert (car.control.controller, car.control.effort, len(car.wheel.turns)) == before
    assert sum(car.refused.values()) == counted + 1


@pytest.mark.parametrize("status", IN)
@pytest.mark.parametrize("by", [ANN, BOB])
def test_anybody_stops_it_in_any_state(status: Status, by: Address) -> None:
    car = IN[status](SAE)
    car.wheel.turns.clear()
    assert car.say(m.SetEmergency(), by) == []
    assert car.control.status == Status.EMERGENCY
    assert car.wheel.turns[-1] == BRAKED
    assert car.wheel.held == 255
    assert car.control.controller is None or car.control.controller.address == ANN


def test_another_emergency_than_stop_is_none() -> None:
    car = ready()
    car.say(m.SetEmergency(2), BOB)
    assert car.control.status == Status.READY
    car.say(m.SetEmergency())
    car.say(m.ClearEmergency(2))
    assert car.control.status == Status.EMERGENCY
    assert car.refused == {"unknown emergency": 1, "no such emergency": 1}


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("first", [0, 100, 255])
@pytest.mark.parametrize("second", [0, 99, 100, 101, 255])
def test_only_more_authority_outranks(first: int, second: int, dialect: Dialect) -> None:
    car = ready(dialect, first)
    said = car.say(m.RequestControl(second), BOB, dialect)
    if second > first:
        confirmed = Said(BOB, dialect, m.ConfirmControl())
        assert said == [Said(ANN, dialect, m.RejectControl()), confirmed]
        in_control, status = BOB, Status.STANDBY  # Bob has not resumed
        assert car.refused == {}
    else:
        refused = m.ConfirmControl(Confirmed.INSUFFICIENT_AUTHORITY)
        assert said == [Said(BOB, dialect, refused)]
        in_control, status = ANN, Status.READY
        assert car.refused == {"insufficient authority": 1}
    told = car.answer(m.QueryControl(), dialect=dialect)
    assert told == m.ReportControl(in_control, max(first, second))
    assert (car.control.status, car.wheel.held) == (status, max(first, second))


@pytest.mark.parametrize("again", [0, 150, 200, 201, 255])
def test_who_is_in_control_may_ask_again_with_another_authority(again: int) -> None:
    car = ready()
    car.say(FULL)
    assert car.say(m.RequestControl(again)) == [Said(ANN, SAE, m.ConfirmControl())]
    assert (car.wheel.held, car.control.status) == (again, Status.READY)
    answer = car.answer(m.RequestControl(again + 1 if again < 255 else 255), BOB)
    assert answer == m.ConfirmControl(
        Confirmed.ACCEPTED if again < 255 else Confirmed.INSUFFICIENT_AUTHORITY
    )


@pytest.mark.parametrize("dialect", Dialect)
def test_with_which_authority_it_is_driven(dialect: Dialect) -> None:
    car = Played()
    assert car.answer(m.QueryAuthority(), BOB, dialect) == m.ReportAuthority(0)
    car.say(m.RequestControl(200))
    assert car.answer(m.QueryAuthority(), BOB, dialect) == m.ReportAuthority(200)


def test_who_is_in_control_may_content_itself_with_less_authority_and_not_with_more() -> None:
    car = ready(authority=200)
    car.say(FULL)
    assert car.say(m.SetAuthority(201)) == car.say(m.SetAuthority(7), BOB) == []
    assert car.answer(m.QueryAuthority()) == m.ReportAuthority(200)
    assert car.refused == {"more authority than it has": 1, "not in control": 1}
    assert car.say(m.SetAuthority(50)) == []
    assert (car.wheel.held, car.control.status) == (50, Status.READY)
    car.later(0.1)
    assert car.wheel.turns[-1] == (-0.5, 1.0, 0.0, 1)  # it goes on
    assert car.answer(m.RequestControl(51), BOB) == m.ConfirmControl()


def test_less_authority_in_an_emergency_is_that_of_after_it() -> None:
    car = stopped(SAE)
    car.say(m.SetAuthority(50))
    assert car.wheel.held == 255
    car.say(m.ClearEmergency())
    assert (car.wheel.held, car.control.status) == (50, Status.STANDBY)


def test_who_loses_the_wheel_for_want_of_authority_is_told() -> None:
    car = ready()
    car.wheel.take = lambda who, authority: "somebody was quicker"  # type: ignore[method-assign]
    assert car.say(m.SetAuthority(50)) == [Said(ANN, SAE, m.RejectControl())]
    assert car.control.controller is None


@pytest.mark.parametrize(("timeout", "told"), [(0.1, 1), (1.0, 1), (2.9, 2), (60.0, 60)])
def test_after_how_much_silence_a_controller_is_lost_is_told(timeout: float, told: int) -> None:
    component = Component(CAR, "car", None, 0.1, timeout)
    (said,) = component.hear(heard(m.QueryTimeout()), 0.0)
    assert said.message == m.ReportTimeout(told)


@pytest.mark.parametrize("dialect", Dialect)
def test_who_cannot_be_driven_is_not_available(dialect: Dialect) -> None:
    taxi = Played(drivable=False)
    answer = taxi.answer(m.RequestControl(255), dialect=dialect)
    assert answer == m.ConfirmControl(Confirmed.NOT_AVAILABLE)
    taxi.say(m.SetEmergency(), dialect=dialect)
    assert taxi.answer(m.QueryStatus(), dialect=dialect) == m.ReportStatus(Status.STANDBY)
    assert taxi.refused == {"cannot be driven, nor stopped": 1}


def test_a_wheel_that_somebody_else_has_is_not_available_to_less_authority() -> None:
    car = Played()
    car.wheel.taken_by_another(100)
    assert car.answer(m.RequestControl(100)) == m.ConfirmControl(Confirmed.NOT_AVAILABLE)
    assert car.control.controller is None
    assert car.refused == {"no wheel: driven, authority 100": 1}
    assert car.answer(m.RequestControl(101)) == m.ConfirmControl()


def test_efforts_turn_the_wheel() -> None:
    car = ready()
    car.say(m.SetWrenchEffort(propulsive_x=40.0, propulsive_yaw=50.0, resistive_x=25.0))
    assert car.wheel.turns[-1] == (-0.5, 0.4, 0.25, 1)  # to the right
    car.say(m.SetWrenchEffort(propulsive_x=-40.0))
    assert car.wheel.turns[-1] == (-0.5, 0.4, 0.25, -1)
    car.say(m.SetWrenchEffort(propulsive_yaw=-100.0, propulsive_z=9.0, resistive_yaw=100.0))
    assert car.wheel.turns[-1] == (1.0, 0.4, 0.25, -1)
    assert car.later(0.5) == []
    assert car.wheel.turns[-1] == (1.0, 0.4, 0.25, -1)


def test_it_stands_until_the_first_effort_which_need_not_tell_of_the_brake() -> None:
    car = ready()
    car.later(0.1)
    assert car.wheel.turns[-1] == BRAKED
    car.say(m.SetWrenchEffort(propulsive_x=30.0))
    assert car.wheel.turns[-1] == (0.0, 0.3, 0.0, 1)


def push(car: Played, percent: float, sequence: int) -> bool:
    """Whether an effort is obeyed."""
    car.say(m.SetWrenchEffort(propulsive_x=percent), sequence=sequence)
    return car.wheel.turns[-1][1] == pytest.approx(percent / 100)


@pytest.mark.parametrize("begin", [0, 1000, 65_534, 65_535])
def test_an_effort_that_was_overtaken_is_dropped(begin: int) -> None:
    car = ready()
    orders = [0, 1, 3, 2, 3, 1, 4]
    obeyed = [push(car, 10.0 + k, (begin + n) % 2**16) for k, n in enumerate(orders)]
    assert obeyed == [True, True, True, False, True, False, True]
    assert car.refused == {"effort overtaken by a later one": 2}


def test_who_does_not_count_is_obeyed_as_it_comes() -> None:
    car = ready()
    assert all(push(car, 10.0 + k, 0) for k in range(5))


def test_a_controller_counts_anew_after_a_pause_and_when_it_takes_control() -> None:
    car = ready()
    assert push(car, 10.0, 500)
    assert not push(car, 20.0, 3)
    car.say(m.RequestControl(200))
    assert push(car, 30.0, 2)
    car.now += OVERTAKEN
    assert push(car, 40.0, 1)


@pytest.mark.parametrize("dialect", Dialect)
def test_as_near_to_zero_as_it_can_be_told_is_zero(dialect: Dialect) -> None:
    """In 16 bits from -100% to 100% no count is just 0."""
    car = ready(dialect)
    for count in (0x7FFF, 0x8000):
        effort = m.SetWrenchEffort(propulsive_x=0.0, propulsive_yaw=0.0)
        data = bytearray(encode_message(effort, dialect))
        if dialect is SAE:
            data[4:8] = 2 * count.to_bytes(2, "little")
        said = decode_message(bytes(data), dialect)
        car.say(said, dialect=dialect)
        assert car.wheel.turns[-1] == (0.0, 0.0, 0.0, 1)
    car.say(m.SetWrenchEffort(propulsive_x=-0.01, propulsive_yaw=0.01), dialect=dialect)
    assert car.wheel.turns[-1] == pytest.approx((-1e-4, 1e-4, 0.0, -1))


@pytest.mark.parametrize(
    "words",
    [
        [m.Standby(), m.Resume()],
        [m.Reset(), m.Resume()],
        [m.SetEmergency(), m.ClearEmergency(), m.Resume()],
        [m.ReleaseControl(), m.RequestControl(200), m.Resume()],
        [m.Shutdown(), m.RequestControl(200), m.Resume()],
    ],
    ids=lambda words: type(words[0]).__name__,
)
def test_nobody_drives_off_by_merely_resuming(words: list[Message]) -> None:
    car = ready()
    car.say(FULL)
    for word in words:
        car.say(word)
    car.later(0.1)
    assert (car.control.status, car.wheel.turns[-1]) == (Status.READY, BRAKED)
    told = car.answer(m.QueryWrenchEffort())
    assert isinstance(told, m.ReportWrenchEffort)
    assert (told.propulsive_x, told.resistive_x) == (0.0, 100.0)
    car.say(FULL)
    assert car.wheel.turns[-1] == (-0.5, 1.0, 0.0, 1)


@pytest.mark.parametrize("dialect", Dialect)
def test_a_controller_that_falls_silent_is_lost_and_told(dialect: Dialect) -> None:
    car = ready(dialect)
    car.say(FULL, dialect=dialect)
    assert car.later(TIMEOUT * 0.9) == []
    assert car.wheel.turns[-1] == (-0.5, 1.0, 0.0, 1)
    car.say(m.QueryHeartbeatPulse(), dialect=dialect)  # any word will do
    car.say(m.QueryHeartbeatPulse(), BOB, dialect)
    assert car.later(TIMEOUT * 0.9) == []
    car.say(m.QueryHeartbeatPulse(), BOB, dialect)  # but not anybody's
    assert car.later(TIMEOUT * 0.2) == [Said(ANN, dialect, m.RejectControl())]
    assert (car.wheel.released, car.control.status) == ([True], Status.STANDBY)
    assert car.answer(m.QueryControl()) == m.ReportControl(Address(0, 0, 0), 0)
    assert car.refused == {"controller lost": 1}
    assert car.later(10.0) == []
    car.say(FULL, dialect=dialect)
    assert car.refused == {"controller lost": 1, "not in control": 1}


LIVES: dict[str, Heard] = {
    "a code that is not known": Heard(SAE, Packet(CAR, ANN, b""), NothingInIt("another message")),
    "a report": heard(m.ReportHeartbeatPulse()),
    "acknowledged": heard(m.QueryStatus(), acknowledge=Acknowledge.DONE),
    "refused": heard(m.QueryStatus(), acknowledge=Acknowledge.REFUSED),
}


@pytest.mark.parametrize("word", LIVES.values(), ids=list(LIVES))
def test_any_sound_word_is_a_sign_of_life(word: Heard) -> None:
    car = ready()
    for _ in range(3):
        car.now += TIMEOUT * 0.9
        car.component.hear(word, car.now)
        assert car.component.due(car.now) == []
    assert car.control.status == Status.READY


def test_broken_words_and_those_of_another_are_no_sign_of_life() -> None:
    car = ready()
    car.now += TIMEOUT * 0.9
    car.component.hear(Heard(SAE, Packet(CAR, ANN, b""), Unreadable("cut off")), car.now)
    car.component.hear(heard(m.ReportHeartbeatPulse(), BOB), car.now)
    assert car.later(TIMEOUT * 0.2) == [Said(ANN, SAE, m.RejectControl())]


def test_who_lets_go_leaves_it_to_itself() -> None:
    car = ready()
    assert car.answer(m.ReleaseControl()) == m.RejectControl()
    assert (car.wheel.released, car.control.status) == ([False], Status.STANDBY)


def test_a_wheel_taken_by_somebody_else_is_gone_and_its_controller_told() -> None:
    car = ready(authority=50)
    car.say(FULL)
    car.wheel.taken_by_another(100)
    turned = len(car.wheel.turns)
    assert car.later(0.01) == [Said(ANN, SAE, m.RejectControl())]
    assert car.answer(m.QueryStatus()) == m.ReportStatus(Status.STANDBY)
    car.say(FULL)
    assert len(car.wheel.turns) == turned
    assert car.wheel.held == 100  # and it stays theirs
    assert car.refused == {"wheel taken by more authority": 1, "not in control": 1}


def test_an_emergency_takes_the_wheel_from_who_drives_and_holds_it() -> None:
    car = Played()
    car.wheel.taken_by_another(100)
    car.say(m.SetEmergency(), BOB)
    assert (car.wheel.turns[-1], car.wheel.held) == (BRAKED, 255)
    assert car.later(100.0) == []
    assert car.wheel.turns[-1] == BRAKED


def test_an_emergency_gets_the_wheel_as_soon_as_it_can_be_had() -> None:
    car = Played()
    give = car.wheel.take
    car.wheel.take = lambda who, authority: "the Core is away"  # type: ignore[method-assign]
    car.say(m.SetEmergency(), BOB)
    car.later(5.0)
    assert (car.control.status, car.wheel.turns) == (Status.EMERGENCY, [])
    car.wheel.take = give  # type: ignore[method-assign]
    car.later(1.0)
    assert (car.wheel.turns[-1], car.wheel.held) == (BRAKED, 255)


def test_an_emergency_is_over_where_the_operator_takes_the_vehicle_back() -> None:
    car = stopped(SAE)
    car.wheel.held, car.wheel.ours = None, False
    for _ in range(3):
        car.later(5.0)
    assert (car.control.status, car.wheel.held) == (Status.STANDBY, None)


def test_in_an_emergency_others_may_get_control_though_none_of_it_but_clear() -> None:
    car = Played()
    car.say(m.SetEmergency(), BOB)
    assert car.answer(m.RequestControl(1)) == m.ConfirmControl()
    for word in (m.Resume(), FULL):
        car.say(word)
    assert (car.control.status, car.wheel.turns[-1]) == (Status.EMERGENCY, BRAKED)
    assert car.refused == {"to ready in emergency": 1, "effort in emergency": 1}
    for word in (m.ClearEmergency(), m.Resume(), FULL):
        car.say(word)
    assert car.wheel.turns[-1] == (-0.5, 1.0, 0.0, 1)
    assert car.wheel.held == 1  # so that a person may take it again


def test_an_emergency_outlasts_who_is_in_control() -> None:
    for leave in (lambda car: car.say(m.ReleaseControl()), lambda car: car.later(2 * TIMEOUT)):
        car = stopped(SAE)
        leave(car)
        assert car.control.controller is None
        car.wheel.turns.clear()
        car.later(0.1)
        assert (car.wheel.turns, car.wheel.held) == ([BRAKED], 255)
        car.say(m.ClearEmergency(), BOB)  # nobody is in control: anybody may
        assert (car.wheel.released[-1], car.control.status) == (True, Status.STANDBY)


def test_who_loses_the_wheel_in_clearing_an_emergency_is_told() -> None:
    car = stopped(SAE)
    give = car.wheel.take
    car.wheel.take = lambda who, authority: "somebody was quicker"  # type: ignore[method-assign]
    assert car.say(m.ClearEmergency()) == [Said(ANN, SAE, m.RejectControl())]
    assert car.control.controller is None
    car.wheel.take = give  # type: ignore[method-assign]
    assert car.answer(m.RequestControl(1)) == m.ConfirmControl()


def test_the_end_of_the_gateway_brakes_and_tells() -> None:
    for begin in (ready, stopped):
        car = begin(SAE)
        assert car.component.close() == [Said(ANN, SAE, m.RejectControl())]
        assert car.wheel.released[-1]
        assert not car.wheel.ours
    assert Played().component.close() == []


def test_a_controller_whose_address_the_older_dialect_cannot_tell() -> None:
    car = Played()
    far = Address(300, 1, 20)
    assert car.answer(m.RequestControl(9), far) == m.ConfirmControl()
    assert car.answer(m.QueryControl()) == m.ReportControl(far, 9)
    assert car.answer(m.QueryControl(), BOB, REFERENCE) is None
    assert car.refused == {"an address that the dialect cannot tell": 1}

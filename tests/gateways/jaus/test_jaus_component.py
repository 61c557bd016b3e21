"""A vehicle as a JAUS component: to whom it listens, what it tells, and that nothing upsets it."""

import math
from dataclasses import fields, replace

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from tests.gateways.jaus.played import ANN, BOB, BRAKED, CAR, SIGHT, TIMEOUT, Played, heard

from movenv.gateways.fix import NothingInIt, Unreadable
from movenv.gateways.jaus import messages as m
from movenv.gateways.jaus import subscriptions as s
from movenv.gateways.jaus.message import KNOWN, Message, encode_message
from movenv.gateways.jaus.packet import Acknowledge, Address, address_in
from movenv.gateways.jaus.requests import MOST
from movenv.gateways.jaus.saying import Said
from movenv.gateways.jaus.scaled import Dialect

SAE, REFERENCE = Dialect.SAE, Dialect.REFERENCE
POSES = [
    (m.QueryGlobalPose, m.ReportGlobalPose),
    (m.QueryLocalPose, m.ReportLocalPose),
    (m.QueryVelocityState, m.ReportVelocityState),
]


@pytest.mark.parametrize(
    ("dialect", "to", "meant"),
    [
        (SAE, CAR, True),
        (SAE, Address(126, 1, 11), False),
        (SAE, Address(126, 255, 255), True),
        (SAE, Address(65535, 255, 255), True),
        (SAE, Address(255, 255, 255), False),  # a subsystem like any other
        (REFERENCE, Address(255, 255, 255, 255), True),
        (REFERENCE, Address(126, 1, 10, 1), True),
        (REFERENCE, Address(127, 1, 10, 1), False),
    ],
)
def test_whom_a_message_is_for(dialect: Dialect, to: Address, meant: bool) -> None:
    component = Played().component
    assert component.is_meant(heard(m.QueryStatus(), dialect=dialect, to=to)) is meant


def test_a_subsystem_that_the_older_dialect_cannot_name_is_silent_in_it() -> None:
    everybody = Address(255, 255, 255, 255)
    for subsystem in (255, 300):
        component = Played(address=Address(subsystem, 1, 1)).component
        asked = heard(m.QueryStatus(), dialect=REFERENCE, to=everybody)
        assert not component.is_meant(asked)
        asked = heard(m.QueryStatus(), to=Address(subsystem, 1, 1))
        assert component.is_meant(asked)


@pytest.mark.parametrize("dialect", Dialect)
def test_what_wants_to_be_acknowledged_is(dialect: Dialect) -> None:
    component = Played().component
    asked = heard(m.Resume(), dialect=dialect, acknowledge=Acknowledge.WANTED)
    done = component.acknowledged(asked)
    assert done is not None
    assert (done.destination, done.source[:3], done.sequence) == (ANN, CAR[:3], 7)
    assert done.acknowledge is Acknowledge.DONE
    assert done.payload == (b"\x04\x00" if dialect is REFERENCE else b"")
    assert component.acknowledged(heard(m.Resume(), dialect=dialect)) is None


def test_acknowledgements_and_what_is_not_for_a_vehicle() -> None:
    car = Played()
    done = heard(m.Resume(), acknowledge=Acknowledge.DONE)
    assert car.component.hear(replace(done, said=NothingInIt("an acknowledgement")), 0.0) == []
    assert car.refused == {}
    assert car.say(m.ReportStatus(1)) == []
    assert car.component.hear(replace(done, packet=replace(done.packet, acknowledge=Acknowledge.NO),
                                      said=Unreadable("cut off")), 0.0) == []  # fmt: skip
    assert car.refused == {"not for a vehicle": 1, "cut off": 1}


@pytest.mark.parametrize("dialect", Dialect)
def test_who_it_is(dialect: Dialect) -> None:
    car = Played()
    for of, kind in [(1, 10001), (2, 10001), (3, 40001), (4, 60001), (99, 10001)]:
        told = car.answer(m.QueryIdentification(of), dialect=dialect)
        assert told == m.ReportIdentification(of, 0, kind, "car")
    car.say(m.RequestControl(77), dialect=dialect)
    told = car.answer(m.QueryIdentification(), BOB, dialect)
    assert isinstance(told, m.ReportIdentification)
    assert told.authority == 77
    assert car.answer(m.QueryHeartbeatPulse(), BOB, dialect) == m.ReportHeartbeatPulse()


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize(("query", "report"), POSES)
def test_nothing_is_told_before_it_is_seen(
    query: type[Message], report: type[Message], dialect: Dialect
) -> None:
    car = Played()
    assert car.answer(query(), dialect=dialect) is None
    assert car.refused == {"nothing known yet": 1}
    car.see()
    assert type(car.answer(query(), dialect=dialect)) is report


def test_where_it_is_in_the_frames_of_jaus() -> None:
    car = Played()
    car.see()
    pose, place, velocity = (car.answer(query()) for query, _ in POSES)
    assert isinstance(pose, m.ReportGlobalPose)
    assert (pose.latitude, pose.longitude, pose.altitude) == (29.19, -81.05, 12.0)
    assert (pose.roll, pose.pitch, pose.yaw) == (0.2, 0.1, 0.5)
    assert pose.time == (15, 8, 0, 0, 0)  # 1.8e9 is 2027-01-15 08:00 UTC
    assert isinstance(place, m.ReportLocalPose)
    assert (place.x, place.y, place.z) == (4.0, 3.0, -5.0)  # north, east, down
    assert place.yaw == pytest.approx(math.pi / 2 - 1.0)
    assert isinstance(velocity, m.ReportVelocityState)
    assert (velocity.x, velocity.y, velocity.z) == (6.0, -0.25, 0.5)  # forward, right, down
    assert velocity.yaw_rate == -0.125


@pytest.mark.parametrize("query", [m.QueryWrenchEffort, *(query for query, _ in POSES)])
def test_presence_vectors_are_honoured_bit_by_bit(query: type[Message]) -> None:
    car = Played()
    car.see()
    whole = car.answer(query(0xFFFF))
    assert whole is not None
    for bit, one in enumerate(fields(whole)):
        told = car.answer(query(1 << bit))
        others = [f for f in fields(whole) if f is not one]
        assert repr(getattr(told, one.name)) == repr(getattr(whole, one.name))
        assert all(getattr(told, f.name) in (None, f.default) for f in others)
    assert car.answer(query(0)) == type(whole)() or repr(car.answer(query(0))) == repr(
        type(whole)()
    )


# --- anything at all


SENDERS = st.sampled_from([ANN, BOB, Address(300, 1, 1), Address(1, 2, 3, 4)])
NUMBERS = st.integers(0, 255)
INNER = st.one_of(
    st.sampled_from([encode_message(q(), SAE) for q, _ in POSES]),
    st.just(encode_message(m.QueryStatus(), SAE)),
    st.binary(min_size=2, max_size=8),
)
PERCENT = st.one_of(st.just(math.nan), st.floats(-100, 100))
RATES = st.sampled_from([0.0, 0.5, 7.0, 50.0, 1092.0])
EVENTS = {s.CreateEvent, s.UpdateEvent, s.CancelEvent}
SOME: dict[type[Message], st.SearchStrategy[Message]] = {
    m.RequestControl: st.builds(m.RequestControl, NUMBERS),
    m.SetEmergency: st.builds(m.SetEmergency, st.sampled_from([0, 1, 1, 1])),
    m.ClearEmergency: st.builds(m.ClearEmergency, st.sampled_from([0, 1, 1, 1])),
    m.SetWrenchEffort: st.builds(
        m.SetWrenchEffort,
        propulsive_x=PERCENT,
        propulsive_yaw=PERCENT,
        resistive_x=PERCENT.map(abs),
    ),
    m.QueryIdentification: st.builds(m.QueryIdentification, NUMBERS),
    s.CreateEvent: st.builds(s.CreateEvent, NUMBERS, st.integers(0, 3), RATES, INNER),
    s.UpdateEvent: st.builds(
        s.UpdateEvent, NUMBERS, st.integers(0, 3), RATES, st.integers(0, 5), INNER
    ),
    s.CancelEvent: st.builds(s.CancelEvent, NUMBERS, st.integers(0, 5)),
    s.CreateServiceConnection: st.builds(
        s.CreateServiceConnection,
        st.sampled_from([0x4402, 0x4404, 0x4002, 0x4405, 0x2402, 0x0402, 0xFFFF]),
        RATES,
        st.integers(0, 2**32 - 1),
    ),
    s.TerminateServiceConnection: st.builds(
        s.TerminateServiceConnection, st.sampled_from([0x4402, 0x4404]), st.integers(0, 5)
    ),
    m.SetAuthority: st.builds(m.SetAuthority, NUMBERS),
    s.QueryEvents: st.builds(
        s.QueryEvents,
        st.sampled_from([(0, 0x2402), (0, 0), (1, 0), (1, 1), (1, 9), (2, 1), (2, 99), (3, 0)]),
    ),
    **{
        kind: st.builds(kind, st.sampled_from([0x4402, 0x4404]), st.integers(0, 5))
        for kind in (s.ActivateServiceConnection, s.SuspendServiceConnection)
    },
    **{
        kind: st.builds(kind, st.integers(0, 0xFFFF))
        for kind in (m.QueryWrenchEffort, *(query for query, _ in POSES))
    },
}
PLAIN = [m.Resume(), m.Standby(), m.Reset(), m.Shutdown(), m.ReleaseControl(), m.QueryControl(),
         m.QueryAuthority(), m.QueryTimeout(),
         m.QueryStatus(), m.QueryHeartbeatPulse(), m.ConfirmControl()]  # fmt: skip


class Anything(RuleBasedStateMachine):
    """Whoever says whatever, whenever: the wheel is turned for one in control, or to brake."""

    def __init__(self) -> None:
        super().__init__()
        self.car = Played()
        self.frame = 0

    def _check(self, said: list[Said]) -> None:
        for one in said:
            encode_message(one.message, one.dialect)

    @rule(
        message=st.one_of(st.sampled_from(PLAIN), *SOME.values()),
        by=SENDERS,
        dialect=st.sampled_from(Dialect),
    )
    def say(self, message: Message, by: Address, dialect: Dialect) -> None:
        if dialect in message.dialects and by.fits(dialect):
            self._check(self.car.say(message, by, dialect))

    @rule(authority=NUMBERS, by=SENDERS, effort=SOME[m.SetWrenchEffort])
    def drive(self, authority: int, by: Address, effort: Message) -> None:
        for message in (m.RequestControl(authority), m.Resume(), effort):
            self._check(self.car.say(message, by))

    @rule(seconds=st.sampled_from([0.0, 0.02, 0.3, TIMEOUT, 1.5, 60.0]))
    def wait(self, seconds: float) -> None:
        self._check(self.car.later(seconds))

    @rule(x=st.floats(-1e6, 1e6), angle=st.floats(-50, 50))
    def see(self, x: float, angle: float) -> None:
        self.car.see(replace(SIGHT, x=x, yaw=angle, heading=angle, forward=x))

    @rule(authority=NUMBERS)
    def another_takes_the_wheel(self, authority: int) -> None:
        if self.car.wheel.held is None or authority > self.car.wheel.held:
            self.car.wheel.taken_by_another(authority)

    @rule()
    def another_lets_go(self) -> None:
        if not self.car.wheel.ours:
            self.car.wheel.held = None

    @invariant()
    def the_wheel_is_turned_for_who_is_in_control_or_to_brake(self) -> None:
        control, wheel = self.car.control, self.car.wheel
        turns, wheel.turns = wheel.turns, []
        driven = control.controller is not None and control.status == m.Status.READY
        assert driven or set(turns[-1:]) <= {BRAKED}
        for steer, throttle, brake, gear in turns:
            assert -1 <= steer <= 1
            assert 0 <= throttle <= 1
            assert 0 <= brake <= 1
            assert gear in (-1, 1)

    @invariant()
    def a_wheel_that_is_ours_is_held_for_somebody_or_in_an_emergency(self) -> None:
        control, wheel = self.car.control, self.car.wheel
        if wheel.ours:
            assert control.controller is not None or control.status == m.Status.EMERGENCY
        if control.status == m.Status.EMERGENCY and wheel.ours:
            assert wheel.held == 255

    @invariant()
    def it_does_not_talk_without_end(self) -> None:
        assert len(self.car.component.due(self.car.now)) <= MOST + 1


TestAnything = Anything.TestCase


def test_every_message_that_is_known_was_said() -> None:
    """So that `Anything` is anything: only reports and answers are left out."""
    said = {*SOME, *(type(one) for one in PLAIN)}
    for dialect in Dialect:
        for kind in KNOWN[dialect].values():
            answers = kind.__name__.startswith(("Report", "Confirm", "Reject", "Event"))
            assert answers or kind in said


def test_addresses_in_words() -> None:
    assert address_in("126.1.10") == CAR
    assert str(address_in("65534.254.254")) == "65534.254.254"
    for wrong in ("", "126.1", "126.1.10.1", "0.1.1", "65535.1.1", "1.255.1", "1.1.255", "1.1.0",
                  "a.b.c", "-1.1.1", "1.1.1 ", "１.1.1"):  # fmt: skip
        with pytest.raises(ValueError, match=r"126\.1\.10 is one"):
            address_in(wrong)

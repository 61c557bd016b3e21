"""What a vehicle tells of itself: when asked, and again and again to those who want it so."""

from collections import Counter
from dataclasses import replace

from movenv.gateways.fix import Unreadable
from movenv.gateways.jaus import messages as m
from movenv.gateways.jaus import sight as reports
from movenv.gateways.jaus import subscriptions as s
from movenv.gateways.jaus.control import Control
from movenv.gateways.jaus.message import KNOWN, Message, decode_message, encode_message
from movenv.gateways.jaus.packet import Address
from movenv.gateways.jaus.requests import Pace, Requests, Standing
from movenv.gateways.jaus.saying import Answer, Asker, Said
from movenv.gateways.jaus.scaled import Dialect
from movenv.gateways.jaus.sight import Sight

VEHICLE = 10001
"""The kind of a subsystem that is one."""
KINDS: dict[int, int] = {m.Identified.NODE: 40001, m.Identified.COMPONENT: 60001}
"""Of what is asked for, where it is not the whole vehicle."""
PARTIAL = (m.QueryWrenchEffort, m.QueryGlobalPose, m.QueryLocalPose, m.QueryVelocityState)
"""Queries that name the fields they want."""
QUERIES = (m.QueryStatus, m.QueryHeartbeatPulse, *PARTIAL)
"""Queries that may be asked once, or be told again and again."""
Named = s.TerminateServiceConnection | s.SuspendServiceConnection | s.ActivateServiceConnection
"""What tells of a connection that there is."""
UNSEEN = 3.0
"""A vehicle that was not seen for so long is lost, s."""
QUERY, REPORT = 0x2000, 0x4000
"""What the highest bits of codes mean."""


class Reporting:
    """The reports of one vehicle."""

    def __init__(self, name: str, control: Control, tick: float, refused: Counter[str]) -> None:
        """`tick` is how often the vehicle is seen anew, s."""
        self.sight: Sight | None = None
        self._name, self._control, self._tick, self._refused = name, control, tick, refused
        self._requests = Requests()
        self._patience = max(UNSEEN, 3.0 * tick)
        self._seen, self._seen_at = False, 0.0

    def see(self, sight: Sight) -> None:
        """The vehicle, as it is now."""
        self.sight, self._seen = sight, True

    def heard(self, who: Address, now: float) -> None:
        """Somebody spoke, of whatever: what was asked for is still wanted."""
        self._requests.heard(who, now)

    def serves(self, who: Address) -> bool:
        """Whether somebody wants reports."""
        return who in self._requests

    def due(self, now: float) -> list[Said]:
        """What is to be told without being asked again."""
        seen, self._seen = self._seen, False
        if seen:
            self._seen_at = now
        elif self.sight is not None and now - self._seen_at > self._patience:
            self.sight = replace(self.sight, lost=True)
        return [said for one in self._requests.due(now, seen) for said in self._told(one)]

    def asked_report(self, asked: Message, _who: Asker, _now: float) -> Answer:
        report = self._report(asked)
        if report is None:
            self._refused["nothing known yet"] += 1
            return []
        return [report]

    def _report(self, query: Message) -> Message | None:
        """The answer to a query; None while there is none."""
        if isinstance(query, m.QueryStatus):
            lost = self.sight is not None and self.sight.lost
            return m.ReportStatus(m.Status.FAILURE if lost else self._control.status)
        if isinstance(query, m.QueryHeartbeatPulse):
            return m.ReportHeartbeatPulse()
        if isinstance(query, m.QueryWrenchEffort):
            return reports.wanted(self._control.effort, query.wanted)
        if self.sight is None:
            return None
        if isinstance(query, m.QueryGlobalPose):
            return reports.wanted(reports.global_pose(self.sight), query.wanted)
        if isinstance(query, m.QueryLocalPose):
            return reports.wanted(reports.local_pose(self.sight), query.wanted)
        assert isinstance(query, m.QueryVelocityState)
        return reports.wanted(reports.velocity_state(self.sight), query.wanted)

    def identify(self, asked: m.QueryIdentification, _who: Asker, _now: float) -> Answer:
        authority = self._control.controller.authority if self._control.controller else 0
        kind = KINDS.get(asked.of, VEHICLE)
        return [m.ReportIdentification(asked.of, authority, kind, self._name)]

    # --- events

    def create_event(self, asked: s.CreateEvent, who: Asker, now: float) -> Answer:
        query, pace = self._wanted_query(asked.query), self._pace_of(asked)
        if query is None or pace is None:
            return [s.RejectEventRequest(asked.request, _why_not(query))]
        standing = self._requests.add(who.address, who.dialect, query, pace, now)
        if standing is None:
            self._refused["too many events"] += 1
            return [s.RejectEventRequest(asked.request, s.Refusal.CONNECTION_REFUSED)]
        return [s.ConfirmEventRequest(asked.request, standing.number, self._rate(pace))]

    def update_event(self, asked: s.UpdateEvent, who: Asker, now: float) -> Answer:
        standing = self._requests.of(asked.event, who.address)
        if standing is None:
            return [s.RejectEventRequest(asked.request, s.Refusal.UNKNOWN_EVENT)]
        query, pace = self._wanted_query(asked.query), self._pace_of(asked)
        if query is None or pace is None:
            return [s.RejectEventRequest(asked.request, _why_not(query))]
        standing.query, standing.pace, standing.next_at = query, pace, now
        standing.last = b""  # the first after an update is told, whatever was before
        return [s.ConfirmEventRequest(asked.request, standing.number, self._rate(pace))]

    def cancel_event(self, asked: s.CancelEvent, who: Asker, _now: float) -> Answer:
        standing = self._requests.of(asked.event, who.address)
        if standing is None:
            return [s.RejectEventRequest(asked.request, s.Refusal.UNKNOWN_EVENT)]
        self._requests.drop(standing)
        return [s.ConfirmEventRequest(asked.request, asked.event, 0.0)]

    def report_events(self, asked: s.QueryEvents, _who: Asker, _now: float) -> Answer:
        """Whosever they are."""
        which, value = asked.which
        found = []
        for one in self._requests:
            when = s.When.EVERY_CHANGE if one.pace.on_change else s.When.PERIODIC
            theirs = {s.Which.QUERY: one.query.code, s.Which.WHEN: when, s.Which.EVENT: one.number}
            if one.dialect is Dialect.SAE and theirs.get(s.Which(which), value) == value:
                found.append((int(when), one.number, encode_message(one.query, Dialect.SAE)))
        return [s.ReportEvents(tuple(found))]

    def _pace_of(self, asked: s.CreateEvent | s.UpdateEvent) -> Pace | None:
        if asked.when == s.When.EVERY_CHANGE:
            return Pace(0.0, on_change=True)
        if asked.when == s.When.PERIODIC and asked.rate > 0.0:
            return self._pace(asked.rate)
        return None

    def _pace(self, rate: float) -> Pace:
        """What is seen anew every tick is not told more often."""
        return Pace(0.0 if rate * self._tick > 0.99 else 1.0 / rate)

    def _rate(self, pace: Pace) -> float:
        return 1.0 / (pace.every or self._tick)

    def _wanted_query(self, data: bytes) -> Message | None:
        """The query inside an event, where it is one that we answer."""
        try:
            query = decode_message(data, Dialect.SAE)
        except Unreadable:
            return None
        return query if isinstance(query, QUERIES) else None

    # --- service connections

    def connect(self, asked: s.CreateServiceConnection, who: Asker, now: float) -> Answer:
        query = KNOWN[Dialect.REFERENCE].get(asked.report ^ (QUERY | REPORT))
        if query is None or not issubclass(query, QUERIES):
            return [_unconnected(asked, s.Connected.COMMAND_NOT_SUPPORTED)]
        if not asked.rate > 0.0:
            return [_unconnected(asked, s.Connected.INVALID_PARAMETER)]
        before = self._requests.like(who.address, query)
        if before is not None:
            self._requests.drop(before)
        whole = query(asked.wanted & 0xFFFF) if issubclass(query, PARTIAL) else query()
        pace = self._pace(asked.rate)
        standing = self._requests.add(who.address, who.dialect, whole, pace, now)
        if standing is None:
            self._refused["too many events"] += 1
            return [_unconnected(asked, s.Connected.REFUSED)]
        return [s.ConfirmServiceConnection(asked.report, standing.number, self._rate(pace))]

    def terminate(self, asked: s.TerminateServiceConnection, who: Asker, _now: float) -> Answer:
        if standing := self._connection(asked, who):
            self._requests.drop(standing)
        return []

    def suspend(self, asked: s.SuspendServiceConnection, who: Asker, _now: float) -> Answer:
        if standing := self._connection(asked, who):
            standing.suspended = True
        return []

    def activate(self, asked: s.ActivateServiceConnection, who: Asker, _now: float) -> Answer:
        if standing := self._connection(asked, who):
            standing.suspended = False
        return []

    def _connection(self, asked: Named, who: Asker) -> Standing | None:
        """The one that somebody names; counted where it is not his."""
        standing = self._requests.of(asked.instance, who.address)
        if standing is None or standing.query.code != asked.report ^ (QUERY | REPORT):
            self._refused["no such connection"] += 1
            return None
        return standing

    def _told(self, standing: Standing) -> list[Said]:
        report = self._report(standing.query)
        if report is None:
            return []
        inner = encode_message(report, standing.dialect)
        if standing.pace.on_change and inner == standing.last:
            return []
        standing.last = inner
        if standing.dialect is Dialect.REFERENCE:
            return [Said(standing.client, standing.dialect, report, serves=True)]
        standing.told += 1
        event = s.Event(standing.number, (standing.told - 1) % 256, inner)
        return [Said(standing.client, standing.dialect, event)]


def _why_not(query: Message | None) -> s.Refusal:
    return s.Refusal.MESSAGE_NOT_SUPPORTED if query is None else s.Refusal.INVALID_SETUP


def _unconnected(asked: s.CreateServiceConnection, why: s.Connected) -> Message:
    return s.ConfirmServiceConnection(asked.report, 0, 0.0, why)

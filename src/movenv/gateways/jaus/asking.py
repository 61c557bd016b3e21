"""Having a JAUS vehicle report again and again, and asking anew when it stops."""

from movenv.gateways.jaus import messages as m
from movenv.gateways.jaus import subscriptions as s
from movenv.gateways.jaus.message import Message, encode_message
from movenv.gateways.jaus.scaled import Dialect

PATIENCE = 3.0
"""Without a pose for so long, s, it is asked again."""
WANTED: dict[int, tuple[str, type[Message], type[Message]]] = {
    1: ("Global Pose", m.QueryGlobalPose, m.ReportGlobalPose),
    2: ("Velocity State", m.QueryVelocityState, m.ReportVelocityState),
}
"""By the number of the request: name, query and report."""


class Asking:
    """One vehicle that is asked. Without sockets or clock."""

    def __init__(self, dialect: Dialect, rate: float) -> None:
        self._dialect, self._rate = dialect, rate
        self._quiet_since = float("-inf")
        self._given: dict[int, int] = {}
        """By the number of the request: under which number it reports."""
        self._told: set[str] = set()

    def due(self, now: float) -> list[Message]:
        """What to say now."""
        if now - self._quiet_since < PATIENCE:
            return []
        self._quiet_since = now
        return self.close() + [self._wish(number) for number in WANTED]

    def reported(self, now: float) -> None:
        """A pose came."""
        self._quiet_since = now

    def answered(self, message: Message) -> str:
        """What an operator should know of an answer; '' where it is nothing, or known."""
        told = self._refusal(message)
        if not told or told in self._told:
            return ""
        self._told.add(told)
        return told

    def close(self) -> list[Message]:
        """Nothing more is wanted of what was granted."""
        granted, self._given = self._given, {}
        return [self._end(number, given) for number, given in granted.items()]

    def _wish(self, number: int) -> Message:
        _, query, report = WANTED[number]
        if self._dialect is Dialect.SAE:
            inner = encode_message(query(), Dialect.SAE)
            return s.CreateEvent(number, s.When.PERIODIC, self._rate, inner)
        return s.CreateServiceConnection(report.code, self._rate, m.QueryGlobalPose().wanted)

    def _end(self, number: int, given: int) -> Message:
        if self._dialect is Dialect.SAE:
            return s.CancelEvent(number, given)
        return s.TerminateServiceConnection(WANTED[number][2].code, given)

    def _refusal(self, message: Message) -> str:
        if isinstance(message, s.ConfirmEventRequest) and message.request in WANTED:
            if message.rate > 0.0:  # else it confirms a cancellation
                self._given[message.request] = message.event
        elif isinstance(message, s.RejectEventRequest) and message.request in WANTED:
            return _words(message.request, message.response or 0, s.Refusal)
        elif isinstance(message, s.ConfirmServiceConnection):
            reports = {report.code: number for number, (_, _, report) in WANTED.items()}
            number = reports.get(message.report, 0)
            if number and message.response != s.Connected.SUCCESSFUL:
                return _words(number, message.response, s.Connected)
            if number:
                self._given[number] = message.instance
        return ""


def _words(number: int, code: int, reasons: type[s.Refusal] | type[s.Connected]) -> str:
    known = {one.value: one.name.lower().replace("_", " ") for one in reasons}
    return f"does not report its {WANTED[number][0]}: {known.get(code, f'reason {code}')}"

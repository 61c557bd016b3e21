"""Driving a vehicle of a live run from outside: take its wheel, turn it, see what becomes of it."""

import threading
from collections.abc import Callable

from movenv.runtime.errors import RunFailed
from movenv.runtime.live import wire
from movenv.runtime.live.bus import Bus, BusError
from movenv.runtime.live.wheel_wire import (
    WHEEL,
    WHEEL_RELEASE,
    Dashboard,
    Turn,
    WheelGiven,
    WheelRelease,
    WheelReleased,
    WheelRequest,
    dashboard_key,
    turns_key,
)
from movenv.runtime.live.wire import AnyMessage, Garbled, Message, Refusal

ASK_PATIENCE = 2.0


class WheelRefused(RunFailed):
    """The Core does not give the wheel; says why."""


class Wheel:
    """The wheel of one vehicle, held until it is let go, or taken by one of more authority.

    A thread asks for it again and again, as the Core wants, and at once when the vehicle shows
    another driver; turns may come from any one thread.
    """

    def __init__(
        self,
        bus: Bus,
        vehicle: str,
        who: str,
        person: bool,
        authority: int,
        shown: Callable[[Dashboard], None],
    ) -> None:
        """Take the wheel. `shown` is called in a thread of the bus. Raises WheelRefused."""
        self._bus, self._vehicle, self._who = bus, vehicle, who
        self._asked = WheelRequest(vehicle, who, person, authority)
        given = self._ask(WHEEL, self._asked, WheelGiven)
        self._asked = WheelRequest(vehicle, who, person, authority, given.ticket)
        self.vid = given.vid
        self.lost = ""
        """Why the wheel is no longer ours; empty while it is."""
        self._shown = shown
        self._sequence = 0
        self._driver = 0
        """The ticket that the vehicle showed last."""
        self._wake = threading.Event()
        self._over = threading.Event()
        self._send = bus.sender(turns_key(self.vid), urgent=True, fleeting=True)
        self._deaf = bus.hear(dashboard_key(self.vid), self._on_dashboard)
        self._thread = threading.Thread(
            target=self._keep, args=(given.lease / 3,), name="wheel", daemon=True
        )
        self._thread.start()

    def turn(
        self, steer: float, throttle: float, brake: float, gear: int = 1, pitch: float = 0.0
    ) -> int:
        """How wheel and pedals stand now; returns the number that a Dashboard will show."""
        self._sequence += 1
        turn = Turn(self._asked.ticket, self._sequence, steer, throttle, brake, gear, pitch)
        self._send(turn.encoded())
        return self._sequence

    def release(self, braked: bool = False) -> None:
        """Let go: the vehicle does as before, or brakes until somebody takes the wheel.

        Raises WheelRefused where it was not ours any more, BusError where nobody answers.
        """
        if self._over.is_set():
            return
        self._over.set()
        self._wake.set()
        self._thread.join()
        self._deaf()
        message = WheelRelease(self._vehicle, self._who, self._asked.ticket, braked)
        self._ask(WHEEL_RELEASE, message, WheelReleased)

    def _keep(self, every: float) -> None:
        while True:
            self._wake.wait(every)
            self._wake.clear()
            if self._over.is_set():
                return
            try:
                self._ask(WHEEL, self._asked, WheelGiven)
            except WheelRefused as error:
                self.lost = str(error)
                return
            except BusError:
                continue  # the Core may be started again; then it will be asked again

    def _on_dashboard(self, _vid: str, data: bytes) -> None:
        try:
            dashboard = wire.decode(Dashboard, data)
        except Garbled:
            return  # the next one may make sense
        before, self._driver = self._driver, dashboard.ticket
        if dashboard.ticket == self._asked.ticket:
            self._shown(dashboard)
        elif dashboard.ticket != before:
            self._wake.set()  # of before us or after us: the Core knows

    def _ask(self, key: str, question: Message, wanted: type[AnyMessage]) -> AnyMessage:
        """Raises WheelRefused, or BusError where nobody answers."""
        try:
            answered = self._bus.ask(key, question.encoded(), ASK_PATIENCE)
            answer = wire.as_answer(wanted, answered)
        except Garbled as error:
            raise BusError(f"what answers is no Core of this version: {error}") from None
        if isinstance(answer, Refusal):
            raise WheelRefused(answer.why)
        return answer

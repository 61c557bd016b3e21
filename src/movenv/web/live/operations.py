"""An operator's hand on a live run, over the bus. Called in threads of the server."""

import contextlib
from collections.abc import Callable
from typing import Any

from movenv.runtime.driving import Wheel
from movenv.runtime.errors import RunFailed, WrongInput
from movenv.runtime.live import bus as keys
from movenv.runtime.live import join_links, wire
from movenv.runtime.live.bus import Bus, BusError, sensor_key
from movenv.runtime.live.sensor_feed import decoded
from movenv.runtime.live.wheel_wire import (
    WHEEL_RELEASE,
    Dashboard,
    WheelRelease,
    WheelReleased,
)
from movenv.runtime.live.wire import (
    AnyMessage,
    Command,
    Done,
    Garbled,
    Mark,
    Marked,
    Message,
    Ordered,
    OrderMessage,
    Refusal,
)
from movenv.web.feed import FeedRefused
from movenv.web.live.status_watch import StatusWatch
from movenv.world.messages import Roster
from movenv.world.run_state import RunState

GATEWAY_PATIENCE = 2.0
CHANGES = ("renew", "revoke")


class LiveOperations:
    """Commands, marks, orders and join links."""

    def __init__(self, bus: Bus, roster: Roster, watch: StatusWatch) -> None:
        self._bus, self._names, self._watch = bus, roster.names, watch

    def command(self, state: RunState, who: str) -> dict[str, Any]:
        done = self._ask(keys.COMMAND, Command(state, who), Done)
        self._watch.ask_now()
        return {"state": done.beacon.run_state.name, "silent": done.silent}

    def mark(self, text: str, who: str) -> dict[str, Any]:
        return {"t": self._ask(keys.MARK, Mark(text, who), Marked).t}

    def order(self, wish: dict[str, Any], who: str) -> dict[str, Any]:
        ordered = self._ask(keys.ORDER, OrderMessage(who=who, **wish), Ordered)
        self._watch.ask_now()
        return {"number": ordered.number, "t": ordered.t, "vehicles": ordered.vehicles}

    def _ask(self, key: str, question: Message, wanted: type[AnyMessage]) -> AnyMessage:
        try:
            answer = wire.as_answer(wanted, self._bus.ask(key, question.encoded()))
        except (BusError, Garbled) as error:
            raise FeedRefused(str(error)) from None
        if isinstance(answer, Refusal):
            raise FeedRefused(answer.why)
        return answer

    def links(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        silent: list[str] = []
        for gateway in sorted(set(self._gateways().values())):
            try:
                found += join_links.links(self._bus, gateway, GATEWAY_PATIENCE)
            except join_links.JoinRefused:
                continue  # none of its vehicles joins by a link
            except join_links.NoGateway as error:
                silent.append(str(error))
        if silent and not found:
            raise FeedRefused("; ".join(silent))
        return found

    def change_link(self, vehicle: str, what: str) -> None:
        if what not in CHANGES:
            raise FeedRefused(f"'{what}' cannot be done to a link; {' and '.join(CHANGES)} can")
        gateway = self._gateways().get(vehicle)
        if gateway is None:
            raise FeedRefused(f"no gateway that is here brings a real vehicle called '{vehicle}'")
        try:
            join_links.change_link(self._bus, gateway, what, vehicle, GATEWAY_PATIENCE)
        except WrongInput as error:
            raise FeedRefused(str(error)) from None

    # --- for drivers

    def take_wheel(
        self, vehicle: str, who: str, authority: int, shown: Callable[[Dashboard], None]
    ) -> Wheel:
        try:
            return Wheel(self._bus, vehicle, who, True, authority, shown)
        except RunFailed as error:
            raise FeedRefused(str(error)) from None

    def free_wheel(self, vehicle: str, who: str) -> None:
        self._ask(WHEEL_RELEASE, WheelRelease(vehicle, who), WheelReleased)

    def watch_camera(
        self, vid: int, camera: str, shown: Callable[[bytes], None]
    ) -> Callable[[], None]:
        def on_picture(_name: str, data: bytes) -> None:
            with contextlib.suppress(Garbled):  # the next one may make sense
                message = decoded(data)
                if message.image is not None:
                    shown(message.values)

        return self._bus.hear(sensor_key(vid, camera), on_picture)

    def _gateways(self) -> dict[str, str]:
        """The hosts that are here and bring real vehicles, by vehicle."""
        status = self._watch.latest or {}
        hosts, host_of = status.get("hosts", []), status.get("host_of", [])
        found = {}
        for entry in status.get("real", []):
            number = host_of[entry["row"]]
            if number >= 0 and not hosts[number]["lost"]:
                found[self._names[entry["row"]]] = hosts[number]["host"]
        return found

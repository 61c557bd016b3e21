"""Asking the gateway of a live run for join links."""

from typing import Any

import msgspec

from movenv.runtime.errors import WrongInput
from movenv.runtime.live.bus import Bus, BusError, gateway_key


class NoGateway(WrongInput):
    """Nobody answers by that name; the message is for the user."""


class JoinRefused(WrongInput):
    """The gateway says no; the message is for the user."""


def links(bus: Bus, gateway: str, timeout: float = 5.0) -> list[dict[str, Any]]:
    """A link a vehicle: vehicle, url, connected, used. Raises NoGateway or JoinRefused."""
    found: list[dict[str, Any]] = _ask(bus, gateway, ["links"], timeout)["links"]
    return found


def change_link(bus: Bus, gateway: str, what: str, vehicle: str, timeout: float = 5.0) -> None:
    """`renew` or `revoke` the link of a vehicle. Raises NoGateway or JoinRefused."""
    _ask(bus, gateway, [what, vehicle], timeout)


def _ask(bus: Bus, gateway: str, words: list[str], timeout: float) -> dict[str, Any]:
    try:
        data = bus.ask(gateway_key(gateway), msgspec.json.encode(["join", *words]), timeout)
        answer = msgspec.json.decode(data, type=dict[str, Any])
    except (BusError, msgspec.MsgspecError):
        raise NoGateway(f"no gateway called '{gateway}' answers") from None
    if "refused" in answer:
        raise JoinRefused(answer["refused"])
    return answer

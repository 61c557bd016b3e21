"""Notices as datagrams to wherever the scenario says, for apps that only send."""

import socket
from collections.abc import Mapping, Sequence

from movenv.gateways.config import Entry
from movenv.gateways.part import GatewayFailed
from movenv.gateways.view import View


class Notifier:
    """Sends the views of vehicles with `notify: HOST:PORT` there, as JSON over UDP."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        """Raises GatewayFailed for a host nobody knows."""
        self._to = {e.vid: _address(e) for e in entries if e.config.notify is not None}
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)

    def wants(self) -> set[int]:
        return set(self._to)

    def tell(self, views: Mapping[int, View]) -> None:
        for vid, address in self._to.items():
            if vid in views:
                try:
                    self._socket.sendto(views[vid].fitted(), address)
                except OSError:
                    continue  # nobody there, or no room: the next is on its way

    def close(self) -> None:
        self._socket.close()


def _address(entry: Entry) -> tuple[str, int]:
    host, _, port = (entry.config.notify or "").partition(":")
    try:
        found = socket.getaddrinfo(host, int(port), socket.AF_INET, socket.SOCK_DGRAM)
    except (OSError, OverflowError) as error:
        raise GatewayFailed(f"{entry.name}: notify {entry.config.notify}: {error}") from None
    return str(found[0][4][0]), int(port)

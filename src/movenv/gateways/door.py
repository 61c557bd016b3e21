"""Who is speaking, and whether it may: nobody moves somebody else's vehicle.

A vehicle is known by the port it sends to, or by what its sender calls itself. Either can be
imitated, so it must also show its token; one without a token is believed only from the address it
was first heard from, until it has been silent for a good while.
"""

import hmac
from collections.abc import Sequence

from movenv.gateways.config import Entry
from movenv.gateways.fix import Fix

RELEASE = 60.0
"""After this much silence a phone may come from another address, s: networks hand out new ones."""


class Stranger(Exception):
    """Not to be believed; the message is the short reason it is counted under."""


class Doorkeeper:
    """Admits fixes through one gateway. Not thread-safe: each gateway asks from one thread."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = {entry.vid: entry for entry in entries}
        self._by_device = {entry.device.casefold(): entry for entry in entries}
        self._by_token = {e.config.token: e for e in entries if e.config.token is not None}
        self._from: dict[int, tuple[str, float]] = {}

    def admit(self, fix: Fix, address: str, now: float, vid: int = 0) -> int:
        """The vid a fix is of; `vid` where the port tells already. Raises Stranger."""
        entry = self._entries[vid] if vid else self.called(fix)
        config = entry.config
        if config.token is not None:
            if not hmac.compare_digest(fix.token.encode(), config.token.encode()):
                raise Stranger("wrong token" if fix.token else "no token")
        elif config.address is not None:
            if address != config.address:
                raise Stranger("other address")
        else:
            first = self._from.get(entry.vid)
            if first is not None and first[0] != address and now - first[1] < RELEASE:
                raise Stranger("other address")
            self._from[entry.vid] = address, now
        return entry.vid

    def called(self, fix: Fix) -> Entry:
        """Whom a fix names. Raises Stranger."""
        entry = self._by_device.get(fix.device.casefold()) if fix.device else None
        if entry is None and fix.token:
            entry = self._by_token.get(fix.token)
        if entry is None:
            raise Stranger("unknown device")
        return entry

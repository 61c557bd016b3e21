"""Links to the join page: each is good for one vehicle and for the first phone that uses it.

A link holds a secret token; the phone that uses it first shows a secret of its own, and from then
on the link is worth nothing on any other phone.
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Iterator

import msgspec

TOKEN_BYTES = 16


class LinksUnreadable(ValueError):
    """What was kept of the links cannot be read."""


class Link(msgspec.Struct):
    """One vehicle's link."""

    vehicle: str
    token: str
    key_hash: str = ""
    """Of the phone's secret; empty while nobody used the link."""
    revoked: bool = False

    @property
    def used(self) -> bool:
        return bool(self.key_hash)

    def good_for(self, key: str) -> bool:
        """Whether a phone with this secret may use it: the first, and that one for ever."""
        if self.revoked:
            return False
        return not self.key_hash or hmac.compare_digest(self.key_hash, _hash(key))

    def claim(self, key: str) -> None:
        self.key_hash = _hash(key)


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


class Links:
    """The links of some vehicles, by name."""

    def __init__(self, vehicles: Iterable[str], kept: bytes = b"") -> None:
        """`kept` is what `encoded` gave before. Raises LinksUnreadable."""
        try:
            old = msgspec.json.decode(kept, type=list[Link]) if kept else []
        except msgspec.DecodeError as reason:
            raise LinksUnreadable(str(reason)) from reason
        by_name = {link.vehicle: link for link in old if len(link.token) >= TOKEN_BYTES}
        self._by_name = {name: by_name.get(name) or _new(name) for name in vehicles}

    def __iter__(self) -> Iterator[Link]:
        return iter(self._by_name.values())

    def with_token(self, token: str) -> Link | None:
        """The link with this token, a revoked one too."""
        for link in self._by_name.values():
            if hmac.compare_digest(link.token.encode(), token.encode()):
                return link
        return None

    def of(self, vehicle: str) -> Link:
        """Raises ValueError for a name that has none."""
        if vehicle not in self._by_name:
            names = ", ".join(self._by_name)
            raise ValueError(f"no vehicle '{vehicle}' joins through a link; there are: {names}")
        return self._by_name[vehicle]

    def revoke(self, vehicle: str) -> None:
        """Make its link worthless."""
        self.of(vehicle).revoked = True

    def renew(self, vehicle: str) -> Link:
        """A new link, for any phone; the old one is worthless."""
        self.of(vehicle)
        self._by_name[vehicle] = _new(vehicle)
        return self._by_name[vehicle]

    def encoded(self) -> bytes:
        """To be kept where nobody else can read it."""
        return msgspec.json.encode(list(self._by_name.values()))


def _new(vehicle: str) -> Link:
    return Link(vehicle, secrets.token_urlsafe(TOKEN_BYTES))

"""The gateway of the join page: an HTTPS server in a thread of its own."""

import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field, field_validator

from movenv.gateways.config import Entry, LiveConfig, Port
from movenv.gateways.door import Doorkeeper
from movenv.gateways.inlet import Arrival, Inlet
from movenv.gateways.join import codec
from movenv.gateways.join.links import Link, Links, LinksUnreadable
from movenv.gateways.join.phone import Line, Phone
from movenv.gateways.join.qr import qr_terminal
from movenv.gateways.join.server import HttpsServer, listeners
from movenv.gateways.join.site import Site
from movenv.gateways.part import Gateway, GatewayFailed, Reader, Surroundings
from movenv.gateways.view import View

SAID_AGAIN_AFTER = 10.0
"""Strangers from one address are told of once in so many seconds, and counted always."""
STRANGERS_KNOWN = 1000
CODES_SHOWN = 2
"""More QR codes than this would push everything else off the operator's screen."""


class JoinConfig(LiveConfig):
    """Anybody's browser, by a link of its own."""

    port: Port = Field(47443, description="the TCP port of the page")

    @field_validator("token")
    @classmethod
    def _has_its_own(cls, token: str | None) -> str | None:
        if token is not None:
            raise ValueError("a link has a secret of its own; leave `token` out")
        return token


class JoinGateway(Gateway):
    """Serves the join page over HTTPS, and takes in the phones that open it."""

    Config: ClassVar[type[LiveConfig]] = JoinConfig
    name = "join"

    def __init__(self, entries: list[Entry], inlet: Inlet, around: Surroundings) -> None:
        super().__init__(entries, inlet, around)
        self._links = Links([])
        self._phones: dict[int, Phone] = {}
        self._views: dict[int, View] = {}
        self._spreading = False
        self._strangers: dict[str, float] = {}
        self._server: HttpsServer | None = None

    @classmethod
    def reader(cls) -> Reader:
        return lambda data, _at: codec.decode(data)

    # Called by the host, in its thread.

    def open(self) -> None:
        if self.around.certificate is None:
            raise GatewayFailed("the join page needs HTTPS, and this machine has no certificate")
        self._links = self._found_links()
        self._save()
        self._phones = {
            entry.vid: Phone(entry, self._links.of(entry.name), self.inlet, self.receive)
            for entry in self.entries
        }
        self._change_locks()
        cert, key = self.around.certificate()
        site = Site(self._about, self._hello, self._admit)
        sockets = listeners(self.around.bind, (_port(entry) for entry in self.entries))
        self._server = HttpsServer(site.app, cert, key, sockets)
        self._server.open()

    def close(self) -> None:
        if self._server is not None:
            self._server.close(self._farewell, lambda: not self.wants())

    def invitations(self) -> list[str]:
        links = [link for link in self._links if not link.revoked]
        lines = [f"{link.vehicle}: {self._url(link)}" for link in links]
        if len(links) > CODES_SHOWN:
            return [*lines, "movenv join shows these links as QR codes"]
        codes = [qr_terminal(self._url(link)) for link in links]
        return [f"{code}\n{line}" for code, line in zip(codes, lines, strict=True)]

    def wants(self) -> set[int]:
        return {vid for vid, phone in self._phones.items() if phone.line is not None}

    def tell(self, views: Mapping[int, View]) -> None:
        self._views = dict(views)
        if self._server is not None and not self._spreading:
            self._spreading = True
            self._server.soon(self._spread)

    def ask(self, words: Sequence[str]) -> dict[str, Any]:
        questions: dict[str, Callable[..., dict[str, Any]]] = {
            "links": self._list,
            "revoke": self._revoke,
            "renew": self._renew,
        }
        if not words or words[0] not in questions or len(words) != 1 + (words[0] != "links"):
            raise ValueError("join knows 'links', 'revoke VEHICLE' and 'renew VEHICLE'")
        if self._server is None:
            raise ValueError("the join page is not open")
        return self._server.ask(lambda: questions[words[0]](*words[1:]))

    # All that follows happens in the server's thread, but for opening.

    def _spread(self) -> None:
        self._spreading = False
        for vid, view in self._views.items():
            phone = self._phones.get(vid)
            if phone is not None and phone.line is not None:
                phone.tell(view)

    def _farewell(self) -> None:
        for phone in self._phones.values():
            if phone.line is not None:
                phone.line.hang_up("the run is over" if phone.over else "")

    def _about(self, token: str) -> Entry | None:
        link = self._links.with_token(token)
        return None if link is None or link.revoked else self._phone(link).entry

    def _phone(self, link: Link) -> Phone:
        return next(p for p in self._phones.values() if p.link is link)

    def _hello(self, entry: Entry) -> dict[str, object]:
        around = self.around
        return {
            "vehicle": entry.name,
            "vid": entry.vid,
            "kind": str(entry.kind),
            "scenario": around.scenario,
            "levels": around.levels,
            "areas": around.areas,
        }

    def _admit(
        self, token: str, key: str, sender: str, hang_up: Callable[[str], None]
    ) -> tuple[Phone, Line] | str:
        line = Line(sender, hang_up)
        link = self._links.with_token(token)
        if link is None:
            return self._stranger("unknown link", line)
        phone = self._phone(link)
        if link.revoked:
            return self._stranger("revoked link", line, phone)
        if not key:
            return self._stranger("no hello", line, phone)
        if not link.good_for(key):
            return self._stranger("used by another phone", line, phone)
        if phone.entry.config.address not in (None, line.address):
            return self._stranger("other address", line, phone)
        first = not link.used
        if first:
            link.claim(key)
            self._save_or_say()
        phone.connect(line, first)
        return phone, line

    def _stranger(self, why: str, line: Line, phone: Phone | None = None) -> str:
        now = self.inlet.clock()
        self.inlet.take(Arrival(now, self.name, line.sender, b"", refused=why))
        if now - self._strangers.get(line.address, 0.0) >= SAID_AGAIN_AFTER:
            if len(self._strangers) >= STRANGERS_KNOWN:
                self._strangers.clear()
            self._strangers[line.address] = now
            whose = f" as {phone.entry.name}" if phone else ""
            vid = phone.entry.vid if phone else 0
            self.inlet.happened("stranger", f"{line.address} was refused{whose}: {why}", vid)
        return why

    def _list(self) -> dict[str, Any]:
        return {
            "links": [
                {
                    "vehicle": link.vehicle,
                    "url": "" if link.revoked else self._url(link),
                    "used": link.used,
                    "connected": self._phone(link).line is not None,
                }
                for link in self._links
            ]
        }

    def _revoke(self, vehicle: str) -> dict[str, Any]:
        self._links.revoke(vehicle)
        self._shut_out(vehicle)
        self.inlet.happened("link", "its link was revoked", self._vid(vehicle))
        return {"revoked": vehicle}

    def _renew(self, vehicle: str) -> dict[str, Any]:
        old = self._links.of(vehicle)
        phone = self._phone(old)
        phone.renew(self._links.renew(vehicle))
        self._shut_out(vehicle)
        self.inlet.happened("link", "its link was renewed", self._vid(vehicle))
        return {"vehicle": vehicle, "url": self._url(phone.link)}

    def _vid(self, vehicle: str) -> int:
        return self._phone(self._links.of(vehicle)).entry.vid

    def _shut_out(self, vehicle: str) -> None:
        """Hang up, and believe nothing any more that came through the link it had."""
        self._change_locks()
        phone = self._phone(self._links.of(vehicle))
        line = phone.line
        if line is not None:
            phone.disconnect(line)  # first: what it still says is nothing to the new link
            line.hang_up("revoked link")
        self._save_or_say()

    def _change_locks(self) -> None:
        """A phone proves by its link who it is, so that it may go from WiFi to cellular."""
        tokens = {
            link.vehicle: secrets.token_urlsafe() if link.revoked else link.token
            for link in self._links
        }
        self._door = Doorkeeper(
            [
                Entry(e.vid, e.name, e.kind, e.config.model_copy(update={"token": tokens[e.name]}))
                for e in self.entries
            ]
        )

    def _url(self, link: Link) -> str:
        entry = next(e for e in self.entries if e.name == link.vehicle)
        host = f"[{self.around.shown}]" if ":" in self.around.shown else self.around.shown
        return f"https://{host}:{_port(entry)}/j/{link.token}"

    # Links that survive a restart.

    @property
    def _file(self) -> Path | None:
        return None if self.around.state is None else self.around.state / "join.json"

    def _found_links(self) -> Links:
        names = [entry.name for entry in self.entries]
        path = self._file
        try:
            kept = path.read_bytes() if path is not None and path.exists() else b""
            return Links(names, kept)
        except (OSError, LinksUnreadable) as reason:
            raise GatewayFailed(
                f"{path} should hold the links of the join page but cannot be read: {reason}; "
                "delete it, and everybody gets a new link"
            ) from reason

    def _save(self) -> None:
        path = self._file
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(".join.json.new")
        new.unlink(missing_ok=True)
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(self._links.encoded())
        os.replace(new, path)

    def _save_or_say(self) -> None:
        try:
            self._save()
        except OSError as reason:  # a full disk must not keep a phone out
            self.inlet.happened(
                "trouble", f"links will not survive a restart: {reason.strerror or reason}"
            )


def _port(entry: Entry) -> int:
    assert isinstance(entry.config, JoinConfig)
    return entry.config.port

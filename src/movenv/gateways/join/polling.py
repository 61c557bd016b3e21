"""The same talk over plain HTTPS requests, for browsers that open no socket.

iPhones let a user go on to a page whose certificate they do not know, but not its sockets. Such a
page asks a few times a second instead, and each answer brings what a socket would have brought.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import msgspec
from starlette.requests import Request

from movenv.gateways import http
from movenv.gateways.config import Entry
from movenv.gateways.join import codec
from movenv.gateways.join.phone import Line, Phone

LOST_AFTER = 5.0
"""A page that asks nothing for so long, s, has left."""
MOST_SAID = 200


class Asked(msgspec.Struct):
    """One request: which connection of which phone, and what it says."""

    line: Annotated[str, msgspec.Meta(min_length=16, max_length=100)]
    key: Annotated[str, msgspec.Meta(min_length=16, max_length=200)]
    said: Annotated[list[msgspec.Raw], msgspec.Meta(max_length=MOST_SAID)] = []


@dataclass
class Connection:
    phone: Phone
    line: Line
    over: asyncio.TimerHandle | None = None
    why: str | None = None
    """Why it was ended."""


Admit = Callable[[str, str, str, Callable[[str], None]], tuple[Phone, Line] | str]
"""(token, key, sender, hang up) to a phone and its line, or to why not."""


class Polling:
    """Answers requests, and remembers who is asking."""

    def __init__(self, admit: Admit, hello: Callable[[Entry], dict[str, object]]) -> None:
        self._admit, self._hello = admit, hello
        self._open: dict[tuple[str, str], Connection] = {}
        """By the token and the name that the page gave its line."""

    def answer(self, token: str, sender: str, data: bytes) -> list[str] | None:
        """The messages for the page; None for what cannot be read."""
        try:
            asked = msgspec.json.decode(data, type=Asked)
        except (msgspec.DecodeError, RecursionError):
            return None
        answers: list[str] = []
        connection = self._open.get((token, asked.line))
        if connection is None:
            found = self._connect(asked, token, sender)
            if isinstance(found, str):
                return [codec.reply("refused", why=found)]
            connection = found
            answers.append(codec.reply("hello", **self._hello(connection.phone.entry)))
        phone, line = connection.phone, connection.line
        line.sender = sender
        for message in asked.said:
            answers += phone.hear(bytes(message), line)
        view = phone.newest(line)
        if view is not None:
            answers.append(view)
        if connection.why is None:
            self._wait_for_more((token, asked.line), connection)
        else:
            answers.append(codec.reply("refused", why=connection.why))
            phone.disconnect(line)
        return answers

    def talks(self, token: str) -> bool:
        """Whether a page asks by this link, or has still to be told why it may not any more."""
        return any(its == token for its, _ in self._open)

    def _connect(self, asked: Asked, token: str, sender: str) -> Connection | str:
        name = token, asked.line

        def hang_up(why: str) -> None:
            connection = self._open[name]
            if why:  # it stays until the page has asked, and so was told
                connection.why = why
            else:
                connection.phone.disconnect(connection.line)

        admitted = self._admit(token, asked.key, sender, hang_up)
        if isinstance(admitted, str):
            return admitted
        self._open[name] = Connection(*admitted)
        return self._open[name]

    def _wait_for_more(self, name: tuple[str, str], connection: Connection) -> None:
        if connection.over is not None:
            connection.over.cancel()
        loop = asyncio.get_running_loop()
        connection.over = loop.call_later(LOST_AFTER, self._lose, name)

    def _lose(self, name: tuple[str, str]) -> None:
        connection = self._open.pop(name)
        connection.phone.disconnect(connection.line)


async def body_of(request: Request) -> bytes | None:
    """At most as much as a socket would take; None for more. Raises TimeoutError."""
    data = bytearray()
    async with asyncio.timeout(http.PATIENCE):
        async for part in request.stream():
            data += part
            if len(data) > codec.LARGEST:
                return None
    return bytes(data)

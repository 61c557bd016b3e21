"""No request brings more than the server has use for."""

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST = 2_000_000
"""Bytes of a request's body."""


class BodyLimit:
    """Refuses larger bodies, whatever their headers say, before all of them has come."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        came = 0

        async def bounded() -> Message:
            nonlocal came
            message = await receive()
            came += len(message.get("body", b""))
            if came > LARGEST:
                raise HTTPException(413, f"more than {LARGEST:,} bytes")
            return message

        await self._app(scope, bounded if scope["type"] == "http" else receive, send)

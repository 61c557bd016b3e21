"""What the HTTP servers of gateways and console have in common."""

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 10.0
"""For the head of a request to arrive, s, and again for its body."""


class PromptProtocol(H11Protocol):
    """HTTP for those who ask: whoever connects and does not finish the head of a request in time
    is cut off, or idle connections would take the place of others."""

    _too_late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._hurry()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._calm()
        elif self._too_late is None:  # the head of a further request has begun
            self._hurry()

    def connection_lost(self, exc: Exception | None) -> None:
        self._calm()
        super().connection_lost(exc)

    def _hurry(self) -> None:
        self._too_late = self.loop.call_later(PATIENCE, self.transport.abort)

    def _calm(self) -> None:
        if self._too_late is not None:
            self._too_late.cancel()
            self._too_late = None

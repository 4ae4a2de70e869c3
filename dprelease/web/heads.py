"""A time limit for the head of a request: a visitor who sends it a letter at a time keeps no connection open."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

SECONDS = 20.0
"""From the first byte of a head, or from the connection, to its end."""


class Punctual(H11Protocol):
    """uvicorn's own protocol, which hangs up where a head does not come to its end in time."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._wait()
        else:
            self._arrived()

    def connection_lost(self, exc: Exception | None) -> None:
        self._arrived()
        super().connection_lost(exc)

    def _wait(self) -> None:
        """Once: what trickles in afterwards gives no more time."""
        if self._late is None:
            self._late = self.loop.call_later(SECONDS, self._hang_up)

    def _arrived(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _hang_up(self) -> None:
        self._late = None
        cycle: RequestResponseCycle | None = self.cycle
        answering = cycle is not None and not cycle.response_complete
        if self.conn.their_state is h11.IDLE and not answering and not self.transport.is_closing():
            self.transport.abort()


def server_options(proxy: str) -> dict[str, Any]:
    """Return what `uvicorn.run` takes. `proxy`: whose word on where requests come from is taken; empty for nobody."""
    return {"http": Punctual, "forwarded_allow_ips": proxy}

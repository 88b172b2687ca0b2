"""Connections before the door: few at once, and none for long, so that none of them keeps a reader
out who is let in.

Whoever reaches the port can open connections and send nothing, or one letter a second. Each holds
one of the files that this process may have open, and once these are gone no page is answered.
"""

from __future__ import annotations

import logging
from asyncio import Protocol, TimerHandle, Transport
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

LET_IN = "ranklens.let_in"
"""Where the state of a request's scope holds what is to be called once the door lets it in."""
MAX_WAITING = 256
"""So many wait; the longest waiting is dropped for the next."""
ACCEPTED_TOGETHER = 64
"""So many are taken from the system between two looks at what the others sent: of connections that
all come at once none is dropped before what it sent was read."""
SECONDS = 10.0
"""After so long without a request that is let in, a connection is dropped."""
_LOG = logging.getLogger("uvicorn.error")


class WaitingConnections(ServerState):
    """What the connections of a server share; `checks_placeholder` holds those that were not let
    in, the longest waiting first."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: dict[Protocol, tuple[Transport, TimerHandle]] = {}

    def leave(self, connection: Protocol) -> None:
        """It waits no more."""
        _, timer = self.waiting.pop(connection, (None, None))
        if timer is not None:
            timer.cancel()

    def drop_longest(self) -> None:
        """Make room."""
        connection, (transport, _) = next(iter(self.waiting.items()))
        self.leave(connection)
        # Not `close`, which waits until all that was sent is read.
        transport.abort()
        _LOG.warning("More than %d connections wait; the oldest are dropped.", MAX_WAITING)


class LimitedConnection(H11Protocol):
    """A connection, which waits from its begin until a request of it is let in; as a websocket,
    too."""

    server_state: WaitingConnections

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.app_state = {**self.app_state, LET_IN: lambda: self.server_state.leave(self)}

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """It begins to wait."""
        super().connection_made(transport)
        waiting = self.server_state.waiting
        if len(waiting) >= MAX_WAITING:
            self.server_state.drop_longest()
        waiting[self] = transport, self.loop.call_later(SECONDS, self._drop)

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over, unless a websocket took it over and tells so itself."""
        self.server_state.leave(self)
        super().connection_lost(exc)

    def _drop(self) -> None:
        self.server_state.leave(self)
        self.transport.abort()

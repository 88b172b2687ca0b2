"""Limits on connections that are not yet let in, so that these cannot lock out the user.

Anyone who reaches the port can open connections and send nothing, or one byte a second. Each
connection uses a file descriptor of this process. Once all descriptors are used up, no page is
served.
"""

from __future__ import annotations

import logging
from asyncio import Protocol, TimerHandle, Transport
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

LET_IN = "ranklens.let_in"
"""Key in the state of a request's scope. Its value is the function to call once the request is let
in."""
MAX_WAITING = 256
"""Maximum number of waiting connections. If another one arrives, the connection that has waited
longest is dropped."""
ACCEPTED_TOGETHER = 64
"""Number of connections accepted before the received data is read. If many connections arrive
together, this limit ensures that none is dropped before its request was read."""
SECONDS = 10.0
"""Seconds without an accepted request after which a connection is dropped."""
_LOG = logging.getLogger("uvicorn.error")


class WaitingConnections(ServerState):
    """State shared by the connections of a server. `waiting` has the connections that are not let
    in yet, longest waiting first."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: dict[Protocol, tuple[Transport, TimerHandle]] = {}

    def stop_waiting(self, connection: Protocol) -> None:
        """Remove a connection from the waiting ones, and cancel its time limit."""
        _, timer = self.waiting.pop(connection, (None, None))
        if timer is not None:
            timer.cancel()

    def drop_longest_waiting(self) -> None:
        """Drop the connection that has waited longest."""
        connection, (transport, _) = next(iter(self.waiting.items()))
        self.stop_waiting(connection)
        # Not `close`, which waits until all data is sent.
        transport.abort()
        _LOG.warning("More than %d connections wait; the oldest are dropped.", MAX_WAITING)


class LimitedConnection(H11Protocol):
    """A connection, possibly of a websocket, that waits from its start until one of its requests is
    let in."""

    server_state: WaitingConnections

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.app_state = {**self.app_state, LET_IN: lambda: self.server_state.stop_waiting(self)}

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Start waiting."""
        super().connection_made(transport)
        waiting = self.server_state.waiting
        if len(waiting) >= MAX_WAITING:
            self.server_state.drop_longest_waiting()
        waiting[self] = transport, self.loop.call_later(SECONDS, self._drop_connection)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting: the connection ended, or a websocket took it over."""
        self.server_state.stop_waiting(self)
        super().connection_lost(exc)

    def _drop_connection(self) -> None:
        self.server_state.stop_waiting(self)
        self.transport.abort()

"""Limits on waiting connections, which have not sent a request that was let in, so that such
connections cannot lock out the user.

Anyone who reaches the port can open connections and then send nothing, or one byte a second. Each
connection uses a file descriptor of this process. When all file descriptors are used up, the server
can serve no page."""

from __future__ import annotations

import logging
from asyncio import Protocol, TimerHandle, Transport
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

LET_IN = "ranklens.let_in"
"""Key in the state of a request's scope. The value is a function that must be called when the
request is let in."""
MAX_WAITING = 256
"""Maximum number of waiting connections. If another one arrives, the one that has waited longest is
dropped."""
ACCEPTED_TOGETHER = 64
"""Number of connections that are accepted before the server reads the data they have sent. If many
connections arrive at the same time, this limit ensures that none is dropped before its request is
read."""
SECONDS = 10.0
"""Time in seconds after which a connection is dropped if none of its requests was let in."""
_LOG = logging.getLogger("uvicorn.error")


class WaitingConnections(ServerState):
    """The state that the connections of a server share. `waiting` has the connections whose
    requests have not been let in yet; the connection that has waited longest comes first."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: dict[Protocol, tuple[Transport, TimerHandle]] = {}

    def stop_waiting(self, connection: Protocol) -> None:
        """Remove a connection from the waiting connections, and cancel its time limit."""
        _, timer = self.waiting.pop(connection, (None, None))
        if timer is not None:
            timer.cancel()

    def drop_longest_waiting(self) -> None:
        """Drop the connection that has waited longest."""
        connection, (transport, _) = next(iter(self.waiting.items()))
        self.stop_waiting(connection)
        # Not `close`, which waits until all data is sent.
        transport.abort()
        _LOG.warning("More than %d connections are waiting, so the oldest are closed.", MAX_WAITING)


class LimitedConnection(H11Protocol):
    """A connection that waits from its start until one of its requests is let in. It may become a
    websocket."""

    server_state: WaitingConnections

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.app_state = {**self.app_state, LET_IN: lambda: self.server_state.stop_waiting(self)}

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Add the connection to the waiting connections. If there are too many, drop the one that
        has waited longest."""
        super().connection_made(transport)
        waiting = self.server_state.waiting
        if len(waiting) >= MAX_WAITING:
            self.server_state.drop_longest_waiting()
        waiting[self] = transport, self.loop.call_later(SECONDS, self._drop_connection)

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove the connection from the waiting connections, because it has ended or become a
        websocket."""
        self.server_state.stop_waiting(self)
        super().connection_lost(exc)

    def _drop_connection(self) -> None:
        self.server_state.stop_waiting(self)
        self.transport.abort()

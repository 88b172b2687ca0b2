"""Connections that were not let in: how many there may be, for how long, and who may stay."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from threading import Thread
from typing import Any

import pytest
import uvicorn

from dashboard.serving.access import connection_limits
from dashboard.serving.access.access_control import AccessControl
from dashboard.serving.access.connection_limits import LimitedConnection, WaitingConnections
from dashboard.serving.access.origin import parse_origins
from dashboard.serving.access.token import Keys, derive_keys

FEW, SOON = 4, 0.4


class Served:
    """A server behind the door, which tells its guests so."""

    def __init__(self) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listening.getsockname()[1]
        self.keys: Keys = derive_keys("T" * 43, self.port)
        origins = set(parse_origins("127.0.0.1", self.port))
        door = AccessControl(answering, origins=origins, keys=self.keys, headers=[])
        config = uvicorn.Config(
            door, http=LimitedConnection, ws="websockets-sansio", lifespan="off", log_config=None
        )
        self.server = uvicorn.Server(config)
        self.state = self.server.server_state = WaitingConnections()
        self.thread = Thread(target=self.server.run, kwargs={"sockets": [self.listening]})
        self.thread.start()

    def opened(self, sent: str = "") -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        connection.sendall(sent.encode())
        return connection

    def request(self, *headers: str, cookie: bool = True) -> str:
        """A request for the page, of our reader or of a stranger."""
        lines = [
            f"GET /{self.keys.base}/ HTTP/1.1",
            f"Host: 127.0.0.1:{self.port}",
            *([f"Cookie: ranklens={self.keys.cookie}"] if cookie else []),
            *headers,
        ]
        return "\r\n".join(lines) + "\r\n\r\n"

    def websocket(self, *, cookie: bool = True) -> str:
        """A request for a websocket."""
        return self.request(
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", f"Origin: http://127.0.0.1:{self.port}",
            cookie=cookie,
        )  # fmt: skip


async def answering(scope: Any, receive: Any, send: Any) -> None:
    """Answers `yes`; a websocket is held open."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        while (await receive())["type"] != "websocket.disconnect":
            pass
        return
    headers = [(b"content-length", b"3")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"yes"})


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setattr(connection_limits, "MAX_WAITING", FEW)
    monkeypatch.setattr(connection_limits, "SECONDS", SOON)
    server = Served()
    yield server
    server.server.should_exit = True
    server.thread.join(20)


def heard(connection: socket.socket) -> bytes:
    """All that comes until the connection is dropped."""
    parts = []
    try:
        while came := connection.recv(4096):
            parts.append(came)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def test_one_that_says_nothing_is_dropped(served: Served) -> None:
    with served.opened() as silent:
        assert heard(silent) == b""
    assert not served.state.waiting


@pytest.mark.parametrize("kind", ["request", "websocket"])
def test_one_that_is_slow_is_dropped_before_its_request_is_whole(served: Served, kind: str) -> None:
    with served.opened(getattr(served, kind)()[:-2]) as slow:
        with pytest.raises(OSError):
            while True:
                slow.sendall(b"X: y\r\n")
                time.sleep(SOON / 20)
        assert heard(slow) == b""


@pytest.mark.parametrize("kind", ["request", "websocket"])
def test_one_that_was_refused_is_dropped_however_often_it_asks(served: Served, kind: str) -> None:
    asked = getattr(served, kind)(cookie=False)
    with served.opened(asked) as refused, pytest.raises(OSError):
        while True:
            time.sleep(SOON / 10)
            refused.sendall(asked.encode())
    # What became a websocket has a place until its time is over.
    for _ in range(100):
        if not served.state.waiting:
            break
        time.sleep(SOON / 10)
    assert not served.state.waiting


def test_of_too_many_the_longest_waiting_is_dropped(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_limits, "SECONDS", 60.0)
    with ExitStack() as held:
        first, second, *_ = [held.enter_context(served.opened()) for _ in range(FEW)]
        ours = held.enter_context(served.opened(served.request()))
        assert ours.recv(15) == b"HTTP/1.1 200 OK"
        assert heard(first) == b""
        second.sendall(served.request().encode())
        assert second.recv(15) == b"HTTP/1.1 200 OK"


@pytest.mark.parametrize("kind", ["request", "websocket"])
def test_one_that_was_let_in_stays(served: Served, kind: str) -> None:
    with served.opened(getattr(served, kind)()) as ours:
        assert ours.recv(11) == (b"HTTP/1.1 20" if kind == "request" else b"HTTP/1.1 10")
        for _ in range(2 * FEW):
            served.opened().close()
        time.sleep(2 * SOON)
        ours.sendall(b"\x89\x80\0\0\0\0" if kind == "websocket" else served.request().encode())
        found = b""
        while (b"\x8a\x00" if kind == "websocket" else b"yesHTTP/1.1 200") not in found:
            came = ours.recv(4096)
            assert came
            found += came

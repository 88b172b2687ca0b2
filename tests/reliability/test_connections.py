"""Whoever reaches the port of a real server and holds connections keeps no reader out."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.dashboard.test_start import handshake
from tests.servers import serving

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits of open files are POSIX's")

SILENT = 1_100
FEW_FILES = ("sh", "-c", 'ulimit -n 1024 && exec "$@"', "sh")
"""The server may have no more open, of which connections are a part."""
SENT = {
    "nothing": b"",
    "half a head": b"GET / HTTP/1.1\r\nHost: 127",
    "half a handshake": b"GET /_stcore/stream HTTP/1.1\r\nUpgrade: websocket\r\n",
    "no request": b"\x16\x03\x01\r\n\r\n",
    "a strange upgrade": b"GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\n"
    b"Upgrade: h2c\r\n\r\n",
    "no token": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
}

PING, PONG = b"\x89\x80\0\0\0\0", b"\x8a\x00"


@pytest.fixture
def many_files() -> Iterator[None]:
    """This process may have as many open as it holds connections."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if before[1] < 2 * SILENT:
        pytest.skip("too few open files allowed here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], 2 * SILENT), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_silent_connections_keep_no_reader_out(tmp_path: Path, many_files: None) -> None:
    with serving(tmp_path / "workspace", before=FEW_FILES) as server, ExitStack() as held:
        visit = server.let_in()
        page = held.enter_context(socket.create_connection(("127.0.0.1", server.port)))
        page.sendall(handshake(server.port, visit.base, visit.cookie))
        assert page.recv(100).startswith(b"HTTP/1.1 101")
        written = len(server.log())
        for number in range(SILENT):
            silent = held.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            silent.sendall(list(SENT.values())[number % len(SENT)])
        assert server.let_in() == visit
        answer = server.get(f"{visit.base}/", {"Cookie": visit.cookie})
        assert (answer.status, b"<title>" in answer.body) == (200, True)
        # Who was let in stays, however many came since.
        page.settimeout(20)
        page.sendall(PING)
        heard = b""
        while PONG not in heard:
            came = page.recv(4096)
            assert came
            heard += came
        said = server.log()[written:]
        assert "connections are waiting" in said
        assert len(said) < 2_000, said[:4_000]


def test_the_limit_of_open_files_is_raised(tmp_path: Path) -> None:
    fewer = ("sh", "-c", 'ulimit -S -n 200 && exec "$@"', "sh")
    with serving(tmp_path / "workspace", before=fewer) as server:
        server.let_in()
        limits = Path(f"/proc/{server.process.pid}/limits")
        if not limits.exists():
            pytest.skip("no /proc here")
        line = next(x for x in limits.read_text().splitlines() if x.startswith("Max open files"))
        soft, hard = line.split()[3:5]
        assert soft == hard

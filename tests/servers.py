"""Dashboards started for a test, as the command starts them, and what opens them."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[1]
COMMAND = (sys.executable, "-m", "dashboard")


def free_port() -> int:
    """A port of this machine that nobody used a moment ago."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@dataclass(frozen=True)
class Visit:
    """What the printed address leads to: the first page's address, and the cookie that opens it."""

    address: str
    cookie: str

    @property
    def base(self) -> str:
        """The path below which everything is served, as `/…`."""
        return urlsplit(self.address).path


@dataclass(frozen=True)
class Server:
    """A started command: what it printed goes to `output`."""

    process: subprocess.Popen[str]
    port: int
    output: Path
    host: str = "127.0.0.1"

    def log(self) -> str:
        return self.output.read_text()

    def printed(self, line: str = r"^Ranklens: (\S+)$", seconds: float = 60) -> str:
        """The address that it prints, in a line of this pattern."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = re.search(line, self.log(), re.MULTILINE)
            if found:
                return found[1]
            assert self.process.poll() is None, self.log()
            time.sleep(0.05)
        raise AssertionError(f"no address was printed\n{self.log()}")

    def let_in(self) -> Visit:
        """Opens the printed address, as a browser does; waits until the server answers."""
        printed = urlsplit(self.printed())
        answer = self.get(f"{printed.path}?{printed.query}")
        assert answer.status == 303, (answer.status, self.log())
        cookie = answer.headers["set-cookie"].partition(";")[0]
        address = f"http://{self.host}:{self.port}{answer.headers['location'].rstrip('/')}"
        visit = Visit(address, cookie)
        health = self.get(f"{visit.base}/_stcore/health", {"Cookie": cookie})
        assert (health.status, health.body) == (200, b"ok"), self.log()
        return visit

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> Answer:
        return asked(self.port, "GET", path, headers, host=self.host)

    def end(self, sent: signal.Signals = signal.SIGTERM, seconds: float = 20) -> int:
        """Ends it; its exit status. What outlives the signal is killed, and the test fails."""
        if self.process.poll() is None:
            self.process.send_signal(sent)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes


def asked(
    port: int,
    method: str,
    path: str,
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
    host: str = "127.0.0.1",
) -> Answer:
    """One request to `host` with these headers and no other, but Host where none is given."""
    connection = http.client.HTTPConnection(host, port, timeout=60)
    try:
        given = {"Host": f"{host}:{port}", **(headers or {})}
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in given.items():
            connection.putheader(name, value)
        if body:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body or None)
        answer = connection.getresponse()
        named = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, named, answer.read())
    finally:
        connection.close()


@contextmanager
def serving(
    workspace: Path,
    *options: str,
    port: int | None = None,
    before: Sequence[str] = (),
    command: Sequence[str] = (),
    cwd: Path = ROOT,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Server]:
    """The command with this workspace, on a free port; ended afterwards.

    `before` stands before the command (`unshare -n`, for example), `command` in its place;
    `environment` is added to ours.
    """
    port = port or free_port()
    ours = (*before, *COMMAND, "--port", str(port), "--workspace", str(workspace), *options)
    output = workspace.with_name(f"{workspace.name}-{port}.log")
    with output.open("w") as log:
        process = subprocess.Popen(
            command or ours, cwd=cwd, text=True, stdout=log, stderr=log, start_new_session=True,
            env={**os.environ, **(environment or {})},
        )  # fmt: skip
    host = options[options.index("--host") + 1] if "--host" in options else "127.0.0.1"
    server = Server(process, port, output, host)
    try:
        yield server
    finally:
        server.end()

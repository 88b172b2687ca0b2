"""The door of a server that other computers may reach: on another address of this one, by the names
given, below the path of a proxy. And on all addresses, in a network of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.dashboard.serving.access.pairs import ADMITTED, REFUSED, Pair, headers_of
from tests.reliability.test_doors import PATHS, REFUSALS, WEBSOCKET, ways
from tests.servers import COMMAND, ROOT, Server, asked, serving

OPTIONS = (
    "--host", "127.0.0.2", "--allowed-host", "server.test", "--allowed-host", "https://hub.test",
    "--base-path", "/user/anna",
)  # fmt: skip
OURS: dict[str, Pair] = {
    "the address": ("127.0.0.2:PORT", "http://127.0.0.2:PORT"),
    "a name": ("server.test:PORT", "http://server.test:PORT"),
    "a proxy with HTTPS": ("hub.test", "https://hub.test"),
}
FOREIGN: dict[str, Pair] = {
    **{name: pair for name, pair in (REFUSED | ADMITTED).items() if pair not in OURS.values()},
    "a name without its port": ("server.test", "http://server.test"),
    "a name with another scheme": ("server.test:PORT", "https://server.test:PORT"),
    "the proxy without HTTPS": ("hub.test", "http://hub.test"),
    "the proxy at our port": ("hub.test:PORT", "https://hub.test:PORT"),
    "one name from another": ("server.test:PORT", "https://hub.test"),
    "below a name": ("a.server.test:PORT", "http://a.server.test:PORT"),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("host") / "workspace", *OPTIONS) as started:
        assert started.printed().startswith(f"http://server.test:{started.port}/user/anna/?token=")
        yield started


def test_nobody_gets_in_by_another_name(server: Server) -> None:
    visit = server.let_in()
    assert visit.base.startswith("/user/anna/")
    for name, pair in FOREIGN.items():
        headers = {**headers_of(pair, server.port), "Cookie": visit.cookie}
        for way, answer in ways(server, visit, headers).items():
            assert answer.status in (400, 403), (name, way)
            known = (*REFUSALS, b"", b"Invalid HTTP request received.", b"Forbidden")
            assert answer.body in known and "set-cookie" not in answer.headers, (name, way)


def test_our_names_get_in_with_the_cookie_and_not_without(server: Server) -> None:
    visit = server.let_in()
    for pair in OURS.values():
        headers = headers_of(pair, server.port)
        answers = ways(server, visit, {**headers, "Cookie": visit.cookie})
        statuses = {way: answer.status for way, answer in answers.items()}
        assert statuses | {"upload": 0, "removal": 0} == {
            "page": 200, "script": 200, "font": 200, "health": 200, "upload": 0, "removal": 0,
            "websocket": 101, "token": 303,
        }  # fmt: skip
        assert b"XSRF" in answers["upload"].body
        assert_closed(server, visit.base, headers)


def assert_closed(server: Server, base: str, headers: dict[str, str]) -> None:
    """Without the cookie, and with a wrong token, there is nothing."""
    for path in PATHS:
        for start in ("", "/user/anna", base):
            for query in ("", "?token=" + "x" * 43):
                answer = asked(
                    server.port, "GET", f"{start}{path}{query}", headers, host=server.host
                )
                assert (answer.status, answer.body in REFUSALS) == (403, True), (start, path)
    stream = f"{base}/_stcore/stream"
    assert server.get(stream, {**headers, **WEBSOCKET}).status == 403


def test_only_this_address_is_served(server: Server) -> None:
    server.let_in()
    with pytest.raises(ConnectionRefusedError):
        asked(server.port, "GET", "/")


ON_ALL = """
import sys, tests.reliability.test_host as t, tests.servers as s
from pathlib import Path
server = s.Server(None, int(sys.argv[1]), Path(sys.argv[2]), "10.255.0.1")
own = {"Host": f"127.0.0.1:{server.port}"}
assert s.asked(server.port, "GET", "/", {**own, "Origin": "http://x.test"}).status == 403
visit = s.Server(None, server.port, server.output).let_in()
for host in ("10.255.0.1", "127.0.0.1", "server.test"):
    headers = {"Host": f"{host}:{server.port}", "Origin": f"http://{host}:{server.port}"}
    t.assert_closed(server, visit.base, headers)
    answer = server.get(visit.base + "/_stcore/health", {**headers, "Cookie": visit.cookie})
    assert answer.status == (200 if host == "127.0.0.1" else 403), host
"""
NET = "ip link set lo up && ip addr add 10.255.0.1/30 dev lo"


def test_on_all_addresses_nobody_gets_in_without_the_token(tmp_path: Path) -> None:
    net = ("unshare", "-n", "sh", "-c", f'{NET} && exec "$@"', "sh")
    tools = os.name == "posix" and os.getuid() == 0 and shutil.which("nsenter")
    probe = (*net, "true")
    if not tools or subprocess.run(probe, capture_output=True).returncode:
        pytest.skip("this machine gives no network of its own")
    with serving(tmp_path / "workspace", "--host", "0.0.0.0", before=net) as server:
        assert server.printed().startswith(f"http://127.0.0.1:{server.port}/?token=")
        assert "Warning: --host 0.0.0.0 lets other computers connect" in server.log()
        inside = ("nsenter", "-t", str(server.process.pid), "-n", sys.executable, "-c", ON_ALL)
        done = subprocess.run(
            [*inside, str(server.port), str(server.output)],
            cwd=ROOT, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--host", "server.test"], "'server.test' is not an IP address such as 0.0.0.0"),
        (["--host", "0.0.0.0", "--no-token"], "--no-token would admit the whole network"),
        (["--host", "203.0.113.1"], "203.0.113.1 is not an address of this computer"),
        (["--allowed-host", "*"], "--allowed-host * is not a valid name"),
        (["--base-path", "https://hub.test/"], "is not a path such as /user/anna"),
    ],
)
def test_what_cannot_be_served_is_said(options: list[str], said: str) -> None:
    done = subprocess.run(
        [*COMMAND, *options], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr and "Traceback" not in done.stderr

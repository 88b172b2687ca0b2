"""The door of a real server: strange hosts and origins, and another account of this computer."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from dashboard.serving.access.access_control import NO_WORKSPACE, NOT_SIGNED_IN
from tests.dashboard.serving.access.pairs import ADMITTED, REFUSED, Pair, headers_of
from tests.servers import Answer, Server, Visit, asked, serving

REFUSALS = (NOT_SIGNED_IN, NO_WORKSPACE)
WEBSOCKET = {
    "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": "streamlit",
}  # fmt: skip
PATHS = (
    "/", "/index.html", "/queries", "/app/static/inter.woff2", "/favicon.png", "/media/a.csv",
    "/_stcore/health", "/_stcore/host-config", "/_stcore/metrics", "/_stcore/stream",
    "/_stcore/agent/openapi.json", "/_stcore/upload_file/a/b", "/component/x/y", "/oauth2callback",
    "/_stcore/bidi-components/x", "/manifest.json", "/../door.json", "//127.0.0.1/", "/%2e%2e/",
)  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("doors") / "workspace") as started:
        started.let_in()
        yield started


@pytest.fixture(scope="module")
def visit(server: Server) -> Visit:
    return server.let_in()


def ways(server: Server, visit: Visit, headers: dict[str, str]) -> dict[str, Answer]:
    """The answers to these headers over HTTP, as an upload and as a websocket."""
    upload = f"{visit.base}/_stcore/upload_file/session/file"
    form = {"Content-Type": "multipart/form-data; boundary=b"}
    body = b'--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nx\r\n--b--\r\n'
    printed = urlsplit(server.printed())
    given = {
        "page": ("GET", f"{visit.base}/", {}, b""),
        "script": ("GET", f"{visit.base}/static/index.html", {}, b""),
        "font": ("GET", f"{visit.base}/app/static/inter.woff2", {}, b""),
        "health": ("GET", f"{visit.base}/_stcore/health", {}, b""),
        "upload": ("PUT", upload, form, body),
        "removal": ("DELETE", upload, {}, b""),
        "websocket": ("GET", f"{visit.base}/_stcore/stream", WEBSOCKET, b""),
        "token": ("GET", f"{printed.path}?{printed.query}", {}, b""),
    }
    return {
        way: asked(server.port, method, path, {**headers, **added}, body, server.host)
        for way, (method, path, added, body) in given.items()
    }


@pytest.mark.parametrize("pair", REFUSED.values(), ids=REFUSED.keys())
def test_no_byte_for_a_foreign_host_or_origin(pair: Pair, server: Server, visit: Visit) -> None:
    headers = {**headers_of(pair, server.port), "Cookie": visit.cookie}
    for way, answer in ways(server, visit, headers).items():
        # An empty or impossible Host is refused by the HTTP reader itself.
        assert answer.status in (400, 403), way
        assert answer.body in (*REFUSALS, b"", b"Invalid HTTP request received.", b"Forbidden"), way
        assert "set-cookie" not in answer.headers, way


@pytest.mark.parametrize("pair", ADMITTED.values(), ids=ADMITTED.keys())
def test_our_own_page_has_all(pair: Pair, server: Server, visit: Visit) -> None:
    headers = {**headers_of(pair, server.port), "Cookie": visit.cookie}
    answers = ways(server, visit, headers)
    statuses = {way: answer.status for way, answer in answers.items()}
    # The token's address below no path has the cookie not needed; the upload meets Streamlit's own
    # question for its own token.
    assert statuses | {"upload": 0, "removal": 0} == {
        "page": 200, "script": 200, "font": 200, "health": 200, "upload": 0, "removal": 0,
        "websocket": 101, "token": 303,
    }  # fmt: skip
    assert b"XSRF" in answers["upload"].body
    assert answers["removal"].body not in REFUSALS


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "OPTIONS"])
def test_no_byte_without_the_cookie(method: str, server: Server, visit: Visit) -> None:
    origin = {"Origin": f"http://127.0.0.1:{server.port}"}
    wrong = {"Cookie": visit.cookie[:-1] + "x"}
    for path in PATHS:
        for base in ("", visit.base):
            for cookie in ({}, wrong):
                answer = asked(server.port, method, f"{base}{path}", {**origin, **cookie})
                page = NOT_SIGNED_IN if base else NO_WORKSPACE
                assert (answer.status, answer.body) == (403, page), path
    answer = server.get(f"{visit.base}/_stcore/stream", {**origin, **wrong, **WEBSOCKET})
    assert answer.status == 403


def test_every_answer_is_guarded(server: Server, visit: Visit) -> None:
    for path in PATHS:
        for headers in ({}, {"Cookie": visit.cookie}):
            answer = server.get(f"{visit.base}{path}", headers)
            assert answer.headers["x-frame-options"] == "DENY", path
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["referrer-policy"] == "no-referrer"
            assert answer.headers["cross-origin-opener-policy"] == "same-origin"
            assert answer.headers["cross-origin-resource-policy"] == "same-origin"
            policy = answer.headers["content-security-policy"]
            assert "frame-ancestors 'none'" in policy and "default-src 'self'" in policy
            # No other host, no script that stands in a page but the ones of the build.
            assert "://" not in policy and "*" not in policy
            assert "'unsafe-eval'" not in policy
            assert "'unsafe-inline'" not in policy.partition("script-src")[2].partition(";")[0]
            assert "access-control-allow-origin" not in answer.headers
            assert "path=/;" not in answer.headers.get("set-cookie", "").lower()


def test_the_tools_interface_is_off(server: Server, visit: Visit) -> None:
    headers = {"Cookie": visit.cookie, "Origin": f"http://127.0.0.1:{server.port}"}
    for path in ("interact", "mcp"):
        answer = asked(
            server.port, "POST", f"{visit.base}/_stcore/agent/{path}",
            {**headers, "Content-Type": "application/json"}, b"{}",
        )  # fmt: skip
        assert answer.status >= 400, answer.body


OTHER_ACCOUNT = """
import http.client, json, os, sys
port, process, workspace, paths = json.loads(sys.argv[1])
found = {"account": os.getuid(), "statuses": [], "had": []}
for path in paths:
    asked = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    asked.request("GET", path, headers={"Origin": f"http://127.0.0.1:{port}"})
    found["statuses"].append(asked.getresponse().status)
tried = [os.path.join(workspace, "door.json"), os.path.join(workspace, "workspace.json")]
tried += [f"/proc/{process}/{name}" for name in ("environ", "mem", "maps")]
for name in tried:
    try:
        with open(name, "rb") as file:
            found["had"].append([name, len(file.read(10))])
    except OSError:
        pass
try:
    found["had"].append(os.listdir(workspace))
except OSError:
    pass
try:
    with open(f"/proc/{process}/cmdline") as file:
        found["command"] = file.read()
except OSError:
    found["command"] = ""
print(json.dumps(found))
"""


def test_another_account_of_this_computer_gets_nothing() -> None:
    import json

    if os.name != "posix" or os.getuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("becoming another account takes root and setpriv")
    become = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3"]
    if subprocess.run([*become, "-c", "0"], capture_output=True).returncode:
        pytest.skip("the other account has no Python")
    # Where another account may look, so that the workspace's own modes are what is tried.
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        workspace = Path(folder) / "workspace"
        workspace.mkdir(mode=0o777)
        workspace.chmod(0o777)
        with serving(workspace) as server:
            visit = server.let_in()
            token = server.printed().partition("token=")[2]
            given = [
                server.port, server.process.pid, str(workspace),
                [f"{base}{path}" for base in ("", visit.base) for path in PATHS],
            ]  # fmt: skip
            done = subprocess.run(
                [*become, "-c", OTHER_ACCOUNT, json.dumps(given)],
                capture_output=True, text=True, timeout=60, check=True, cwd="/",
            )  # fmt: skip
            found = json.loads(done.stdout)
            assert found["account"] == 65534
            assert set(found["statuses"]) == {403}
            assert len(found["statuses"]) == 2 * len(PATHS)
            assert found["had"] == []
            assert token not in found["command"]
            assert stat.S_IMODE(workspace.stat().st_mode) == 0o700

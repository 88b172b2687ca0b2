"""The command that starts the dashboard: where it listens, what ends it, what it refuses."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from dashboard import start
from dashboard.environment import WORKSPACE_VARIABLE
from dashboard.workspace import Workspace
from dashboard.workspace.exports.packing import pack_new_collection
from dashboard.workspace.exports.report_data import make_data_markup
from metrics_core import __version__, read
from tests.metrics_core.base.test_process_exit import CALLED_BACK
from tests.servers import COMMAND, ROOT, free_port, serving

MAKE = ("make", "--no-print-directory", "--old-file=.venv/run.stamp")
POSIX = pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
SECONDS_TO_END = 10
NO_ACCOUNT = """
import pwd

def unknown(_):
    raise KeyError

pwd.getpwuid = pwd.getpwnam = unknown
"""


@pytest.fixture(autouse=True, scope="module")
def _interruptible() -> None:
    """Shells start what runs in the background with SIGINT ignored, and children inherit that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def is_free(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) != 0


@POSIX
@pytest.mark.parametrize(
    ("sent", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)], ids=["TERM", "Ctrl-C"]
)
def test_a_signal_to_the_command_ends_the_server(
    sent: signal.Signals, status: int, tmp_path: Path
) -> None:
    with serving(tmp_path / "workspace") as server:
        server.let_in()
        assert server.end(sent, SECONDS_TO_END) == status
        assert is_free(server.port)
        assert f"http://127.0.0.1:{server.port}" in server.log()
        assert "Traceback" not in server.log()


@POSIX
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT], ids=["TERM", "Ctrl-C"])
def test_a_signal_before_the_server_answers_ends_it_too(
    sent: signal.Signals, tmp_path: Path
) -> None:
    with serving(tmp_path / "workspace") as server:
        server.printed()
        assert server.end(sent, SECONDS_TO_END) == 128 + sent
        assert "Traceback" not in server.log()


@POSIX
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT], ids=["TERM", "Ctrl-C"])
def test_a_signal_while_a_class_is_made_ends_it_by_the_same_status(
    sent: signal.Signals, tmp_path: Path
) -> None:
    # As `dataclass` does for each class: what is interrupted is an `exec`.
    loaded = tmp_path / "streamlit.py"
    loaded.write_text(f"import os\nexec('os.kill(os.getpid(), {sent:d})\\nwhile True: pass')\n")
    with serving(tmp_path / "workspace", environment={"PYTHONPATH": str(tmp_path)}) as server:
        assert server.process.wait(SECONDS_TO_END) == 128 + sent
        assert "Traceback" not in server.log()


@POSIX
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT], ids=["TERM", "Ctrl-C"])
def test_an_open_page_and_a_silent_client_do_not_hold_the_server(
    sent: signal.Signals, tmp_path: Path
) -> None:
    with serving(tmp_path / "workspace") as server:
        visit = server.let_in()
        with (
            socket.create_connection(("127.0.0.1", server.port)) as page,
            socket.create_connection(("127.0.0.1", server.port)) as half,
        ):
            page.sendall(handshake(server.port, visit.base, visit.cookie))
            assert page.recv(100).startswith(b"HTTP/1.1 101")
            # Says that more will come, and says no more; neither does the page take its leave.
            half.sendall(
                f"PUT {visit.base}/_stcore/upload_file/a/b HTTP/1.1\r\n"
                f"Host: 127.0.0.1:{server.port}\r\nOrigin: http://127.0.0.1:{server.port}\r\n"
                f"Cookie: {visit.cookie}\r\nContent-Length: 100\r\n\r\nbegun".encode()
            )
            time.sleep(0.5)
            assert server.end(sent, SECONDS_TO_END) == 128 + sent
        assert is_free(server.port)
        assert "Traceback" not in server.log()


def handshake(port: int, base: str, cookie: str) -> bytes:
    return (
        f"GET {base}/_stcore/stream HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        f"Origin: http://127.0.0.1:{port}\r\nCookie: {cookie}\r\nConnection: Upgrade\r\n"
        "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: streamlit\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    ).encode()


@POSIX
def test_a_thread_that_arrow_called_back_does_not_abort_the_end(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(CALLED_BACK)
    added = {"PYTHONPATH": str(tmp_path)}
    with serving(tmp_path / "workspace", environment=added) as server:
        server.let_in()
        assert server.end(signal.SIGTERM, SECONDS_TO_END) == 143
    with serving(tmp_path / "workspace", environment=added) as server:
        server.printed()
        assert server.end(signal.SIGTERM, SECONDS_TO_END) == 143


@pytest.mark.thorough
@POSIX
def test_a_computation_does_not_hold_the_server(tmp_path: Path) -> None:
    # A thread that Python would wait for, in the place of a long computation.
    (tmp_path / "sitecustomize.py").write_text(
        "import threading, time\nthreading.Thread(target=time.sleep, args=(120,)).start()\n"
    )
    added = {"PYTHONPATH": str(tmp_path)}
    with serving(tmp_path / "workspace", environment=added) as server:
        server.let_in()
        assert server.end(signal.SIGTERM, SECONDS_TO_END) == 143


@POSIX
@pytest.mark.skipif(not shutil.which("make"), reason="no make")
@pytest.mark.parametrize("terminal", [False, True], ids=["TERM to make", "Ctrl-C"])
def test_ending_make_run_ends_the_server(terminal: bool, tmp_path: Path) -> None:
    port = free_port()
    binaries = f"BIN={Path(sys.executable).parent}"
    variables = (binaries, f"PORT={port}", f"WORKSPACE={tmp_path / 'workspace'}", "run")
    with serving(tmp_path / "workspace", port=port, command=(*MAKE, *variables)) as server:
        server.let_in()
        if terminal:
            # A terminal sends Ctrl-C to make and to all that it started.
            os.killpg(server.process.pid, signal.SIGINT)
        else:
            server.process.terminate()
        server.process.wait(20)
        assert "Traceback" not in server.log()
        for _ in range(100):
            if is_free(port):
                break
            time.sleep(0.1)
        assert is_free(port)


@POSIX
def test_an_open_page_outlives_a_restart(tmp_path: Path) -> None:
    with serving(tmp_path / "workspace") as server:
        first, printed = server.let_in(), server.printed()
    with serving(tmp_path / "workspace", port=server.port) as again:
        assert (again.let_in(), again.printed()) == (first, printed)
    with serving(tmp_path / "workspace") as elsewhere:
        assert elsewhere.let_in().base != first.base
        assert elsewhere.let_in().cookie != first.cookie


def test_a_new_token_is_kept_and_the_old_address_opens_nothing(tmp_path: Path) -> None:
    with serving(tmp_path / "workspace") as server:
        before, old = server.let_in(), server.printed()
    with serving(tmp_path / "workspace", "--new-token", port=server.port) as again:
        visit, new = again.let_in(), again.printed()
        assert new != old
        assert again.get(f"/?{urlsplit(old).query}").status == 403
        own = {"Cookie": before.cookie}
        for base in (before.base, visit.base):
            refused = again.get(f"{base}/_stcore/health", own)
            assert refused.status == 403
            assert b"the printed address works again" in refused.body
    with serving(tmp_path / "workspace", port=server.port) as later:
        assert (later.let_in(), later.printed()) == (visit, new)


@POSIX
def test_what_it_writes_is_for_this_account_alone(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir(mode=0o755)
    before = os.umask(0)
    try:
        with serving(workspace) as server:
            server.let_in()
            umask = f"/proc/{server.process.pid}/status"
            if Path(umask).exists():
                assert "\nUmask:\t0077\n" in Path(umask).read_text()
    finally:
        os.umask(before)
    assert stat.S_IMODE(workspace.stat().st_mode) == 0o700
    written = [path for path in workspace.rglob("*") if path.is_file()]
    assert written
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in written)


def test_a_workspace_that_cannot_be_kept_is_said(tmp_path: Path) -> None:
    (tmp_path / "workspace").write_text("a file, no folder")
    with serving(tmp_path / "workspace") as server:
        server.let_in()
        said = server.log()
    assert "cannot be made private to this account" in said
    assert "Traceback" not in said


def test_without_a_token_it_warns(tmp_path: Path) -> None:
    with serving(tmp_path / "workspace", "--no-token") as server:
        assert server.printed() == f"http://127.0.0.1:{server.port}/"
        assert server.get("/_stcore/health").body == b"ok"
        assert server.get("/", {"Origin": "http://evil.example"}).status == 403
        said = server.log()
    assert "Warning: --no-token lets every account" in said
    assert not (tmp_path / "workspace").exists()


def test_a_taken_port_is_said_before_an_address_is_printed() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = subprocess.run(
            [*COMMAND, "--port", str(port)], cwd=ROOT, capture_output=True, text=True, timeout=60
        )
    assert done.returncode != 0
    assert done.stdout == ""
    assert f"Port {port} is in use" in done.stderr
    assert "http://" not in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("port", ["-1", "65536", "80000"])
def test_a_number_that_is_no_port_is_refused(port: str) -> None:
    done = subprocess.run(
        [*COMMAND, "--port", port], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode != 0
    assert done.stdout == ""
    assert "from 1 to 65535" in done.stderr


@POSIX
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            [],
            "Set HOME, or choose a folder with make run WORKSPACE=folder or ranklens --workspace"
            " folder.",
        ),
        (["--workspace", "~/kept"], "~/kept refers to the home folder of an account"),
        (["--data", "~nobody-of-this-name/runs"], "write the path in full"),
    ],
)
def test_an_account_without_a_home_folder_is_told_what_to_name(
    options: list[str], said: str, tmp_path: Path
) -> None:
    # As where the number of the account stands in no list, as in many containers.
    (tmp_path / "sitecustomize.py").write_text(NO_ACCOUNT)
    named = ("HOME", "XDG_DATA_HOME", WORKSPACE_VARIABLE)
    left = {k: v for k, v in os.environ.items() if k not in named}
    done = subprocess.run(
        [*COMMAND, "--port", str(free_port()), *options], cwd=ROOT, capture_output=True, text=True,
        timeout=60, env={**left, "PYTHONPATH": str(tmp_path)}, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr and "Traceback" not in done.stderr


@POSIX
def test_an_account_without_a_home_folder_has_a_workspace_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(NO_ACCOUNT)
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    with serving(tmp_path / "workspace", environment={"PYTHONPATH": str(tmp_path)}) as server:
        server.let_in()
        assert "Traceback" not in server.log()


def test_a_folder_in_an_error_is_not_obeyed_by_a_terminal() -> None:
    done = subprocess.run(
        [*COMMAND, "--data", "\x1b[31m\u202eruns"], cwd=ROOT, capture_output=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith(rb"\u001b[31m\u202eruns is not a folder")


def test_a_folder_of_settings_cannot_move_the_address(tmp_path: Path) -> None:
    settings = tmp_path / ".streamlit"
    settings.mkdir()
    (settings / "config.toml").write_text('[server]\naddress = "0.0.0.0"\nport = 1\n')
    added = {"PYTHONPATH": str(ROOT), "STREAMLIT_SERVER_ADDRESS": "0.0.0.0"}
    with serving(tmp_path / "workspace", cwd=tmp_path, environment=added) as server:
        server.let_in()
        with socket.socket() as other:
            # Where every interface is served, 127.0.0.2 answers too.
            assert other.connect_ex(("127.0.0.2", server.port)) != 0


def test_headers_of_a_proxy_change_nothing(tmp_path: Path) -> None:
    # uvicorn would believe them of 127.0.0.1, and of whom this variable names.
    with serving(tmp_path / "workspace", environment={"FORWARDED_ALLOW_IPS": "*"}) as server:
        visit = server.let_in()
        own = {"Cookie": visit.cookie, "Origin": f"http://127.0.0.1:{server.port}"}
        answer = server.get(visit.base, {**own, "X-Forwarded-Proto": "https"})
        assert answer.status in (301, 307, 308), answer
        assert not answer.headers["location"].startswith("https")


def test_the_version() -> None:
    done = subprocess.run([*COMMAND, "--version"], cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == (f"ranklens {__version__}\n", 0)


def test_without_the_dashboard_it_says_which_line_installs_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(start, "find_spec", lambda name: None)
    assert start.main(["report", "qrels.txt", "bm25.run"]) == 2
    assert f"pip install '{ROOT}[app]'" in capsys.readouterr().err


def test_a_report_with_its_data_opens_by_the_command(tmp_path: Path) -> None:
    packed = pack_new_collection("Fruit", [read(b"q1 Q0 d1 1 2.5 x\n", name="a.run")])
    report = tmp_path / "x.html"
    report.write_text(f"<!doctype html>{make_data_markup(packed)}")
    with serving(tmp_path / "workspace", str(report)) as server:
        printed = server.printed()
        (made,) = Workspace(tmp_path / "workspace").read_collections()
        assert made.name == "Fruit" and printed.endswith(f"&set={made.id}")
        asked = urlsplit(printed)
        led = server.get(f"{asked.path}?{asked.query}").headers["location"]
        assert led.endswith(f"?set={made.id}")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "There is no file"),
        ("<!doctype html>", "saved with the data"),
        (f"<!doctype html>{make_data_markup(b'PK')}", "is damaged or incomplete"),
    ],
)
def test_a_file_that_holds_no_collection_is_refused(
    content: str | None, said: str, tmp_path: Path
) -> None:
    report = tmp_path / "x.html"
    if content is not None:
        report.write_text(content)
    given = ["--port", str(free_port()), "--workspace", str(tmp_path / "workspace"), str(report)]
    done = subprocess.run(
        [*COMMAND, *given], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr and "Traceback" not in done.stderr

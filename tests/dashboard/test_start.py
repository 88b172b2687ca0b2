"""The command that starts the dashboard: where it listens, what ends it, what it refuses."""

from __future__ import annotations

import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "dashboard.start"]
MAKE = ["make", "--no-print-directory", "--old-file=.venv/run.stamp"]
POSIX = pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def is_free(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) != 0


def wait_until_healthy(process: subprocess.Popen[str], port: int) -> None:
    for _ in range(240):
        assert process.poll() is None, process.communicate()[0]
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/_stcore/health")
            if connection.getresponse().read() == b"ok":
                return
        except OSError:
            time.sleep(0.25)
    raise AssertionError("the server did not start")


def start(command: list[str], folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True,
    )  # fmt: skip


def ended(process: subprocess.Popen[str]) -> str:
    """What a process printed, once it has ended; whatever outlives it is killed."""
    try:
        return process.communicate(timeout=20)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise


@POSIX
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT], ids=["TERM", "Ctrl-C"])
def test_a_signal_to_the_command_ends_the_server(sent: signal.Signals, tmp_path: Path) -> None:
    port = free_port()
    command = [*COMMAND, "--port", str(port), "--workspace", str(tmp_path)]
    process = start(command, ROOT)
    wait_until_healthy(process, port)
    process.send_signal(sent)
    printed = ended(process)
    assert is_free(port)
    assert f"http://127.0.0.1:{port}" in printed
    assert "Traceback" not in printed


@POSIX
@pytest.mark.skipif(not shutil.which("make"), reason="no make")
@pytest.mark.parametrize("terminal", [False, True], ids=["TERM to make", "Ctrl-C"])
def test_ending_make_run_ends_the_server(terminal: bool, tmp_path: Path) -> None:
    port = free_port()
    binaries = f"BIN={Path(sys.executable).parent}"
    process = start([*MAKE, binaries, f"PORT={port}", f"WORKSPACE={tmp_path}", "run"], ROOT)
    wait_until_healthy(process, port)
    if terminal:
        # A terminal sends Ctrl-C to make and to all that it started.
        os.killpg(process.pid, signal.SIGINT)
    else:
        process.terminate()
    assert "Traceback" not in ended(process)
    assert is_free(port)


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
    assert f"Port {port} is taken" in done.stderr
    assert "http://" not in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("port", ["0", "-1", "65536"])
def test_a_number_that_is_no_port_is_refused(port: str) -> None:
    done = subprocess.run(
        [*COMMAND, "--port", port], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode != 0
    assert done.stdout == ""
    assert "from 1 to 65535" in done.stderr


def test_a_folder_of_settings_cannot_move_the_address(tmp_path: Path) -> None:
    settings = tmp_path / ".streamlit"
    settings.mkdir()
    (settings / "config.toml").write_text('[server]\naddress = "0.0.0.0"\nport = 1\n')
    port = free_port()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "STREAMLIT_SERVER_ADDRESS": "0.0.0.0"}
    process = subprocess.Popen(
        [*COMMAND, "--port", str(port), "--workspace", str(tmp_path)], cwd=tmp_path, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, start_new_session=True,
    )  # fmt: skip
    try:
        wait_until_healthy(process, port)
        with socket.socket() as other:
            # Where every interface is served, 127.0.0.2 answers too.
            assert other.connect_ex(("127.0.0.2", port)) != 0
    finally:
        process.terminate()
        ended(process)

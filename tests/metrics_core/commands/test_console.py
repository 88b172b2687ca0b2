"""The command line on consoles of any encoding, closed ones, and with names of any bytes."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import metrics_core
from metrics_core.__main__ import main
from metrics_core.commands.console import INTERRUPTED, NOBODY_READS

QRELS = "qé 0 d1 1\nq2 0 d1 0\nq2 0 d2 -1\n"
RUN = "qé Q0 d1 1 2 t\nq2 Q0 d1 1 2 t\n"
ERRORS = ("strict", "backslashreplace")
"""What Python does on stdout and stderr with characters that a console lacks."""
ODD = os.fsdecode(b"b\xe9.run")

Files = tuple[str, str]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Files:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("bm25.run").write_text(RUN)
    return "qrels", "bm25.run"


def called(
    *arguments: str, encoding: str = "utf-8", **more: Any
) -> subprocess.CompletedProcess[bytes]:
    environment = os.environ | {"PYTHONIOENCODING": encoding, "PYTHONPATH": str(_root())}
    command = [sys.executable, "-m", "metrics_core", *arguments]
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more
    return subprocess.run(command, env=environment, check=False, **more)


def _root() -> Path:
    return Path(metrics_core.__file__).parents[1]


class Printed(NamedTuple):
    """What a call gave: its exit status, and the bytes on stdout and stderr."""

    status: object
    out: bytes
    err: bytes


def printed(*arguments: str, encoding: str = "utf-8") -> Printed:
    """What is printed on a console of this encoding, in this process."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors=e) for e in ERRORS]
    with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
        try:
            status: object = main(list(arguments))
        except SystemExit as ended:
            status = ended.code
    assert [stream.errors for stream in streams] == list(ERRORS)
    for stream in streams:
        stream.flush()
    buffers = [stream.buffer for stream in streams]
    assert all(isinstance(buffer, io.BytesIO) for buffer in buffers)
    return Printed(status, *(b.getvalue() for b in buffers if isinstance(b, io.BytesIO)))


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "cp437", "utf-16", "utf-8"])
def test_any_encoding(files: Files, encoding: str) -> None:
    commands = [
        ("evaluate", *files, "--per-query", "--without-relevant", "leave out", "-m", "AP,nDCG@3"),
        ("residuals", *files, "--per-query", "-m", "Utility"),
        ("evaluate", *files, "--format", "json", "--per-query"),
        ("evaluate", "--help"),
        ("measures",),
        ("measures", "nDCG"),
        ("formats",),
    ]
    for arguments in commands:
        done = printed(*arguments, encoding=encoding)
        assert done.status == 0, (arguments, done.err)
        assert done.out.decode(encoding)
    found = json.loads(printed(*commands[2], encoding=encoding).out.decode(encoding))
    assert {row["query_id"] for row in found} == {"qé", "q2", "all"}


def test_the_console_of_a_process(files: Files) -> None:
    done = called("evaluate", *files, "--per-query", encoding="ascii")
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
    assert b"q\\u00e9" in done.stdout


def test_what_a_console_lacks_has_a_plain_sign(files: Files) -> None:
    asked = ("evaluate", *files, "--per-query", "--without-relevant", "leave out", "-m", "AP")
    shown = printed(*asked, encoding="ascii").out.decode()
    assert [line.split() for line in shown.splitlines()[1:]] == [
        ["bm25", "q\\u00e9", "1.000"],
        ["bm25", "q2", "-"],
        ["bm25", "all", "1.000"],
    ]


@pytest.mark.parametrize("format", ["table", "csv", "json", "tsv", "markdown", "latex"])
def test_names_of_any_bytes(files: Files, format: str) -> None:
    Path(ODD).write_text(RUN + "q9 Q0 d1 1 1 t\n")
    done = printed("evaluate", "qrels", ODD, "--format", format)
    assert done.status == 0
    assert "b\ufffd" in done.out.decode()


def test_odd_names_in_errors_and_elsewhere(files: Files) -> None:
    Path(ODD).write_text(RUN)
    missing = called("evaluate", os.fsdecode(b"n\xff"), ODD)
    assert missing.returncode == 2
    assert missing.stderr.decode().startswith("n\ufffd: expected a file, found no such file")
    assert printed("residuals", "qrels", ODD, "--format", "tsv").status == 0
    assert printed("trec_eval", "-c", "qrels", ODD).status == 0


@pytest.mark.parametrize("arguments", [("measures",), ("evaluate", "--help"), ("formats",)])
def test_a_reader_who_stops(arguments: tuple[str, ...]) -> None:
    end, start = os.pipe()
    os.close(end)
    with os.fdopen(start, "wb") as nobody:
        done = called(*arguments, stdout=nobody)
    assert not done.stderr
    assert done.returncode in (NOBODY_READS, 0 if "--help" in arguments else NOBODY_READS)


def test_a_reader_of_errors_who_stops(files: Files) -> None:
    end, start = os.pipe()
    os.close(end)
    with os.fdopen(start, "wb") as nobody:
        done = called("evaluate", *files, stderr=nobody)
    assert done.returncode == NOBODY_READS


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("command", ["evaluate", "trec_eval"])
def test_a_full_disk(files: Files, command: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = called(command, *files, stdout=full)
    assert done.returncode == 2
    assert b"No space left" in done.stderr and b"Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["evaluate", "trec_eval"])
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&-"])
def test_closed_streams(files: Files, command: str, closed: str) -> None:
    line = f"{sys.executable} -m metrics_core {command} qrels bm25.run {closed}"
    environment = os.environ | {"PYTHONPATH": str(_root())}
    done = subprocess.run(
        line, shell=True, env=environment, capture_output=True, check=False, text=True
    )
    assert "Traceback" not in done.stderr
    assert "note:" not in done.stdout
    assert done.returncode == (2 if closed.startswith(">") else 0)


def test_ctrl_c(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("metrics_core.formats.read_qrels", interrupted)
    assert main(["evaluate", *files]) == INTERRUPTED


def test_ctrl_c_while_a_class_is_made_ends_the_process_by_the_same_status(tmp_path: Path) -> None:
    # As `dataclass` does for each class: what is interrupted is an `exec`.
    (tmp_path / "sitecustomize.py").write_text(
        "import argparse\n"
        "def interrupted(*_):\n    exec('raise KeyboardInterrupt')\n"
        "argparse.ArgumentParser.parse_args = interrupted\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(tmp_path), str(_root())))}
    command = [sys.executable, "-m", "metrics_core", "formats"]
    assert subprocess.run(command, env=environment, check=False).returncode == INTERRUPTED


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"metrics-core {metrics_core.__version__}\n"

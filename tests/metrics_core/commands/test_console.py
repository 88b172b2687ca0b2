"""The command line on consoles of any encoding, closed ones, and with names of any bytes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import metrics_core
from metrics_core.__main__ import main
from metrics_core.commands.console import INTERRUPTED, NOBODY_READS

QRELS = "qé 0 d1 1\nq2 0 d1 0\nq2 0 d2 -1\n"
RUN = "qé Q0 d1 1 2 t\nq2 Q0 d1 1 2 t\n"
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
        done = called(*arguments, encoding=encoding)
        assert done.returncode == 0, (arguments, done.stderr)
        assert b"Traceback" not in done.stderr
        assert done.stdout.decode(encoding)
    found = json.loads(called(*commands[2], encoding=encoding).stdout.decode(encoding))
    assert {row["query_id"] for row in found} == {"qé", "q2", "all"}


def test_what_a_console_lacks_has_a_plain_sign(files: Files) -> None:
    asked = ("evaluate", *files, "--per-query", "--without-relevant", "leave out", "-m", "AP")
    shown = called(*asked, encoding="ascii").stdout.decode()
    assert [line.split() for line in shown.splitlines()[1:]] == [
        ["bm25", "q\\u00e9", "1.000"],
        ["bm25", "q2", "-"],
        ["bm25", "all", "1.000"],
    ]


@pytest.mark.parametrize("format", ["table", "csv", "json", "tsv", "markdown", "latex"])
def test_names_of_any_bytes(files: Files, format: str) -> None:
    Path(ODD).write_text(RUN + "q9 Q0 d1 1 1 t\n")
    done = called("evaluate", "qrels", ODD, "--format", format)
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
    assert "b\ufffd" in done.stdout.decode()
    assert called("residuals", "qrels", ODD, "--format", "tsv").returncode == 0
    missing = called("evaluate", os.fsdecode(b"n\xff"), ODD)
    assert missing.returncode == 2
    assert missing.stderr.decode().startswith("n\ufffd: expected a file, found no such file")
    assert called("trec_eval", "-c", "qrels", ODD).returncode == 0


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


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"metrics-core {metrics_core.__version__}\n"

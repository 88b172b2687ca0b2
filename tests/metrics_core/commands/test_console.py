"""The command line on consoles of any encoding, closed ones, and with names of any bytes."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import metrics_core
from metrics_core.__main__ import main
from metrics_core.commands.console import (
    INTERRUPTED,
    NOBODY_READS,
    adapt_console,
    show_progress,
    show_step,
)

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


EVIL = "\x1b[31m\x9b2J\u202ex\u2066\u200f"
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What a terminal would obey."""
SHOWN = r"\u001b[31m\u009b2J\u202ex\u2066\u200f"


@pytest.fixture
def evil(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Files:
    """Files whose names and ids a terminal would obey."""
    monkeypatch.chdir(tmp_path)
    names = f"{EVIL}qrels", f"{EVIL}\nerror: b.run"
    for number, name in enumerate((names[1], "a.run")):
        lines = [f"{q} Q0 {d} {r} {-r} t" for q in (f"q{EVIL}", "q2") for r, d in enumerate("xy")]
        Path(name).write_text("\n".join([*lines, f"q3 Q0 {EVIL}{number} 1 1 t"]).replace("y", EVIL))
    judged = [f"q{EVIL} 0 {EVIL} 2", "q2 0 x 1", "q3 0 x 1", f"q4{EVIL} 0 x 1"]
    Path(names[0]).write_text("\n".join(judged))
    return names


@pytest.mark.parametrize(
    "asked",
    [
        ("evaluate", "--per-query"),
        ("evaluate", "--per-query", "--format", "markdown"),
        ("evaluate", "--per-query", "--format", "latex"),
        ("evaluate", "--per-query", "--format", "json"),
        ("residuals", "--per-query"),
        ("compare",),
        ("compare", "--format", "json"),
        ("explain",),
        ("explain", "--query", f"q{EVIL}"),
        ("explain", "--query", f"q{EVIL}", "--format", "markdown"),
        ("explain", "--query", f"q{EVIL}", "--format", "json"),
        ("explain", "--query", f"q4{EVIL}!"),
        ("compare", "--no-such-option", EVIL),
        ("compare", "-m", EVIL),
        ("evaluate", "--encoding", EVIL),
    ],
    ids=" ".join,
)
def test_no_name_and_no_id_is_obeyed_by_a_terminal(evil: Files, asked: tuple[str, ...]) -> None:
    command, *more = asked
    done = printed(command, *evil, *(["a.run"] if command != "evaluate" else []), *more)
    said = done.out.decode() + done.err.decode()
    assert not HIDDEN.search(said), ascii(said)
    assert "u202e" in said
    assert not re.search("^error: b", said, re.MULTILINE)
    if "json" in asked:
        named = {
            value
            for row in json.loads(done.out)
            for value in row.values()
            if isinstance(value, str)
        }
        assert {f"q{EVIL}", evil[1].removesuffix(".run")} & named


@pytest.mark.parametrize("what", ["missing", "wrong", "cut"])
def test_no_file_and_no_line_in_an_error_is_obeyed(evil: Files, what: str) -> None:
    name = f"{EVIL}\nnote: {what}"
    if what != "missing":
        Path(name).write_text(f"q1 Q0 {EVIL} 1 {EVIL} t\n" if what == "wrong" else f"q1 {EVIL}\n")
    done = printed("evaluate", evil[0], name)
    said = done.err.decode()
    assert (done.status, done.out) == (2, b"")
    assert not HIDDEN.search(said), ascii(said)
    assert SHOWN in said
    assert "\nnote: " + what not in said


@pytest.mark.parametrize("format", ["csv", "tsv"])
def test_what_programs_read_keeps_every_letter(evil: Files, format: str) -> None:
    asked = ("evaluate", evil[0], "a.run", "--per-query", "--format", format)
    assert f"q{EVIL}" in printed(*asked).out.decode()
    assert EVIL in printed("trec_eval", "-q", evil[0], "a.run").out.decode()


def test_progress_moves_the_cursor_and_no_name_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / EVIL).write_text("some")
    shown = io.StringIO()
    monkeypatch.setattr(shown, "isatty", lambda: True, raising=False)
    with redirect_stderr(shown), adapt_console(), show_progress(str(tmp_path / EVIL)) as progress:
        assert progress is not None
        progress(4)
    assert shown.getvalue() == f"\r\x1b[2K{SHOWN}: 100% of 0 MB\r\x1b[2K"


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


def test_a_step_is_said_at_a_terminal_and_gone_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.StringIO()
    with redirect_stderr(shown), adapt_console(), show_step("Working"):
        assert shown.getvalue() == ""
    monkeypatch.setattr(shown, "isatty", lambda: True, raising=False)
    with redirect_stderr(shown), adapt_console(), show_step("Working"):
        assert shown.getvalue().endswith("Working …")
    assert shown.getvalue().endswith("\r\x1b[2K")

"""What can be read but once: the standard input and pipes."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from metrics_core.base.errors import FileFormatError
from metrics_core.formats import read

RUN = "".join(f"q{i % 9} Q0 d{i} 1 {i} t\n" for i in range(20_000)).encode()


def test_the_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(RUN)))
    loaded = read("-")
    assert (loaded.kind, loaded.file, len(loaded.table)) == ("run", "standard input", 20_000)
    with pytest.raises(FileFormatError, match=r"standard input: .* an empty file"):
        read(Path("-"))


def test_a_named_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "bm25.run"
    os.mkfifo(pipe)
    writing = threading.Thread(target=pipe.write_bytes, args=(RUN,))
    writing.start()
    loaded = read(pipe)
    writing.join()
    assert (loaded.kind, loaded.file, len(loaded.table)) == ("run", str(pipe), 20_000)


def test_an_endless_pipe() -> None:
    with pytest.raises(FileFormatError, match=r"at most 10 MB, found 12.6 MB\n.*--limit 1GB"):
        read("/dev/zero", limit="10MB")


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_the_command_line_takes_what_another_program_prints(tmp_path: Path, name: str) -> None:
    qrels = tmp_path / "qrels"
    qrels.write_text("".join(f"q{i} 0 d{i} 1\n" for i in range(9)))
    command = [sys.executable, "-m", "metrics_core", "evaluate", str(qrels), name, "-m", "NumRet"]
    done = subprocess.run(command, input=RUN, capture_output=True, check=False)
    assert (done.returncode, done.stdout.split()[-1]) == (0, b"20,000")
    again = subprocess.run([*command[:5], name, name], input=RUN, capture_output=True, check=False)
    assert again.returncode == 2
    assert b"Standard input can be read only once" in again.stderr

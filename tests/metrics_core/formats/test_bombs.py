"""Small files take little: what a megabyte may take is bounded, and grows with the file. A fixed
part of the time goes into what a file is, which its first 256 KB tell."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted as Linux does")
@pytest.mark.parametrize(
    "size",
    [
        20_000,
        *(pytest.param(size, marks=pytest.mark.thorough) for size in (100_000, 250_000, 1_000_000)),
    ],
)
def test_no_small_file_takes_long_or_much_memory(size: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.reliability.bombs", str(size)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert not done.returncode, done.stderr
    read = [json.loads(line) for line in done.stdout.splitlines()]
    too_much = [
        one
        for one in read
        if one["seconds"] > 6 * size / 1_000_000 + 4 or one["megabytes"] > 400 * size / 1e6 + 100
    ]
    assert not too_much

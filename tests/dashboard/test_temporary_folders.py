"""Folders for as long as a process lives; after a kill the next start removes them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dashboard.temporary_folders import TemporaryFolder, remove_abandoned_folders
from tests.servers import ROOT


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place of such folders."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    monkeypatch.setenv("TMPDIR", str(place))
    return place


def test_one_that_is_in_use_stays_and_goes_in_the_end(temporary: Path) -> None:
    made = TemporaryFolder()
    (made.path / "page.html").write_text("data")
    remove_abandoned_folders()
    assert (made.path / "page.html").is_file()
    made.close()
    made.close()
    assert not list(temporary.iterdir())


def test_one_of_a_killed_process_is_removed_and_nothing_else(temporary: Path) -> None:
    code = (
        "import os; from dashboard.temporary_folders import TemporaryFolder;"
        "made = TemporaryFolder(); (made.path / 'x').write_text('data');"
        "print(made.path, flush=True); input()"
    )
    command, pipe = [sys.executable, "-c", code], subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as started:
        assert started.stdout is not None
        folder = Path(started.stdout.readline().strip())
        remove_abandoned_folders()
        assert (folder / "x").is_file()
        started.kill()
    somebody_elses = temporary / "ranklens-of-somebody"
    somebody_elses.mkdir()
    (somebody_elses / "x").write_text("data")
    (temporary / "ranklens-link").symlink_to(folder.parent)
    remove_abandoned_folders()
    assert not folder.parent.exists()
    assert (somebody_elses / "x").is_file() and (temporary / "ranklens-link").is_symlink()

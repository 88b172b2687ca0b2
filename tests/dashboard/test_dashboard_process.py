"""A notebook's `.open()`: the address answers until it is closed, or its process ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from dashboard.notebook import NotebookComparison, show
from dashboard.workspace import Workspace
from dashboard.workspace.exports.packing import import_packed_collection
from dashboard.workspace.exports.report_data import extract_packed_collection
from metrics_core.base.errors import RanklensError
from tests.dashboard.test_start import is_free
from tests.servers import ROOT, asked

RUNS = {"old": {"q1": ["d1", "d2"]}, "new": {"q1": ["d2", "d1"]}}
QRELS = {"q1": {"d2": 1}}
QUERIES = {"q1": {"text": "lemon", "category": "fruit"}}


def shown() -> NotebookComparison:
    return show(RUNS, QRELS, QUERIES, measure="RR", baseline="old")


def answers(address: str) -> str:
    """Where the address leads, once it has answered."""
    parts = urlsplit(address)
    answer = asked(parts.port or 0, "GET", f"{parts.path}?{parts.query}")
    assert answer.status == 303
    where = answer.headers["location"]
    cookie = answer.headers["set-cookie"].partition(";")[0]
    page = asked(parts.port or 0, "GET", where, {"Cookie": cookie})
    assert page.status == 200 and b"<html" in page.body
    return where


def test_it_is_served_until_it_is_closed(tmp_path: Path) -> None:
    with shown().open(tmp_path / "kept", name="Fruit") as opened:
        view = parse_qs(urlsplit(answers(opened.address)).query)
        assert (view["base"], view["run"], view["m"]) == (["old"], ["new"], ["RR"])
        assert f"&amp;set={view['set'][0]}" in opened._repr_html_()
        assert opened.address in repr(opened)
    assert is_free(urlsplit(opened.address).port or 0)
    assert "closed" in repr(opened) and "href" not in opened._repr_html_()
    # What is kept under the name again takes the place of what it was.
    with show({"new": {"q1": ["d1"]}}, QRELS).open(tmp_path / "kept", name="Fruit"):
        pass
    (made,) = Workspace(tmp_path / "kept").read_collections()
    files = [(e.kind, e.file, e.rows) for e in Workspace(tmp_path / "kept").entries(made.id)]
    assert made.id == view["set"][0] and sorted(files) == [
        ("qrels", "judgments", 1),
        ("queries", "queries", 1),
        ("run", "new", 1),
        ("run", "old", 2),
    ]


def test_directions_of_given_scores_are_kept(tmp_path: Path) -> None:
    rows = [{"query_id": "q1", "run": run, "latency_ms": 9, "errors": 1} for run in RUNS]
    scores = show(scores=rows, lower="latency_ms")
    with scores.open(tmp_path / "kept", name="Fruit"):
        pass
    workspace = Workspace(tmp_path / "kept")
    (made,) = workspace.read_collections()
    # What was declared in the dashboard since stays, unless it is declared anew.
    declared = {"latency_ms": True, "errors": False}
    workspace.change_record(made.id, lambda record: replace(record, directions=declared))
    with scores.open(tmp_path / "kept", name="Fruit"):
        pass
    (made,) = workspace.read_collections()
    assert made.directions == {"latency_ms": False, "errors": False}
    packed = extract_packed_collection(scores.report(tmp_path / "x.html", with_data=True))
    other = import_packed_collection(Workspace(tmp_path / "other"), packed, file="x.html")
    assert other.directions == {"latency_ms": False}


def test_it_ends_with_its_process_however_that_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # for what is left there
    code = (
        f"from dashboard.notebook import show; opened = show({RUNS}, {QRELS}).open();"
        "print(opened, opened._process.pid, flush=True); input()"
    )
    command = [sys.executable, "-c", code]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as started:
        assert started.stdout is not None
        address = started.stdout.readline().split()[1]
        answers(address)
        started.send_signal(signal.SIGKILL)
    port = urlsplit(address).port or 0
    end = time.monotonic() + 20
    while not is_free(port):
        assert time.monotonic() < end, "it is served still"
        time.sleep(0.05)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (left,) = tmp_path.iterdir()
    assert any((left / "files" / "tables").iterdir()), "its data is left"
    with shown().open():  # a start, which finds it, and its own in use
        here = next(folder for folder in tmp_path.iterdir() if folder != left)
        while left.exists():
            assert time.monotonic() < end, "it is there still"
            time.sleep(0.05)
        assert any((here / "files" / "tables").iterdir())
    assert not list(tmp_path.iterdir())


def test_what_cannot_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.dashboard_process._BEGIN", "raise SystemExit('no room here')")
    with pytest.raises(RanklensError, match="no room here"):
        shown().open()

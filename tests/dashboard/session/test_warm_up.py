"""What the first visitor will see is worked out before he comes, and once."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import streamlit as st

from dashboard.session.warm_up import warm_up
from tests.dashboard.conftest import opened


def counted(monkeypatch: pytest.MonkeyPatch, of: str, name: str) -> list[object]:
    """One entry for each call of a function of a module."""
    calls: list[object] = []
    module = importlib.import_module(of)
    real = getattr(module, name)

    def calling(*given: Any, **named: Any) -> object:
        calls.append(given)
        return real(*given, **named)

    monkeypatch.setattr(module, name, calling)
    return calls


def test_the_first_page_finds_its_answers_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    judged = counted(monkeypatch, "dashboard.session.open_collection", "assemble_library")
    tops = counted(monkeypatch, "dashboard.answers.overview", "_view_facts")
    strips = counted(monkeypatch, "dashboard.answers.robustness_summary", "build_robustness")
    warm_up([])
    assert (len(judged), len(tops), len(strips)) == (1, 1, 1)
    opened()
    assert (len(judged), len(tops), len(strips)) == (1, 1, 1), "asked for as the page asks"


def test_what_cannot_be_opened_is_left_to_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in {"none": None, "odd.run": "no run\n", "a.qrels": "q1 0 d1 1\n"}.items():
        folder = tmp_path / name
        folder.mkdir()
        if text:
            (folder / name).write_text(text)
        monkeypatch.setenv("RANKLENS_DATA", str(folder))
        st.cache_resource.clear()
        warm_up([])
        opened()


def test_pages_are_loaded_while_files_are_read_and_share_no_module_with_that() -> None:
    # Two threads that load modules of one package at once may see each other's half loaded.
    told = subprocess.run(
        [sys.executable, "-c", _LOADED],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).resolve().parents[3],
    )
    assert told.stdout.split() == []


_LOADED = """
import sys
import dashboard.session.warm_up
before = set(sys.modules)
import dashboard.app_pages.frame, dashboard.app_pages.overview
pages = set(sys.modules) - before
# By reading and scoring:
LATER = "metrics_core.judging.while_reading", "scipy", "numba", "pyarrow", "pandas"
print(*(name for name in pages if name.startswith(LATER)))
"""

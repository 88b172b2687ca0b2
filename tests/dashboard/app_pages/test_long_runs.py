"""Runs that stay on the disk: every page shows them as it shows the same runs in memory."""

from __future__ import annotations

import re

import pytest
import streamlit as st

from dashboard.files.files import SAMPLE_FOLDER
from dashboard.session.open_collection import collection_files, workspace
from dashboard.workspace.long_runs.stored_run import StoredRun
from metrics_core import formats
from tests.dashboard.conftest import opened, text_of
from tests.dashboard.workspace.stored_runs import short_are_long

PAGES = {"overview": {}, "query": {"q": "q001"}, "firm": {}, "data": {}, "judge": {}}


def kept_sample() -> None:
    """The example's judgments and two of its runs as a collection of one's own."""
    kept = workspace()
    kept.get_or_create_collection("Mine", "own")
    for path in ("qrels.txt", "bm25.run", "dense.run"):
        (found,) = SAMPLE_FOLDER.rglob(path)
        kept.add_table("own", formats.read(found, name=found.name))


def shown(page: str, asked: dict[str, str]) -> str:
    """What the page says; addresses change with the time at which files were kept."""
    return re.sub(
        r"\d\d:\d\d", "", text_of(opened("" if page == "overview" else page, **asked, set="own"))
    )


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_the_same(page: str) -> None:
    kept_sample()
    in_memory = shown(page, PAGES[page])
    st.cache_resource.clear()
    with short_are_long(rows=100, group=50, head=4):
        on_disk = shown(page, PAGES[page])
        (one, _) = (f.table for f in collection_files("own") if f.kind == "run")
    assert isinstance(one, StoredRun)
    assert on_disk == in_memory and len(in_memory) > 100


def test_damage_to_the_rows_is_told_where_they_are_read() -> None:
    kept_sample()
    with short_are_long(rows=100, group=50, head=4):
        whole = shown("overview", {})
        (one, _) = (f.table for f in collection_files("own") if f.kind == "run")
        assert isinstance(one, StoredRun)
        content = one.rows.path.read_bytes()
        one.rows.path.write_bytes(content[:500] + bytes([content[500] ^ 1]) + content[501:])
        assert "bm25" in whole
        app = opened("query", q="q002", set="own")
        assert any("bm25.run is corrupted" in text for text in (text_of(app), *_errors(app)))


def _errors(app: object) -> list[str]:
    return [e.value for e in getattr(app, "error", ())]

"""Long runs that are short: what is long, and how many rows are read at once, is turned down."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import strategies as st

from dashboard.workspace import Workspace
from dashboard.workspace.long_runs.stored_run import StoredRun
from metrics_core.formats import Loaded
from metrics_core.tables import Qrels, Run


@contextmanager
def short_are_long(rows: int = 3, group: int = 4, head: int = 2) -> Iterator[None]:
    """Runs of more than so many rows stay on the disk."""
    with (
        mock.patch("dashboard.workspace.long_runs.stored_run.MAX_IN_MEMORY", rows),
        mock.patch("dashboard.workspace.long_runs.stored_run.HEAD", head),
        mock.patch("dashboard.workspace.long_runs.extracts.HEAD", head),
        mock.patch("dashboard.workspace.long_runs.tables._GROUP", group),
    ):
        yield


@st.composite
def runs(draw: st.DrawFn) -> Run:
    """Runs of a few queries whose rows may stand apart and have equal scores."""
    pairs = st.tuples(st.sampled_from("abcde"), st.sampled_from([f"d{i}" for i in range(9)]))
    rows = draw(st.lists(pairs, min_size=6, max_size=24, unique=True))
    scores = draw(st.lists(st.integers(0, 4), min_size=len(rows), max_size=len(rows)))
    queries, documents = zip(*rows, strict=True)
    return Run.from_columns("a", queries, documents, [float(s) for s in scores])


QRELS = Qrels.from_columns(
    [q for q in "abcde" for _ in range(4)], ["d0", "d1", "d2", "d3"] * 5, [0, 1, 2, 1] * 5
)


def stored(folder: Path, run: Run) -> StoredRun:
    """A run as a workspace in this folder opens it anew."""
    workspace = Workspace(folder)
    entry = workspace.add_table(
        workspace.get_or_create_collection("Mine").id, Loaded(run, "", "", "a.run")
    ).entry
    table = Workspace(folder).load_table(entry)
    if not isinstance(table, StoredRun):
        pytest.fail("the run is held in memory")
    return table

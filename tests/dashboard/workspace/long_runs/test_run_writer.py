"""Rows that are written in pieces: one hash however they come, one file, whole or not there."""

from __future__ import annotations

import io
import itertools
import os
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.workspace import Workspace
from dashboard.workspace.disk import durable
from dashboard.workspace.exports.packing import import_packed_collection, write_packed_collection
from dashboard.workspace.long_runs.run_writer import RowsHash
from dashboard.workspace.long_runs.stored_run import StoredRun
from dashboard.workspace.long_runs.tables import hash_rows
from metrics_core.formats import Loaded
from metrics_core.tables import Run
from tests.dashboard.workspace.stored_runs import runs, short_are_long


@settings(max_examples=25, deadline=None)
@given(run=runs(), cuts=st.lists(st.integers(0, 24), max_size=4))
def test_rows_have_one_hash_in_whatever_pieces_they_come(run: Run, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(run)) for cut in cuts), len(run)]
    digest = RowsHash()
    for start, end in itertools.pairwise(edges):
        digest.update(run.table.slice(start, end - start))
    assert (
        digest.hexdigest()
        == RowsHash.hash_table(run.table)
        == RowsHash.hash_table(run.table.combine_chunks())
    )


def test_other_rows_have_another_hash() -> None:
    of = [
        ("aab", ["d1", "d2", "d1"], [3.0, 2, 1]),
        ("abb", ["d1", "d2", "d1"], [3.0, 2, 1]),
        ("aac", ["d1", "d2", "d1"], [3.0, 2, 1]),
        ("aab", ["d1", "d", "2d1"], [3.0, 2, 1]),
        ("aab", ["d1", "d2", "d1"], [3.0, 2, 1.5]),
        ("aab", ["d2", "d1", "d1"], [2.0, 3, 1]),
    ]
    tables = [Run.from_columns("x", list(q), d, s).table for q, d, s in of]
    assert len({RowsHash.hash_table(table) for table in tables}) == len(tables)
    assert RowsHash.hash_table(tables[0].slice(0, 0)) not in {
        RowsHash.hash_table(table) for table in tables
    }


RUN = Run.from_columns("a", list("aaabbb"), [f"d{i}" for i in range(6)], [3.0, 2, 1, 3, 2, 1])


@pytest.mark.parametrize("older", [False, True])
def test_a_collection_with_a_long_run_is_taken_in(tmp_path: Path, older: bool) -> None:
    with short_are_long():
        workspace = Workspace(tmp_path / "1")
        here = workspace.get_or_create_collection("Mine").id
        entry = workspace.add_table(here, Loaded(RUN, "", "", "a.run")).entry
        if older:  # as its rows were hashed before they came in pieces
            as_it_was = replace(entry, content=hash_rows(RUN.table, "run"))
            with workspace.hold_write_lock() as shelves:
                shelves.put_entry(here, as_it_was)
        out = io.BytesIO()
        write_packed_collection(workspace, here, out)
        other = Workspace(tmp_path / "2")
        taken = import_packed_collection(other, out.getvalue(), file="mine.zip")
        (found,) = other.entries(taken.id)
        run = other.load_table(found)
    assert isinstance(run, StoredRun)
    assert run.to_pandas().values.tolist() == RUN.to_pandas().values.tolist()


def test_a_run_that_was_kept_before_is_added_without_a_copy_of_it(tmp_path: Path) -> None:
    with short_are_long():
        workspace = Workspace(tmp_path)
        entry = workspace.add_table(
            workspace.get_or_create_collection("Mine").id, Loaded(RUN, "", "", "a.run")
        ).entry
    name = f"tables/{entry.table}.parquet"
    assert (tmp_path / name).samefile(tmp_path / "cache" / name)
    assert not list(tmp_path.rglob(f"*{durable.DRAFT}"))


def test_where_a_disk_has_no_links_there_is_a_copy(tmp_path: Path) -> None:
    source = tmp_path / "one"
    source.write_bytes(b"rows")
    with mock.patch.object(os, "link", side_effect=OSError(95, "not supported")):
        durable.put_file(tmp_path / "other", source)
    assert (tmp_path / "other").read_bytes() == b"rows"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["one", "other"]


def test_what_comes_after_a_draft_was_given_up_is_written_nowhere(tmp_path: Path) -> None:
    with durable.create_draft(tmp_path) as draft:
        draft.write(b"a")
    other = (tmp_path / "other").open("wb")  # has the number that the draft had
    assert draft.write(b"b") == 1
    other.close()
    assert (tmp_path / "other").read_bytes() == b"" and len(list(tmp_path.iterdir())) == 1


def test_rows_without_text_are_hashed() -> None:
    empty = pa.table({"query_id": ["q"], "doc_id": [""], "score": [1.0]})
    assert RowsHash.hash_table(empty) != RowsHash.hash_table(empty.slice(0, 0))

"""Runs whose rows stay on the disk say what the same runs in memory say."""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from dashboard.workspace import StorageError, Workspace
from dashboard.workspace.exports.packing import import_packed_collection, write_packed_collection
from metrics_core.checks.fit import find_near_matches
from metrics_core.comparing.ties import find_tied_queries
from metrics_core.formats import Loaded
from metrics_core.judging import join_judgments
from metrics_core.judging.ranking import ranked_documents, top_ranks
from metrics_core.tables import RankedRun, Run
from metrics_core.unjudged.unjudged_ranks import find_unjudged
from tests.dashboard.workspace.stored_runs import QRELS, runs, short_are_long, stored
from tests.judged_ranks_of import judged_ranks_of

RUN = Run.from_columns("a", list("aaaaabbb"), [f"d{i}" for i in range(8)], np.arange(8.0) // 2)


@settings(max_examples=25, deadline=None)
@given(run=runs())
def test_a_stored_run_is_what_was_kept(run: Run) -> None:
    with short_are_long(), tempfile.TemporaryDirectory() as folder:
        kept = stored(Path(folder), run)
        assert (len(kept), kept.query_ids, kept.plain) == (len(run), run.query_ids, run.plain)
        assert sorted(kept.to_pandas().values.tolist()) == sorted(run.to_pandas().values.tolist())
        assert kept.first_ties().tolist() == run.first_ties().tolist()
        for query_id in run.query_ids:
            assert ranked_documents(kept, query_id).equals(ranked_documents(run, query_id))
            assert kept.select_queries([query_id]).query_ids == [query_id]
        assert not len(kept.select_queries(["nowhere"]))
        some = kept.select_queries(["a", "c"]).to_pandas()
        own = run.to_pandas()
        for query_id in {"a", "c"} & set(run.query_ids):
            assert len(some[some["query_id"] == query_id]) == sum(own["query_id"] == query_id)


@settings(max_examples=25, deadline=None)
@given(run=runs())
def test_a_stored_run_is_judged_as_one_in_memory(run: Run) -> None:
    with short_are_long(), tempfile.TemporaryDirectory() as folder:
        kept = stored(Path(folder), run)
        one, other = join_judgments(kept, QRELS), join_judgments(run, QRELS)
        for name in ("query", "rank", "relevance", "qrels_row", "retrieved"):
            assert getattr(one, name).tolist() == getattr(other, name).tolist()
        assert (one.notes, one.unjudged_queries) == (other.notes, other.unjudged_queries)
        for cutoff in (1, 2, 3, 9):
            found, wanted = find_unjudged(one, one, cutoff), find_unjudged(other, other, cutoff)
            assert found.doc_ids is not None and wanted.doc_ids is not None
            assert found.query.tolist() == wanted.query.tolist()
            assert sorted(found.doc_ids.to_pylist()) == sorted(wanted.doc_ids.to_pylist())
            tied = find_tied_queries(kept, one, cutoff).tolist()
            assert tied == find_tied_queries(run, other, cutoff).tolist()
        assert find_near_matches(kept, QRELS) == find_near_matches(run, QRELS)


@settings(max_examples=10, deadline=None)
@given(run=runs())
def test_queries_under_other_names_have_their_rows(run: Run) -> None:
    with short_are_long(), tempfile.TemporaryDirectory() as folder:
        names = {query_id: f"query {query_id}" for query_id in run.query_ids}
        kept = stored(Path(folder), run).with_query_ids(names)
        other = run.with_query_ids(names)
        assert kept.query_ids == other.query_ids == list(names.values())
        assert sorted(kept.to_pandas().values.tolist()) == sorted(other.to_pandas().values.tolist())
        assert set(kept.select_top(1).query_ids) <= set(names.values())
        assert kept.renamed("b").query_ids == kept.query_ids and kept.rows.content
        for query_id, name in names.items():
            assert ranked_documents(kept, name).equals(ranked_documents(run, query_id))
            assert kept.length(name) == run.length(query_id)


def test_the_first_ranks_are_read_without_the_rest(tmp_path: Path) -> None:
    with short_are_long():
        kept = stored(tmp_path, RUN)
        kept.rows.path.unlink()
        top = kept.select_top(2)
        assert (len(top), top.query_ids) == (4, ["a", "b"])
        assert top_ranks(top, 2)[1].tolist() == [2, 1, 2, 1]
        assert len(kept.select_top(1)) == 4


def test_first_ranks_that_were_not_kept_are_found_again(tmp_path: Path) -> None:
    with short_are_long():
        kept = stored(tmp_path, RUN)
        cache, table = kept.rows.cache, kept.rows.table
        assert cache.get("heads", table, "2")
        shutil.rmtree(cache.folder / "heads")
        assert kept.select_top(1).doc_ids.to_pylist() == ["d3", "d4", "d6", "d7"]
        assert cache.get("heads", table, "2")


def test_first_ranks_of_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    with short_are_long():
        kept = stored(tmp_path, RUN)
        shutil.rmtree(kept.rows.cache.folder / "heads")
        kept.rows.cache._may_write = lambda: False
        assert len(kept.select_top(1)) == len(kept.select_top(2)) == 4


def test_a_query_spans_the_groups_that_hold_it(tmp_path: Path) -> None:
    with short_are_long(group=3):
        kept = stored(tmp_path, RUN)
        assert ranked_documents(kept, "a")["doc_id"].tolist() == ["d4", "d3", "d2", "d1", "d0"]
        assert ranked_documents(kept, "b")["doc_id"].tolist() == ["d7", "d6", "d5"]


def test_all_who_look_at_the_rows_share_them_and_then_they_are_gone(tmp_path: Path) -> None:
    with short_are_long():
        kept = stored(tmp_path, RUN)
        one = kept.read_whole()
        assert one.table is kept.renamed("b").read_whole().table
        del one
        assert not kept.rows.cache.tables_in_memory.get(kept.rows.table)


def test_the_same_rows_are_known_by_their_hash(tmp_path: Path) -> None:
    with short_are_long():
        kept, again = stored(tmp_path / "1", RUN), stored(tmp_path / "2", RUN)
        other = stored(tmp_path / "3", Run.from_columns("a", "abcd", "efgh", [1.0, 2, 3, 4]))
        assert kept.has_same_rows(again) and not kept.has_same_rows(other)
        assert kept.has_same_rows(RUN) and not other.has_same_rows(RUN)


@pytest.mark.parametrize("place", range(4, 400, 60))
def test_a_changed_bit_is_told_and_never_read(tmp_path: Path, place: int) -> None:
    with short_are_long():
        kept = stored(tmp_path, RUN)
        content = bytearray(kept.rows.path.read_bytes())
        content[place] ^= 4
        kept.rows.path.write_bytes(bytes(content))
        for read in (kept.read_whole, lambda: kept.select_queries(["a"])):
            with pytest.raises(StorageError, match=r"The stored copy of a\.run is corrupted"):
                read()


def test_a_run_whose_cache_is_gone_is_looked_through_again(tmp_path: Path) -> None:
    with short_are_long():
        workspace = Workspace(tmp_path)
        entry = workspace.add_table(
            workspace.get_or_create_collection("Mine").id, Loaded(RUN, "", "", "a.run")
        ).entry
        kept = [path for path in (tmp_path / "cache").glob("*/*") if path.is_file()]
        assert kept
        for path in kept:
            path.unlink()
        table = Workspace(tmp_path).load_table(entry)
        assert isinstance(table, Run) and table.query_ids == ["a", "b"]


def test_a_short_run_is_held(tmp_path: Path) -> None:
    with short_are_long(rows=8):
        workspace = Workspace(tmp_path)
        entry = workspace.add_table(
            workspace.get_or_create_collection("Mine").id, Loaded(RUN, "", "", "a.run")
        ).entry
        assert type(workspace.load_table(entry)) is Run
        assert not (tmp_path / "cache").exists()


def test_judged_ranks_are_kept_whatever_their_length(tmp_path: Path) -> None:
    ranks = judged_ranks_of(RUN, QRELS)
    with short_are_long(rows=1):
        kept = Workspace(tmp_path)
        kept.get_or_create_collection("Mine", "own")
        loaded = Loaded(ranks, "judged-ranks", "Judged ranks", "ranks/a")
        added = kept.add_table("own", loaded)
        assert added.status == "new" and kept.add_table("own", loaded).status == "known"
        (entry,) = Workspace(tmp_path).entries("own")
        again = Workspace(tmp_path).load_table(entry)
    assert not entry.complete and isinstance(again, RankedRun)
    out = io.BytesIO()
    write_packed_collection(kept, "own", out)
    taken = import_packed_collection(kept, out.getvalue(), file="ranks.zip")
    (carried,) = kept.entries(taken.id)
    assert not carried.complete and kept.load_table(carried).table.equals(again.table)
    assert again.has_same_rows(ranks) and again.name == "a"
    one, other = join_judgments(again, QRELS), join_judgments(RUN, QRELS)
    assert one.rank.tolist() == other.rank.tolist() and one.listed is None

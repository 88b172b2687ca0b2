"""Runs are judged once: the next start takes what was found from the workspace."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

from dashboard.files import judged_places
from dashboard.files.judged_places import CachedRanks
from dashboard.workspace import Workspace
from metrics_core.formats import read_run
from metrics_core.judging import join_judgments
from metrics_core.judging.ranking import ranked_documents
from metrics_core.tables import Qrels, Run
from tests.dashboard.workspace.stored_runs import QRELS, short_are_long, stored

RUN = Run.from_columns(
    "a", list("aaabbb"), ["d1", "d2", "d3", "d1", "d7", "d2"], [3.0, 2, 2, 1, 1, 1]
)
OTHER = Qrels.from_columns(["a", "z"], ["d3", "d3"], [1, 1])


def test_the_second_time_no_row_is_read(tmp_path: Path) -> None:
    with short_are_long():
        run = stored(tmp_path, RUN)
        first = CachedRanks(Workspace(tmp_path).cache)(run, QRELS)
        run.rows.path.unlink()
        with mock.patch.object(
            judged_places, "find_judged_document_ranks", side_effect=AssertionError
        ):
            again = CachedRanks(Workspace(tmp_path).cache)(run.renamed("b"), QRELS)
    wanted = join_judgments(RUN, QRELS)
    assert again.run_name == "b"
    for ranks in (first, again):
        for name in ("query", "rank", "relevance", "qrels_row", "retrieved", "judged_query"):
            assert getattr(ranks, name).tolist() == getattr(wanted, name).tolist()
        assert ranks.tied is not None and wanted.tied is not None
        assert ranks.tied.first.tolist() == wanted.tied.first.tolist()
        assert ranks.tied.number.tolist() == wanted.tied.number.tolist()
        assert (ranks.notes, ranks.query_ids) == (wanted.notes, wanted.query_ids)
        assert wanted.notes  # on ties


def test_other_judgments_are_joined_anew(tmp_path: Path) -> None:
    with short_are_long():
        run, judging = stored(tmp_path, RUN), CachedRanks(Workspace(tmp_path).cache)
        judging(run, QRELS)
        other = judging(run, OTHER)
    wanted = join_judgments(RUN, OTHER)
    assert other.rank.tolist() == wanted.rank.tolist()
    assert other.unjudged_queries == wanted.unjudged_queries == ("b",)


def test_ranks_that_a_file_leaves_out_stay_empty(tmp_path: Path) -> None:
    run = read_run(b"a\td1\t2\na\tx\t3\na\td2\t7\nb\td1\t1\n", name="x.run")
    with short_are_long():
        kept, judging = stored(tmp_path, run), CachedRanks(Workspace(tmp_path).cache)
        assert ranked_documents(kept, "a")["rank"].tolist() == [2, 3, 7]
        for ranks in (judging(kept, QRELS), judging(kept, QRELS)):
            assert (ranks.rank.tolist(), ranks.documents(5).tolist()[:2]) == ([2, 7, 1], [2, 1])

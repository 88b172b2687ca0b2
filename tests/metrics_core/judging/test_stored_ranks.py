"""Judged ranks from Parquet, written by hand; tests/spark compares what Spark writes."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from metrics_core.errors import RanklensError
from metrics_core.judging.stored_ranks import COLUMNS, read_judged_ranks
from metrics_core.tables import Qrels


def test_a_small_table(tmp_path: Path) -> None:
    """Run b lists nothing judged, run a lists d2 third and d1 fifth of q1; q3 is not judged."""
    rows = [
        ("b", "q1", 4, 2, None, 1),
        ("a", "q3", 9, 0, None, 1),
        ("a", "q1", 5, 2, "d1", 5),
        ("a", "q1", 5, 2, None, 1),
        ("a", "q1", 5, 2, "d2", 3),
    ]
    columns = dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True))
    pq.write_table(pa.table(columns), tmp_path / "ranks.parquet")
    qrels = Qrels.from_columns(["q2", "q1", "q1"], ["d1", "d1", "d2"], [1, 2, 0])
    a, b = read_judged_ranks(tmp_path, qrels)
    assert (a.run_name, b.run_name) == ("a", "b")
    assert a.query_ids == ("q2", "q1") and a.missing_queries == ("q2",)
    assert a.query.tolist() == [1, 1] and a.rank.tolist() == [3, 5]
    assert a.relevance.tolist() == [0, 2] and a.qrels_row.tolist() == [2, 1]
    assert a.retrieved.tolist() == [0, 5] and a.unjudged_queries == ("q3",)
    assert not len(b.rank) and b.retrieved.tolist() == [0, 4] and b.notes


def test_another_file_is_refused(tmp_path: Path) -> None:
    qrels = Qrels.from_columns(["q"], ["d"], [1])
    file = tmp_path / "file.parquet"
    pq.write_table(pa.table({"run": ["a"], "query_id": ["q"]}), file)
    with pytest.raises(RanklensError, match=rf"no column '{COLUMNS[2]}'"):
        read_judged_ranks(file, qrels)
    file.write_text("no Parquet")
    with pytest.raises(RanklensError, match="cannot be read as judged ranks"):
        read_judged_ranks(file, qrels)
    with pytest.raises(RanklensError, match="cannot be read as judged ranks"):
        read_judged_ranks(tmp_path / "nowhere", qrels)

"""Judged ranks go through Parquet and come back as `join_judgments` gives them."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metrics_core import read_judged_ranks
from metrics_core.base.errors import RanklensError
from metrics_core.judging import join_judgments
from metrics_core.scoring.spark import write_judged_ranks
from tests.collections_of import qrels_of, run_of
from tests.spark.test_evaluate import frame_of, random_collection

_OF_THE_RUN_ITSELF = {"listed", "notes", "subtopics", "tied"}


def assert_equal(found: Any, wanted: Any) -> None:
    names = {f.name for f in fields(wanted) if not f.name.startswith("_")}
    for name in names - _OF_THE_RUN_ITSELF:
        one, other = getattr(found, name), getattr(wanted, name)
        if isinstance(other, np.ndarray):
            assert one.dtype == other.dtype and np.array_equal(one, other), name
        else:
            assert one == other, name


def test_they_come_back_as_judge_gives_them(spark: Any, tmp_path: Path) -> None:
    runs, grades = random_collection(2)
    runs["two"]["q1"] = {"never judged": 1.0}
    qrels = qrels_of(grades)
    folder = tmp_path / "ranks"
    write_judged_ranks(frame_of(spark, runs), qrels, str(folder))
    found = [join_judgments(run, qrels) for run in read_judged_ranks(folder)]
    assert [ranks.run_name for ranks in found] == ["one", "two"]
    for ranks in found:
        wanted = join_judgments(run_of(runs[ranks.run_name], ranks.run_name), qrels)
        assert wanted.unjudged_queries and wanted.missing_queries
        assert_equal(ranks, wanted)
    regraded = {q: {d: 3 - g for d, g in own.items()} for q, own in grades.items()}
    for run in read_judged_ranks(folder):
        ranks = join_judgments(run, qrels_of(regraded))
        wanted = join_judgments(run_of(runs[ranks.run_name], ranks.run_name), qrels_of(regraded))
        assert_equal(ranks, wanted)
    more = {**grades, "q1": {**grades["q1"], "never judged": 1}}
    with pytest.raises(RanklensError, match="query q1 had 20 judged documents and now has 21"):
        join_judgments(read_judged_ranks(folder)[0], qrels_of(more))
    other = {q: {f"{d}x": g for d, g in own.items()} for q, own in grades.items()}
    with pytest.raises(RanklensError, match="of their documents are no longer judged"):
        join_judgments(read_judged_ranks(folder)[0], qrels_of(other))

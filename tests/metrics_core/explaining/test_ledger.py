"""The ledger of a score and of a difference: by hand, and adding up for every measure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from metrics_core import formats
from metrics_core.base.errors import LackingDataError
from metrics_core.explaining.diagnosis import diagnose
from metrics_core.explaining.ledger import difference_ledger, score_ledger
from metrics_core.judging import JudgedRanks, join_judgments
from metrics_core.measures import parse_measure
from metrics_core.measures.declaring.registry import declarations
from tests.collections_of import collections, qrels_of, run_of
from tests.settings_of import at

SAMPLE = Path(__file__).parents[3] / "sample_runs"
PLAIN = [at(d, 3) for d in declarations() if not d.needs]


def ranks_of(listed: str, grades: dict[str, int]) -> JudgedRanks:
    return join_judgments(
        run_of({"q": {d: -float(i) for i, d in enumerate(listed)}}), qrels_of({"q": grades})
    )


def effects(
    baseline: str, run: str, grades: dict[str, int], measure: str = "nDCG@10"
) -> dict[str, float]:
    """What `diagnose` says of the documents that changed place."""
    qrels = qrels_of({"q": grades})
    runs = [
        run_of({"q": {d: -float(i) for i, d in enumerate(listed)}}, name)
        for name, listed in (("baseline", baseline), ("run", run))
    ]
    return dict(
        diagnose(
            runs,
            [join_judgments(r, qrels) for r in runs],
            qrels,
            "q",
            parse_measure(measure),
            baseline="baseline",
            focus="run",
            cutoff=10,
        ).effects
    )


def test_the_ledger_of_a_score() -> None:
    # x is unjudged; DCG: a (grade 2) at 2, b (1) at 4; c (grade 0) has no part.
    found = score_ledger(ranks_of("xacb", {"a": 2, "b": 1, "c": 0, "m": 1}), parse_measure("DCG"))
    assert found.rank.tolist() == [2, 4] and found.grade.tolist() == [2, 1]
    assert found.qrels_row.tolist() == [0, 1] and found.query.tolist() == [0, 0]
    assert found.part == pytest.approx([2 / np.log2(3), 1 / np.log2(5)])
    assert (found.empty.tolist(), found.by.tolist()) == ([0], ["terms"])


def test_ranks_are_those_of_the_whole_list_also_where_only_the_judged_count() -> None:
    ranks = ranks_of("xaycb", {"a": 1, "b": 1, "c": 0, "y": -1})
    found = score_ledger(ranks, parse_measure("AP(judged_only=True)"))
    assert found.rank.tolist() == [2, 5] and found.qrels_row.tolist() == [0, 1]
    assert found.part == pytest.approx([1 / 2, 2 / 3 / 2])


def test_the_ledger_of_a_difference() -> None:
    # P@2: a leaves the top, d comes in, b stays, c is in neither; m is not listed.
    grades = {"a": 1, "b": 1, "c": 1, "d": 1, "m": 1}
    run, baseline = (ranks_of(listed, grades) for listed in ("bdac", "abc"))
    found = difference_ledger(run, baseline, parse_measure("P@2"))
    assert found.qrels_row.tolist() == [0, 1, 3]  # by the better rank: a 1, b 1, d 2
    assert found.part.tolist() == [-0.5, 0, 0.5]
    assert found.rank_differs.tolist() == [True, True, True]
    assert found.rank.tolist() == [3, 1, 2]
    assert found.baseline_rank[:2].tolist() == [1, 2] and np.isnan(found.baseline_rank[2])
    assert found.difference.tolist() == [0]


def test_an_undefined_score_has_an_undefined_rest() -> None:
    found = score_ledger(ranks_of("a", {"a": 1}), parse_measure("Accuracy"))
    assert np.isnan(found.score[0]) and np.isnan(found.empty[0]) and not len(found.part)


def test_measures_of_more_than_grades_have_none() -> None:
    with pytest.raises(LackingDataError, match="ERR_IA@5 cannot be split"):
        score_ledger(ranks_of("a", {"a": 1}), parse_measure("ERR_IA@5"))


def test_runs_of_other_queries_are_not_compared() -> None:
    one = ranks_of("a", {"a": 1})
    with pytest.raises(ValueError, match="the same queries"):
        difference_ledger(one, replace(one, query_ids=("p",)), parse_measure("AP"))


@settings(max_examples=15, deadline=None)
@given(collection=collections())
def test_parts_add_up_for_every_measure(collection: Any) -> None:
    run, grades = collection
    qrels = qrels_of(grades)
    other = {q: {d: -s for d, s in docs.items() if d != "d3"} for q, docs in run.items()}
    other = {q: docs or {"d3": 1.0} for q, docs in other.items()}
    one, two = (join_judgments(run_of(r), qrels) for r in (run, other))
    for measure in PLAIN:
        found = score_ledger(one, measure)
        sums = found.empty + np.bincount(found.query, found.part, one.n_queries)
        expected = measure.score(one)
        assert sums == pytest.approx(expected, abs=1e-12, rel=1e-12, nan_ok=True), measure
        gap = difference_ledger(one, two, measure)
        sums = gap.empty + np.bincount(gap.query, gap.part, one.n_queries)
        expected = expected - measure.score(two)
        assert sums == pytest.approx(expected, abs=1e-12, rel=1e-12, nan_ok=True), measure
        assert gap.difference == pytest.approx(expected, abs=0, nan_ok=True)


def test_parts_add_up_on_every_query_of_the_sample() -> None:
    qrels = formats.read_qrels(SAMPLE / "qrels.txt")
    run, baseline = (
        join_judgments(formats.read_run(SAMPLE / name), qrels) for name in ("dense.run", "bm25.run")
    )
    for measure in PLAIN:
        gap = difference_ledger(run, baseline, measure)
        sums = gap.empty + np.bincount(gap.query, gap.part, run.n_queries)
        expected = measure.score(run) - measure.score(baseline)
        assert sums == pytest.approx(expected, abs=1e-12, rel=1e-12, nan_ok=True), measure


def test_a_document_pushed_out_by_another_is_a_cause() -> None:
    # a falls from 1 to 3 and stays counted; c leaves the first three as d comes in.
    found = effects("abcd", "dbac", {"a": 1, "c": 1, "d": 0}, "P@3")
    assert found == pytest.approx({"a": 0, "c": -1 / 3})


def test_two_that_change_places_do_not_share_one() -> None:
    found = effects("ab", "ba", {"a": 1, "b": 2}, "DCG")
    assert found == pytest.approx({"a": 1 / np.log2(3) - 1, "b": 2 - 2 / np.log2(3)})


def test_of_those_that_stayed_and_of_shares_judged_nothing_is_said() -> None:
    # b has a part in AP's difference, as a fell behind it, and yet did not move.
    assert list(effects("axb", "xab", {"a": 1, "b": 1, "x": 0}, "AP")) == ["a"]
    assert effects("ab", "xy", {"a": 1, "b": 0}, "Judged@2") == {}

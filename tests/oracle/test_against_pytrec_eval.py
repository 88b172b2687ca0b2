"""The same scores as trec_eval, through pytrec_eval, per query, on random collections."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from metrics_core.judging import join_judgments
from metrics_core.measures import Measure, declarations, parse_measure
from metrics_core.scoring.evaluate import evaluate
from metrics_core.scoring.means import combine_scores
from tests.collections_of import collections, qrels_of, run_of
from tests.random_cases import examples

pytrec_eval = pytest.importorskip("pytrec_eval")

CUTOFFS: dict[str, tuple[float, ...]] = {
    **dict.fromkeys(("P", "recall", "relative_P", "ndcg_cut", "map_cut"), (1, 3, 5, 10, 1000)),
    "success": (1, 5, 10),
    "iprec_at_recall": (0.0, 0.1, 0.25, 0.3, 0.5, 0.55, 0.7, 0.9, 1.0),
    "Rprec_mult": (0.2, 0.5, 1.0, 1.4, 2.0),
}
NO_NUMBERS = {"runid", "relstring"}
FAMILIES = sorted(set(pytrec_eval.supported_measures) - NO_NUMBERS)


def trec_eval(
    run: dict[str, Any], qrels: dict[str, Any], level: int = 1, judged_only: bool = False
) -> dict[str, Any]:
    """pytrec_eval's scores: query_id -> trec_eval's measure name -> score, all it knows."""
    asked = {f"{name}.{k}" for name, cutoffs in CUTOFFS.items() for k in cutoffs}
    asked |= set(FAMILIES) - set(CUTOFFS)
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, asked, relevance_level=level, judged_docs_only_flag=judged_only
    )
    return dict(evaluator.evaluate(run))


def as_9_0_8(name: str, level: int, judged_only: bool = False) -> Measure:
    """The measure a trec_eval name means at a relevance level, rounding as trec_eval 9 does."""
    declaration = parse_measure(name).declaration
    values = dict(parse_measure(name).values)
    if declaration.parameter("rel") and values["rel"] is not None:
        values["rel"] = level
    if declaration.parameter("rounding"):
        values["rounding"] = "up"
    if declaration.parameter("judged_only"):
        values["judged_only"] = judged_only
    return declaration(**values)


def test_every_family_of_trec_eval_is_declared() -> None:
    known = {re.sub(r"_\{\w+\}", "", name) for d in declarations() for name in d.trec_eval}
    assert set(FAMILIES) <= known


@pytest.mark.parametrize(("level", "judged_only"), [(1, False), (2, False), (1, True)])
@examples(100)
@given(collection=collections())
def test_every_trec_name_scores_as_trec_eval(
    level: int, judged_only: bool, collection: Any
) -> None:
    run, qrels = collection
    ranks = join_judgments(run_of(run), qrels_of(qrels))
    theirs = trec_eval(run, qrels, level, judged_only)
    for name in next(iter(theirs.values())):
        measure = as_9_0_8(name, level, judged_only)
        scores = measure.score(ranks)
        if measure.declaration.aggregation == "geometric":
            # trec_eval keeps the logarithm of a query's score, of which it prints the mean only.
            scores = np.log(np.maximum(scores, 0.00001))
        ours = dict(zip(ranks.query_ids, scores, strict=True))
        for query_id, values in theirs.items():
            # Of an empty condensed list trec_eval takes the precision, 0 / 0.
            expected = 0.0 if np.isnan(values[name]) else values[name]
            found = ours[query_id]
            assert found == pytest.approx(expected, rel=1e-12, abs=1e-14), (name, query_id)


@examples(100)
@given(collection=collections(missing=False))
def test_every_score_is_combined_as_trec_eval_combines_it(collection: Any) -> None:
    run, qrels = collection
    theirs = trec_eval(run, qrels)
    names = list(next(iter(theirs.values())))
    measures = {name: as_9_0_8(name, 1) for name in names}
    combined = combine_scores(evaluate(run_of(run), qrels_of(qrels), measures.values()))
    ours = dict(zip(combined["measure"], combined["value"], strict=True))
    for name, measure in measures.items():
        values = [scores[name] for scores in theirs.values()]
        expected = pytrec_eval.compute_aggregated_measure(name, values)
        assert ours[str(measure)] == pytest.approx(expected, rel=1e-12, abs=1e-14), name


@examples(100)
@given(collection=collections())
def test_a_missing_query_scores_zero(collection: Any) -> None:
    run, qrels = collection
    ranks = join_judgments(run_of(run), qrels_of(qrels))
    for query_id in set(qrels) - set(run):
        place = ranks.query_ids.index(query_id)
        assert query_id in ranks.missing_queries
        for name in ("P@5", "AP", "nDCG@10", "RR", "Success@1", "SetF"):
            assert parse_measure(name).score(ranks)[place] == 0

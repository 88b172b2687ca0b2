"""The same scores as trec_eval, through pytrec_eval, per query, on random collections."""

from __future__ import annotations

from typing import Any

import pytest
import pytrec_eval
from hypothesis import given, settings

from metrics_core.judging import judge
from metrics_core.measures import parse_measure
from tests.collections_of import collections, qrels_of, run_of

TREC_NAMES = [
    *(f"P_{k}" for k in (1, 5, 10, 1000)),
    *(f"recall_{k}" for k in (1, 5, 10, 1000)),
    *(f"map_cut_{k}" for k in (1, 5, 100)),
    *(f"ndcg_cut_{k}" for k in (1, 3, 10, 1000)),
    *(f"success_{k}" for k in (1, 5, 10)),
    "map",
    "ndcg",
    "recip_rank",
    "Rprec",
    "set_P",
    "set_recall",
    "set_F",
    "num_q",
    "num_ret",
    "num_rel",
    "num_rel_ret",
]
_WITH_CUTOFF = {n: n.rsplit("_", 1) for n in TREC_NAMES if n.rsplit("_", 1)[-1].isdigit()}


def trec_eval(run: dict[str, Any], qrels: dict[str, Any], level: int = 1) -> dict[str, Any]:
    """pytrec_eval's scores: query_id -> trec_eval's measure name -> score."""
    asked = {".".join(_WITH_CUTOFF[n]) if n in _WITH_CUTOFF else n for n in TREC_NAMES}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, asked, relevance_level=level)
    return dict(evaluator.evaluate(run))


@settings(max_examples=300, deadline=None)
@given(collection=collections())
def test_every_trec_name_scores_as_trec_eval(collection: Any) -> None:
    run, qrels = collection
    ranks = judge(run_of(run), qrels_of(qrels))
    theirs = trec_eval(run, qrels)
    for name in TREC_NAMES:
        ours = dict(zip(ranks.query_ids, parse_measure(name).score(ranks), strict=True))
        for query_id, expected in theirs.items():
            assert ours[query_id] == pytest.approx(expected[name], abs=1e-9), (name, query_id)


@settings(max_examples=150, deadline=None)
@given(collection=collections())
def test_a_higher_threshold_is_trec_evals_level(collection: Any) -> None:
    run, qrels = collection
    ranks = judge(run_of(run), qrels_of(qrels))
    theirs = trec_eval(run, qrels, level=2)
    pairs = {"P(rel=2)@5": "P_5", "R(rel=2)@10": "recall_10", "AP(rel=2)": "map"}
    pairs |= {"RR(rel=2)": "recip_rank", "Rprec(rel=2)": "Rprec", "Success(rel=2)@5": "success_5"}
    for own, name in pairs.items():
        ours = dict(zip(ranks.query_ids, parse_measure(own).score(ranks), strict=True))
        for query_id, expected in theirs.items():
            assert ours[query_id] == pytest.approx(expected[name], abs=1e-9), (own, query_id)


@settings(max_examples=100, deadline=None)
@given(collection=collections())
def test_a_missing_query_scores_zero(collection: Any) -> None:
    run, qrels = collection
    ranks = judge(run_of(run), qrels_of(qrels))
    for query_id in set(qrels) - set(run):
        place = ranks.query_ids.index(query_id)
        assert query_id in ranks.missing_queries
        for name in ("P@5", "AP", "nDCG@10", "RR", "Success@1", "SetF"):
            assert parse_measure(name).score(ranks)[place] == 0

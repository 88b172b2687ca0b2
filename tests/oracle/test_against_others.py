"""ir_measures and scikit-learn, where trec_eval has no such measure."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_core.judging import join_judgments
from metrics_core.lists import dcg_at_k, ndcg_at_k
from metrics_core.measures import parse_measure
from tests.collections_of import collections, qrels_of, run_of

ir_measures = pytest.importorskip("ir_measures")
metrics = pytest.importorskip("sklearn.metrics")

NAMES = ["Judged@3", "Judged@10", "RR@5", "AP@10", "SetP", "SetR", "NumRet", "NumRel", "R@5"]


@settings(max_examples=60, deadline=None)
@given(collection=collections(negative=False, missing=False))
def test_per_query_as_ir_measures(collection: Any) -> None:
    run, qrels = collection
    # ir_measures breaks ties by provider; distinct scores keep that out of the comparison.
    run = {q: {d: s + i / 64 for i, (d, s) in enumerate(docs.items())} for q, docs in run.items()}
    run = {q: {d: s * 64 + i for i, (d, s) in enumerate(docs.items())} for q, docs in run.items()}
    if any(len(set(docs.values())) < len(docs) for docs in run.values()):
        return
    ranks = join_judgments(run_of(run), qrels_of(qrels))
    asked = [ir_measures.parse_measure(n) for n in NAMES]
    theirs: dict[tuple[str, str], float] = {}
    for found in ir_measures.iter_calc(asked, qrels, run):
        theirs[str(found.measure), found.query_id] = found.value
    for name in NAMES:
        ours = dict(zip(ranks.query_ids, parse_measure(name).score(ranks), strict=True))
        for query_id, value in ours.items():
            assert value == pytest.approx(theirs[name, query_id], abs=1e-9), (name, query_id)


@settings(max_examples=100, deadline=None)
@given(grades=st.lists(st.integers(0, 4), min_size=2, max_size=15), k=st.integers(1, 20))
def test_ndcg_as_scikit_learn(grades: list[int], k: int) -> None:
    docs = [f"d{i}" for i in range(len(grades))]
    scores = np.arange(len(grades), 0, -1.0)
    expected = metrics.ndcg_score([grades], [scores], k=k)
    relevant = dict(zip(docs, grades, strict=True))
    assert ndcg_at_k(docs, relevant, k) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "theirs", "ours"),
    [("nDCG", metrics.ndcg_score, ndcg_at_k), ("DCG", metrics.dcg_score, dcg_at_k)],
)
def test_scikit_learn_averages_over_ties_as_the_declaration_says(
    name: str, theirs: Any, ours: Any
) -> None:
    told = [d for d in parse_measure(name).declaration.differences if d.package == "scikit-learn"]
    assert any("average over all orders" in d.why for d in told)
    relevant = {"a": 3, "b": 0, "c": 1}
    orders = [ours(order, relevant, 2) for order in permutations(relevant)]
    tied = [list(relevant.values())], [[1.0, 1.0, 1.0]]
    assert theirs(*tied, k=2) == pytest.approx(np.mean(orders), abs=1e-9)
    assert len(set(orders)) > 1
    assert theirs(*tied, k=2, ignore_ties=True) in [pytest.approx(o) for o in orders]

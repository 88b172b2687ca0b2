"""ranx's metrics that have a twin here, query by query.

To compile its kernels takes minutes where nothing is cached; as plain Python they give the same.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_core.base.errors import ParameterError
from metrics_core.formats import read
from metrics_core.judging import join_judgments
from metrics_core.measures import declarations, parse_measure
from metrics_core.scoring.evaluate import evaluate
from tests.collections_of import collections, qrels_of, run_of

TWINS = {
    "hits": "NumRelRet",
    "hit_rate@3": "Success@3",
    "precision@5": "P@5",
    "precision": "SetP",
    "recall@5": "R@5",
    "recall": "SetR",
    "f1": "SetF",
    "f1@5": "F@5",
    "r-precision": "Rprec",
    "mrr": "RR",
    "mrr@3": "RR@3",
    "map": "AP",
    "map@5": "AP@5",
    "dcg": "DCG",
    "dcg@5": "DCG@5",
    "dcg_burges@5": "DCG(dcg='exp-log2')@5",
    "ndcg": "nDCG",
    "ndcg@5": "nDCG@5",
    "ndcg_burges": "nDCG(dcg='exp-log2')",
    "ndcg_burges@5": "nDCG(dcg='exp-log2')@5",
    "rbp.80": "RBP",
    "rbp.50": "RBP(p=0.5)",
    "bpref": "Bpref",
}
LEVELS = {
    "precision@5-l2": "P(rel=2)@5",
    "recall@5-l2": "R(rel=2)@5",
    "map-l2": "AP(rel=2)",
    "mrr-l2": "RR(rel=2)",
    "r-precision-l2": "Rprec(rel=2)",
    "hit_rate@3-l2": "Success(rel=2)@3",
    "f1-l2": "SetF(rel=2)",
}
OF_THE_WHOLE_LIST = {"precision", "recall"}
"""Names of ranx that need a cutoff here; SetP and SetR are those of the whole list."""
DECLARED = {d.name for d in declarations()}


@pytest.fixture(scope="module")
def ranx() -> Any:
    """ranx, imported here, with its kernels left as the Python they are written in."""
    numba = pytest.importorskip("numba")
    compiling, numba.config.DISABLE_JIT = numba.config.DISABLE_JIT, True
    try:
        yield pytest.importorskip("ranx")
    finally:
        numba.config.DISABLE_JIT = compiling


@st.composite
def untied(draw: st.DrawFn) -> Any:
    """A collection of queries that are all answered and judged, without tied scores."""
    run, qrels = draw(collections(negative=False, missing=False))
    plain = {}
    for query_id, docs in run.items():
        order = draw(st.permutations(range(1, len(docs) + 1)))
        plain[query_id] = {d: float(s) for d, s in zip(docs, order, strict=True)}
    return plain, qrels


def _defined(name: str, grades: dict[str, int]) -> bool:
    """Whether ranx has a number: its bpref divides by the relevant and by the fewer of the
    relevant and the others."""
    relevant = sum(g >= 1 for g in grades.values())
    return name != "bpref" or 0 < relevant < len(grades)


def test_its_names_are_understood() -> None:
    for name, own in (TWINS | LEVELS).items():
        if name in OF_THE_WHOLE_LIST:
            with pytest.raises(ParameterError, match="needs a cutoff"):
                parse_measure(name)
        else:
            assert parse_measure(name) == parse_measure(own), name


@settings(max_examples=40, deadline=None)
@given(collection=untied())
def test_per_query_as_ranx(ranx: Any, collection: Any) -> None:
    run, qrels = collection
    ranks = join_judgments(run_of(run), qrels_of(qrels))
    asked = {n: own for n, own in (TWINS | LEVELS).items() if _here(own)}
    theirs_run = ranx.Run(run)
    ranx.evaluate(ranx.Qrels(qrels), theirs_run, list(asked), return_mean=False)
    for name, own in asked.items():
        scores = parse_measure(own).score(ranks).tolist()
        for query_id, value in zip(ranks.query_ids, scores, strict=True):
            expected = float(theirs_run.scores[name][query_id])
            if _defined(name, qrels[query_id]):
                assert value == pytest.approx(expected, abs=1e-9), (name, query_id)


def test_every_metric_of_ranx_has_a_twin(ranx: Any) -> None:
    metrics = ranx.metrics
    for name in {n.split("@")[0].split(".")[0] for n in TWINS}:
        assert metrics.metric_switch(name)
    functions = set(metrics.__all__) - {"get_hit_lists", "interpolated_precision_at_recall"}
    assert len(functions) == len({n.split("@")[0].split(".")[0] for n in TWINS})


def test_its_graded_rbp_forgets_low_grades_only(ranx: Any) -> None:
    grades, run = {"a": 3, "b": 1}, {"a": 2.0, "b": 1.0}
    found = ranx.evaluate(ranx.Qrels({"q": grades}), ranx.Run({"q": run}), "rbp.80-l2")
    assert found == pytest.approx(0.2 * 3)
    ranks = join_judgments(run_of({"q": run}), qrels_of({"q": grades}))
    assert parse_measure("RBP(rel=2)").score(ranks)[0] == pytest.approx(0.2)
    assert not math.isclose(found, 0.2)


def _here(name: str) -> bool:
    return name.partition("(")[0].partition("@")[0] in DECLARED


def test_its_runs_and_judgments_are_taken(ranx: Any) -> None:
    run, qrels = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}
    found = evaluate([ranx.Run(run, name="bm25"), ranx.Run(run)], ranx.Qrels(qrels), "RR")
    assert found["run"].tolist() == ["bm25", "run"] and found["RR"].tolist() == [0.5, 0.5]


def test_what_it_saves_is_read_as_it_was(
    ranx: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = {"007": {"d-é": 0.1 + 0.2, "1e5": 0.25, "d3": -1e-300}, "q2": {"d3": 1.5}}
    grades = {"007": {"d-é": 2, "d3": 1}, "q2": {"d3": 1, "d4": 0}}
    run, qrels = ranx.Run(scores, name="bm25"), ranx.Qrels(grades)
    # Compiled, it gives Python's own texts and numbers; as plain Python NumPy's, which fail.
    monkeypatch.setattr(ranx.Run, "to_dict", lambda _: scores)
    monkeypatch.setattr(ranx.Qrels, "to_dict", lambda _: grades)
    for ending in ("json", "parq", "parquet", "trec", "lz4"):
        path = tmp_path / f"mine.{ending}"
        run.save(str(path))
        table = read(path).table
        assert table.name == "mine" and read(path).notes == ()
        assert _rows(table) == scores
        if ending != "lz4":
            path = tmp_path / f"qrels.{ending}"
            qrels.save(str(path))
            assert read(path).kind == "qrels" and _rows(read(path).table) == grades


def _rows(table: Any) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for query_id, doc_id, number in (row.values() for row in table.table.to_pylist()):
        found.setdefault(query_id, {})[doc_id] = number
    return found

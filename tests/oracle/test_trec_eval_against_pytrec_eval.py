"""trec_eval's command line against pytrec_eval, which is trec_eval 9.0.8: all its measures."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.collections_of import collections
from tests.metrics_core.compatible.trec_eval.calls import Call, caller, values
from tests.random_cases import examples

pytrec_eval = pytest.importorskip("pytrec_eval")

TEXTS = {"runid", "relstring"}
NUMBERS = sorted(pytrec_eval.supported_measures - TEXTS)
SUMMED = {"num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret", "num_q"}
GEOMETRIC = {"gm_map", "gm_bpref"}


def files_of(run: dict[str, Any], qrels: dict[str, Any]) -> dict[str, str]:
    """The collection as files for a call."""
    judged = [f"{q} 0 {d} {g}\n" for q, docs in qrels.items() for d, g in docs.items()]
    listed = [f"{q} Q0 {d} 1 {s!r} t\n" for q, docs in run.items() for d, s in docs.items()]
    return {"qrels": "".join(judged), "run": "".join(listed)}


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Call:
    return caller(tmp_path_factory.mktemp("collections"))


@examples(150)
@given(collection=collections(), level=st.integers(1, 3))
def test_every_printed_number(call: Call, collection: Any, level: int) -> None:
    run, qrels = collection
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(NUMBERS), relevance_level=level)
    theirs: dict[str, dict[str, float]] = evaluator.evaluate(run)
    asked = [f"-m{name}" for name in NUMBERS]
    outcome = call("--as", "9.0.8", f"-l{level}", "-q", *asked, **files_of(run, qrels))
    assert outcome.status == 0
    shown = values(outcome)
    expected = {
        (name, query): value
        for query, scores in theirs.items()
        for name, value in scores.items()
        if name not in (*GEOMETRIC, "num_q")
    }
    per_query = {key: value for key, value in shown.items() if key[1] != "all"}
    assert per_query.keys() == expected.keys()
    for key, value in expected.items():
        assert _same(per_query[key], value), key
    queries = [theirs[query] for query in sorted(theirs)]
    for name in queries[0]:
        assert _same(shown[name, "all"], _over_all(name, queries)), name


@pytest.mark.parametrize("cutoffs", ["10", "5,10", "2,5,8,10", "1,2,3,4,5,6,7,8,9,10"])
def test_a_cutoff_prints_the_same_whatever_else_is_asked(call: Call, cutoffs: str) -> None:
    # (1/2 + 2/5 + 3/8 + 4/10) / 4 lies so near 0.41875 that the order of addition decides.
    relevant = {f"d{i}": int(i in (2, 5, 8, 10)) for i in range(1, 11)}
    run = {"q": {d: float(-i) for i, d in enumerate(relevant)}}
    evaluator = pytrec_eval.RelevanceEvaluator({"q": relevant}, {"map_cut.10"})
    assert f"{evaluator.evaluate(run)['q']['map_cut_10']:.4f}" == "0.4187"
    outcome = call(f"-mmap_cut.{cutoffs}", **files_of(run, {"q": relevant}))
    assert values(outcome)["map_cut_10", "all"] == "0.4187"


def _over_all(name: str, queries: list[dict[str, float]]) -> float:
    total = sum(scores[name] for scores in queries)
    if name in SUMMED:
        return total
    mean = total / len(queries)
    return math.exp(mean) if name in GEOMETRIC else mean


def _same(text: str, value: float) -> bool:
    """Whether this is how the number is printed; a half may have been rounded either way."""
    return math.isclose(float(text), value, rel_tol=0, abs_tol=0.5e-4 + 1e-9)

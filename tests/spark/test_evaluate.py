"""Scores on Spark are those of one machine, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metrics_core import evaluate as evaluate_here
from metrics_core.base.errors import (
    LackingDataError,
    NoSharedQueriesError,
    ParameterError,
    RanklensError,
)
from metrics_core.measures import declarations, parse_measure
from metrics_core.scoring.spark import evaluate, row_errors
from metrics_core.scoring.spark.columns import read_collection
from metrics_core.scoring.spark.ranking import rank_lists
from metrics_core.tables import Run
from tests.collections_of import collections, qrels_of, run_of

MEASURES = ["nDCG@10", "AP", "RR", "P@5", "RBP(p=0.8)", "bpref", "ERR@10", "Judged@10"]
FEW = settings(
    max_examples=2, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)


def rows_of(scores: dict[str, dict[str, float]], *more: str) -> list[tuple[Any, ...]]:
    return [(*more, q, d, float(s)) for q, docs in scores.items() for d, s in docs.items()]


def frame_of(spark: Any, runs: dict[str, Any]) -> Any:
    rows = [row for name, scores in runs.items() for row in rows_of(scores, name)]
    return spark.createDataFrame(rows, "run string, query_id string, doc_id string, score double")


def judged_frame(spark: Any, qrels: dict[str, dict[str, int]]) -> Any:
    return spark.createDataFrame(rows_of(qrels), "query_id string, doc_id string, relevance double")


def there(scored: Any) -> dict[tuple[str, str], list[float]]:
    table = scored.toArrow().to_pydict()
    keys = list(zip(table.pop("run"), table.pop("query_id"), strict=True))
    assert len(set(keys)) == len(keys)
    return dict(zip(keys, map(list, zip(*table.values(), strict=True)), strict=True))


def here(runs: dict[str, Any], qrels: Any, measures: list[str], **more: Any) -> Any:
    frame = evaluate_here(
        {name: run_of(scores, name) for name, scores in runs.items()}, qrels, measures, **more
    )
    assert list(frame.columns[2:]) == measures
    return {
        (row[0], row[1]): [None if np.isnan(v) else v for v in row[2:]]
        for row in frame.itertuples(index=False, name=None)
    }


@FEW
@given(drawn=st.lists(collections(), min_size=9, max_size=9))
def test_scores_are_those_of_one_machine(spark: Any, drawn: Any) -> None:
    """Three runs in one table; ties, missing and unjudged queries, pooled documents are in them."""
    runs: dict[str, Any] = {"b": {"1": {"d1": 1.0}}, "a": {"1": {"d2": 1.0}}, "ü": {}}
    qrels: dict[str, Any] = {"1": {"d1": 1}}
    for number, (run, judged) in enumerate(drawn):
        qrels |= {f"{number} {q}": own for q, own in judged.items()}
        runs[list(runs)[number % 3]] |= {f"{number} {q}": own for q, own in run.items()}
        runs["ü"] |= {f"{number} {q}": own for q, own in run.items()}
    scored = evaluate(frame_of(spark, runs), judged_frame(spark, qrels), MEASURES)
    assert there(scored) == here(runs, qrels_of(qrels), MEASURES)


def random_collection(seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    random = np.random.default_rng(seed)
    docs = [f"d{i}" for i in range(60)]
    runs: dict[str, Any] = {}
    for name in ("one", "two"):
        queries = [f"q{i}" for i in range(30) if random.random() < 0.9]
        runs[name] = {
            q: dict(
                zip(
                    random.permutation(docs)[: random.integers(1, 50)].tolist(),
                    random.integers(0, 12, 50) / 7,
                    strict=False,
                )
            )
            for q in queries
        }
    grades = random.choice([-1, 0, 0, 1, 2, 3], (28, 20)).tolist()
    qrels = {
        f"q{i}": dict(zip(random.permutation(docs)[:20].tolist(), own, strict=True))
        for i, own in enumerate(grades, 1)
    }
    qrels["none"] = {"d1": 0, "d2": 0}
    return runs, qrels


def test_every_measure_of_judged_ranks(spark: Any) -> None:
    """All declared measures, each with the names of its worked examples."""
    runs, qrels = random_collection(0)
    able = [d for d in declarations() if not d.needs and d.by_query]
    measures = list(dict.fromkeys(str(parse_measure(n)) for d in able for n in d.worked))
    assert len(measures) > 40
    scored = evaluate(
        frame_of(spark, runs), qrels_of(qrels), measures, without_relevant="leave out"
    )
    wanted = here(runs, qrels_of(qrels), measures, without_relevant="leave out")
    assert there(scored) == wanted
    assert None in wanted["one", "none"]


def test_the_order_of_rows_and_partitions_does_not_matter(spark: Any) -> None:
    runs, qrels = random_collection(1)
    frame = frame_of(spark, runs)
    scored = evaluate(frame.repartition(5, "doc_id"), qrels_of(qrels), MEASURES)
    assert there(scored) == here(runs, qrels_of(qrels), MEASURES)


def test_one_query_with_nearly_all_rows(spark: Any) -> None:
    """20,000 rows of one query, of which Python sees the judged ones, seven a batch."""
    from pyspark.sql import functions as f

    rows = spark.range(20_000).select(
        f.lit("big").alias("query_id"),
        f.concat(f.lit("d"), "id").alias("doc_id"),
        (f.col("id") % 500).alias("score"),
    )
    small = spark.createDataFrame([("small", "x", 1)], "query_id string, doc_id string, score int")
    table = rows.toArrow()
    run = {
        "big": dict(
            zip(table["doc_id"].to_pylist(), map(float, table["score"].to_pylist()), strict=True)
        ),
        "small": {"x": 1.0},
    }
    qrels = {"big": {f"d{i}": i % 3 for i in range(0, 20_000, 97)}, "small": {"x": 1, "y": 2}}
    measures = ["AP", "nDCG", "P@100", "RR"]
    scored = evaluate(rows.union(small), qrels_of(qrels), measures)
    assert there(scored) == here({"run": run}, qrels_of(qrels), measures)


def test_ties_are_broken_by_the_bytes_of_ids(spark: Any) -> None:
    """Last in byte order first: "\U0001f600" is after "\uffff" by its bytes in UTF-8, before it by
    the units of Java's texts; 0 and -0 are equal, 7 is "7"."""
    docs = ["a", "Z", "é", "e\u0301", "\uffff", "\U0001f600", "a ", "aa", "\x01"]
    zeros = {doc: -0.0 if i % 2 else 0.0 for i, doc in enumerate(docs)}
    run = {f"ä {i}": zeros for i in range(len(docs))}
    qrels = qrels_of({f"ä {i}": {doc: 1} for i, doc in enumerate(docs)})
    found = there(evaluate(frame_of(spark, {"run": run}).drop("run"), qrels, "RR"))
    assert found == here({"run": run}, qrels, ["RR"])
    assert found["run", "ä 5"] == [1.0] and found["run", "ä 4"] == [0.5]


def test_whole_numbers_are_ids_and_scores(spark: Any) -> None:
    from decimal import Decimal

    rows = [(1, 7, Decimal("1.5")), (1, 10, Decimal("1.5")), (2, 7, Decimal("3"))]
    frame = spark.createDataFrame(rows, "query_id long, doc_id int, score decimal(9, 3)")
    twice = [(1, 10, 2), (1, 10, 2)]  # the same grade twice counts once
    judged = spark.createDataFrame(twice, "query_id int, doc_id long, relevance short")
    # "10" comes before "7" in byte order, so it is ranked behind it.
    assert there(evaluate(frame, judged, "RR")) == {("run", "1"): [0.5]}
    assert evaluate(frame, judged, ["MRR", "ap"]).columns == ["run", "query_id", "MRR", "ap"]


def test_a_document_twice_is_named(spark: Any) -> None:
    """Also where nobody judged it, and where the scores differ."""
    rows = [("a", "q", "d", 1.0), ("a", "q", "d", 2.0), ("a", "p", "e", 2.0), ("b", "q", "d", 1.0)]
    rows += [("a", "p", "e", 2.0), ("a", "r", "d", 1.0)]
    frame = spark.createDataFrame(rows, "run string, query_id string, doc_id string, score double")
    qrels = qrels_of({"q": {"x": 1}, "p": {"e": 1}})
    scored = evaluate(frame.coalesce(1), qrels, "AP")
    said = "document . of query . in run a is listed 2 times"
    with pytest.raises(RanklensError, match=said) as error, row_errors():
        scored.collect()
    assert "Traceback" not in str(error.value)
    best = evaluate(frame, qrels, "AP", duplicates="best")
    assert there(best) == {
        ("a", "q"): [0.0], ("a", "p"): [1.0], ("b", "q"): [0.0], ("b", "p"): [0.0],
    }  # fmt: skip


def test_odd_rows_are_refused_each_with_its_name(spark: Any) -> None:
    nan, low = float("nan"), float("-inf")
    rows = [("q", "a", 1.0), ("q", "b", nan), ("q", "c", low), ("q", "e", None)]
    rows += [("q", None, 1.0), (None, "d", 1.0), ("", "d", 1.0)]
    frame = spark.createDataFrame(rows, "query_id string, doc_id string, score double")
    found = rank_lists(read_collection(frame, qrels_of({"q": {"a": 1}})), duplicates="error")
    problems = {row["problem"] for row in found.collect()} - {None}
    finite = "a score that is not a finite number: document {} of query q in run run"
    lacking = {f"a row without {name} in run run" for name in ("query_id", "doc_id")}
    assert problems == {*lacking, *map(finite.format, "bce")}


def test_judgments_that_contradict_each_other_are_refused(spark: Any) -> None:
    frame = frame_of(spark, {"a": {"q": {"d": 1.0}}})
    schema = "query_id string, doc_id string, relevance int"
    other = spark.createDataFrame([("q", "d", 1), ("q", "d", 2)], schema)
    with (
        pytest.raises(RanklensError, match="document d of query q has several grades"),
        row_errors(),
    ):
        evaluate(frame, other, "AP").collect()


def test_what_is_refused_at_once(spark: Any) -> None:
    qrels = qrels_of({"q": {"d": 1}})
    frame = frame_of(spark, {"a": {"q": {"d": 1.0}}})
    with pytest.raises(NoSharedQueriesError, match="'b' and the judgments share no query"):
        evaluate(frame_of(spark, {"a": {"q": {"d": 1.0}}, "b": {"p": {"d": 1.0}}}), qrels, "AP")
    with pytest.raises(RanklensError, match="no rows"):
        evaluate(frame.where("score > 1"), qrels, "AP")
    with pytest.raises(RanklensError, match="no judgments"):
        evaluate(frame, judged_frame(spark, {"q": {"d": 1}}).where("relevance > 1"), "AP")
    with pytest.raises(RanklensError, match="no column 'score'"):
        evaluate(frame.drop("score"), qrels, "AP")
    with pytest.raises(RanklensError, match="ids must be text"):
        evaluate(frame.withColumn("doc_id", frame["score"]), qrels, "AP")
    with pytest.raises(RanklensError, match="not a number"):
        evaluate(frame.withColumn("score", frame["doc_id"]), qrels, "AP")
    with pytest.raises(RanklensError, match="not a Spark DataFrame"):
        evaluate(Run.from_columns("a", ["q"], ["d"], [1.0]), qrels, "AP")
    with pytest.raises(LackingDataError, match=r"alpha_nDCG@5 needs judgments by subtopic"):
        evaluate(frame, qrels, ["AP", "alpha_nDCG@5"])
    with pytest.raises(LackingDataError, match="needs the listed documents"):
        evaluate(frame, qrels, "MoneyP@10")
    with pytest.raises(ParameterError, match="'error' or 'best'"):
        evaluate(frame, qrels, "AP", duplicates="first")  # type: ignore[arg-type]

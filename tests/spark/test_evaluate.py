"""Scores on Spark are those of one machine, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from metrics_core import evaluate as evaluate_here
from metrics_core.errors import (
    LackingDataError,
    NoSharedQueriesError,
    ParameterError,
    RanklensError,
)
from metrics_core.measures import declarations, parse_measure
from metrics_core.scoring.spark import evaluate, told
from metrics_core.tables import Run
from tests.collections_of import collections, qrels_of, run_of

MEASURES = ["nDCG@10", "AP", "RR", "P@5", "RBP(p=0.8)", "bpref", "ERR@10", "Judged@10"]
FEW = settings(
    max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
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
    keys = zip(table.pop("run"), table.pop("query_id"), strict=True)
    values = zip(*table.values(), strict=True)
    found = {key: list(own) for key, own in zip(keys, values, strict=True)}
    assert len(found) == scored.count()
    return found


def here(runs: dict[str, Any], qrels: Any, measures: list[str], **more: Any) -> Any:
    frame = evaluate_here(
        {name: run_of(scores, name) for name, scores in runs.items()}, qrels, measures, **more
    )
    assert list(frame.columns[2:]) == [str(parse_measure(m)) for m in measures]
    return {
        (row[0], row[1]): [None if np.isnan(v) else v for v in row[2:]]
        for row in frame.itertuples(index=False, name=None)
    }


@FEW
@given(one=collections(), other=collections(), third=collections())
def test_scores_are_those_of_one_machine(spark: Any, one: Any, other: Any, third: Any) -> None:
    """Three runs in one table, on the judgments of the first; ties, missing and unjudged queries,
    pooled documents are in them."""
    runs = {"b": one[0], "a": {**one[0], **other[0]}, "ü": {**third[0], "q1": {"d1": 1.0}}}
    runs = {n: scores for n, scores in runs.items() if set(scores) & set(one[1])}
    scored = evaluate(frame_of(spark, runs), judged_frame(spark, one[1]), MEASURES)
    assert there(scored) == here(runs, qrels_of(one[1]), MEASURES)


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
    scored = evaluate(frame_of(spark, runs), judged_frame(spark, qrels), measures)
    assert there(scored) == here(runs, qrels_of(qrels), measures)
    left_out = evaluate(
        frame_of(spark, runs), qrels_of(qrels), measures, without_relevant="leave out"
    )
    wanted = here(runs, qrels_of(qrels), measures, without_relevant="leave out")
    assert there(left_out) == wanted
    assert None in wanted["one", "none"]


def test_the_order_of_rows_and_partitions_does_not_matter(spark: Any) -> None:
    runs, qrels = random_collection(1)
    frame = frame_of(spark, runs)
    wanted = here(runs, qrels_of(qrels), MEASURES)
    for parted in (frame.repartition(5, "doc_id"), frame.coalesce(1).orderBy("score")):
        assert there(evaluate(parted, qrels_of(qrels), MEASURES)) == wanted


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
    docs = ["a", "Z", "é", "e\u0301", "\uffff", "\U0001f600", "a ", "aa", ""]
    docs = [f"{doc}x" for doc in docs]
    run = {"ä b": {doc: -0.0 if i % 2 else 0.0 for i, doc in enumerate(docs)}, "q": {"a": 1.0}}
    for doc in docs:
        qrels = qrels_of({"ä b": {doc: 1}, "q": {"a": 1}})
        wanted = here({"run": run}, qrels, ["RR"])
        frame = frame_of(spark, {"run": run})
        assert there(evaluate(frame.drop("run"), qrels, "RR")) == wanted
        if doc == docs[3]:
            break
    reciprocal = {}
    for doc in docs[4:6]:
        scored = evaluate(frame.drop("run"), qrels_of({"ä b": {doc: 1}}), "RR")
        reciprocal[doc] = there(scored)["run", "ä b"][0]
    assert reciprocal["\U0001f600x"] == 1.0 and reciprocal["\uffffx"] == 0.5


def test_whole_numbers_are_ids_and_scores(spark: Any) -> None:
    from decimal import Decimal

    rows = [(1, 7, Decimal("1.5")), (1, 10, Decimal("1.5")), (2, 7, Decimal("3"))]
    frame = spark.createDataFrame(rows, "query_id long, doc_id int, score decimal(9, 3)")
    judged = spark.createDataFrame([(1, 10, 2)], "query_id int, doc_id long, relevance short")
    # "10" comes before "7" in byte order, so it is ranked behind it.
    assert there(evaluate(frame, judged, "RR")) == {("run", "1"): [0.5]}


def test_a_document_twice_is_named(spark: Any) -> None:
    """Also where nobody judged it, and where the scores differ."""
    rows = [("a", "q", "d", 1.0), ("a", "q", "d", 2.0), ("a", "p", "e", 2.0), ("b", "q", "d", 1.0)]
    rows += [("a", "p", "e", 2.0), ("a", "r", "d", 1.0)]
    frame = spark.createDataFrame(rows, "run string, query_id string, doc_id string, score double")
    qrels = qrels_of({"q": {"x": 1}, "p": {"e": 1}})
    scored = evaluate(frame.coalesce(1), qrels, "AP")
    with pytest.raises(RanklensError, match=r"document . of query . in run a stands there 2") as e:
        with told():
            scored.collect()
    assert "Traceback" not in str(e.value)
    best = evaluate(frame, qrels, "AP", duplicates="best")
    assert there(best) == {
        ("a", "q"): [0.0], ("a", "p"): [1.0], ("b", "q"): [0.0], ("b", "p"): [0.0],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (("q", "d", float("nan")), "no finite number: document d of query q in run run"),
        (("q", "d", float("-inf")), "no finite number"),
        (("q", "d", None), "no finite number"),
        (("q", None, 1.0), "without doc_id"),
        ((None, "d", 1.0), "without query_id"),
        (("", "d", 1.0), "without query_id"),
    ],
)
def test_odd_rows_are_refused(spark: Any, row: Any, said: str) -> None:
    rows = [("q", "a", 1.0), row]
    frame = spark.createDataFrame(rows, "query_id string, doc_id string, score double")
    with pytest.raises(RanklensError, match=said), told():
        evaluate(frame, qrels_of({"q": {"a": 1}}), "AP").collect()


def test_judgments_that_contradict_each_other_are_refused(spark: Any) -> None:
    frame = frame_of(spark, {"a": {"q": {"d": 1.0}}})
    schema = "query_id string, doc_id string, relevance int"
    same = spark.createDataFrame([("q", "d", 1), ("q", "d", 1)], schema)
    assert there(evaluate(frame, same, "AP")) == {("a", "q"): [1.0]}
    other = spark.createDataFrame([("q", "d", 1), ("q", "d", 2)], schema)
    with pytest.raises(RanklensError, match="document d of query q has several grades"), told():
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
    with pytest.raises(RanklensError, match="an id is a text"):
        evaluate(frame.withColumn("doc_id", frame["score"]), qrels, "AP")
    with pytest.raises(RanklensError, match="not a number"):
        evaluate(frame.withColumn("score", frame["doc_id"]), qrels, "AP")
    with pytest.raises(RanklensError, match="no Spark DataFrame"):
        evaluate(Run.from_columns("a", ["q"], ["d"], [1.0]), qrels, "AP")
    with pytest.raises(LackingDataError, match=r"alpha_nDCG@5 needs judgments by subtopic"):
        evaluate(frame, qrels, ["AP", "alpha_nDCG@5"])
    with pytest.raises(LackingDataError, match="needs the listed documents"):
        evaluate(frame, qrels, "MoneyP@10")
    with pytest.raises(ParameterError, match="'error' or 'best'"):
        evaluate(frame, qrels, "AP", duplicates="first")  # type: ignore[arg-type]

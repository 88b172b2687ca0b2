"""Find the judged documents of every list and their ranks with Spark.

A list is the results of one run for one query. Rows and judgments are joined in one grouping by
(run, query_id, doc_id), which also finds duplicate documents. Judgments are repeated for each run,
so lists that a run lacks are included. Each list is sorted by score. Ties are broken by doc_id in
descending byte order (Spark compares strings by their UTF-8 bytes). Grouping and sorting spill to
disk, so a list may be larger than memory. Unjudged documents are dropped after ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from metrics_core.scoring.spark.columns import SparkCollection

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Duplicates = Literal["error", "best"]

_BAD_SCORE, _BAD_GRADE = 1, 2
_LIST = ("run", "query_id")


def rank_lists(collection: SparkCollection, *, duplicates: Duplicates) -> DataFrame:
    """Return the judged documents and the first document of every list. Columns:

        run, query_id, doc_id
        relevance  double, null if not judged
        rank       bigint from 1, null if not listed
        retrieved  bigint, number of listed documents of the list
        judged     bigint, number of judged documents of the list
        problem    string, the problem of the row; null if valid

    The rows of a list are contiguous in one partition, sorted by rank, unlisted documents last.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    pairs = _make_document_pairs(collection, duplicates)
    lists = Window.partitionBy(*_LIST)
    best_first = lists.orderBy(f.desc_nulls_last("score"), f.desc("doc_id"))
    position = f.row_number().over(best_first).cast("bigint")
    frame = pairs.select(
        *_LIST,
        "doc_id",
        "relevance",
        f.when(f.col("times") > 0, position).alias("rank"),
        f.count(f.when(f.col("times") > 0, 1)).over(lists).alias("retrieved"),
        f.count("relevance").over(lists).alias("judged"),
        "problem",
    )
    return frame.where("relevance is not null or rank = 1 or problem is not null")


def _make_document_pairs(collection: SparkCollection, duplicates: Duplicates) -> DataFrame:
    """Return one row for each (run, query_id, doc_id).

    Columns: run, query_id, doc_id, score, relevance, lowest (the lowest grade), times (how often
    the document is listed), flaw (0 if the numbers are valid), problem (`_problem_column`)."""
    from pyspark.sql import functions as f

    no_number = f.lit(None).cast("double")
    score, grade = f.col("score"), f.col("relevance")
    listed = collection.runs.select(
        *(*_LIST, "doc_id", score, no_number.alias("relevance"), f.lit(1).alias("times")),
        f.when(_non_finite_condition(score), _BAD_SCORE).otherwise(0).alias("flaw"),
    )
    names = f.array(*(f.lit(name) for name in collection.names))
    judged = collection.qrels.select(
        f.explode(names).alias("run"),
        *("query_id", "doc_id", no_number.alias("score"), grade, f.lit(0).alias("times")),
        f.when(_non_finite_condition(grade), _BAD_GRADE).otherwise(0).alias("flaw"),
    )
    # Once partitioned by list, grouping by document and ranking need no further shuffle.
    rows = listed.unionByName(judged).repartition(*_LIST)
    pairs = rows.groupBy(*_LIST, "doc_id").agg(
        f.max("score").alias("score"),
        f.max("relevance").alias("relevance"),
        f.min("relevance").alias("lowest"),
        f.sum("times").alias("times"),
        f.max("flaw").alias("flaw"),
    )
    return pairs.withColumn("problem", _problem_column(duplicates))


def _non_finite_condition(number: Any) -> Any:
    from pyspark.sql import functions as f

    return number.isNull() | f.isnan(number) | (f.abs(number) == float("inf"))


def _problem_column(duplicates: Duplicates) -> Any:
    """Return a column that describes the problem of each (run, query_id, doc_id); null if there is
    no problem."""
    from pyspark.sql import functions as f

    document = f.concat(f.lit("document "), f.col("doc_id"), f.lit(" of query "), f.col("query_id"))
    in_run = f.concat(f.lit(" in run "), f.col("run"))
    unnamed = [f.coalesce(f.col(name), f.lit("")) == "" for name in ("query_id", "doc_id")]
    problem = f.when(unnamed[0], f.concat(f.lit("a row without query_id"), in_run))
    problem = problem.when(unnamed[1], f.concat(f.lit("a row without doc_id"), in_run))
    for flaw, words in ((_BAD_SCORE, "a score"), (_BAD_GRADE, "a grade")):
        text = f.concat(f.lit(f"{words} that is not a finite number: "), document, in_run)
        problem = problem.when(f.col("flaw") == flaw, text)
    if duplicates == "error":
        times = f.concat(f.lit(" is listed "), f.col("times").cast("string"), f.lit(" times"))
        problem = problem.when(f.col("times") > 1, f.concat(document, in_run, times))
    return problem.when(
        f.col("lowest") != f.col("relevance"), f.concat(document, f.lit(" has several grades"))
    )

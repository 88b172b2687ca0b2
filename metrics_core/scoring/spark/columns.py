"""Input for Spark: runs and judgments as DataFrames with checked columns, and a summary of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metrics_core.base.errors import NoSharedQueriesError, RanklensError
from metrics_core.formats.in_memory import QrelsLike, convert_to_qrels
from metrics_core.scoring.spark.session import hide_warnings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NAMELESS = "run"
"""Name of the run in a DataFrame that has no column of run names."""


@dataclass(frozen=True)
class SparkCollection:
    """The data to score.

    runs         columns run, query_id, doc_id (string) and score (double)
    qrels        columns query_id, doc_id (string) and relevance (double)
    names        names of the runs
    top_grade    highest grade (at least 0)
    unjudged     for each run with unjudged queries, their number and the id of one of them"""

    runs: DataFrame
    qrels: DataFrame
    names: tuple[str, ...]
    top_grade: float
    unjudged: Mapping[str, tuple[int, str]]


def read_collection(runs: DataFrame, qrels: DataFrame | QrelsLike) -> SparkCollection:
    """Check the columns of the DataFrames, and summarise them in one pass over the columns run and
    query_id of the runs.

    Raises RanklensError if a column is missing or has the wrong type, or if there are no rows.
    Raises NoSharedQueriesError if a run has none of the judged queries."""
    listed = _read_runs(runs)
    judged = _read_qrels(runs.sparkSession, qrels)
    highest, example = judged.selectExpr("max(relevance)", "min(query_id)").collect()[0]
    if example is None:
        raise RanklensError("There are no judgments.", "Give at least one row.")
    run_rows = _describe_runs(listed, judged, example)
    top = 0.0 if highest is None else max(float(highest), 0.0)
    unjudged = {name: (count, one) for name, count, one in run_rows if count}
    return SparkCollection(listed, judged, tuple(name for name, *_ in run_rows), top, unjudged)


def _read_runs(runs: DataFrame) -> DataFrame:
    from pyspark.sql import functions as f

    _require_columns(runs, "runs", ("query_id", "doc_id", "score"))
    has_names = "run" in runs.columns
    score = _number_column(runs, "runs", "score")
    return runs.select(
        id_column(runs, "runs", "run") if has_names else f.lit(NAMELESS).alias("run"),
        id_column(runs, "runs", "query_id"),
        id_column(runs, "runs", "doc_id"),
        # 0 and -0 are equal scores, so they must be the same sort key.
        f.when(score == 0, 0.0).otherwise(score).alias("score"),
    )


def _read_qrels(spark: SparkSession, judgments: DataFrame | QrelsLike) -> DataFrame:
    from pyspark.sql import DataFrame

    if not isinstance(judgments, DataFrame):
        table = convert_to_qrels(judgments).table
        with hide_warnings():
            # Spark cannot read dictionary-encoded columns.
            query_ids = table["query_id"].cast("string")
            judgments = spark.createDataFrame(table.set_column(0, "query_id", query_ids))
    _require_columns(judgments, "qrels", ("query_id", "doc_id", "relevance"))
    if "subtopic" in judgments.columns:
        raise RanklensError(
            "Judgments by subtopic cannot be used on Spark.",
            "Give one grade per document: drop the column subtopic and keep the highest grade.",
        )
    return judgments.select(
        id_column(judgments, "qrels", "query_id"),
        id_column(judgments, "qrels", "doc_id"),
        _number_column(judgments, "qrels", "relevance").alias("relevance"),
    )


def _require_columns(frame: DataFrame, frame_name: str, columns: tuple[str, ...]) -> None:
    lacking = [name for name in columns if name not in frame.columns]
    if lacking:
        raise RanklensError(
            f"The DataFrame of {frame_name} has no column {lacking[0]!r};"
            f" its columns: {', '.join(frame.columns)}.",
            f"Rename them to {', '.join(columns)} with frame.withColumnRenamed.",
        )


def id_column(frame: DataFrame, frame_name: str, name: str) -> Any:
    """Return a column of ids as strings. Whole numbers become strings of their digits.

    Raises RanklensError for other types; `frame_name` names the frame in the message."""
    kind = frame.schema[name].dataType.typeName()
    if kind not in ("string", "varchar", "char", "byte", "short", "integer", "long"):
        raise RanklensError(
            f"The column {name!r} of the {frame_name} is {kind}; ids must be text or whole"
            " numbers.",
            "Cast it to string. A float, for example, does not keep the original spelling of an"
            " id.",
        )
    return frame[name].cast("string").alias(name)


def _number_column(frame: DataFrame, frame_name: str, name: str) -> Any:
    kind = frame.schema[name].dataType.typeName()
    if kind not in ("byte", "short", "integer", "long", "float", "double", "decimal"):
        raise RanklensError(
            f"The column {name!r} of the {frame_name} has type {kind}, not a number.",
            "Cast it to double.",
        )
    return frame[name].cast("double")


def _describe_runs(
    runs: DataFrame, qrels: DataFrame, judged_example: str
) -> list[tuple[str, int, str]]:
    """Return (name, number of unjudged queries, id of one unjudged query) for each run. The runs
    are in the byte order of their names."""
    from pyspark.sql import functions as f

    judged = qrels.select("query_id").distinct().withColumn("judged", f.lit(1))
    lists = runs.select("run", "query_id").distinct().join(judged, "query_id", "left")
    unjudged = f.when(f.col("judged").isNull(), f.col("query_id"))
    counts = lists.groupBy("run").agg(f.count("judged"), f.count(unjudged), f.min(unjudged))
    rows = [tuple(row) for row in counts.collect()]
    if not rows:
        raise RanklensError("The runs have no rows.", "Give at least one row.")
    for name, shared, _, example in rows:
        if not name:
            raise RanklensError("A row of the runs has no run name: its column `run` is empty.")
        if not shared:
            raise NoSharedQueriesError(
                f"Run {name!r} and the judgments share no query: the run has {example}, the"
                f" judgments have {judged_example}.",
                "Load the judgments that belong to these queries.",
            )
    rows.sort(key=lambda row: row[0].encode())
    return [(name, count, one) for name, _, count, one in rows]

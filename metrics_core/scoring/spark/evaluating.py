"""Evaluate on Spark, or return the judged ranks (the ranks of judged documents), from which scores
are computed, as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from metrics_core.base.errors import LackingDataError, ParameterError, RanklensError
from metrics_core.formats.in_memory import QrelsLike
from metrics_core.measures import GivenMeasure, Measure, parse_measures_by_name
from metrics_core.scoring.scores import WithoutRelevant, check_without_relevant
from metrics_core.scoring.spark.columns import SparkCollection, read_collection
from metrics_core.scoring.spark.lists import make_batch_scorer, raise_row_problems
from metrics_core.scoring.spark.ranking import Duplicates, rank_lists
from metrics_core.scoring.spark.session import hide_warnings, require_pyspark, row_errors

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def evaluate(
    runs: DataFrame,
    qrels: DataFrame | QrelsLike,
    measures: GivenMeasure | Iterable[GivenMeasure],
    *,
    without_relevant: WithoutRelevant = "zero",
    duplicates: Duplicates = "error",
) -> DataFrame:
    """Return the score of each query as a Spark DataFrame: run, query_id and one double column per
    measure, with the name as it was given.

    There is one row for each run and judged query, including queries without results, in no
    particular order. Scores are bitwise equal to the scores of `metrics_core.evaluate`; an
    undefined score is null. `runs` has the columns query_id, doc_id (strings or whole numbers),
    score (a number) and, for several runs, run. `qrels` has query_id, doc_id and relevance, or any
    form that `metrics_core.evaluate` accepts. If `duplicates` is "best", the highest score counts
    if a document is listed twice.

    One quick pass over run and query_id is made immediately; all other steps are made when the
    scores are computed. Only then do invalid rows (duplicates, scores that are not finite) raise an
    error, which is a RanklensError inside `row_errors()`. Raises UnknownMeasureError,
    ParameterError, NoSharedQueriesError, RanklensError, and LackingDataError for measures that need
    subtopics or document columns."""
    names = _check_measures(measures, without_relevant)
    collection = _read_collection(runs, qrels, duplicates)
    rows = rank_lists(collection, duplicates=duplicates)
    return score_rows(rows, collection.top_grade, names, without_relevant)


def score_rows(
    rows: DataFrame,
    top_grade: float,
    names: Sequence[str],
    without_relevant: WithoutRelevant,
) -> DataFrame:
    """Return the scores of ranked rows on the measures with these names. The columns are the same
    as in the result of `evaluate`."""
    from pyspark.sql.types import DoubleType, StringType, StructField, StructType

    schema = StructType(
        [StructField(name, StringType(), nullable=False) for name in ("run", "query_id")]
        + [StructField(name, DoubleType()) for name in names]
    )
    score = make_batch_scorer(names, without_relevant=without_relevant, top_grade=top_grade)
    with hide_warnings():
        return rows.mapInArrow(score, schema)


def judged_ranks(
    runs: DataFrame, qrels: DataFrame | QrelsLike, *, duplicates: Duplicates = "error"
) -> DataFrame:
    """Return the ranks of the judged documents as a Spark DataFrame. It has one row for each judged
    document in a run's list, and one row for the first document of every list, judged or not.

        run, query_id  string  run and query of the list
        retrieved      bigint  number of documents in the list
        judged         bigint  number of documents judged for the query; 0 if none is judged
        doc_id         string  the document; null if it is not judged
        rank           bigint  rank of the document, from 1

    Raises the errors of `evaluate`."""
    return select_stored_columns(
        rank_lists(_read_collection(runs, qrels, duplicates), duplicates=duplicates)
    )


def select_stored_columns(rows: DataFrame) -> DataFrame:
    """Convert ranked rows to rows with the columns of `judged_ranks`."""
    with hide_warnings():
        checked = rows.mapInArrow(raise_row_problems, rows.drop("problem").schema)
    document = "if(relevance is null, null, doc_id) as doc_id"
    return checked.where("rank is not null").selectExpr(
        "run", "query_id", "retrieved", "judged", document, "rank"
    )


def write_judged_ranks(
    runs: DataFrame,
    qrels: DataFrame | QrelsLike,
    path: str,
    *,
    duplicates: Duplicates = "error",
) -> None:
    """Write the result of `judged_ranks` as Parquet to a new folder, from which
    `metrics_core.read_judged_ranks` can read it.

    Raises the errors of `evaluate`, including those for invalid rows."""
    with row_errors():
        judged_ranks(runs, qrels, duplicates=duplicates).write.parquet(path)


def _read_collection(
    runs: DataFrame, qrels: DataFrame | QrelsLike, duplicates: Duplicates
) -> SparkCollection:
    require_pyspark()
    from pyspark.sql import DataFrame

    if duplicates not in ("error", "best"):
        raise ParameterError(
            f"duplicates must be 'error' or 'best', not {duplicates!r}.",
            "Rows have no order on Spark, so there is no first row.",
        )
    if not isinstance(runs, DataFrame):
        raise RanklensError(
            f"{type(runs).__name__} is not a Spark DataFrame.",
            "Read the runs with spark.read, or use metrics_core.evaluate.",
        )
    with row_errors():
        return read_collection(runs, qrels)


def _check_measures(
    measures: GivenMeasure | Iterable[GivenMeasure], without_relevant: WithoutRelevant
) -> list[str]:
    """Return the names under which the measures were passed. Raises LackingDataError, and
    ParameterError if `without_relevant` is invalid."""
    check_without_relevant(without_relevant)
    named = parse_measures_by_name(measures)
    refuse_unsupported_measures(list(named.values()))
    return list(named)


def refuse_unsupported_measures(measures: Sequence[Measure]) -> None:
    """Raise LackingDataError for measures that cannot be computed from judged ranks (the ranks of
    judged documents) alone."""
    for measure in measures:
        needs = measure.declaration.needs
        if needs or not measure.declaration.by_query:
            what = "judgments by subtopic" if "subtopics" in needs else "the listed documents"
            raise LackingDataError(
                f"{measure} needs {what}, which are not available on Spark.",
                "Leave out this measure, or evaluate some of the queries on a single machine.",
            )

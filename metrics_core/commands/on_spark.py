"""`metrics_core evaluate --spark MASTER`: compute scores on Apache Spark. They are the same as
without Spark."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError
from metrics_core.base.notes import Note
from metrics_core.commands.reading import print_notes, read_inputs
from metrics_core.commands.reading_options import ReadingOptions, refuse_options
from metrics_core.judging.judged import JudgedPlaces, assemble_ranks
from metrics_core.measures import Measure, parse_measure
from metrics_core.scoring.notes import score_notes
from metrics_core.scoring.scores import Scores
from metrics_core.tables import Qrels
from metrics_core.tables.arrays import as_array, as_text_column

_LENGTH = "NumRet"
"""The measure that counts retrieved documents. It is 0 if the run has no results for a query."""


@dataclass(frozen=True, kw_only=True)
class SparkOptions(ReadingOptions):
    """The options of `evaluate` for scoring with Spark, in addition to the reading options."""

    spark: str | None
    judged_ranks: str | None


def add_spark_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the Spark master and for the folder that receives judged ranks (the ranks
    of judged documents)."""
    parser.add_argument(
        "--spark",
        metavar="MASTER",
        help="compute on Apache Spark with this master, such as local[4], yarn or"
        " spark://host:7077. Each RUN is then a file, a folder of part files or a quoted glob, in"
        " TREC format or Parquet",
    )
    parser.add_argument(
        "--judged-ranks",
        metavar="FOLDER",
        help="with --spark: also write the ranks of the judged documents, as Parquet",
    )


def spark_scores(master: str, options: SparkOptions) -> Scores:
    """Compute the scores of the files with Spark; notes go to stderr. Raises RanklensError."""
    only_here = {
        "--documents": options.documents,
        "--clean-ids": options.clean_ids,
        "--map-docs or --map-queries": bool(options.id_maps),
        "--exclude-self or --exclude": options.exclude_self or options.exclude,
        "--memory": options.memory,
        **{
            f"--{name}": True
            for name in options.read_as.unsupported_choices({"duplicates", "grades"})
        },
    }
    refuse_options(only_here, "{} cannot be used with --spark.", "Leave it out.")
    if "-" in (options.qrels, *options.runs):
        raise RanklensError("Spark cannot read standard input.", "Give files.")
    from metrics_core.scoring.spark import evaluating, row_errors, session
    from metrics_core.scoring.spark.columns import read_collection
    from metrics_core.scoring.spark.files import read_runs
    from metrics_core.scoring.spark.ranking import rank_lists

    measures, qrels, _ = read_inputs(options)
    evaluating.refuse_unsupported_measures(measures)
    if options.read_as.duplicates == "first":
        raise RanklensError(
            "Rows have no order on Spark, so there is no first row.",
            "Use --duplicates best or error.",
        )
    spark = session(master)
    with row_errors():
        runs, run_names = read_runs(spark, options.runs)
        collection = read_collection(runs, qrels)
        names = sorted(collection.names, key=lambda name: (*run_names, name).index(name))
        rows = rank_lists(collection, duplicates=options.read_as.duplicates)
        if options.judged_ranks:
            rows = rows.persist()
            evaluating.select_stored_columns(rows).write.parquet(options.judged_ranks)
        counted = list(dict.fromkeys([*measures, parse_measure(_LENGTH)]))
        written = [str(measure) for measure in counted]
        frame = evaluating.score_rows(rows, collection.top_grade, written, options.without_relevant)
        all_scores = _build_scores(frame.toArrow(), names, qrels, counted)
    for name in names:
        print_notes(name, _score_notes(all_scores.select_runs([name]), qrels, measures, options))
        if name in collection.unjudged:
            print_notes(name, [_unjudged_note(*collection.unjudged[name])])
    values = all_scores.values[:, :, : len(measures)]
    return replace(all_scores, measures=tuple(measures), values=values)


def _build_scores(
    table: pa.Table, names: Sequence[str], qrels: Qrels, measures: Sequence[Measure]
) -> Scores:
    """Convert Spark's score table to scores, with the runs in the order of `names` and the queries
    in the order of the judgments.

    `table` has the columns run and query_id, and one column for each measure.
    """
    query_ids = qrels.query_ids
    run = as_array(pc.index_in(table["run"], value_set=as_text_column(names))).astype(np.int64)
    query = as_array(pc.index_in(table["query_id"], value_set=as_text_column(query_ids)))
    values = np.empty((len(names), len(query_ids), len(measures)))
    for i, measure in enumerate(measures):
        values[run, query, i] = as_array(table[str(measure)])
    length = values[:, :, [str(measure) for measure in measures].index(_LENGTH)]
    return Scores(tuple(names), tuple(query_ids), tuple(measures), values, length == 0)


def _score_notes(
    scores: Scores, qrels: Qrels, measures: Sequence[Measure], options: SparkOptions
) -> list[Note]:
    """Return the notes on the scores of one run."""
    none = np.zeros(0, dtype=np.int64)
    places = JudgedPlaces(none, none, none, scores.values_of(_LENGTH)[0].astype(np.int64))
    ranks = assemble_ranks(
        scores.runs[0], qrels, places, unjudged_queries=(), judged_positions=none
    )
    return score_notes(ranks, measures, without_relevant=options.without_relevant)


def _unjudged_note(count: int, example: str) -> Note:
    noun = w.plural(count, "query", "queries")
    return Note("unjudged", f"{count:,} {noun} without judgments; excluded", count, (example,))

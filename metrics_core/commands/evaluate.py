"""`metrics_core evaluate`: scores of runs over all queries, for each query, or for each group of a
column of the queries."""

from __future__ import annotations

import argparse
from dataclasses import replace

from metrics_core.base import frames as pd
from metrics_core.base.errors import RanklensError
from metrics_core.commands import command
from metrics_core.commands.on_spark import SparkOptions, add_spark_options, spark_scores
from metrics_core.commands.reading import note_unused_queries, read_groups
from metrics_core.commands.reading_options import (
    add_grouping_options,
    add_reading_options,
    argument_type,
    refuse_options,
)
from metrics_core.commands.scores_option import read_all_scores
from metrics_core.formats.source.limits import parse_size
from metrics_core.scoring.means import combine_scores
from metrics_core.scoring.scores import Scores
from metrics_core.text_tables.score_tables import PRINTERS, LongTable

_MEAN = "all"
"""The query_id of the mean, the same as in trec_eval."""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_reading_options(parser, takes_scores=True)
    parser.add_argument("--per-query", action="store_true", help="also print one value per query")
    parser.add_argument(
        "--memory",
        type=argument_type(parse_size),
        metavar="SIZE",
        help="memory limit, such as 1GB. Runs may have any size, but their rows must be grouped"
        " by query",
    )
    add_grouping_options(parser, "show the mean for each value of this column of the queries")
    add_spark_options(parser)
    parser.add_argument("--format", choices=sorted(PRINTERS), default="table")


@command(
    "evaluate", SparkOptions, help="score runs against judgments", add_arguments=_add_arguments
)
def evaluate(options: SparkOptions) -> str:
    """Compute and format the scores of the runs. Notes go to stderr."""
    if options.spark:
        scores = spark_scores(options.spark, options)
    else:
        refuse_options(
            {"--judged-ranks": options.judged_ranks},
            "{} needs --spark.",
            "Add --spark local[2], for example.",
        )
        scores = read_all_scores(options)
    note_unused_queries(options)
    if options.by:
        groups = read_groups(options.by, scores.query_ids, options)
        table = LongTable.from_table(_group_means(scores, options.by, groups))
    else:
        table = _long_table(scores, per_query=options.per_query)
    directions = {str(measure): measure.declaration.direction for measure in scores.measures}
    return PRINTERS[options.format](replace(table, directions=directions))


def _long_table(scores: Scores, *, per_query: bool) -> LongTable:
    """Return a table with the columns run, query_id, measure and value.

    The mean (or sum) over all queries has the query_id "all". If `per_query` is true, the scores of
    each query precede it. Raises RanklensError if `per_query` is true and a query has the id
    "all"."""
    if per_query and _MEAN in scores.query_ids:
        raise RanklensError(
            f"A query has the id {_MEAN!r}, which is also the name of the mean over all queries.",
            "Leave out --per-query, or rename that query.",
        )
    names = [str(measure) for measure in scores.measures]
    rows: list[tuple[str, str, str, float]] = []
    for run, values, combined in zip(scores.runs, scores.values, scores.combined(), strict=True):
        listed = [*zip(scores.query_ids, values.tolist(), strict=True)] if per_query else []
        for query_id, query_values in [*listed, (_MEAN, combined.tolist())]:
            rows += [(run, query_id, *cell) for cell in zip(names, query_values, strict=True)]
    return LongTable(["run", "query_id", "measure", "value"], rows)


def _group_means(scores: Scores, column: str, groups: pd.Series) -> pd.DataFrame:
    """Return the mean of each run and group. Columns: run, the grouping column, measure, value.
    Counts such as NumQ are summed."""
    from metrics_core.slicing.breakdowns import order_groups

    column = f"query {column}" if column in ("run", "measure", "value") else column
    parts = []
    for group in order_groups(groups):
        group_scores = scores.select_queries((groups == group).to_numpy())
        parts.append(combine_scores(group_scores).assign(**{column: group}))
    frame = pd.concat(parts, ignore_index=True)
    order = {run: i for i, run in enumerate(scores.runs)}
    frame = frame.sort_values("run", key=lambda runs: runs.map(order), kind="stable")
    return frame[["run", column, "measure", "value"]]

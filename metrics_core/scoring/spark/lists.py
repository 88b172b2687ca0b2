"""Score Arrow batches of ranked rows, grouped into whole lists, in Spark's Python workers.

A list (the results of one run for one query) is treated by the kernels as a query. Each list is
scored independently, so lists of several runs are scored together with bitwise equal results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from metrics_core.base.arrays import Ints
from metrics_core.base.errors import MOST_PROBLEMS_SHOWN, RanklensError
from metrics_core.judging import JudgedRanks
from metrics_core.measures import parse_measure
from metrics_core.scoring.scores import WithoutRelevant, score_run
from metrics_core.tables.arrays import as_array, as_column

Batches = Iterator[pa.RecordBatch]

_BATCH_ROWS = 1 << 17
"""Minimum number of rows that are scored together. With this many rows, the cost of calling a
kernel is negligible."""


def make_batch_scorer(
    names: Sequence[str], *, without_relevant: WithoutRelevant, top_grade: float
) -> Callable[[Batches], Batches]:
    """Return a function that converts batches of ranked rows to batches of scores.

    The batches of scores have the columns run, query_id and one float64 column per measure, null if
    undefined. The returned function raises RanklensError for invalid rows."""

    def score_batches(batches: Batches) -> Batches:
        measures = [parse_measure(name) for name in names]
        for table in group_batches_by_list(raise_row_problems(batches)):
            ranks, first = judge_lists(table, top_grade)
            if not len(first):
                continue
            columns = [table[name].take(as_column(first)) for name in ("run", "query_id")]
            texts = [column.cast(pa.string()).combine_chunks() for column in columns]
            values = [score_run(ranks, m, without_relevant=without_relevant) for m in measures]
            yield from pa.table(
                [*texts, *(pa.array(scores, mask=np.isnan(scores)) for scores in values)],
                names=["run", "query_id", *names],
            ).to_batches()

    return score_batches


def raise_row_problems(batches: Batches) -> Batches:
    """Yield the batches without their column `problem`. Raises RanklensError if a row has a
    problem."""
    for batch in batches:
        problems = batch["problem"].drop_null().to_pylist()
        if problems:
            raise _problems_error(problems)
        yield batch.drop_columns(["problem"])


def _problems_error(problems: list[str]) -> RanklensError:
    listed = problems[:MOST_PROBLEMS_SHOWN]
    if len(problems) > len(listed):
        listed.append(f"and {len(problems) - len(listed):,} more")
    return RanklensError(
        "A run may list a document only once for each query, and its score must be finite. A"
        " document may have only one grade for each query, and the grade must be finite. Found:\n"
        + "\n".join(listed)
    )


def group_batches_by_list(batches: Batches) -> Iterator[pa.Table]:
    """Group the rows of batches into tables that contain only whole lists, and yield the tables. A
    list may span several batches."""
    pending: list[pa.RecordBatch] = []
    enough, rows = _BATCH_ROWS, 0
    for batch in batches:
        if not batch.num_rows:
            continue
        pending.append(batch)
        rows += batch.num_rows
        if rows < enough:
            continue
        table = pa.Table.from_batches(pending).combine_chunks()
        last = int(find_list_starts(table)[-1])
        if last:
            yield table.slice(0, last)
        pending = table.slice(last).to_batches()
        rows = table.num_rows - last
        # A longer list is not searched again until it has doubled.
        enough = max(_BATCH_ROWS, 2 * rows)
    if pending:
        yield pa.Table.from_batches(pending).combine_chunks()


def find_list_starts(table: pa.Table) -> Ints:
    """Return the index of the first row of every list in a table, int64[list]. The table must have
    at least one row."""
    is_new = np.zeros(table.num_rows, dtype=np.bool_)
    is_new[0] = True
    for name in ("run", "query_id"):
        codes = as_array(table[name].combine_chunks().dictionary_encode().indices)
        is_new[1:] |= codes[1:] != codes[:-1]
    return np.flatnonzero(is_new)


def judge_lists(table: pa.Table, top_grade: float) -> tuple[JudgedRanks, Ints]:
    """Return the judged ranks (the ranks of judged documents) of the lists whose query is judged,
    and the first row of each of these lists, int64[list]. Each list counts as a separate query; the
    lists keep the table's order."""
    starts = find_list_starts(table)
    size = np.diff(starts, append=table.num_rows)
    judged = as_array(table["judged"])[starts] > 0
    starts, number = starts[judged], np.cumsum(judged) - 1
    list_of_row = np.repeat(np.where(judged, number, -1), size)
    relevance, rank = as_array(table["relevance"]), as_array(table["rank"])
    is_judged = np.flatnonzero(~np.isnan(relevance))
    listed = is_judged[~np.isnan(rank[is_judged])]
    by_grade = is_judged[np.lexsort((-relevance[is_judged], list_of_row[is_judged]))]
    ranks = JudgedRanks(
        run_name="",
        query_ids=tuple(map(str, range(len(starts)))),
        query=list_of_row[listed],
        rank=rank[listed].astype(np.int64),
        relevance=relevance[listed],
        qrels_row=listed,
        retrieved=as_array(table["retrieved"])[starts].astype(np.int64),
        judged_query=list_of_row[by_grade],
        judged_relevance=relevance[by_grade],
        top_grade=top_grade,
    )
    return ranks, starts

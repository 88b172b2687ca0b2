"""Arrow batches of ranked rows as Spark's Python workers get them: whole lists, and their scores.

This runs in the workers. A list (what a run has for a query) is to the kernels what a query is:
each is scored on its own, so that lists of several runs are scored at once, to the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from metrics_core.base.arrays import Ints
from metrics_core.base.errors import MOST_PROBLEMS_SHOWN, RanklensError
from metrics_core.judging import JudgedRanks
from metrics_core.measures import parse_measure
from metrics_core.scoring.scores import WithoutRelevant, scores_of
from metrics_core.tables.arrays import column_of, values_of

Batches = Iterator[pa.RecordBatch]

_AT_ONCE = 1 << 17
"""Rows from which lists are scored: enough that a kernel's call costs little a row."""


def scoring(
    names: Sequence[str], *, without_relevant: WithoutRelevant, top_grade: float
) -> Callable[[Batches], Batches]:
    """A function from batches of ranked rows to batches of scores: run, query_id, one float64
    column for each of these measures, null where a score is undefined. It raises RanklensError for
    rows with a problem."""

    def score(batches: Batches) -> Batches:
        measures = [parse_measure(name) for name in names]
        for table in whole_lists(sound(batches)):
            ranks, first = judged_lists(table, top_grade)
            if not len(first):
                continue
            columns = [table[name].take(column_of(first)) for name in ("run", "query_id")]
            texts = [column.cast(pa.string()).combine_chunks() for column in columns]
            values = [scores_of(ranks, m, without_relevant=without_relevant) for m in measures]
            yield from pa.table(
                [*texts, *(pa.array(own, mask=np.isnan(own)) for own in values)],
                names=["run", "query_id", *names],
            ).to_batches()

    return score


def sound(batches: Batches) -> Batches:
    """The batches without their column of problems; raises RanklensError where it names one."""
    for batch in batches:
        problems = batch["problem"].drop_null().to_pylist()
        if problems:
            raise _refused(problems)
        yield batch.drop_columns(["problem"])


def _refused(problems: list[str]) -> RanklensError:
    shown = problems[:MOST_PROBLEMS_SHOWN]
    if len(problems) > len(shown):
        shown.append(f"and {len(problems) - len(shown):,} more")
    return RanklensError(
        "A run may list a document only once for each query, with a finite score. A document may"
        " have only one grade for each query, which is finite. Found:\n" + "\n".join(shown)
    )


def whole_lists(batches: Batches) -> Iterator[pa.Table]:
    """The rows of batches in tables that hold whole lists."""
    held: list[pa.RecordBatch] = []
    enough, rows = _AT_ONCE, 0
    for batch in batches:
        if not batch.num_rows:
            continue
        held.append(batch)
        rows += batch.num_rows
        if rows < enough:
            continue
        table = pa.Table.from_batches(held).combine_chunks()
        last = int(list_starts(table)[-1])
        if last:
            yield table.slice(0, last)
        held = table.slice(last).to_batches()
        rows = table.num_rows - last
        # A list longer than that is not looked through again until it has doubled.
        enough = max(_AT_ONCE, 2 * rows)
    if held:
        yield pa.Table.from_batches(held).combine_chunks()


def list_starts(table: pa.Table) -> Ints:
    """The first row of every list of a table, which has at least one."""
    new = np.zeros(table.num_rows, dtype=np.bool_)
    new[0] = True
    for name in ("run", "query_id"):
        codes = values_of(table[name].combine_chunks().dictionary_encode().indices)
        new[1:] |= codes[1:] != codes[:-1]
    return np.flatnonzero(new)


def judged_lists(table: pa.Table, top_grade: float) -> tuple[JudgedRanks, Ints]:
    """The judged ranks of the lists whose query is judged, each list as a query of its own, in the
    table's order; and the first row of each."""
    starts = list_starts(table)
    size = np.diff(starts, append=table.num_rows)
    judged = values_of(table["judged"])[starts] > 0
    starts, number = starts[judged], np.cumsum(judged) - 1
    of_row = np.repeat(np.where(judged, number, -1), size)
    relevance, rank = values_of(table["relevance"]), values_of(table["rank"])
    known = np.flatnonzero(~np.isnan(relevance))
    listed = known[~np.isnan(rank[known])]
    by_grade = known[np.lexsort((-relevance[known], of_row[known]))]
    ranks = JudgedRanks(
        run_name="",
        query_ids=tuple(map(str, range(len(starts)))),
        query=of_row[listed],
        rank=rank[listed].astype(np.int64),
        relevance=relevance[listed],
        qrels_row=listed,
        retrieved=values_of(table["retrieved"])[starts].astype(np.int64),
        judged_query=of_row[by_grade],
        judged_relevance=relevance[by_grade],
        top_grade=top_grade,
    )
    return ranks, starts

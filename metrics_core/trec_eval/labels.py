"""From results and qrels to judged ranks: trec_eval's list of labels for each query."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.errors import NoSharedQueriesError
from metrics_core.judging import JudgedRanks, judge
from metrics_core.tables import Qrels, Run
from metrics_core.trec_eval.options import Options


def judged_ranks(run: Run, qrels: Qrels, queries: Collection[str], options: Options) -> JudgedRanks:
    """The ranks of these queries, in this order: the best of -M, and with -J only what is judged.

    10.0 makes up one unjudged document for a query that the run lacks."""
    wanted = pa.array(list(queries), pa.string())
    qrels = Qrels(table=_in_order(qrels.table, wanted))
    try:
        ranks = judge(run, qrels)
    except NoSharedQueriesError:
        ranks = _nothing_retrieved(qrels)
    if options.version == "10.0":
        ranks = replace(ranks, retrieved=np.maximum(ranks.retrieved, 1))
    ranks = best_of(ranks, options.most_retrieved)
    return ranks.condensed() if options.judged_only else ranks


def _in_order(table: pa.Table, queries: pa.Array) -> pa.Table:
    """The rows of these queries, sorted by query as they are given."""
    ids = table["query_id"].cast(pa.string())
    place = pc.index_in(ids, value_set=queries)
    table = table.set_column(0, "query_id", place)
    table = table.filter(pc.is_valid(place)).sort_by("query_id")
    codes = table["query_id"].combine_chunks().cast(pa.int32())
    coded = pa.DictionaryArray.from_arrays(codes, queries)
    return table.set_column(0, "query_id", pa.chunked_array([coded]))


def best_of(ranks: JudgedRanks, most: int) -> JudgedRanks:
    """The ranks of the first `most` documents of each query."""
    most = max(most, 0)
    if not (ranks.retrieved > most).any():
        return ranks
    inside = ranks.rank <= most
    return replace(
        ranks,
        query=ranks.query[inside],
        rank=ranks.rank[inside],
        relevance=ranks.relevance[inside],
        qrels_row=ranks.qrels_row[inside],
        retrieved=np.minimum(ranks.retrieved, most),
    )


def _nothing_retrieved(qrels: Qrels) -> JudgedRanks:
    query, grade = qrels.query_codes.astype(np.int64), qrels.relevance.astype(np.float64)
    best_first = np.lexsort((-grade, query))
    nothing = np.empty(0, dtype=np.int64)
    return JudgedRanks(
        run_name="run",
        query_ids=tuple(qrels.query_ids),
        query=nothing,
        rank=nothing,
        relevance=np.empty(0),
        qrels_row=nothing,
        retrieved=np.zeros(len(qrels.query_ids), dtype=np.int64),
        judged_query=query[best_first],
        judged_relevance=grade[best_first],
    )


def relevance_strings(ranks: JudgedRanks, length: int) -> list[str]:
    """Per query its first labels, a character each: the grade to 9, > above, - where the document
    was not pooled, . where it was pooled and not judged. Empty where nothing is retrieved."""
    length = int(np.clip(length, 0, ranks.retrieved.max(initial=0)))
    labels = np.full((ranks.n_queries, length), "-")
    seen = ranks.rank <= length
    grade = ranks.relevance[seen]
    digit = np.array(list("0123456789>"))[np.clip(grade, 0, 10).astype(np.int64)]
    labels[ranks.query[seen], ranks.rank[seen] - 1] = np.where(grade < 0, ".", digit)
    return [
        "".join(row[:n]) for row, n in zip(labels, np.minimum(ranks.retrieved, length), strict=True)
    ]

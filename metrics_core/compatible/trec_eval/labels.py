"""From results and qrels to judged ranks: trec_eval's list of labels for each query."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.compatible.trec_eval.options import Options
from metrics_core.judging import JudgedRanks, judge
from metrics_core.tables import Qrels, Run
from metrics_core.tables.columns import CODED_ID

_MADE_UP = "ceci_nest_pas_un_docno"
"""What trec_eval 10.0 calls the document that it makes up."""


def judged_ranks(run: Run, qrels: Qrels, queries: Collection[str], options: Options) -> JudgedRanks:
    """The ranks of these queries, in this order: the best of -M, and with -J only what is judged.

    10.0 makes up one unjudged document for a query that the run lacks."""
    wanted = pa.array(list(queries), pa.string())
    if options.version == "10.0":
        run = _with_made_up_documents(run, queries)
    ranks = judge(run, Qrels(table=_in_order(qrels.table, wanted)))
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


def _with_made_up_documents(run: Run, queries: Collection[str]) -> Run:
    """The run with one document for each of the queries that it lacks."""
    ids = run.query_ids
    listed = {ids[code] for code in np.unique(run.query_codes)}
    missing = [query for query in queries if query not in listed]
    if not missing:
        return run
    made_up = pa.table(
        {
            "query_id": pa.array(missing, pa.string()).cast(CODED_ID),
            "doc_id": pa.array([_MADE_UP] * len(missing), pa.string()),
            "score": np.ones(len(missing)),
        }
    )
    return Run(table=pa.concat_tables([run.table, made_up]), name=run.name)


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

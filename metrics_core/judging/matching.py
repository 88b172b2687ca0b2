"""Which queries and documents of a run the judgments know."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.errors import NoSharedQueriesError
from metrics_core.tables import Qrels, Run
from metrics_core.tables.arrays import column_of, places_among, values_of
from metrics_core.tables.columns import cleaned_id

Ints = npt.NDArray[np.int64]


def judged_queries_of(run: Run, query_ids: list[str]) -> npt.NDArray[np.int32]:
    """Per query of the run its position among the judged queries, -1 where it is not judged."""
    own = run.query_ids
    judged = places_among(own, query_ids).astype(np.int32)
    if not (judged >= 0).any():
        raise _nothing_shared(own, query_ids)
    return judged


def _nothing_shared(own: list[str], judged: list[str]) -> NoSharedQueriesError:
    """The error for queries of a run of which none is judged: some of each, and what may be why."""
    shown = f"the run has {', '.join(own[:3])}; the judgments have {', '.join(judged[:3])}"
    hint = "Load the judgments that belong to these queries."
    if {q.lstrip("0") for q in own} & {q.lstrip("0") for q in judged}:
        hint = "They differ by leading zeros (001 against 1); write them alike in both files."
    elif {cleaned_id(q) for q in own} & {cleaned_id(q) for q in judged}:
        hint = (
            "They would match after removing blanks around them and invisible characters, and"
            " joining accents; read both files with clean-ids, or write them alike."
        )
    elif {cleaned_id(q).casefold() for q in own} & {cleaned_id(q).casefold() for q in judged}:
        hint = "They differ by case; write them alike in both files."
    return NoSharedQueriesError(f"Run and judgments share no query: {shown}.", hint)


def judged_rows(
    doc_ids: pa.ChunkedArray, row_query: npt.NDArray[np.int32], qrels: Qrels
) -> tuple[Ints, Ints]:
    """Of rows of documents, each with the position of its query among the judged ones (-1: not
    judged), those whose document is judged for that query, and the qrels row of each."""
    documents = qrels.doc_ids.unique()
    judged_doc = values_of(pc.index_in(qrels.doc_ids, value_set=documents)).astype(np.int64)
    found = pc.index_in(doc_ids, value_set=documents)
    known = values_of(pc.is_valid(found))
    candidates = np.flatnonzero(known & (row_query >= 0))
    doc = values_of(found.take(column_of(candidates))).astype(np.int64)
    # One integer a pair: exact, since both codes are positions.
    pair = row_query[candidates] * np.int64(len(documents)) + doc
    judged_pair = qrels.query_codes * np.int64(len(documents)) + judged_doc
    by_pair = np.argsort(judged_pair)
    place = np.searchsorted(judged_pair[by_pair], pair)
    qrels_rows = by_pair[np.minimum(place, len(by_pair) - 1)]
    matches = judged_pair[qrels_rows] == pair
    return candidates[matches], qrels_rows[matches]

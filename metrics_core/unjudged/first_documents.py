"""The first documents of the lists of two runs, and which of them are the same.

Both depend on the runs alone, not on what is in view, on a cutoff or a measure: who keeps them
compares documents once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from metrics_core.base.arrays import Ints
from metrics_core.judging import JudgedRanks
from metrics_core.judging.ranking import top_ranks
from metrics_core.tables import Run
from metrics_core.tables.arrays import column_of, places_among, values_of
from metrics_core.tables.columns import ID


@dataclass(frozen=True)
class FirstDocuments:
    """The first documents of every list of a run, by query and rank: `code` int64[n], the run's own
    of the query, `rank` int64[n], from 1, and their names."""

    code: Ints
    rank: Ints
    doc_ids: pa.Array


def first_documents(run: Run, depth: int) -> FirstDocuments:
    """The first `depth` documents of every list."""
    leading = run.leading(depth)
    rows, rank = top_ranks(leading, depth)
    code = leading.query_codes[rows].astype(np.int64)
    place = code * (depth + 1) + rank
    if not (place[1:] >= place[:-1]).all():
        ordered = np.argsort(place, kind="stable")
        rows, code, rank = rows[ordered], code[ordered], rank[ordered]
    names = leading.doc_ids
    if len(rows) < len(names) or not (rows[1:] > rows[:-1]).all():
        names = names.take(column_of(rows))
    texts = names.combine_chunks().cast(ID) if len(names.chunks) != 1 else names.chunk(0)
    return FirstDocuments(code, rank, texts)


@dataclass(frozen=True)
class FirstOfBoth:
    """The first documents of a run and of a baseline. `same` int64[n] is, for each of the run's,
    the place of the same document for the same query among the baseline's, -1 where it is not."""

    run: FirstDocuments
    baseline: FirstDocuments
    same: Ints


_NONE = np.zeros(0, dtype=np.int64)
_EMPTY = FirstDocuments(_NONE, _NONE, pa.array([], ID))
NOTHING_LISTED = FirstOfBoth(_EMPTY, _EMPTY, _NONE)
"""The first documents of two runs that list none."""


def first_of_both(run: Run, baseline: Run, depth: int) -> FirstOfBoth:
    """The first `depth` documents of every list of both."""
    own, other = first_documents(run, depth), first_documents(baseline, depth)
    return FirstOfBoth(own, other, same_documents(run, own, baseline, other))


def same_documents(run: Run, own: FirstDocuments, baseline: Run, other: FirstDocuments) -> Ints:
    """`FirstOfBoth.same` of these first documents of two runs."""
    texts = pa.concat_arrays([own.doc_ids, other.doc_ids]).dictionary_encode()
    known = max(len(texts.dictionary), 1)
    document = values_of(texts.indices).astype(np.int64)
    theirs = places_among(run.query_ids, baseline.query_ids)
    # One integer a query and document: exact, since both are positions.
    wanted = theirs[own.code] * known + document[: len(own.code)]
    there = other.code * known + document[len(own.code) :]
    if not len(there):
        return np.full(len(wanted), -1, dtype=np.int64)
    order = np.argsort(there, kind="stable")
    place = order[np.minimum(np.searchsorted(there, wanted, sorter=order), len(order) - 1)]
    return np.where(there[place] == wanted, place, -1)


def places_of(ranks: JudgedRanks, query: Ints, rank: Ints, top: FirstDocuments) -> Ints:
    """Where the documents at these ranks of these judged queries stand among the first documents of
    the run; the run is that of the ranks, and its first documents reach as deep."""
    listed = ranks.listed
    assert listed is not None
    inside = listed.query >= 0
    code = np.zeros(ranks.n_queries, dtype=np.int64)
    code[listed.query[inside]] = np.flatnonzero(inside)
    deep = int(max(top.rank.max(initial=0), rank.max(initial=0))) + 1
    # Every one of them is there, though ranks between them may be empty.
    return np.searchsorted(top.code * deep + top.rank, code[query] * deep + rank)

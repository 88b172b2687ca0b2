"""The first documents in the lists of two runs, and which of them are in both lists.

Both depend only on the runs, not on filters, cutoffs or measures. So documents are compared only
once if the result is cached."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from metrics_core.base.arrays import Ints
from metrics_core.judging import JudgedRanks
from metrics_core.judging.ranking import top_ranks
from metrics_core.tables import Run
from metrics_core.tables.arrays import as_array, as_column, find_indexes
from metrics_core.tables.columns import ID


@dataclass(frozen=True)
class FirstDocuments:
    """The first documents of every list of a run, sorted by query and rank. `code` int64[document]
    is the index of the document's query in the run, `rank` int64[document] is the rank from 1, and
    `doc_ids` are the ids."""

    code: Ints
    rank: Ints
    doc_ids: pa.Array


def read_first_documents(run: Run, depth: int) -> FirstDocuments:
    """Return the first `depth` documents of every list of a run."""
    leading = run.select_top(depth)
    rows, rank = top_ranks(leading, depth)
    code = leading.query_codes[rows].astype(np.int64)
    sort_key = code * (depth + 1) + rank
    if not (sort_key[1:] >= sort_key[:-1]).all():
        ordered = np.argsort(sort_key, kind="stable")
        rows, code, rank = rows[ordered], code[ordered], rank[ordered]
    names = leading.doc_ids
    if len(rows) < len(names) or not (rows[1:] > rows[:-1]).all():
        names = names.take(as_column(rows))
    texts = names.combine_chunks().cast(ID) if len(names.chunks) != 1 else names.chunk(0)
    return FirstDocuments(code, rank, texts)


@dataclass(frozen=True)
class FirstDocumentPair:
    """The first documents of a run and of a baseline, matched.

    For each document of the run, `baseline_position` int64[document] is the position of the same
    document and query among the documents of the baseline; -1 if the document is not among them."""

    run: FirstDocuments
    baseline: FirstDocuments
    baseline_position: Ints


_NONE = np.zeros(0, dtype=np.int64)
_EMPTY = FirstDocuments(_NONE, _NONE, pa.array([], ID))
NOTHING_LISTED = FirstDocumentPair(_EMPTY, _EMPTY, _NONE)
"""The result for two runs without results."""


def read_first_document_pair(run: Run, baseline: Run, depth: int) -> FirstDocumentPair:
    """Return the first `depth` documents of every list of a run and of a baseline, and match the
    documents of the two runs."""
    own_documents = read_first_documents(run, depth)
    other_documents = read_first_documents(baseline, depth)
    return FirstDocumentPair(
        own_documents,
        other_documents,
        match_documents(run, own_documents, baseline, other_documents),
    )


def match_documents(
    run: Run, run_documents: FirstDocuments, baseline: Run, baseline_documents: FirstDocuments
) -> Ints:
    """Return `FirstDocumentPair.baseline_position` for the first documents of two runs,
    int64[document of the run]."""
    texts = pa.concat_arrays(
        [run_documents.doc_ids, baseline_documents.doc_ids]
    ).dictionary_encode()
    n_documents = max(len(texts.dictionary), 1)
    document = as_array(texts.indices).astype(np.int64)
    baseline_codes = find_indexes(run.query_ids, baseline.query_ids)
    # One integer per query and document: exact, since both are positions.
    own_keys = (
        baseline_codes[run_documents.code] * n_documents + document[: len(run_documents.code)]
    )
    other_keys = baseline_documents.code * n_documents + document[len(run_documents.code) :]
    if not len(other_keys):
        return np.full(len(own_keys), -1, dtype=np.int64)
    order = np.argsort(other_keys, kind="stable")
    position = order[
        np.minimum(np.searchsorted(other_keys, own_keys, sorter=order), len(order) - 1)
    ]
    return np.where(other_keys[position] == own_keys, position, -1)


def find_positions(ranks: JudgedRanks, query: Ints, rank: Ints, top: FirstDocuments) -> Ints:
    """Return the positions in `top` of n documents, int64[n]. A document is identified by `query`
    (its judged query) and `rank`. `top` are the first documents of a run, including all of the n
    documents. `ranks` must be the ranks of the same run."""
    listed = ranks.listed
    assert listed is not None
    is_judged = listed.query >= 0
    code = np.zeros(ranks.n_queries, dtype=np.int64)
    code[listed.query[is_judged]] = np.flatnonzero(is_judged)
    deep = int(max(top.rank.max(initial=0), rank.max(initial=0))) + 1
    # All of them are in `top`, although ranks between them may be empty.
    return np.searchsorted(top.code * deep + top.rank, code[query] * deep + rank)

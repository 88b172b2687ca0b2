"""What the documents say of judgments: relevant ones that they lack, and texts that stand under
several ids."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import wording as w
from metrics_core.base.arrays import Ints, Mask
from metrics_core.base.notes import Note
from metrics_core.tables import Documents, Qrels
from metrics_core.tables.arrays import column_of, values_of

_EXAMPLES = 3
_HEAD = 24
"""Bytes of a text that are compared first: of most texts they and the length are their own."""


def lacking_notes(documents: Documents, qrels: Qrels) -> tuple[Note, ...]:
    """The note on relevant documents of the judgments (a grade above 0) that are not among the
    documents, if any."""
    relevant = qrels.doc_ids.filter(column_of(qrels.relevance > 0)).unique()
    lacking = relevant.filter(column_of(~documents.known(relevant)))
    count = len(lacking)
    if not count:
        return ()
    message = (
        f"{count:,} of {len(relevant):,} relevant documents in the judgments"
        f" {w.plural(count, 'is', 'are')} missing from these documents"
    )
    examples = tuple(lacking.slice(0, _EXAMPLES).to_pylist())
    return (Note("lacking_relevant", message, count, examples, loud=True),)


def equal_text_notes(documents: Documents) -> tuple[Note, ...]:
    """The note on texts that stand under several ids, their titles being equal too, if any; what
    has no text is left out."""
    text = documents.table.schema.field("text").type
    if not (pa.types.is_string(text) or pa.types.is_large_string(text)):
        return ()
    rows, group = _equal(documents.table)
    if not len(rows):
        return ()
    first = np.unique(group, return_index=True)[1]
    texts = len(first)
    pairs = documents.table["doc_id"].take(column_of(rows[np.r_[first[:3], first[:3] + 1]]))
    ids = pairs.to_pylist()
    shown = min(texts, _EXAMPLES)
    message = (
        f"{texts:,} duplicate {w.plural(texts, 'document', 'documents')} ({len(rows):,} ids);"
        " judgments are not shared between copies"
    )
    examples = tuple(f"{a} and {b}" for a, b in zip(ids[:shown], ids[shown:], strict=True))
    return (Note("equal_texts", message, texts, examples),)


def _equal(table: pa.Table) -> tuple[Ints, Ints]:
    """The rows whose title and text another row has, and a number for each such text; rows of one
    text stand together, the first in the table first."""
    length = values_of(pc.fill_null(pc.binary_length(table["text"]), 0)).astype(np.int64)
    rows = np.flatnonzero(length > 0)
    rows = rows[_several(length[rows])]
    heads = pc.binary_slice(table["text"].take(column_of(rows)).cast(pa.large_binary()), 0, _HEAD)
    rows = rows[_several(_joined(length[rows], _codes(heads)))]
    # Few are left, of which the whole texts are compared.
    own = table.select(["title", "text"]).take(column_of(rows))
    group = _joined(_codes(own["title"]), _codes(own["text"]))
    again = _several(group)
    rows, group = rows[again], group[again]
    first = np.unique(group, return_index=True, return_inverse=True)
    order = np.lexsort((rows, first[1][first[2]]))
    return rows[order], first[1][first[2]][order]


def _several(codes: Ints) -> Mask:
    """Which values stand more than once, bool[n]."""
    _, place, count = np.unique(codes, return_inverse=True, return_counts=True)
    return np.asarray(count[place] > 1, dtype=np.bool_)


def _codes(column: pa.ChunkedArray) -> Ints:
    """A number for each value, the same for the same value; a missing one is as an empty one."""
    texts = pc.fill_null(column.cast(pa.large_binary()).combine_chunks(), b"")
    return values_of(texts.dictionary_encode().indices).astype(np.int64)


def _joined(one: Ints, other: Ints) -> Ints:
    """One number for each pair of numbers."""
    return one * (int(other.max(initial=0)) + 1) + other

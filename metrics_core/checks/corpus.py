"""Checks of the documents: relevant documents that are missing, and duplicate texts."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import wording as w
from metrics_core.base.arrays import Ints, Mask
from metrics_core.base.notes import Note
from metrics_core.tables import Documents, Qrels
from metrics_core.tables.arrays import as_array, as_column, is_text_type

_EXAMPLES = 3
_HEAD = 24
"""Number of bytes at the start of a text that are compared first. Together with the text's length,
they distinguish most texts."""


def missing_document_notes(documents: Documents, qrels: Qrels) -> tuple[Note, ...]:
    """Return a note on relevant documents of the judgments (documents with a grade above 0) that
    are missing from `documents`. Returns no note if none is missing."""
    relevant = qrels.doc_ids.filter(as_column(qrels.relevance > 0)).unique()
    missing = relevant.filter(as_column(~documents.are_known(relevant)))
    count = len(missing)
    if not count:
        return ()
    message = (
        f"{count:,} of {len(relevant):,} relevant documents in the judgments"
        f" {w.plural(count, 'is', 'are')} missing from this documents table"
    )
    examples = tuple(missing.slice(0, _EXAMPLES).to_pylist())
    return (Note("lacking_relevant", message, count, examples, loud=True),)


def duplicate_text_notes(documents: Documents) -> tuple[Note, ...]:
    """Return a note on documents that have the same text and title but different ids. Returns no
    note if there are none. Documents without text are ignored."""
    text = documents.table.schema.field("text").type
    if not (is_text_type(text)):
        return ()
    rows, group = _find_duplicates(documents.table)
    if not len(rows):
        return ()
    first = np.unique(group, return_index=True)[1]
    texts = len(first)
    pairs = documents.table["doc_id"].take(as_column(rows[np.r_[first[:3], first[:3] + 1]]))
    ids = pairs.to_pylist()
    n_shown = min(texts, _EXAMPLES)
    message = (
        f"{texts:,} duplicate {w.plural(texts, 'document', 'documents')} ({len(rows):,} ids);"
        " judgments are not shared between copies"
    )
    examples = tuple(f"{a} and {b}" for a, b in zip(ids[:n_shown], ids[n_shown:], strict=True))
    return (Note("equal_texts", message, texts, examples),)


def _find_duplicates(table: pa.Table) -> tuple[Ints, Ints]:
    """Return the rows whose title and text also occur in another row, int64[row], and the group
    number of each of these rows, int64[row].

    Rows with the same title and text have the same group number. The rows of a group are
    contiguous, and the groups are in the order of their first rows in the table."""
    length = as_array(pc.fill_null(pc.binary_length(table["text"]), 0)).astype(np.int64)
    rows = np.flatnonzero(length > 0)
    rows = rows[_mark_repeated_codes(length[rows])]
    heads = pc.binary_slice(table["text"].take(as_column(rows)).cast(pa.large_binary()), 0, _HEAD)
    rows = rows[_mark_repeated_codes(_combine_codes(length[rows], _encode_values(heads)))]
    # Few rows are left, so their whole texts are compared.
    text_columns = table.select(["title", "text"]).take(as_column(rows))
    group = _combine_codes(
        _encode_values(text_columns["title"]), _encode_values(text_columns["text"])
    )
    is_repeated = _mark_repeated_codes(group)
    rows, group = rows[is_repeated], group[is_repeated]
    first = np.unique(group, return_index=True, return_inverse=True)
    order = np.lexsort((rows, first[1][first[2]]))
    return rows[order], first[1][first[2]][order]


def _mark_repeated_codes(codes: Ints) -> Mask:
    """Return a mask of the values that occur more than once, bool[n]."""
    _, index, count = np.unique(codes, return_inverse=True, return_counts=True)
    return np.asarray(count[index] > 1, dtype=np.bool_)


def _encode_values(column: pa.ChunkedArray) -> Ints:
    """Return a number for each value, int64[row]. Equal values have equal numbers; a missing value
    counts as an empty string."""
    texts = pc.fill_null(column.cast(pa.large_binary()).combine_chunks(), b"")
    return as_array(texts.dictionary_encode().indices).astype(np.int64)


def _combine_codes(codes: Ints, other_codes: Ints) -> Ints:
    """Combine two arrays of codes into one, int64[n]. Two results are equal only if both codes are
    equal."""
    return codes * (int(other_codes.max(initial=0)) + 1) + other_codes

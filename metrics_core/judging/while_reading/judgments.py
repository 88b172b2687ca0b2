"""Store judgments in hash tables, in which compiled code looks up the judged documents of each
query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from metrics_core.base.arrays import AnyArray, Ints
from metrics_core.base.compiled.machine import compiled_functions
from metrics_core.base.compiled.signatures import PADDING, HashTables
from metrics_core.judging.while_reading.rows import is_printable_ascii, text_offsets
from metrics_core.tables import Qrels
from metrics_core.tables.arrays import as_text_column

_FEWEST_SLOTS = 4


@dataclass(frozen=True)
class JudgmentTables:
    """The judged queries in one hash table, and the judged documents of each query in a separate
    table."""

    qrels: Qrels
    queries: HashTables
    documents: HashTables

    @property
    def has_plain_ids(self) -> bool:
        """Whether all ids are printable ASCII."""
        return is_printable_ascii(self.queries.data) and is_printable_ascii(self.documents.data)


def make_judgment_tables(qrels: Qrels) -> JudgmentTables:
    """Return the hash tables of these judgments."""
    query_ids, doc_ids = as_text_column(qrels.query_ids), qrels.doc_ids
    single_table = np.zeros(len(query_ids), dtype=np.int64)
    by_query = qrels.query_codes.astype(np.int64)
    return JudgmentTables(
        qrels,
        _make_hash_tables(query_ids.cast(pa.large_string()), single_table, 1),
        _make_hash_tables(doc_ids.cast(pa.large_string()), by_query, len(query_ids)),
    )


def _make_hash_tables(ids: Any, table: Ints, n: int) -> HashTables:
    """Return n hash tables of ids. `table` int64[id] is the index of the table that each id belongs
    to."""
    if isinstance(ids, pa.ChunkedArray):
        ids = pa.concat_arrays(ids.chunks) if ids.num_chunks else as_text_column([]).cast(ids.type)
    data, start, size = text_offsets(ids)
    data = np.append(data, np.frombuffer(PADDING, dtype=np.uint8))
    first, slots = _compute_slot_regions(np.bincount(table, minlength=n))
    slot_hash = np.zeros(slots.sum(), dtype=np.uint64)
    slot_row = np.full(slots.sum(), -1, dtype=np.int32)
    compiled_functions("rows").fill_hash_tables(
        data, start, size, table, first, slots, slot_hash, slot_row
    )
    return HashTables(data, start, size, first, slots, slot_hash, slot_row)


def _compute_slot_regions(counts: AnyArray) -> tuple[Ints, Ints]:
    """Return the first slot and the number of slots of each region (one hash table), int64[region]
    each. `counts` are the numbers of strings in the regions. The number of slots is a power of two,
    and at most half of the slots are used."""
    least_slots = np.maximum(2 * counts, _FEWEST_SLOTS)
    slots = 2 ** np.ceil(np.log2(least_slots)).astype(np.int64)
    return np.cumsum(slots) - slots, slots

"""Judgments as hash tables that compiled code can ask: is this document judged for this query?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from metrics_core.base.compiled.machine import compiled
from metrics_core.base.compiled.signatures import PADDING
from metrics_core.judging.while_reading.rows import Bytes, is_plain, text_places
from metrics_core.tables import Qrels
from metrics_core.tables.arrays import texts_of

Ints = npt.NDArray[np.int64]

_FEWEST_SLOTS = 4


@dataclass(frozen=True)
class Texts:
    """n texts in one padded buffer: where each starts and its size, int64[n]."""

    data: Bytes
    start: Ints
    size: Ints


@dataclass(frozen=True)
class Judgments:
    """The judged queries, and for each a hash table of its judged documents: a region of
    `slot_hash` and `slot_row`, which starts at `region_start` and has `region_slots` slots."""

    qrels: Qrels
    queries: Texts
    query_hash: npt.NDArray[np.uint64]
    query_row: npt.NDArray[np.int32]
    documents: Texts
    region_start: Ints
    region_slots: Ints
    slot_hash: npt.NDArray[np.uint64]
    slot_row: npt.NDArray[np.int32]

    @property
    def plain(self) -> bool:
        """Whether all ids are printable ASCII."""
        return is_plain(self.queries.data) and is_plain(self.documents.data)

    @property
    def given(self) -> tuple[Any, ...]:
        """What `rank_rows` is given of them."""
        queries, documents = self.queries, self.documents
        return (
            *(queries.data, queries.start, queries.size, self.query_hash, self.query_row),
            *(documents.data, documents.start, documents.size),
            *(self.region_start, self.region_slots, self.slot_hash, self.slot_row),
        )


def judgments_of(qrels: Qrels) -> Judgments:
    """The tables of these judgments."""
    queries = _texts(texts_of(qrels.query_ids).cast(pa.large_string()))
    documents = _texts(qrels.doc_ids.cast(pa.large_string()))
    nowhere = np.zeros(len(queries.start), dtype=np.int64)
    _, slots = _regions(np.array([len(queries.start)]))
    query_hash, query_row = _entered(queries, nowhere, nowhere[:1], slots)
    query = qrels.query_codes.astype(np.int64)
    start, slots = _regions(np.bincount(query, minlength=len(queries.start)))
    slot_hash, slot_row = _entered(documents, query, start, slots)
    return Judgments(
        qrels, queries, query_hash, query_row, documents, start, slots, slot_hash, slot_row
    )


def _texts(ids: Any) -> Texts:
    if isinstance(ids, pa.ChunkedArray):
        ids = pa.concat_arrays(ids.chunks) if ids.num_chunks else texts_of([]).cast(ids.type)
    data, start, size = text_places(ids)
    return Texts(np.append(data, np.frombuffer(PADDING, dtype=np.uint8)), start, size)


def _regions(counts: npt.NDArray[Any]) -> tuple[Ints, Ints]:
    """Where each region starts and how many slots it has: a power of two, at most half taken."""
    wanted = np.maximum(2 * counts, _FEWEST_SLOTS)
    slots = 2 ** np.ceil(np.log2(wanted)).astype(np.int64)
    return np.cumsum(slots) - slots, slots


def _entered(
    texts: Texts, region: Ints, start: Ints, slots: Ints
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int32]]:
    slot_hash = np.zeros(slots.sum(), dtype=np.uint64)
    slot_row = np.full(slots.sum(), -1, dtype=np.int32)
    compiled("rows").enter(
        texts.data, texts.start, texts.size, region, start, slots, slot_hash, slot_row
    )
    return slot_hash, slot_row

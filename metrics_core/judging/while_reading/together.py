"""A file whose queries stand apart, as if the rows of each stood together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.parallel import in_order
from metrics_core.formats.parsing.checking import MOST_TEXT
from metrics_core.formats.source.source import Source
from metrics_core.judging.while_reading.apart import Bucket, Dealing, dealt
from metrics_core.judging.while_reading.judgments import Judgments
from metrics_core.judging.while_reading.stretches import Stretches, judged_stretches
from metrics_core.tables.arrays import column_of

Ints = npt.NDArray[np.int64]

_ROWS_AT_ONCE = 120_000


@dataclass(frozen=True)
class Together:
    """The stretches of a file, one a query, in the order in which the queries come first in it, and
    a hash of the order of its lines. `rows` are their documents and scores, if they were asked for,
    in the order in which they were dealt; `begin` int64[q] has where each query's begin."""

    found: Stretches
    order_hash: bytes
    rows: pa.Table | None
    begin: Ints

    def tables(self) -> Iterator[pa.Table]:
        """All rows as tables of a run hold them, some queries at a time."""
        ends = np.cumsum(self.found.sizes)
        first = 0
        while first < len(ends):
            before = int(ends[first - 1]) if first else 0
            after = int(np.searchsorted(ends, before + _ROWS_AT_ONCE)) + 1
            yield self._of(slice(first, after))
            first = after

    def _of(self, queries: slice) -> pa.Table:
        assert self.rows is not None
        sizes = self.found.sizes[queries]
        codes = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        before = np.cumsum(sizes) - sizes
        own = np.arange(len(codes)) + np.repeat(self.begin[queries] - before, sizes)
        ids = pa.DictionaryArray.from_arrays(column_of(codes), self.found.query_ids[queries])
        return self.rows.take(column_of(own)).add_column(0, "query_id", ids)


def brought_together(
    source: Source,
    judgments: Judgments,
    dealing: Dealing,
    *,
    with_rows: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Together | None:
    """The rows of a file, sorted by query; `progress` is told the bytes read so far. None where a
    line is not regular, a document stands twice in a query, there are several run names, or more
    text than a table holds."""
    made = dealt(source, **dealing, progress=progress)
    if made is None:
        return None
    parts, numbers, rows, text = [], list[Ints](), list[pa.Table](), 0
    for part in in_order(
        lambda bucket: _Part.of(bucket, judgments, with_rows=with_rows), _emptied(made.buckets)
    ):
        text += part.text if part else 0
        if part is None or text > MOST_TEXT:
            return None
        parts.append(part.found)
        numbers.append(part.numbers)
        rows += part.rows
    order = np.argsort(np.concatenate(numbers))
    sizes = np.concatenate([part.sizes for part in parts])
    begin = (np.cumsum(sizes) - sizes)[order]
    found = Stretches.all(parts, order)
    if len(found.tags) > 1:
        return None
    parts.clear()
    together = pa.concat_tables(rows).combine_chunks() if rows else None
    return Together(found, made.order_hash, together, begin)


def _emptied(buckets: list[Bucket]) -> Iterator[Bucket]:
    """The buckets one after the other, none of them kept."""
    while buckets:
        yield buckets.pop()


@dataclass(frozen=True)
class _Part:
    """What is found in a bucket: its stretches, the line with which each query begins, its rows in
    one table or none, and the bytes of document ids that are kept."""

    found: Stretches
    numbers: Ints
    rows: list[pa.Table]
    text: int

    @classmethod
    def of(cls, bucket: Bucket, judgments: Judgments, *, with_rows: bool) -> _Part | None:
        grouped = bucket.by_query()
        if grouped is None:
            return None
        rows, numbers = grouped
        found = judged_stretches(rows, judgments)
        if found is None:
            return None
        kept = [rows.table().drop(["query_id"])] if with_rows else []
        text = sum(int(pc.sum(pc.binary_length(table["doc_id"])).as_py()) for table in kept)
        return cls(found, numbers, kept, text)

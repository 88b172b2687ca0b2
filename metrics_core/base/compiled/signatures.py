"""Arguments and results of the compiled functions. Importing this module does not load a compiler.

Arrays are C-ordered. A text is passed as its position in a buffer of bytes and its size. Buffers of
texts end with `PADDING`. Each function returns an integer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

PADDING = b"\n" * 8

IRREGULAR = -1
REPEATED = -1

TIED_ROWS, TIED_PAIRS, PAIRS, NEAR_PAIRS = range(4)
"""Indexes in the array of counts that `rank_rows` returns.

The counts are the number of rows with a tied score, and three numbers of pairs of neighbouring rows
of a query: pairs with equal scores, all pairs, and pairs whose scores differ only beyond single
precision."""

COLUMNS = 4
"""Number of columns that `weigh_singles` and `weigh_doubles` process at a time."""

MEMORY_ROWS = 6
"""Number of rows of integers that `rank_rows` needs as working memory."""


class RowColumns(NamedTuple):
    """Rows of a run; all arrays but `data` are [row].

    data       uint8 buffer with the document ids
    doc_start  int64, position of the document id in `data`
    doc_size   int32, size of the document id in bytes
    doc_hash   uint64, hash of the document id
    score      float64
    rank       float32"""

    data: Any
    doc_start: Any
    doc_size: Any
    doc_hash: Any
    score: Any
    rank: Any


class HashTables(NamedTuple):
    """Strings that can be looked up, in several hash tables.

    data       uint8 buffer with the strings
    start      int64[string], position of each string in `data`
    size       int64[string], size of each string
    first      int64[table], first slot of each table
    slots      int64[table], number of slots of each table, a power of two
    slot_hash  uint64[slot], hash of the string in a slot
    slot_row   int32[slot], index of the string in a slot, -1 for a free slot"""

    data: Any
    start: Any
    size: Any
    first: Any
    slots: Any
    slot_hash: Any
    slot_row: Any


class WorkingMemory(NamedTuple):
    """Working memory for one query. n is one more than the number of rows of the longest query.

    numbers    int64[MEMORY_ROWS, n]
    keys       float64[n]
    more_keys  float64[n]
    slots      int32, at least 4 n values"""

    numbers: Any
    keys: Any
    more_keys: Any
    slots: Any


class RankedSegments(NamedTuple):
    """Result of `rank_rows`.

    place          int64[segment], index of its query among the judged queries, -1 if not judged
    contradicting  bool[segment], whether its ranks contradict its scores
    rows_hash      uint64[segment], hash of its rows in order
    judged         int64[row, 5], one row for each judged document in the run's lists, sorted by
                   rank within a query. The columns are the index of the query, the row in `known`,
                   the rank, and for the document's score: the first rank with this score and the
                   number of documents with it
    counts         int64[4], counts at the indices `TIED_ROWS` to `NEAR_PAIRS`"""

    place: Any
    contradicting: Any
    rows_hash: Any
    judged: Any
    counts: Any


RECORDS: dict[str, tuple[Any, str]] = {
    "RowColumns": (RowColumns, "bytes int64s int32s uint64s float64s float32s"),
    "HashTables": (HashTables, "bytes int64s int64s int64s int64s uint64s int32s"),
    "WorkingMemory": (WorkingMemory, "int64s[] float64s float64s int32s"),
    "Ranked": (RankedSegments, "int64s bools uint64s int64s[] int64s"),
}
"""Classes that bundle several arrays into one argument, and the kinds of these arrays."""

SIGNATURES = {
    "rows": {
        "hash_texts": "bytes int64s int32s uint64s",
        "copy_texts": "bytes int64s int32s bytes int32s",
        "fill_hash_tables": "bytes int64s int64s int64s int64s int64s uint64s int32s",
        "read_lines": (
            "bytes int64 int64s int32s uint64s float64s float32s int64s[] int64s[] int64s[] int64s"
        ),
        "find_last_query": "bytes int64 int64",
        "rank_rows": "RowColumns int64s[] HashTables HashTables WorkingMemory Ranked",
        "order_rows": "int32s float64s int64s int64s int64s[] float64s float64s",
        "find_contradictions": "int64s int64s float64s float32s float64s bools",
    },
    "sums": {
        "running_totals": "int64s int64s float64s int64s float64s[]",
        "count_drawn": "uint16s[] bytes[]",
        "weigh_singles": "bytes[] float32s[] float32s[]",
        "weigh_doubles": "bytes[] float64s[] float64s[]",
    },
}
"""Kinds of the arguments of each function, by part: an integer, an array of one dimension, an array
of two dimensions ([]), or one of RECORDS.

hash_texts(data, start, size, value)
    Compute the hash of each text.
copy_texts(data, start, size, copied, edge)
    Copy texts one after another; `copied` has room for `PADDING` at the end. `edge` int32[text + 1]
    gets the start of each text and the end of the last. Returns the number of bytes.
fill_hash_tables(data, start, size, region, region_start, region_slots, slot_hash, slot_row)
    Enter each text into the hash table `region`; `slot_row` is -1 for free slots.
read_lines(data, end, doc_start, doc_size, doc_hash, score, rank, segments, tags, unread, counts)
    Parse the complete lines in the first `end` bytes. Returns the number of rows, or IRREGULAR.
    Each row gets the position of its document id in `data`, the id's size and hash, the score and
    the rank. `segments` gets a row for each segment (consecutive lines of one query): first row,
    position and size of the query id. `tags` gets position and size of each run name that differs
    from the run name of the previous line. `unread` gets row, position and size of each score that
    was left NaN. `counts` gets the numbers of segments, tags and unread scores.
find_last_query(data, first, end)
    Return the position at which the lines of the last query begin, in the complete lines from
    `first` to before `end`; `first` if there is only one query. Needs no padding.
rank_rows(rows, segments, queries, known, memory, ranked)
    Rank the judged documents of complete queries. `queries` is one table with the judged queries;
    `known` has, for each query, a table of its judged documents. Returns the number of judged
    documents that are listed, or REPEATED if a query contains a document twice.
order_rows(code, score, end, order, memory, keys, keys_memory)
    Sort rows by query code and falling score; tied rows keep their order. Before the call, `end`
    has the start of each query's rows in `order`; afterwards it has their end. `memory`
    int64[3, n], `keys` and `keys_memory` float64[n] are working memory, n being the rows of the
    longest query.
find_contradictions(order, edge, score, rank, keys, contradicting)
    For rows in this order, find the queries whose ranks contradict their scores. `edge` has the
    start of each query's rows and the end of the last.
running_totals(first, rank, weight, cutoffs, totals)
    Sum the weights within each of the ascending cutoffs, in order of rank; `totals` is
    float64[query, cutoff], `first` has the start of each query's rows.
count_drawn(drawn, counts)
    For each row of `drawn`, count in the same row of `counts` how often each index occurs.
weigh_singles, weigh_doubles(weights, columns, sums)
    Compute the weighted sums of all columns for each row of `weights`; each row of `columns` is one
    column. The number of columns is a multiple of COLUMNS.
"""


def expand_kinds(kinds: str) -> Iterator[str]:
    """Yield the kind of each array or number among the arguments, such as "int64s". For a record,
    the kinds of its arrays are yielded one by one."""
    for kind in kinds.split():
        yield from RECORDS[kind][1].split() if kind in RECORDS else [kind]

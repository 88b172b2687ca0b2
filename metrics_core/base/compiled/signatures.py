"""What the compiled functions are given, and what they answer: nothing here loads a compiler.

Arrays are C-ordered. A text stands in a buffer of bytes at a place and has a size; buffers of texts
end with `PADDING`. Each function returns a whole number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

PADDING = b"\n" * 8

IRREGULAR = -1
REPEATED = -1

TIED_ROWS, TIED_PAIRS, PAIRS, NEAR_PAIRS = range(4)
"""Places in the counts of `rank_rows`: rows that share their score, neighbours with equal scores,
all neighbours within queries, neighbours that differ only beyond single precision."""

COLUMNS = 4
"""Columns that `weigh_singles` and `weigh_doubles` take at a time."""

ROOM = 6
"""Rows of whole numbers that `rank_rows` needs."""


class RowColumns(NamedTuple):
    """Rows: where the document of each stands in `data`, its hash, score and rank."""

    data: Any
    doc_start: Any
    doc_size: Any
    doc_hash: Any
    score: Any
    rank: Any


class HashTables(NamedTuple):
    """Texts that can be looked up: where each stands in `data`, and hash tables of some of them
    each. The slots of a table follow each other from one of `first`, `slots` of them, a power of
    two: the hash of a text and its place among them all, -1 where a slot is free."""

    data: Any
    start: Any
    size: Any
    first: Any
    slots: Any
    slot_hash: Any
    slot_row: Any


class Room(NamedTuple):
    """Memory for one query: ROOM rows of `show_numbers`, `keys` and `more_keys`, one more of each
    than the longest query has rows, and at least four times as many `slots`."""

    numbers: Any
    keys: Any
    more_keys: Any
    slots: Any


class RankedSegments(NamedTuple):
    """What `rank_rows` finds. Per segment `place` is the position of its query among the judged
    ones, -1 where it is not judged, `contradicting` whether its ranks contradict its scores, and
    `rows_hash` a hash of its rows in their order. `judged` has a row for each judged document that
    is listed, by rank within its query: position of the query, row among the known, rank, first
    rank and number of the documents of its score."""

    place: Any
    contradicting: Any
    rows_hash: Any
    judged: Any
    counts: Any


RECORDS: dict[str, tuple[Any, str]] = {
    "RowColumns": (RowColumns, "bytes int64s int32s uint64s float64s float32s"),
    "HashTables": (HashTables, "bytes int64s int64s int64s int64s uint64s int32s"),
    "Room": (Room, "int64s[] float64s float64s int32s"),
    "Ranked": (RankedSegments, "int64s bools uint64s int64s[] int64s"),
}
"""Arrays that are given together, and their kinds."""

SIGNATURES = {
    "rows": {
        "hash_texts": "bytes int64s int32s uint64s",
        "copy_texts": "bytes int64s int32s bytes int32s",
        "enter": "bytes int64s int64s int64s int64s int64s uint64s int32s",
        "read_lines": (
            "bytes int64 int64s int32s uint64s float64s float32s int64s[] int64s[] int64s[] int64s"
        ),
        "last_change": "bytes int64 int64",
        "rank_rows": "RowColumns int64s[] HashTables HashTables Room Ranked",
        "order_rows": "int32s float64s int64s int64s int64s[] float64s float64s",
        "contradictions": "int64s int64s float64s float32s float64s bools",
    },
    "sums": {
        "running_totals": "int64s int64s float64s int64s float64s[]",
        "count_drawn": "uint16s[] bytes[]",
        "weigh_singles": "bytes[] float32s[] float32s[]",
        "weigh_doubles": "bytes[] float64s[] float64s[]",
    },
}
"""The kinds of the arguments, by what is compiled at a time: an array of so many, with [] one of
rows and columns, or one of RECORDS.

hash_texts(data, start, size, value)
    The hash of each text.
copy_texts(data, start, size, copied, edge)
    Copy texts one behind the other, with room for `PADDING` at the end; `edge` has one place more
    than there are texts, and gets where each begins and the last one ends. How many bytes.
enter(data, start, size, region, region_start, region_slots, slot_hash, slot_row)
    Enter texts into hash tables, each in its region's; `slot_row` is -1 where a slot is free.
read_lines(data, end, doc_start, doc_size, doc_hash, score, rank, segments, tags, unread, counts)
    The rows of the whole lines in the first `end` bytes; how many, or IRREGULAR. Per row where its
    document stands in `data`, its size and hash, its score and rank. `segments` gets a row for each
    segment, lines of one query: first row, where its id stands, its size. `tags` gets place and
    size of each run name that differs from the one before, `unread` row, place and size of each
    score that is left NaN. `counts` gets the numbers of segments, tags and unread scores.
last_change(data, first, end)
    Where the lines of the last query begin, of the whole lines from `first` to before `end`;
    `first` if it is all there is. Needs no padding.
rank_rows(rows, segments, queries, known, room, found)
    Rank the judged documents of whole queries. `queries` is one table, of the judged queries,
    `known` one of the judged documents of each of these. Returns how many are listed, or REPEATED
    where a document stands twice in a query.
order_rows(code, score, end, order, room, keys, keys_room)
    The rows by their query's code and falling score, equals as they stand; `end` has where each
    query's rows begin in `order`, and then where they end. `room` has three rows, `keys` and
    `keys_room` one, of as many as the longest query has.
contradictions(order, edge, score, rank, keys, contradicting)
    Of rows so ordered, whose queries begin and end at `edge`, whether ranks contradict scores.
running_totals(first, rank, weight, cutoffs, totals)
    The sums of weights within rising cutoffs, a row of `totals` for each query, each added up in
    the order of the ranks; `first` has where each query's rows begin.
count_drawn(drawn, counts)
    Count in each row of `counts` how often each of its places is in the same row of `drawn`.
weigh_singles, weigh_doubles(weights, columns, sums)
    For each row of `weights` the sums of all columns weighed so; a row of `columns` is one of them.
    Their number is a multiple of COLUMNS.
"""


def array_kinds(kinds: str) -> Iterator[str]:
    """The kinds of single arrays and numbers, those of records one by one."""
    for kind in kinds.split():
        yield from RECORDS[kind][1].split() if kind in RECORDS else [kind]

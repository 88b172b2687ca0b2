"""Marks that identify the judgments of a query: the number of its judgments, and a hash of
documents and grades."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Hashes
from metrics_core.checks.strict_json import HEX
from metrics_core.tables import Qrels
from metrics_core.tables.arrays import as_array
from metrics_core.tables.columns import encode_ids

_FACTOR, _SECOND, _THIRD = (
    np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)


WITHOUT_JUDGMENTS = "0 00000000"
"""Mark of a query whose scores were not computed from judgments, but by another tool."""


def judgment_marks(query_ids: Iterable[str], qrels: Qrels | None) -> dict[str, str]:
    """Return the mark of each query's judgments (their number and a hash), by query id.

    If `qrels` is None, the scores were computed by another tool, and every query has the mark
    `WITHOUT_JUDGMENTS`."""
    if qrels is None:
        return dict.fromkeys(query_ids, WITHOUT_JUDGMENTS)
    return hash_judgments(qrels)


def hash_judgments(qrels: Qrels) -> dict[str, str]:
    """Return a mark for each query id: the number of the query's judgments, and a hash of their
    documents and grades.

    The hash does not depend on the order of the judgments."""
    table = qrels.input_table
    query = encode_ids(table["query_id"])
    codes = as_array(query.indices)
    rows = _mix_hash_bits(_hash_texts(table["doc_id"]))
    if "subtopic" in table.column_names:
        rows = _mix_hash_bits(
            rows
            + _mix_hash_bits(_hash_texts(encode_ids(table["subtopic"]).cast(pa.string()))) * _SECOND
        )
    grades = as_array(table["relevance"]).astype(np.float64) + 0.0
    rows = _mix_hash_bits(rows + _mix_hash_bits(grades.view(np.uint64)) * _THIRD)
    sums = np.zeros(len(query.dictionary), dtype=np.uint64)
    np.add.at(sums, codes, rows)
    counts = np.bincount(codes, minlength=len(sums)).tolist()
    short = (sums >> np.uint64(32)).tolist()
    rows_by_query = zip(query.dictionary.to_pylist(), counts, short, strict=True)
    return {query_id: f"{count} {mark:08x}" for query_id, count, mark in rows_by_query if count}


def _hash_texts(texts: pa.ChunkedArray | pa.Array) -> Hashes:
    """Return a hash of each string, uint64[n]. The bytes of a string are treated as the digits of a
    number in a fixed base."""
    column = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
    column = pc.cast(column, pa.large_binary())
    _, edges, body = column.buffers()
    edge = np.frombuffer(edges, dtype=np.int64)[column.offset : column.offset + len(column) + 1]
    octets = np.frombuffer(body or b"", dtype=np.uint8)[edge[0] : edge[-1]].astype(np.uint64)
    lengths = np.diff(edge)
    position = np.arange(len(octets)) - np.repeat(edge[:-1] - edge[0], lengths)
    powers = np.full(int(lengths.max(initial=0)) + 1, _FACTOR)
    digits = (octets + np.uint64(1)) * np.multiply.accumulate(powers)[position]
    whole = np.concatenate([np.zeros(1, np.uint64), np.add.accumulate(digits)])
    return whole[edge[1:] - edge[0]] - whole[edge[:-1] - edge[0]]


def _mix_hash_bits(numbers: Hashes) -> Hashes:
    """Mix the bits of numbers with the finaliser of SplitMix64, uint64[n].

    Every bit of a result depends on all bits of the input."""
    mixed = numbers + _FACTOR
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _SECOND
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _THIRD
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def combine_query_hashes(marks: Mapping[str, str]) -> str:
    """Combine the marks of all queries into a single hash. `marks` maps query ids to marks."""
    lines = sorted(f"{query_id} {mark}" for query_id, mark in marks.items())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:HEX]

"""Repeated (query, document) pairs are found exactly, whatever their hashes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_core.tables import repeats
from metrics_core.tables.repeats import find_repeated_rows, hash_texts, pair_hashes

_TEXTS = st.sampled_from(["", "a", "b", "ab", "abcdefgh", "abcdefghi", "é", "\x00", "a\x00"])
_ROWS = st.lists(st.tuples(st.integers(0, 2), _TEXTS), max_size=40)


def _columns(rows: list[tuple[int, str]], cut: int) -> tuple[np.ndarray, pa.ChunkedArray]:
    docs = [d for _, d in rows]
    chunks = [pa.array(docs[:cut], pa.string()), pa.array(docs[cut:], pa.string())]
    return np.array([q for q, _ in rows], dtype=np.int32), pa.chunked_array(chunks)


def _literally(rows: list[tuple[int, str]]) -> tuple[list[int], list[int]]:
    first: dict[tuple[int, str], int] = {}
    again = [i for i, row in enumerate(rows) if first.setdefault(row, i) != i]
    return again, [first[rows[i]] for i in again]


@given(rows=_ROWS, cut=st.integers(0, 40))
def test_repeated_rows_as_a_dictionary_finds_them(rows: list[tuple[int, str]], cut: int) -> None:
    again, first = find_repeated_rows(*_columns(rows, cut))
    assert (again.tolist(), first.tolist()) == _literally(rows)


@given(rows=_ROWS)
def test_equal_hashes_are_only_suspects(rows: list[tuple[int, str]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repeats, "pair_hashes", lambda q, d: np.zeros(len(q), dtype=np.uint64))
        again, first = find_repeated_rows(*_columns(rows, 0))
    assert (again.tolist(), first.tolist()) == _literally(rows)


def test_a_slice_has_the_hashes_of_its_own_texts() -> None:
    texts = pa.array(["x", "abcdefghij", "y", "abcdefghij"])
    whole = hash_texts(texts)
    assert whole[1] == whole[3] != whole[0]
    assert hash_texts(texts.slice(1, 2)).tolist() == whole[1:3].tolist()
    assert hash_texts(texts.cast(pa.large_string())).tolist() == whole.tolist()


def test_hashes_of_many_ids_do_not_collide() -> None:
    ids = pa.chunked_array([pa.array([f"doc-{i}" for i in range(50_000)])])
    queries = np.repeat(np.array([0, 1], dtype=np.int32), 25_000)
    assert len(np.unique(pair_hashes(queries, ids))) == 50_000
    same = pa.chunked_array([pa.array(["doc"] * 1000)])
    assert len(np.unique(pair_hashes(np.arange(1000, dtype=np.int32), same))) == 1000

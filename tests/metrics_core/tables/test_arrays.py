"""Texts as columns, and where they stand among others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_core.tables.arrays import as_text_column, find_indexes

IDS = st.lists(st.sampled_from(["1", "01", "é", "", "q1", "q2"]), max_size=6)


@given(texts=IDS, known=IDS.map(dict.fromkeys).map(list))
def test_each_text_stands_where_the_same_text_stands(texts: list[str], known: list[str]) -> None:
    expected = [known.index(text) if text in known else -1 for text in texts]
    assert find_indexes(texts, known).tolist() == expected
    assert find_indexes(known, known).tolist() == list(range(len(known)))
    assert find_indexes(known, known[::-1]).tolist() == list(range(len(known)))[::-1]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_texts_are_the_same_as_a_column(texts: list[str]) -> None:
    assert as_text_column(texts).to_pylist() == texts


def test_a_text_that_cannot_be_written_is_told_with_its_own_place() -> None:
    with pytest.raises(UnicodeEncodeError, match="position 1"):
        as_text_column(["abc", "a\ud800"])

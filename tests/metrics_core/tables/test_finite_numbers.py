"""Scores and grades as Python gives them: numbers of any kind, and what is none, said with its
query, document and value."""

from __future__ import annotations

import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_core import Qrels, Run, evaluate
from metrics_core.base.errors import RanklensError, TableError
from metrics_core.tables.finite_numbers import to_finite_numbers

RUN = {"q7": {"d1": 2.0, "d2": 1.0}}
QRELS = {"q7": {"d1": 1, "d2": 0}}
DAY = datetime.datetime(2026, 11, 25)

NO_NUMBERS: list[Any] = [
    ([1, 2], "[1, 2]"),
    ([1.0], "[1.0]"),
    ((1,), "(1,)"),
    ({1}, "{1}"),
    (object(), "<object object at"),
    (np.array([1.0]), "array([1.])"),
    ("high", "'high'"),
    ("1_000", "'1_000'"),
    ("٣", "'٣'"),
    ("0x10", "'0x10'"),
    ("0,9", "'0,9'"),
    ("1e400", "'1e400'"),
    (b"1", "b'1'"),
    (None, "None"),
    (pd.NA, "<NA>"),
    (pd.NaT, "NaT"),
    (float("nan"), "nan"),
    (float("-inf"), "-inf"),
    (Decimal("NaN"), "Decimal('NaN')"),
    (1j, "1j"),
    (10**400, "a whole number of about 400 digits"),
    pytest.param(10**5000, "a whole number of about 5,000 digits", id="very long"),
    (Fraction(10**400), "Fraction(1"),
    (DAY, "datetime.datetime(2026, 11, 25, 0, 0)"),
    (DAY.date(), "datetime.date(2026, 11, 25)"),
    (pd.Timestamp(DAY), "Timestamp('2026-11-25 00:00:00')"),
    (datetime.timedelta(1), "timedelta"),
    (np.timedelta64(1, "D"), "timedelta64"),
    (np.datetime64("2026-11-25"), "datetime64('2026-11-25"),
]


def frame(values: list[Any], name: str) -> pd.DataFrame:
    made = pd.DataFrame({"query_id": ["q7", "q7"], "doc_id": ["d1", "d2"]})
    made[name] = pd.Series(values, dtype="object")
    return made


@pytest.mark.parametrize(("value", "written"), NO_NUMBERS)
def test_what_is_no_number_is_said_with_query_document_and_value(value: Any, written: str) -> None:
    for what, other in (("score", value), ("score", 1.0), ("grade", value), ("grade", 1)):
        values = [value, other]
        given = {"q7": dict(zip(("d1", "d2"), values, strict=True))}
        table = frame(values, "score" if what == "score" else "relevance")
        doors: list[Any] = [
            lambda given=given: evaluate(given, QRELS, "AP"),
            lambda table=table: evaluate(table, QRELS, "AP"),
            lambda values=values: Run.from_columns("r", ["q7"] * 2, ["d1", "d2"], values),
            lambda table=table: evaluate(table.rename(columns={"score": "rank"}), QRELS, "AP"),
        ]
        if what == "grade":
            doors = [
                lambda given=given: evaluate(RUN, given, "AP"),
                lambda table=table: evaluate(RUN, table, "AP"),
                lambda values=values: Qrels.from_columns(["q7"] * 2, ["d1", "d2"], values),
            ]
        for door in doors:
            with pytest.raises(RanklensError) as caught:
                door()
            said = str(caught.value)
            assert "must be a finite number" in said
            assert f"{written}" in said and "for document d1 of query q7" in said


@pytest.mark.parametrize("unit", ["datetime64[s]", "timedelta64[s]"])
def test_columns_of_dates_and_durations_are_no_numbers(unit: str) -> None:
    table = frame([1, 2], "score").astype({"score": "int64"}).astype({"score": unit})
    for own in (table, table.rename(columns={"score": "rank"})):
        with pytest.raises(TableError, match="for document d1 of query q7"):
            evaluate(own, QRELS, "AP")
    with pytest.raises(TableError, match="for document d1 of query q7"):
        evaluate(RUN, table.rename(columns={"score": "relevance"}), "AP")


@pytest.mark.parametrize(
    "column", [pa.array(["high", "2"]), pa.array([DAY, DAY]), pa.array([[1.0], None])]
)
def test_arrow_columns_that_hold_no_numbers(column: pa.Array) -> None:
    with pytest.raises(TableError, match="document d1 of query q7"):
        Run.from_columns("r", ["q7"] * 2, ["d1", "d2"], column)
    with pytest.raises(TableError, match="document d1 of query q7"):
        Qrels.from_columns(["q7"] * 2, ["d1", "d2"], column)


@pytest.mark.parametrize(
    ("value", "grade"),
    [
        (True, 1),
        (np.True_, 1),
        (np.int8(3), 3),
        (2**60, 2**60),
        ("2", 2),
        (Decimal(2), 2),
        (np.float32(0.5), 0.5),
        ("0.5", 0.5),
        (Decimal("0.5"), 0.5),
        (Fraction(1, 2), 0.5),
        (10**20, 1e20),
        (2**63, 2.0**63),
    ],
)
def test_numbers_of_any_kind_are_taken_as_what_they_are(value: Any, grade: float) -> None:
    grades = Qrels.from_columns(["q"] * 2, ["a", "b"], [value, 0]).relevance
    assert grades.dtype == (np.int64 if isinstance(grade, int) else np.float64)
    assert grades.tolist() == [grade, 0]
    assert Run.from_columns("r", ["q"] * 2, ["a", "b"], [value, 0]).scores.tolist() == [grade, 0]
    real = frame([value, 0], "relevance")
    assert evaluate(RUN, real, "nDCG")["nDCG"].tolist() == [1]


def test_grades_of_64_bits_without_sign_do_not_turn_negative() -> None:
    grades = np.array([2**63 + 2048, 1], dtype=np.uint64)
    assert Qrels.from_columns(["q"] * 2, ["a", "b"], grades).relevance.min() == 1


class _Whole(int):
    """A whole number of another type, which is looked at by itself."""


class _Real(float):
    """The same of a real one."""


_OTHER = {int: _Whole, float: _Real, bool: np.bool_}
_PLAIN = (st.integers(), st.floats(), st.booleans(), st.integers(2**62, 2**66), st.just(10**400))


@given(st.sets(st.sampled_from(_PLAIN), min_size=1).flatmap(lambda of: st.lists(st.one_of(*of))))
def test_plain_numbers_are_what_they_are_one_by_one(values: list[Any]) -> None:
    def read(given: list[Any]) -> object:
        try:
            numbers = to_finite_numbers(given, "score", str)
        except TableError as error:
            return str(error)
        return numbers.dtype, numbers.tolist()

    assert read(values) == read([_OTHER[type(value)](value) for value in values])

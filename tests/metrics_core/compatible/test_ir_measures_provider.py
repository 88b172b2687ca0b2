"""Ranklens inside ir_measures: what it is given that is no number is said as everywhere."""

from __future__ import annotations

import datetime
from typing import Any

import pandas as pd
import pytest

pytest.importorskip("ir_measures")
import ir_measures
from ir_measures import AP, Qrel, ScoredDoc

from metrics_core.base.errors import RanklensError
from metrics_core.compatible import ir_measures_provider

RUN = {"q7": {"d1": 2.0, "d2": 1.0}}
QRELS = {"q7": {"d1": 1, "d2": 0}}


def in_many_forms(value: Any, name: str, row: Any) -> list[Any]:
    values = {"d1": value, "d2": 1}
    frame = pd.DataFrame({"query_id": ["q7"] * 2, "doc_id": list(values)})
    frame[name] = pd.Series(list(values.values()), dtype="object")
    return [{"q7": values}, frame, [row("q7", doc, v) for doc, v in values.items()]]


@pytest.mark.parametrize(
    "value", [[1, 2], [1.0], "high", None, 10**400, datetime.datetime(2026, 11, 25), float("nan")]
)
def test_what_is_no_number_is_said_with_query_document_and_value(value: Any) -> None:
    ask = ir_measures_provider.provider.calc_aggregate
    for run in in_many_forms(value, "score", ScoredDoc):
        with pytest.raises(RanklensError, match=r"score, found .* for document d1 of query q7"):
            ask([AP], QRELS, run)
    for qrels in in_many_forms(value, "relevance", Qrel):
        with pytest.raises(RanklensError, match=r"grade, found .* for document d1 of query q7"):
            ask([AP], qrels, RUN)
    ir_measures_provider.install()
    try:
        with pytest.raises(RanklensError, match="for document d1 of query q7"):
            ir_measures.calc_aggregate([AP], QRELS, {"q7": {"d1": value}})
    finally:
        ir_measures_provider.uninstall()

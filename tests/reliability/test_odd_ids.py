"""Odd values in every column of records, by every reader: they end in an error of ours, or in a
table."""

from __future__ import annotations

import io
import json
import warnings
from contextlib import suppress
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import metrics_core
from metrics_core import RanklensError
from metrics_core.formats.reading import read_all_tables
from metrics_core.formats.registry import KINDS, Kind

COLUMNS: dict[Kind, dict[str, list[Any]]] = {
    "run": {
        "query_id": ["q1", "q1", "q2", "q2"],
        "doc_id": ["d1", "d2", "d1", "d2"],
        "score": [2.5, 1.5, 3.0, 1.0],
        "rank": [1, 2, 1, 2],
        "system": ["a", "b", "a", "b"],
    },
    "qrels": {
        "query_id": ["q1", "q1", "q2", "q2"],
        "doc_id": ["d1", "d2", "d1", "d2"],
        "relevance": [1, 0, 2, 1],
        "subtopic": ["1", "2", "1", "2"],
    },
    "queries": {"query_id": ["q1", "q2"], "text": ["a", "b"], "category": ["x", "y"]},
    "documents": {"doc_id": ["d1", "d2"], "title": ["a", "b"], "price": [1.0, 2.0]},
}
ODD = [None, float("nan"), True, 7, 1.5, 10**30, "", "\u200b", "\ud800", [], ["a"], {"a": 1}, "NaN"]
PLAIN = {
    "run": {"q1": {"d1": 1.5}, "q2": {"d1": 2.5}},
    "qrels": {"q1": {"d1": 1}, "q2": {"d1": 0}},
}
CASES = [(kind, role) for kind in KINDS for role in COLUMNS[kind]]


def _files(records: list[dict[str, Any]]) -> dict[str, bytes]:
    """The records in each format that can hold them."""
    lines = [json.dumps(record) for record in records]
    made = {
        "x.jsonl": "\n".join(lines).encode(),
        "x.json": f"[{','.join(lines)}]".encode(),
    }
    for name, separator in (("x.csv", ","), ("x.tsv", "\t")):
        with suppress(UnicodeEncodeError):
            made[name] = (
                pd.DataFrame(records, dtype=object).to_csv(index=False, sep=separator).encode()
            )
    with suppress(pa.ArrowException, UnicodeEncodeError, OverflowError):
        out = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(records), out)
        made["x.parquet"] = out.getvalue()
    return made


@pytest.mark.parametrize(("kind", "role"), CASES)
def test_an_odd_value_ends_in_a_table_or_an_error(kind: Kind, role: str) -> None:
    columns = COLUMNS[kind]
    names = list(columns)
    for odd in ODD:
        values = {**columns, role: [odd, *columns[role][1:]]}
        rows = [dict(zip(names, row, strict=True)) for row in zip(*values.values(), strict=True)]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for name, content in _files(rows).items():
                with suppress(RanklensError):
                    assert read_all_tables(content, name=name, kind=kind)
            if kind in PLAIN:
                for given in (rows, pd.DataFrame(values, dtype=object)):
                    pair = PLAIN | {kind: given}
                    with suppress(RanklensError):
                        metrics_core.evaluate(pair["qrels"], pair["run"], ["P@1"])


@pytest.mark.parametrize("odd", [None, float("nan"), 1.5, True, "", "\ud800", ("a",)])
def test_an_odd_id_of_a_dict_is_refused(odd: Any) -> None:
    for wrong in ({odd: {"d1": 1}, "q": {"d1": 2}}, {"q": {odd: 1, "d1": 2}}):
        for pair in (PLAIN | {"run": wrong}, PLAIN | {"qrels": wrong}):
            with pytest.raises(RanklensError):
                metrics_core.evaluate(pair["qrels"], pair["run"], ["P@1"])


@pytest.mark.parametrize("name", ["x.jsonl", "x.json", "x.parquet"])
def test_a_missing_id_is_told_with_its_row(name: str) -> None:
    """Also where a column of systems makes several runs of the rows."""
    values = {**COLUMNS["run"], "query_id": [None, "q1", "q2", "q2"]}
    rows = [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]
    with pytest.raises(RanklensError, match=r"(line|row) 1\b") as refused:
        read_all_tables(_files(rows)[name], name=name, kind="run")
    assert "a query_id in every row" in refused.value.message

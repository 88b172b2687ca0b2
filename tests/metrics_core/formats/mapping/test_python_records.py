"""Records of any names, read by paths: as JSON Lines, as a list, in Parquet and from a program, the
tables are the same, and those of a loop."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_core.base.errors import FileFormatError
from metrics_core.formats import read, read_qrels, read_run
from metrics_core.tables import Qrels, Run
from tests.metrics_core.formats.mapping.test_presets import as_parquet
from tests.metrics_core.formats.tools.looking import as_json, lines
from tests.random_cases import examples

NAME = st.text("abcdefghij_ K", min_size=1, max_size=6).filter(lambda name: name.strip() == name)
IDS = st.one_of(st.integers(0, 99).map(lambda number: f"0{number}"), st.text("dxyz", min_size=1))


@st.composite
def nested(draw: st.DrawFn) -> tuple[list[dict[str, Any]], dict[str, str], list[tuple[Any, ...]]]:
    """Records, the paths to what they hold, and the rows that these mean."""
    query, hits, doc, number, around = draw(st.lists(NAME, min_size=5, max_size=5, unique=True))
    wraps, beside = draw(st.booleans()), draw(st.booleans())
    records, rows = [], []
    for at in range(draw(st.integers(1, 4))):
        docs = draw(st.lists(IDS, min_size=1, max_size=4, unique=True))
        numbers = [draw(st.integers(0, 9)) for _ in docs]
        if beside:
            own: dict[str, Any] = {hits: docs, number: numbers}
        else:
            pairs = zip(docs, numbers, strict=True)
            own = {hits: [{doc: one, number: value} for one, value in pairs]}
        records.append({query: f"q{at}", **({around: own} if wraps else own)})
        rows += [(f"q{at}", one, value) for one, value in zip(docs, numbers, strict=True)]
    before = f'"{around}".' if wraps else ""
    listed = f'{before}"{hits}"[]'
    paths = {
        "query": f'"{query}"',
        "doc": listed if beside else f'{listed}."{doc}"',
        "number": f'{before}"{number}"[]' if beside else f'{listed}."{number}"',
    }
    return records, paths, rows


@given(nested())
@examples(200)
def test_file_memory_and_parquet_agree_with_a_loop(
    case: tuple[list[dict[str, Any]], dict[str, str], list[tuple[Any, ...]]],
) -> None:
    records, paths, expected = case
    by_role = {"query": paths["query"], "doc": paths["doc"]}
    for given_records in (lines(*records), as_json(records), as_parquet(records), records):
        for role, kind in (("score", "run"), ("grade", "qrels")):
            columns = by_role | {role: paths["number"]}
            table = read(given_records, name="x", kind=kind, columns=columns).table  # type: ignore[arg-type]
            assert isinstance(table, Run | Qrels)
            assert [tuple(row.values()) for row in table.table.to_pylist()] == expected


def test_a_programs_records_are_read_like_a_file() -> None:
    records = [{"qid": "q1", "found": [{"page": "01", "points": 2.5, "worth": 3}]}]
    columns = {"query": "qid", "doc": "found[].page", "score": "found[].points"}
    assert read_run(records, columns=columns).doc_ids.to_pylist() == ["01"]
    qrels = read_qrels(records, columns={"doc": "found[].page", "grade": "found[].worth"})
    assert qrels.relevance.tolist() == [3]
    with pytest.raises(FileFormatError, match=r"the records: expected document ids"):
        read_run(records)

"""Detailed results of a benchmark: for each query what was retrieved, what was expected, scores.

One such file holds a run (in rank order), judgments (what was expected, grade 1) and queries (text,
category, difficulty and whatever else a record has). It is a list of records, an object that has
the list as `detailed_results`, or one record a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.presets import Preset, Remark
from metrics_core.formats.registry import SPECIFIC

_RETRIEVED = ("retrieved", "returned", "retrieved_modules", "returned_modules", "retrieved_ids")
_EXPECTED = ("expected", "expected_modules", "expected_ids")
_TEXTS = ("query", "text")
_IDS = ("query_id", "id", "qid")
_LISTS = {"retrieved": _RETRIEVED, "expected": _EXPECTED}


def _is_detailed(first: Any) -> bool:
    """By a list of what was retrieved and one of what was expected."""
    record = next(iter(_records([first])), None)
    return isinstance(record, dict) and all(
        (name := _named(record, names)) and isinstance(record[name], (list, type(None)))
        for names in _LISTS.values()
    )


def _named(record: Mapping[str, Any], names: Iterable[str]) -> str:
    return next((name for name in names if name in record), "")


def _records(records: list[Any]) -> list[Any]:
    """The records of a file, without the object that may be around them."""
    first = records[0] if records else None
    listed = first.get("detailed_results") if isinstance(first, dict) else None
    return listed if isinstance(listed, list) else records


def _with_ids(blocks: Iterable[list[Any]], _name: str) -> Iterator[list[Any]]:
    """Records whose lists are called `retrieved` and `expected`. Where no id is in all of them, the
    text is the id, a further one of that text has a number; without a text the record's number."""
    id_name: str | None = None
    seen, number = set[str](), 0
    for block in blocks:
        records = _records(block)
        told = [record for record in records if isinstance(record, dict)]
        if id_name is None:
            ids = (name for name in _IDS if all(_is_id(record.get(name)) for record in told))
            id_name = next(ids, "")
        mended = []
        for record in records:
            number += 1
            own = _mended(record, id_name, number, seen) if isinstance(record, dict) else record
            mended.append(own)
        yield mended


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _mended(record: Mapping[str, Any], id_name: str, number: int, seen: set[str]) -> dict[str, Any]:
    names = {own: _named(record, names) for own, names in _LISTS.items()}
    text = next((record[name] for name in _TEXTS if record.get(name) is not None), None)
    own_id, again = record.get(id_name) or text or str(number), 2
    first = own_id
    while not id_name and own_id in seen:
        own_id, again = f"{first} ({again})", again + 1
    seen.add(own_id)
    lists = {own: record[name] or [] for own, name in names.items() if name}
    known = {*names.values(), id_name, *_TEXTS}
    details = {name: value for name, value in record.items() if name not in known}
    return {"query_id": own_id, "text": text or ""} | lists | details


declare(
    Preset(
        "detailed",
        "Detailed results",
        endings=(".json", ".jsonl"),
        explanation="Benchmark results per query as JSON: retrieved documents in rank order, and"
        " expected documents. Contains a run, judgments and queries.",
        example='[{"query": "refund", "category": "billing", "difficulty": "easy",'
        ' "retrieved": ["doc-7", "doc-3"], "expected": ["doc-3"], "metrics": {"mrr": 0.5}}]',
        recognised_by=("retrieved", "expected"),
        also=_is_detailed,
        mend=_with_ids,
        sureness=SPECIFIC,
        tables={
            "run": "query=query_id doc=retrieved[]",
            "qrels": "query=query_id doc=expected[] grade='1'",
            "queries": "query=query_id text=text",
        },
        once=("run", "qrels"),
        duplicates="first",
        not_details=("metrics", "retrieved", "expected"),
        stored="metrics",
        remarks=(
            Remark(
                ("qrels",),
                "nothing_expected",
                "{n:,} {things} without expected documents; excluded",
                loud=True,
            ),
        ),
    )
)

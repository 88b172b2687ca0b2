"""Read detailed results of a benchmark: the retrieved and expected documents of each query, and
scores.

A file contains a run (in rank order), judgments (expected documents with grade 1) and queries
(text, category, difficulty and any other values). The file is a list of records, an object that
contains the list as `detailed_results`, or one record per line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any

from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.presets import Preset, Remark, get_value
from metrics_core.formats.registry import SPECIFIC
from metrics_core.tables.run_names import find_free_name

_RETRIEVED = ("retrieved", "returned", "retrieved_modules", "returned_modules", "retrieved_ids")
_EXPECTED = ("expected", "expected_modules", "expected_ids")
_TEXTS = ("query", "text")
_IDS = ("query_id", "id", "qid")
_LISTS = {"retrieved": _RETRIEVED, "expected": _EXPECTED}


def _is_detailed_result(first_record: Any) -> bool:
    """Return whether the first record has a list of retrieved and a list of expected documents."""
    record = next(iter(_unwrap_records([first_record])), None)
    return isinstance(record, dict) and all(
        (name := _first_key(record, names)) and isinstance(record[name], (list, type(None)))
        for names in _LISTS.values()
    )


def _first_key(record: Mapping[str, Any], names: Iterable[str]) -> str:
    return next((name for name in names if name in record), "")


def _unwrap_records(records: list[Any]) -> list[Any]:
    """Return the records of a file. If an object contains the list of records, the list is
    returned."""
    first = records[0] if records else None
    record_list = get_value(first, "detailed_results")
    return record_list if isinstance(record_list, list) else records


def _add_ids(blocks: Iterable[list[Any]], _name: str) -> Iterator[list[Any]]:
    """Rename the lists of each record to `retrieved` and `expected`, add a query id, and yield the
    records.

    If no id field occurs in all records, a record's text becomes its id, with a number appended if
    the text repeats. The id of a record without a text is its record number."""
    id_name: str | None = None
    seen_ids, numbers = set[str](), count(1)
    for block in blocks:
        records = _unwrap_records(block)
        objects = [record for record in records if isinstance(record, dict)]
        if id_name is None:
            ids = (name for name in _IDS if all(_is_id(record.get(name)) for record in objects))
            id_name = next(ids, "")
        yield [_add_id(record, id_name, next(numbers), seen_ids) for record in records]


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _add_id(record: Any, id_name: str, number: int, seen_ids: set[str]) -> Any:
    if not isinstance(record, dict):
        return record
    names = {key: _first_key(record, names) for key, names in _LISTS.items()}
    text = next((record[name] for name in _TEXTS if record.get(name) is not None), None)
    query_id = (id_name and record.get(id_name)) or text or str(number)
    if not id_name and isinstance(text, (str, type(None))):
        query_id = find_free_name(query_id, seen_ids)
        seen_ids.add(query_id)
    lists = {key: record[name] or [] for key, name in names.items() if name}
    used_keys = {*names.values(), id_name, *_TEXTS}
    details = {name: value for name, value in record.items() if name not in used_keys}
    return {"query_id": query_id, "text": text or ""} | lists | details


declare(
    Preset(
        "detailed",
        "Detailed results",
        endings=(".json", ".jsonl"),
        explanation="Benchmark results per query as JSON: retrieved documents in rank order, and"
        " expected documents. Contains a run, judgments, queries and scores.",
        example='[{"query": "refund", "category": "billing", "difficulty": "easy",'
        ' "retrieved": ["doc-7", "doc-3"], "expected": ["doc-3"], "metrics": {"mrr": 0.5}}]',
        recognised_by=("retrieved", "expected"),
        also=_is_detailed_result,
        mend=_add_ids,
        sureness=SPECIFIC,
        tables={
            "run": "query=query_id doc=retrieved[]",
            "qrels": "query=query_id doc=expected[] grade='1'",
            "queries": "query=query_id text=text",
            "scores": "query=query_id",
        },
        needs={"scores": "metrics"},
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

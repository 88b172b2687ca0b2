"""Detailed results of a benchmark: for each query what was retrieved, what was expected, scores.

One such file holds a run (rank order as falling scores), judgments (what was expected, grade 1)
and queries (text, category, difficulty and whatever else a record has). It is a list of records,
an object that has the list as `detailed_results`, or one record a line.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from metrics_core.base.errors import LineProblem
from metrics_core.base.notes import Note
from metrics_core.formats.parsing.json_text import (
    NumberText,
    check_characters,
    json_lines,
    lines_of,
    parse_json,
    strings_in,
)
from metrics_core.formats.registry import (
    SPECIFIC,
    Kind,
    Loaded,
    NothingOfKindError,
    Request,
    Sample,
    reader,
    run_name,
)
from metrics_core.formats.source.limits import TREE
from metrics_core.formats.source.lines import refuse
from metrics_core.formats.source.source import Source
from metrics_core.tables import Qrels, Queries, Run
from metrics_core.tables.columns import coded_texts

RETRIEVED = ("retrieved", "returned", "retrieved_modules", "returned_modules", "retrieved_ids")
EXPECTED = ("expected", "expected_modules", "expected_ids")
_TEXTS = ("query", "text")
_IDS = ("query_id", "id", "qid")
_WRAPPED = re.compile(r'"detailed_results"\s*:\s*\[\s*')
_TABLES: tuple[Kind, ...] = ("run", "qrels", "queries")
_HINT = (
    'A record looks like {"query": "…", "category": "…", "difficulty": "…", "retrieved": ["d1"],'
    ' "expected": ["d2"], "metrics": {"precision@3": 0.0}}.'
)


@dataclass
class _Results:
    """The records of a file, checked: one entry for each query."""

    query_ids: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    retrieved: list[list[str]] = field(default_factory=list)
    expected: list[list[str]] = field(default_factory=list)
    columns: list[dict[str, str]] = field(default_factory=list)
    stored: dict[str, Mapping[str, float]] = field(default_factory=dict)


def recognise_detailed(sample: Sample) -> Mapping[Kind, int]:
    """By the first record: a list of what was retrieved and one of what was expected."""
    return dict.fromkeys(_TABLES, SPECIFIC) if _is_detailed(sample.text) else {}


@reader(
    "detailed",
    title="Detailed results",
    kinds=_TABLES,
    endings=(".json", ".jsonl"),
    explanation="Results of a benchmark by query: what was retrieved, in order, and what was"
    " expected, as JSON. Gives a run, judgments and queries.",
    example='[{"query": "refund", "category": "billing", "difficulty": "easy",'
    ' "retrieved": ["doc-7", "doc-3"], "expected": ["doc-3"], "metrics": {"mrr": 0.5}}]',
    recognise=recognise_detailed,
    together=recognise_detailed,
)
def read_detailed(source: Source, request: Request) -> Loaded:
    """The table of the requested kind from a file of detailed results."""
    results = _read_results(source)
    make = {"run": _run, "qrels": _qrels, "queries": _queries}
    return make[request.kind](source, results)


def _is_detailed(text: str) -> bool:
    text = text.lstrip()
    if text.startswith("["):
        start = 1
    else:
        wrapped = _WRAPPED.search(text)
        start = wrapped.end() if text.startswith("{") and wrapped else 0
    try:
        record, _ = json.JSONDecoder(parse_int=str).raw_decode(text[start:].lstrip())
    except (ValueError, RecursionError):
        return False
    return _lists_of(record) is not None


def _lists_of(record: Any) -> tuple[str, str] | None:
    """Under which names a record has what was retrieved and expected; None if it has not both."""
    if not isinstance(record, dict):
        return None
    found = [next((n for n in names if n in record), "") for names in (RETRIEVED, EXPECTED)]
    there = all(name and isinstance(record[name], (list, type(None))) for name in found)
    return (found[0], found[1]) if there else None


def _records(source: Source) -> Iterator[tuple[int | None, Any]]:
    """Each record with its line, where it has one of its own."""
    text = source.content(TREE)
    if text.lstrip().startswith("{") and not _WRAPPED.search(text):
        yield from json_lines(source, lines_of(text))
        return
    content = parse_json(source, text)
    listed = content.get("detailed_results") if isinstance(content, dict) else content
    if not isinstance(listed, list):
        raise refuse(source, [LineProblem(1, "JSON of another shape", "a list of records")])
    check_characters(source, text, strings_in(listed), None)
    yield from ((None, record) for record in listed)


def _read_results(source: Source) -> _Results:
    records = list(_records(source))
    if not records:
        raise refuse(source, [LineProblem(None, "no record", "at least one")], hint=_HINT)
    results, details = _Results(), set[str]()
    id_name = next(
        (n for n in _IDS if all(_plain(r.get(n)) for _, r in records if isinstance(r, dict))), ""
    )
    for number, (line, record) in enumerate(records, 1):
        names = _lists_of(record)
        if names is None:
            found = f"record {number} without `retrieved` and `expected`, each a list"
            raise refuse(source, [LineProblem(line, found, "both")], hint=_HINT)
        for name, lists in zip(names, (results.retrieved, results.expected), strict=True):
            lists.append(_ids_in(source, line, number, name, record[name]))
        text = next((record[n] for n in _TEXTS if record.get(n) is not None), None)
        results.texts.append(_text(text) if text is not None else "")
        own = str(record[id_name]) if id_name else results.texts[-1] or str(number)
        results.query_ids.append(_free_id(source, line, own, results, given=bool(id_name)))
        results.stored[results.query_ids[-1]] = _numbers(record.get("metrics"))
        results.columns.append(_details(record, {*names, id_name, *_TEXTS, "metrics"}))
        details |= results.columns[-1].keys()
        source.check_cells(number, 2 + len(details), line)
    return results


def _plain(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _ids_in(source: Source, line: int | None, number: int, name: str, ids: Any) -> list[str]:
    for value in ids or ():
        if not _plain(value):
            found = f"`{json.dumps(value, ensure_ascii=False)}`"[:60]
            where = f"a document id in `{name}` of record {number}"
            raise refuse(source, [LineProblem(line, found, where)], hint=_HINT)
    return [str(value) for value in ids or ()]


def _free_id(source: Source, line: int | None, own: str, results: _Results, *, given: bool) -> str:
    """The query's id; a text that stands for an id may stand twice, an id may not."""
    if own not in results.stored:
        return own
    if given:
        found = f"query {own} a second time, in record {len(results.texts)}"
        raise refuse(source, [LineProblem(line, found, "each query once")])
    again = 2
    while f"{own} ({again})" in results.stored:
        again += 1
    return f"{own} ({again})"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _details(record: Mapping[str, Any], known: set[str]) -> dict[str, str]:
    """What else a record says, as columns of the queries."""
    return {n: _text(v) for n, v in record.items() if n not in known and v is not None}


def _numbers(metrics: Any) -> Mapping[str, float]:
    """The metrics that a record states, those that are numbers."""
    there = metrics.items() if isinstance(metrics, dict) else ()
    stated = {n: float(v) for n, v in there if isinstance(v, NumberText)}
    return {n: v for n, v in stated.items() if math.isfinite(v)}


def _run(source: Source, results: _Results) -> Loaded:
    rows: list[tuple[str, str, float]] = [
        (query_id, doc, float(len(listed) - i))
        for query_id, listed in zip(results.query_ids, results.retrieved, strict=True)
        for i, doc in enumerate(listed)
    ]
    if not rows:
        problem = LineProblem(None, "nothing retrieved for any query", "at least one document")
        raise NothingOfKindError(source.name, [problem])
    query_ids, docs, scores = zip(*rows, strict=True)
    run = Run.from_columns(
        run_name(source.name), coded_texts(query_ids), docs, scores, duplicates="first"
    )
    return Loaded(run, "detailed", _titled("retrieved"), source.name, stored=results.stored)


def _qrels(source: Source, results: _Results) -> Loaded:
    pairs = [
        (query_id, doc)
        for query_id, listed in zip(results.query_ids, results.expected, strict=True)
        for doc in dict.fromkeys(listed)
    ]
    if not pairs:
        problem = LineProblem(None, "nothing expected for any query", "at least one document")
        raise refuse(source, [problem])
    query_ids, docs = zip(*pairs, strict=True)
    qrels = Qrels.from_columns(coded_texts(query_ids), docs, [1] * len(pairs))
    return Loaded(
        qrels.noting(*_nothing_expected(results)), "detailed", _titled("expected"), source.name
    )


def _nothing_expected(results: _Results) -> Iterable[Note]:
    """A query for which nothing is expected has no judgments; say how many there are."""
    without = [q for q, e in zip(results.query_ids, results.expected, strict=True) if not e]
    if without:
        what = "query" if len(without) == 1 else "queries"
        message = f"{len(without):,} {what} with nothing expected; left out"
        yield Note("nothing_expected", message, len(without), tuple(without[:3]), loud=True)


def _queries(source: Source, results: _Results) -> Loaded:
    names = dict.fromkeys(name for details in results.columns for name in details)
    columns: dict[str, Any] = {"query_id": results.query_ids, "text": results.texts}
    columns |= {
        name: [details.get(name) for details in results.columns]
        for name in names
        if name not in columns
    }
    return Loaded(Queries.from_columns(columns), "detailed", _titled("query"), source.name)


def _titled(part: str) -> str:
    return f"Detailed results: {part}"

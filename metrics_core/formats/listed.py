"""Lists of documents by query, as JSON: what was retrieved, or what is relevant.

    {"query_id": "q1", "hits": [{"doc_id": "d2", "score": 9.0}]}     a record for each query
    {"q1": ["d1", "d3"]}                                             an object of lists

The name of a list says what it is (`hits`, `ranking`, `references` are runs, `positive_passages`,
`reference_ids` judgments); where it says nothing, as in an object of lists, the reader is asked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from metrics_core.base.errors import LineProblem
from metrics_core.formats.parsing.columns import (
    DOCUMENT_IDS,
    DOCUMENT_TEXTS,
    FURTHER,
    NAMES,
    QUERY_IDS,
    QUERY_TEXTS,
    ROLES,
    fold,
    position,
)
from metrics_core.formats.parsing.json_text import (
    NumberText,
    check_characters,
    first_object,
    json_lines,
    lines_of,
    parse_json,
    strings_in,
)
from metrics_core.formats.parsing.list_names import (
    QUERY_KEYS,
    alternatives_apart,
    is_negative,
    kind_of_list,
)
from metrics_core.formats.registry import (
    ASKED,
    KINDS,
    SPECIFIC,
    Kind,
    Loaded,
    Request,
    Sample,
    reader,
)
from metrics_core.formats.source.limits import TREE
from metrics_core.formats.source.lines import refuse
from metrics_core.formats.source.source import Source, shortened
from metrics_core.formats.values import A_SCORE, is_number, why_not_a_number

if TYPE_CHECKING:
    from metrics_core.formats.parsing.contents import GatheredTables

_SURE_IDS = ("docid", "docno", "corpusid", "passageid", "documentid", "pid")
"""Keys by which an object in a list of any name is a document."""
_ITEM_IDS = (*DOCUMENT_IDS, "segmentid")
_OWN_IDS = (*ROLES["query_id"], *FURTHER["query_id"])
_TEXTS_BESIDE = ("title", *DOCUMENT_TEXTS)
_MAP = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*(?=\[)')
_HINT = (
    'A record looks like {"query_id": "q1", "hits": [{"doc_id": "d2", "score": 9.0}]}; an object'
    ' like {"q1": ["d1", "d3"]}.'
)


class _Entry(NamedTuple):
    """The lists of one query: their names, their grades where they have them."""

    line: int | None
    query_id: str
    lists: Sequence[tuple[str, int, list[Any]]]
    tag: str


def recognise_lists(sample: Sample) -> Mapping[Kind, int]:
    """By the lists of the first record: their names, or what is in them."""
    record = _first_record(sample)
    if record is None or _query_key(record) is None:
        return {}
    found = [_kind_of(name, value) for name, value in record.items()]
    if _may_be_document(record):
        found = [kind for kind in found if kind == "qrels"]
    if any(found):
        return {kind: SPECIFIC for kind in KINDS if kind in found}
    lists = any(_holds_documents(value) for value in record.values())
    return {"run": ASKED, "qrels": ASKED} if lists else {}


def kinds_beside(sample: Sample) -> list[Kind]:
    """What records with judgments hold beside them: queries where they have a text, a run; nothing
    where they have no list of judgments by its name."""
    record = _first_record(sample)
    found = recognise_lists(sample)
    if record is None or found.get("qrels") != SPECIFIC:
        return []
    key = _query_key(record)
    texts = [name for name in record if name != key and isinstance(record[name], str)]
    text = position(texts, QUERY_TEXTS) >= 0
    return [*found, *(("queries",) if text else ())]


@reader(
    "lists",
    title="Lists of documents",
    kinds=("run", "qrels"),
    endings=(".json", ".jsonl"),
    explanation="A list of documents for each query, as JSON: retrieved in this order, with scores"
    " or without, or relevant. By records with a list, or an object of lists.",
    example='{"query_id": "q1", "hits": [{"doc_id": "doc-7", "score": 14.2}, {"doc_id": "doc-3",'
    ' "score": 11.9}]}',
    recognise=recognise_lists,
    together=kinds_beside,
)
def read_lists(source: Source, request: Request) -> Loaded:
    """A run of ranked lists, or judgments: what is listed has grade 1, what is listed as negative
    grade 0."""
    from metrics_core.formats.parsing.contents import GatheredTables

    contents, names, empty, found = (
        GatheredTables(source, request.kind, tagged=True),
        dict[str, None](),
        [],
        False,
    )
    for entry in _entries(source, request.kind):
        for name, grade, items in entry.lists:
            names[name] = None
            _add(source, contents, entry, items, grade if request.kind == "qrels" else None)
        if any(items for _, _, items in entry.lists):
            found = True
        else:
            empty.append(entry.query_id)
    if not found:
        problem = LineProblem(None, "no document in any list", "at least one")
        raise refuse(source, [problem], hint=_HINT)
    contents.note_ids(request.kind, "empty", empty, "with an empty list")
    title = f"Lists of documents: {', '.join(name for name in names if name) or 'by query'}"
    return contents.load(request, "lists", title)


def _first_record(sample: Sample) -> dict[str, Any] | None:
    """The first query with its lists; None where these are no records nor an object of lists."""
    text = sample.text.lstrip()
    if text.startswith("["):
        return first_object(text[1:].lstrip())
    if not text.startswith("{"):
        return None
    if not _is_map(text):
        return first_object(sample.lines[0]) if sample.lines else None
    listed = _MAP.match(text)
    assert listed is not None
    try:
        items, _ = json.JSONDecoder(parse_int=str).raw_decode(text[listed.end() :])
    except (ValueError, RecursionError):
        return None
    first = items[0] if items else None
    wrapped = isinstance(first, dict) and position(list(first), NAMES["query_id"]) >= 0
    documents = isinstance(first, (str, list)) or _holds_documents(items)
    return {"query_id": "", "": [{"docid": ""}]} if documents and not wrapped else None


def _is_map(text: str) -> bool:
    """Whether a text is an object of lists rather than records of which the first begins with
    one."""
    if not _MAP.match(text):
        return False
    record = first_object(text.partition("\n")[0])
    return all(isinstance(value, list) for value in record.values())


def _may_be_document(record: Mapping[str, Any]) -> bool:
    """Whether a record may be a document's, which lists what it refers to: a bare id and a text."""
    names = list(record)
    return position(names, _OWN_IDS) < 0 and position(names, _TEXTS_BESIDE) >= 0


def _kind_of(name: str, value: Any) -> Kind | None:
    """What a list of this name is, by its name; None where that says nothing."""
    if not isinstance(value, list):
        return None
    if fold(name) == "references" and any(isinstance(v, str) and " " in v for v in value):
        return None  # answers to hold others against
    return kind_of_list(name)


def _holds_documents(value: Any) -> bool:
    """Whether this is a list of objects that say which document they are."""
    first = value[0] if isinstance(value, list) and value else None
    return isinstance(first, dict) and position(list(first), _SURE_IDS) >= 0


def _query_key(record: Mapping[str, Any]) -> str | None:
    """Which key of a record says the query: its id, else its text."""
    names = [name for name, value in record.items() if not isinstance(value, list)]
    at = position(names, QUERY_KEYS)
    return names[at] if at >= 0 else None


def _entries(source: Source, kind: Kind) -> Iterator[_Entry]:
    """The lists of this kind of each query. Raises FileFormatError."""
    for number, (line, record) in enumerate(_records(source), 1):
        if not isinstance(record, dict):
            found = f"`{shortened(json.dumps(record, ensure_ascii=False))}`"[:60]
            raise refuse(source, [LineProblem(line, found, "a record")], hint=_HINT)
        named = [(n, v) for n, v in record.items() if _kind_of(n, v) == kind]
        named = named or [(n, v) for n, v in record.items() if _holds_documents(v)]
        named = named or [(n, v) for n, v in record.items() if n == "" and isinstance(v, list)]
        key = _query_key(record)
        query = record.get(key) if key is not None else None
        if isinstance(query, dict):  # RankLLM's
            inner = position(list(query), (*QUERY_IDS, "text"))
            query = list(query.values())[inner] if inner >= 0 else None
        if not isinstance(query, str) or not query or (not named and key is None):
            found = f"record {number} without a query"
            raise refuse(source, [LineProblem(line, found, "a query with lists")], hint=_HINT)
        lists = [(n, 0 if is_negative(n) else 1, v) for n, v in named]
        tag = position(list(record), NAMES["tag"])
        name = list(record.values())[tag] if tag >= 0 else ""
        yield _Entry(line, query, lists, name if isinstance(name, str) else "")


def _records(source: Source) -> Iterator[tuple[int | None, Any]]:
    """Each record with its line, where it has one of its own; an object of lists as records."""
    text = source.content(TREE)
    if text.lstrip().startswith("{") and not _is_map(text.lstrip()):
        yield from json_lines(source, lines_of(text))
        return
    content = parse_json(source, text)
    check_characters(source, text, strings_in(content), None)
    if isinstance(content, dict):
        yield from ((None, {"query_id": query, "": items}) for query, items in content.items())
    elif isinstance(content, list):
        yield from ((None, record) for record in content)
    else:
        raise refuse(source, [LineProblem(1, "a single value", "records by query")], hint=_HINT)


def _add(
    source: Source, contents: GatheredTables, entry: _Entry, items: Any, grade: int | None
) -> None:
    """The documents of one list."""
    if not isinstance(items, list):
        found = f"`{shortened(json.dumps(items, ensure_ascii=False))}` for query {entry.query_id}"
        raise refuse(source, [LineProblem(entry.line, found, "a list of documents")], hint=_HINT)
    for rank, item in enumerate(items if grade is None else alternatives_apart(items), 1):
        doc, score = _document(item)
        if doc is None:
            shown = item if isinstance(item, NumberText) else json.dumps(item, ensure_ascii=False)
            found = f"`{shown[:60]}` for query {entry.query_id}"
            expected = "a document id, or an object with one"
            raise refuse(source, [LineProblem(entry.line, found, expected)], hint=_HINT)
        if score is not None and not is_number(score):
            found = f"`{score}` of document {doc} for query {entry.query_id}"
            hint = why_not_a_number(score)
            raise refuse(source, [LineProblem(entry.line, found, A_SCORE, hint=hint)])
        if grade is None:
            contents.result(entry.query_id, doc, score, run=entry.tag, line=entry.line, rank=rank)
        else:
            contents.grade(entry.query_id, doc, str(grade), line=entry.line)


def _document(item: Any) -> tuple[str | None, str | None]:
    """The id of a document in a list, and its score where it has one."""
    if isinstance(item, str):
        fraction = isinstance(item, NumberText) and not item.isdigit()
        return (None if fraction else item or None), None
    if isinstance(item, list) and len(item) == 2 and isinstance(item[1], NumberText):
        return (item[0] or None if isinstance(item[0], str) else None), str(item[1])
    if not isinstance(item, dict):
        return None, None
    at, scored = position(list(item), _ITEM_IDS), position(list(item), NAMES["score"])
    values = list(item.values())
    doc = values[at] if at >= 0 else None
    score = values[scored] if scored >= 0 else None
    shown = None if score is None else score if isinstance(score, str) else json.dumps(score)
    return (doc or None if isinstance(doc, str) else None), shown

"""Lists of documents by query, as JSON: what was retrieved, or what is relevant.

    {"query_id": "q1", "hits": [{"doc_id": "d2", "score": 9.0}]}     a record for each query
    {"q1": ["d1", "d3"]}                                             an object of lists

The name of a list says what it is (`hits`, `ranking`, `references` are runs, `positive_passages`,
`reference_ids` judgments); where it says nothing, as in an object of lists, the reader is asked.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from metrics_core.base.errors import FileFormatError, LineProblem
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
    whole_grades,
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
    number_beside,
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
from metrics_core.formats.source.lines import counted, refuse
from metrics_core.formats.source.source import Source, shortened
from metrics_core.formats.values import is_number, why_not_a_number

if TYPE_CHECKING:
    from metrics_core.formats.parsing.contents import GatheredTables

_SURE_IDS = ("docid", "docno", "corpusid", "passageid", "documentid", "pid")
"""Keys by which an object in a list of any name is a document."""
_ITEM_IDS = (*DOCUMENT_IDS, "segmentid")
_OWN_IDS = (*ROLES["query_id"], *FURTHER["query_id"])
_NUMBERS = {"score": "score", "grade": "relevance", "rank": "rank"}
_TEXTS_BESIDE = ("title", *DOCUMENT_TEXTS)
_MAP = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*(?=\[)')
_HINT = (
    'A record looks like {"query_id": "q1", "hits": [{"doc_id": "d2", "score": 9.0}]}; an object'
    ' like {"q1": ["d1", "d3"]}.'
)


class _List(NamedTuple):
    """A list of documents: name, grade that it gives, items, and the numbers beside by role."""

    name: str
    grade: int
    items: Any
    beside: Mapping[str, list[Any]]


class _Entry(NamedTuple):
    """The lists of one query."""

    line: int | None
    query_id: str
    lists: Sequence[_List]
    tag: str


class _Document(NamedTuple):
    """A document of a list: its id, and the numbers beside it by what they are."""

    doc_id: str
    numbers: Mapping[str, str]


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
    " or without, or relevant, with grades or without. By records with a list, or an object of"
    " lists.",
    example='{"query_id": "q1", "hits": [{"doc_id": "doc-7", "score": 14.2}, {"doc_id": "doc-3",'
    ' "score": 11.9}]}',
    recognise=recognise_lists,
    together=kinds_beside,
)
def read_lists(source: Source, request: Request) -> Loaded:
    """A run of ranked lists, or judgments: a document has the grade beside it, else what is listed
    has grade 1, what is listed as negative grade 0."""
    from metrics_core.formats.parsing.contents import GatheredTables

    contents = GatheredTables(source, request.kind, tagged=True)
    add = _add_ranked if request.kind == "run" else _add_judged
    names, empty, some = dict[str, None](), list[str](), False
    for entry in add(source, contents, _entries(source, request.kind)):
        names |= dict.fromkeys(one.name for one in entry.lists)
        if any(one.items for one in entry.lists):
            some = True
        else:
            empty.append(entry.query_id)
    if not some:
        problem = LineProblem(None, "no document in any list", "at least one")
        raise refuse(source, [problem], hint=_HINT)
    contents.note_ids(request.kind, "empty", empty, "with an empty list")
    title = f"Lists of documents: {', '.join(name for name in names if name) or 'by query'}"
    return contents.load(request, "lists", title)


def _add_ranked(
    source: Source, contents: GatheredTables, entries: Iterator[_Entry]
) -> Iterator[_Entry]:
    """Add the documents of a run, by their scores, else by their ranks, else by their order."""
    ranked: bool | None = None
    for entry in entries:
        for one in entry.lists:
            for place, document in enumerate(_documents(source, entry, one), 1):
                numbers = document.numbers
                if ranked is None:
                    ranked = contents.ranked = "rank" in numbers and "score" not in numbers
                if ranked and "rank" not in numbers:
                    raise _lacking(source, entry, document, "rank")
                rank = float(numbers["rank"]) if ranked else place
                pair, score = (entry.query_id, document.doc_id), numbers.get("score")
                contents.result(*pair, score, run=entry.tag, line=entry.line, rank=rank)
        yield entry


def _add_judged(
    source: Source, contents: GatheredTables, entries: Iterator[_Entry]
) -> Iterator[_Entry]:
    """Add judgments: by the grades beside the documents, by scores that are whole as grades are,
    else by the list. Raises FileFormatError if only some have a grade."""
    read = list(entries)
    rows = [
        (entry, one.grade, document)
        for entry in read
        for one in entry.lists
        for document in _documents(source, entry, one, judged=True)
    ]
    role = "grade" if any("grade" in document.numbers for _, _, document in rows) else "score"
    # The score of a document that is judged not relevant is no grade.
    scores = [document.numbers.get("score", "") for _, grade, document in rows if grade]
    if role == "score" and not (all(scores) and whole_grades(scores)):
        role, unused = "", sum(map(bool, scores))
        if unused:
            message = (
                f"{counted(unused, 'score')} beside the documents not read as grades, since not"
                " every document has a whole one; listed documents have grade 1, in a negative"
                " list 0"
            )
            contents.note("qrels", "scores", message, unused, loud=True)
    for entry, grade, document in rows:
        if role == "grade" and role not in document.numbers:
            raise _lacking(source, entry, document, role)
        beside = document.numbers.get(role) if grade or role == "grade" else None
        contents.grade(entry.query_id, document.doc_id, beside or str(grade), line=entry.line)
    yield from read


def _lacking(source: Source, entry: _Entry, document: _Document, role: str) -> FileFormatError:
    """The error for a document that has no such number, unlike others."""
    found = f"no {role} for document {document.doc_id} of query {entry.query_id}"
    hint = f"Give a {role} to all documents, or to none."
    return refuse(source, [LineProblem(entry.line, found, f"a {role}", hint=hint)])


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
        lists = [_List(n, 0 if is_negative(n) else 1, v, _beside(record, n)) for n, v in named]
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


def _beside(record: Mapping[str, Any], name: str) -> Mapping[str, list[Any]]:
    """The lists of numbers beside the only list of documents of a record, by what they are."""
    lists = {n: v for n, v in record.items() if isinstance(v, list)}
    if any(n != name and (_kind_of(n, v) or _holds_documents(v)) for n, v in lists.items()):
        return {}
    return {
        role: v
        for n, v in lists.items()
        if (role := number_beside(n)) and v and all(type(value) is NumberText for value in v)
    }


def _documents(
    source: Source, entry: _Entry, one: _List, *, judged: bool = False
) -> Iterator[_Document]:
    """The documents of one list. Raises FileFormatError for what is none."""
    if not isinstance(one.items, list):
        shown = shortened(json.dumps(one.items, ensure_ascii=False))
        found = f"`{shown}` for query {entry.query_id}"
        raise refuse(source, [LineProblem(entry.line, found, "a list of documents")], hint=_HINT)
    items: list[Any] = alternatives_apart(one.items) if judged else one.items
    for role, values in one.beside.items():
        if len(values) != len(items):
            found = f"{len(values):,} {role}s for query {entry.query_id}"
            expected = f"{len(items):,}, as many as in `{one.name}`"
            raise refuse(source, [LineProblem(entry.line, found, expected)], hint=_HINT)
    for place, item in enumerate(items):
        doc, numbers = _document(item)
        if doc is None:
            shown = item if isinstance(item, NumberText) else json.dumps(item, ensure_ascii=False)
            found = f"`{shown[:60]}` for query {entry.query_id}"
            expected = "a document id, or an object with one"
            raise refuse(source, [LineProblem(entry.line, found, expected)], hint=_HINT)
        if one.beside:
            beside = {role: str(values[place]) for role, values in one.beside.items()}
            numbers = beside | numbers
        # A grade may be a word that the reader has given a worth.
        role = "score" if judged or "score" in numbers else "rank"
        if role in numbers and not is_number(numbers[role]):
            found = f"`{numbers[role]}` of document {doc} for query {entry.query_id}"
            expected, hint = f"a finite number as {role}", why_not_a_number(numbers[role])
            raise refuse(source, [LineProblem(entry.line, found, expected, hint=hint)])
        yield _Document(doc, numbers)


def _document(item: Any) -> tuple[str | None, dict[str, str]]:
    """The id of a document in a list, None if it has none, and the numbers beside it."""
    if isinstance(item, str):
        fraction = isinstance(item, NumberText) and not item.isdigit()
        return (None if fraction else item or None), {}
    if isinstance(item, list) and len(item) == 2 and isinstance(item[1], NumberText):
        return _own_id(item[0]), {"score": str(item[1])}
    if not isinstance(item, dict):
        return None, {}
    at, sure, likely = _keys(tuple(item))
    numbers = {role: item[name] for role, name in likely if isinstance(item[name], str)}
    for role, name in sure:
        if (value := item[name]) is not None:
            numbers[role] = value if isinstance(value, str) else json.dumps(value)
    return (_own_id(item[at]) if at else None), numbers


@lru_cache(64)
def _keys(names: tuple[str, ...]) -> tuple[str, list[tuple[str, str]], list[tuple[str, str]]]:
    """Which key of a document has its id, "" if none, and which have the numbers beside it: by
    their names, and by what the only name of each other number ends in."""
    at = position(names, _ITEM_IDS)
    places = {role: position(names, NAMES[known]) for role, known in _NUMBERS.items()}
    sure = {role: names[place] for role, place in places.items() if place >= 0}
    ends = [(role, name) for name in names if (role := number_beside(name)) and role not in sure]
    several = Counter(role for role, _ in ends)
    likely = [(role, name) for role, name in ends if several[role] == 1]
    return (names[at] if at >= 0 else ""), [*sure.items()], likely


def _own_id(value: Any) -> str | None:
    return value or None if isinstance(value, str) else None

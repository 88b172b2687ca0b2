"""The documents in lists of records: which key of an item is the id, which numbers are beside it,
and what the name of the list and the numbers say that it is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

from metrics_core.formats.mapping.paths import Path, Step
from metrics_core.formats.parsing.columns import (
    DISTANCES,
    DOCUMENT_IDS,
    DOCUMENT_TEXTS,
    NAMES,
    fold,
    position,
    whole_grades,
)
from metrics_core.formats.parsing.json_text import NumberText
from metrics_core.formats.parsing.list_names import kind_of_list, number_beside
from metrics_core.formats.registry import ASKED, SPECIFIC, Kind
from metrics_core.formats.values import is_number

LOOKED_AT = 200
"""Records, or items of lists, that are looked at, beside the first of each other shape."""
_MOST_SHAPES = 1000
_LONGEST_ID = 200
_MOST_KEYS, _EXAMPLES, _DEEPEST = 40, 3, 6

_ITEM_IDS = (*DOCUMENT_IDS, "segmentid")
_SURE_IDS = ("docid", "docno", "corpusid", "passageid", "documentid", "pid")
"""Keys by which an object in a list of any name is a document."""
TEXTS = ("title", *DOCUMENT_TEXTS)
"""Names of a document's texts."""
_SURE_QUERIES = ("queryid", "qid", "topicid")
NUMBERS = {"score": "score", "grade": "relevance", "rank": "rank"}
"""The roles of numbers beside a document, and our columns of them."""
NUMBER_NAMES = {name for role in NUMBERS.values() for name in NAMES[role]}
"""Folded names of a score, a grade or a rank."""

_OF_DOCUMENTS = re.compile(
    r"\w*(?:docs?|documents?|passages?|items?|products?|chunks?|contexts?|articles?|nodes?|movies?"
    r"|books?|corpus|hits|ctxs)(?:ids?|nos?)?|\w*pids"
)
_OF_EITHER = re.compile(r"predictions?|preds?|targets?|groundtruths?|relevant|golds?|positives?")
"""Lists of ids that may be documents, or words of an answer."""
_RELEVANT = re.compile(r"relevan|gold|positive|expected|groundtruth|target")
_RANKED = re.compile(r"retriev|return|recommend|predict|rank|hits|results|candidates|^top")
_DETAIL = re.compile(
    r"\w*(?:id|no|num|number|index|idx|count|size|length|len|offset|start|end|pages?|lines?|tokens?"
    r"|words?|chars|chunk|year|month|day|date|time|timestamp|at|price|version|lat|lon|segment|level"
    r"|votes)"
)
"""Names of numbers that describe a document and do not rank it."""


ITEMS, VALUES, KEYS = Step("items"), Step("values"), Step("keys")
TABLES: tuple[Kind, ...] = ("run", "qrels")

Steps = tuple[Step, ...]


class NumberColumn(NamedTuple):
    """Numbers beside documents: their name, steps, and values as texts."""

    name: str
    steps: Steps
    values: list[str]


@dataclass
class DocumentList:
    """A list of documents: its name, the steps to each document's id and to the query that an item
    names itself, the numbers beside by role, those that are unclear, and the kind by the name."""

    name: str
    doc: Steps
    kind: Kind | None
    query: Steps = ()
    numbers: dict[str, NumberColumn] = field(default_factory=dict)
    unclear: list[Steps] = field(default_factory=list)

    @property
    def kinds(self) -> tuple[Sequence[Kind], int]:
        """What the list is, by the numbers beside and its name, and how sure that is."""
        grade, score = self.numbers.get("grade"), self.numbers.get("score")
        ranked = score is not None or "rank" in self.numbers
        if grade is not None:
            if ranked and self.kind != "qrels":
                return TABLES, SPECIFIC
            return (TABLES, ASKED) if self.kind == "run" else (("qrels",), SPECIFIC)
        if self.kind is not None:
            return (self.kind,), SPECIFIC
        if "rank" in self.numbers or (score is not None and not whole_grades(score.values)):
            return ("run",), SPECIFIC
        return TABLES, ASKED


def values_by_path(records: Sequence[Any]) -> dict[Path, list[Any]]:
    """The first single values of records, by their paths; of objects with very many keys the keys
    and values."""
    values_of: dict[Path, list[Any]] = {}
    level: dict[Steps, list[Any]] = {(): list(records[:LOOKED_AT])}
    while level:
        deeper: dict[Steps, list[Any]] = {}
        for steps, values in level.items():
            keys = list(dict.fromkeys(k for v in values if type(v) is dict for k in v))
            single = [v for v in values if v is not None and not is_nested(v)]
            if single:
                values_of[Path(steps)] = single[:_EXAMPLES]
            items = [item for v in values if type(v) is list for item in v][:LOOKED_AT]
            if items:
                deeper[*steps, ITEMS] = items
            if len(keys) > _MOST_KEYS:
                values_of[Path((*steps, KEYS))] = keys[:_EXAMPLES]
                inside = [own for v in values if type(v) is dict for own in v.values()]
                deeper[*steps, VALUES] = inside[:LOOKED_AT]
                continue
            for name in keys:
                inside = [v[name] for v in values if type(v) is dict and name in v]
                deeper[*steps, Step("key", name)] = inside
        level = deeper if len(values_of) < _MOST_KEYS else {}
    return values_of


def some_of(values: list[Any], shape: Callable[[Any], Any]) -> list[Any]:
    """The first values, and the first of each other shape."""
    look = values[:LOOKED_AT]
    if len(values) > LOOKED_AT:
        shapes = set(map(shape, look))
        for value, own in zip(values, map(shape, values), strict=True):
            if own not in shapes and len(shapes) < _MOST_SHAPES:
                shapes.add(own)
                look.append(value)
    return look


def shape_of_record(record: Any) -> Any:
    """The keys of a record and of the objects in its lists."""
    if type(record) is not dict:
        return type(record)
    return tuple(
        (name, frozenset(map(_shape_of_item, value)) if type(value) is list else type(value))
        for name, value in record.items()
    )


def _shape_of_item(item: Any) -> Any:
    return tuple(item) if type(item) is dict else type(item)


def documents_in(name: str, lists: Sequence[Any], at: Steps) -> DocumentList | None:
    """The documents in lists of this name; None if these are lists of something else."""
    if name == "":
        at = (*at, ITEMS)
    items = list(chain.from_iterable(own for own in lists if type(own) is list))
    only_objects = set(map(type, items)) == {dict}
    items = [i for i in some_of(items, tuple if only_objects else _shape_of_item) if i is not None]
    kind = _kind_of(name, items)
    is_named = kind is not None or name == ""
    if any(type(item) is dict for item in items):
        return _documents_in_objects(name, [i for i in items if type(i) is dict], at, kind)
    own = fold(name)
    by_name = _OF_DOCUMENTS.fullmatch(own) or _OF_EITHER.fullmatch(own)
    pairs = items and all(type(i) is list and len(i) == 2 and is_numeric(i[1:]) for i in items)
    if pairs and (is_named or (by_name and all(type(i[0]) is str for i in items))):
        scores = NumberColumn("", (*at, Step("item", "1")), [str(item[1]) for item in items])
        return DocumentList(name, (*at, Step("item", "0")), kind, numbers={"score": scores})
    if items and all(type(i) is list for i in items):
        return DocumentList(name, (*at, ITEMS), kind) if kind == "qrels" else None
    ids = all(map(_is_id, items)) and items and by_name
    return DocumentList(name, at, kind) if is_named or ids else None


def _kind_of(name: str, items: Sequence[Any]) -> Kind | None:
    """What a list of this name is, by its name."""
    own = fold(name)
    if own == "references" and any(isinstance(item, str) and " " in item for item in items):
        return None  # answers to compare others with
    if kind := kind_of_list(name):
        return kind
    if not _OF_DOCUMENTS.fullmatch(own):
        return None
    return "qrels" if _RELEVANT.search(own) else "run" if _RANKED.search(own) else None


def _documents_in_objects(
    name: str, items: Sequence[dict[str, Any]], at: Steps, kind: Kind | None
) -> DocumentList | None:
    """The documents of a list of objects; None if they have no id of a document."""
    columns = _columns_of(items, at)
    own = [column for column in columns if len(column.steps) == len(at) + 1]
    places = [(own, position([column.name for column in own], _ITEM_IDS))]
    places.append((columns, position([column.name for column in columns], _ITEM_IDS)))
    chosen = next((level[place] for level, place in places if place >= 0), None)
    if chosen is None:
        return None
    asked = position([column.name for column in columns], _SURE_QUERIES)
    query = columns[asked].steps if asked >= 0 else ()
    documents = DocumentList(name, chosen.steps, kind, query)
    rest = [column for column in columns if column.steps not in (chosen.steps, query)]
    # What describes a document in an object of its own, such as metadata, is not beside its id.
    beside = [column for column in rest if column.steps[:-1] in (at, chosen.steps[:-1])]
    _find_numbers(documents, beside)
    if not documents.numbers and not documents.unclear:
        inside = [column for column in rest if number_beside(column.name) == "score"]
        documents.unclear += [c.steps for c in inside if all(map(is_number, c.values))]
    sure = kind is not None or name == "" or fold(chosen.name) in _SURE_IDS
    by_name = _OF_DOCUMENTS.fullmatch(fold(name)) is not None
    return documents if sure or by_name or documents.numbers else None


def scored_lists(values: Mapping[str, Sequence[Any]], at: Steps) -> list[Steps]:
    """What may be the ids of documents in lists of objects with a score, inside objects inside a
    record."""
    found: list[Steps] = []
    for name, given in values.items():
        there = [own for own in given if own is not None]
        steps = (*at, Step("key", name))
        if there and all(type(own) is dict for own in there) and len(steps) < _DEEPEST:
            keys = list(dict.fromkeys(chain.from_iterable(there)))[:_MOST_KEYS]
            inside = {key: [own[key] for own in there if key in own] for key in keys}
            found += scored_lists(inside, steps)
        elif at and there and all(type(own) is list for own in there):
            path = (*steps, ITEMS)
            items = [item for own in there for item in own if type(item) is dict]
            columns = _columns_of(items, path)
            if any(number_beside(c.name) == "score" or fold(c.name) in DISTANCES for c in columns):
                known = position([c.name for c in columns], _ITEM_IDS)
                ids = [columns[known].steps] if known >= 0 else []
                found += ids or ids_in_objects(there, path)
    return found


def ids_in_objects(lists: Sequence[Any], at: Steps) -> list[Steps]:
    """Where the ids of documents may be in lists of objects that have no name for one: single
    values that could be ids, each once in its list, one of them a text."""
    objects = [own for own in lists if type(own) is list and own]
    items = list(chain.from_iterable(objects))
    if not items or any(type(item) is not dict for item in items):
        return []
    found = [
        key
        for key in dict.fromkeys(chain.from_iterable(items))
        if all(
            all(_is_id(item.get(key)) for item in own)
            and len({item[key] for item in own}) == len(own)
            for own in objects
        )
    ]
    texts = [key for key in found if not any(is_numeric([item[key]]) for item in items)]
    return [(*at, Step("key", key)) for key in texts or found]


def _columns_of(items: Sequence[dict[str, Any]], at: Steps) -> list[NumberColumn]:
    """The single values in objects, and in objects inside them; as texts."""
    values: dict[Steps, list[str]] = {}
    for item in items:
        for name, value in item.items():
            inner = value.items() if type(value) is dict else ((None, value),)
            for part, own in inner:
                steps = (*at, Step("key", name), *((Step("key", part),) if part else ()))
                if own is not None and (not is_nested(own) or fold(name) in NUMBER_NAMES):
                    values.setdefault(steps, []).append(str(own))
    return [NumberColumn(steps[-1].name, steps, own) for steps, own in values.items()]


def _find_numbers(documents: DocumentList, columns: Sequence[NumberColumn]) -> None:
    """Which of these columns are numbers of the documents: by their names, and by the ends of
    names that no other has."""
    names = [column.name for column in columns]
    for role, column_name in NUMBERS.items():
        place = position(names, NAMES[column_name])
        if place >= 0:
            documents.numbers[role] = columns[place]
    taken = [column.steps for column in documents.numbers.values()]
    left = [c for c in columns if c.steps not in taken and all(map(is_number, c.values))]
    ends = Counter(number_beside(column.name) for column in left)
    for column in left:
        role = number_beside(column.name)
        if role and role not in documents.numbers and ends[role] == 1:
            documents.numbers[role] = column
        elif not _DETAIL.fullmatch(fold(column.name)) and fold(column.name) not in TEXTS:
            documents.unclear.append(column.steps)
    grade = documents.numbers.get("grade")
    numeric = grade is not None and all(map(is_number, grade.values))
    if grade and numeric and not whole_grades(grade.values) and documents.kind != "qrels":
        # A relevance of .87 is a score of a search engine as often as a gain.
        documents.unclear.append(documents.numbers.pop("grade").steps)


def may_be_of_documents(name: str, items: Sequence[Any]) -> bool:
    """Whether an unused list may have been meant as documents or as their numbers."""
    own = fold(name)
    of_documents = _OF_DOCUMENTS.fullmatch(own) or _RELEVANT.search(own) or _RANKED.search(own)
    return bool(items) and bool(of_documents or number_beside(name)) and all(map(_is_id, items))


def documents_of_maps(
    names: Sequence[str], values: Mapping[str, Sequence[Any]], at: Steps
) -> list[DocumentList]:
    """The documents of objects with a number for each id: {"results": {"d1": 0.5}}."""
    documents = []
    for name in names:
        numbers = [v for own in values[name] if type(own) is dict for v in own.values()]
        of_grades = number_beside(name) == "grade"
        kind = "qrels" if of_grades else _kind_of(name, ())
        is_named = kind is not None or _OF_DOCUMENTS.fullmatch(fold(name))
        objects = all(type(own) is dict for own in values[name])
        if numbers and is_named and objects and is_numeric(numbers):
            base = (*at, Step("key", name))
            own = NumberColumn(name, (*base, VALUES), list(map(str, numbers)))
            role = "grade" if kind == "qrels" else "score"
            documents.append(DocumentList(name, (*base, KEYS), kind, numbers={role: own}))
    return documents


def is_nested(value: Any) -> bool:
    """Whether a value is an object or a list."""
    return type(value) in (dict, list)


def is_numeric(values: Sequence[Any]) -> bool:
    """Whether all values are numbers, not texts."""
    return all(type(value) in (int, float, NumberText) for value in values)


def _is_id(value: Any) -> bool:
    """Whether a value may be an id, not a sentence: a text without blanks, or a whole number."""
    if type(value) is str:
        return len(value) <= _LONGEST_ID and not re.search(r"\s", value)
    return type(value) is int or (type(value) is NumberText and value.isdigit())

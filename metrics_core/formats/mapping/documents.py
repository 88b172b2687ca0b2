"""Find the documents in lists of records: the key of the id, the numbers of a document, and the
kind of list."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

from metrics_core.formats.mapping.paths import RecordPath, Step, Steps
from metrics_core.formats.parsing.columns import (
    DISTANCES,
    DOCUMENT_IDS,
    DOCUMENT_TEXTS,
    NAMES,
    are_whole_grades,
    find_position,
    fold_name,
)
from metrics_core.formats.parsing.json_text import NumberText
from metrics_core.formats.parsing.list_names import kind_of_list, role_of_numbers
from metrics_core.formats.registry import AMBIGUOUS, SPECIFIC, Kind
from metrics_core.formats.values import is_number

SAMPLE_SIZE = 200
"""Number of records or list items in a sample. If later items have different shapes, the first item
of each shape is added."""
_MAX_SHAPES = 1000
_MAX_ID_LENGTH = 200
_MAX_KEYS, _EXAMPLES, _MAX_DEPTH = 40, 3, 6

_ITEM_IDS = (*DOCUMENT_IDS, "segmentid")
_SURE_IDS = ("docid", "docno", "corpusid", "passageid", "documentid", "pid")
"""Keys that identify an object as a document, whatever the name of its list."""
TEXTS = ("title", *DOCUMENT_TEXTS)
"""Names of a document's texts."""
_SURE_QUERIES = ("queryid", "qid", "topicid")
NUMBERS = {"score": "score", "grade": "relevance", "rank": "rank"}
"""Roles of the numbers that a document can have, and the names of our columns for them."""
NUMBER_NAMES = {name for role in NUMBERS.values() for name in NAMES[role]}
"""Names of a score, a grade or a rank, in the form that `fold_name` returns."""

_DOCUMENT_NAME = re.compile(
    r"\w*(?:docs?|documents?|passages?|items?|products?|chunks?|contexts?|articles?|nodes?|movies?"
    r"|books?|corpus|hits|ctxs)(?:ids?|nos?)?|\w*pids"
)
_MIXED_NAME = re.compile(r"predictions?|preds?|targets?|groundtruths?|relevant|golds?|positives?")
"""Pattern for names of lists that may contain either documents or words of an answer."""
_RELEVANT_NAME = re.compile(r"relevan|gold|positive|expected|groundtruth|target")
_RANKED_NAME = re.compile(r"retriev|return|recommend|predict|rank|hits|results|candidates|^top")
_DETAIL_NAME = re.compile(
    r"\w*(?:id|no|num|number|index|idx|count|size|length|len|offset|start|end|pages?|lines?|tokens?"
    r"|words?|chars|chunk|year|month|day|date|time|timestamp|at|price|version|lat|lon|segment|level"
    r"|votes)"
)
"""Pattern for names of numbers that describe a document and are not scores or ranks."""


ITEMS, VALUES, KEYS = Step("items"), Step("values"), Step("keys")
TABLES: tuple[Kind, ...] = ("run", "qrels")


class NumberColumn(NamedTuple):
    """Numbers that belong to documents: the name, the steps of their path, and their values as
    strings."""

    name: str
    steps: Steps
    values: list[str]


@dataclass
class DocumentList:
    """A list of documents in a record.

    name             name of the list
    doc              steps of the path to the id of each document
    kind             kind of table that the name of the list indicates; None if it indicates none
    query            steps of the path to the query of each item; empty if items have no query
    numbers          numbers of the documents, by role
    unclear_numbers  steps of the paths to numbers of unknown meaning"""

    name: str
    doc: Steps
    kind: Kind | None
    query: Steps = ()
    numbers: dict[str, NumberColumn] = field(default_factory=dict)
    unclear_numbers: list[Steps] = field(default_factory=list)

    @property
    def possible_kinds(self) -> tuple[Sequence[Kind], int]:
        """The kinds of table that the list may be according to its numbers and its name, and the
        confidence in these kinds."""
        grade, score = self.numbers.get("grade"), self.numbers.get("score")
        is_ranked = score is not None or "rank" in self.numbers
        if grade is not None:
            if is_ranked and self.kind != "qrels":
                return TABLES, SPECIFIC
            return (TABLES, AMBIGUOUS) if self.kind == "run" else (("qrels",), SPECIFIC)
        if self.kind is not None:
            return (self.kind,), SPECIFIC
        if "rank" in self.numbers or (score is not None and not are_whole_grades(score.values)):
            return ("run",), SPECIFIC
        return TABLES, AMBIGUOUS


def collect_values(records: Sequence[Any]) -> dict[RecordPath, list[Any]]:
    """Return a few example values for each path in the records. Lists and objects are not values.

    If objects have very many keys, their keys are treated as the values of one path, and their
    values as the values of another."""
    path_values: dict[RecordPath, list[Any]] = {}
    level: dict[Steps, list[Any]] = {(): list(records[:SAMPLE_SIZE])}
    while level:
        deeper: dict[Steps, list[Any]] = {}
        for steps, values in level.items():
            keys = list(dict.fromkeys(k for v in values if type(v) is dict for k in v))
            single_values = [v for v in values if v is not None and not is_nested(v)]
            if single_values:
                path_values[RecordPath(steps)] = single_values[:_EXAMPLES]
            items = [item for v in values if type(v) is list for item in v][:SAMPLE_SIZE]
            if items:
                deeper[*steps, ITEMS] = items
            if len(keys) > _MAX_KEYS:
                path_values[RecordPath((*steps, KEYS))] = keys[:_EXAMPLES]
                children = [child for v in values if type(v) is dict for child in v.values()]
                deeper[*steps, VALUES] = children[:SAMPLE_SIZE]
                continue
            for name in keys:
                children = [v[name] for v in values if type(v) is dict and name in v]
                deeper[*steps, Step("key", name)] = children
        level = deeper if len(path_values) < _MAX_KEYS else {}
    return path_values


def sample_items(values: list[Any], shape: Callable[[Any], Any]) -> list[Any]:
    """Return the first values, and one value of each shape that does not occur among them.

    `shape` is a function that returns the shape of a value."""
    sample = values[:SAMPLE_SIZE]
    if len(values) > SAMPLE_SIZE:
        shapes = set(map(shape, sample))
        for value, item_shape in zip(values, map(shape, values), strict=True):
            if item_shape not in shapes and len(shapes) < _MAX_SHAPES:
                shapes.add(item_shape)
                sample.append(value)
    return sample


def record_shape(record: Any) -> Any:
    """Return the keys of a record and of the objects in its lists."""
    if type(record) is not dict:
        return type(record)
    return tuple(
        (name, frozenset(map(_item_shape, value)) if type(value) is list else type(value))
        for name, value in record.items()
    )


def _item_shape(item: Any) -> Any:
    return tuple(item) if type(item) is dict else type(item)


def find_documents(name: str, lists: Sequence[Any], prefix: Steps) -> DocumentList | None:
    """Return the documents in lists with this name; None if the lists contain something else."""
    if name == "":
        prefix = (*prefix, ITEMS)
    items = list(chain.from_iterable(entry for entry in lists if type(entry) is list))
    only_objects = set(map(type, items)) == {dict}
    items = [
        i for i in sample_items(items, tuple if only_objects else _item_shape) if i is not None
    ]
    kind = _kind_by_name(name, items)
    is_named = kind is not None or name == ""
    if any(type(item) is dict for item in items):
        return _find_in_objects(name, [i for i in items if type(i) is dict], prefix, kind)
    entry = fold_name(name)
    name_match = _DOCUMENT_NAME.fullmatch(entry) or _MIXED_NAME.fullmatch(entry)
    are_pairs = items and all(type(i) is list and len(i) == 2 and is_numeric(i[1:]) for i in items)
    if are_pairs and (is_named or (name_match and all(type(i[0]) is str for i in items))):
        scores = NumberColumn("", (*prefix, Step("item", "1")), [str(item[1]) for item in items])
        return DocumentList(name, (*prefix, Step("item", "0")), kind, numbers={"score": scores})
    if items and all(type(i) is list for i in items):
        return DocumentList(name, (*prefix, ITEMS), kind) if kind == "qrels" else None
    are_ids = all(map(_is_id, items)) and items and name_match
    return DocumentList(name, prefix, kind) if is_named or are_ids else None


def is_relevant_name(name: str) -> bool:
    """Return whether the name of a list, or the path to it, indicates relevant documents."""
    return bool(_RELEVANT_NAME.search(fold_name(name)))


def _kind_by_name(name: str, items: Sequence[Any]) -> Kind | None:
    """Return the kind of table that the name of a list indicates; None if the name indicates
    none."""
    folded_name = fold_name(name)
    if folded_name == "references" and any(isinstance(item, str) and " " in item for item in items):
        return None  # reference answers
    if kind := kind_of_list(name):
        return kind
    if not _DOCUMENT_NAME.fullmatch(folded_name):
        return None
    if is_relevant_name(name):
        return "qrels"
    return "run" if _RANKED_NAME.search(folded_name) else None


def _find_in_objects(
    name: str, items: Sequence[dict[str, Any]], prefix: Steps, kind: Kind | None
) -> DocumentList | None:
    """Return the documents of a list of objects; None if the objects have no document id."""
    columns = _collect_columns(items, prefix)
    direct_columns = [column for column in columns if len(column.steps) == len(prefix) + 1]
    candidates = [
        (direct_columns, find_position([column.name for column in direct_columns], _ITEM_IDS))
    ]
    candidates.append((columns, find_position([column.name for column in columns], _ITEM_IDS)))
    id_column = next((level[index] for level, index in candidates if index >= 0), None)
    if id_column is None:
        return None
    query_index = find_position([column.name for column in columns], _SURE_QUERIES)
    query = columns[query_index].steps if query_index >= 0 else ()
    documents = DocumentList(name, id_column.steps, kind, query)
    other_columns = [column for column in columns if column.steps not in (id_column.steps, query)]
    # Numbers in a nested object, such as metadata, describe the document.
    number_columns = [
        column for column in other_columns if column.steps[:-1] in (prefix, id_column.steps[:-1])
    ]
    _assign_number_roles(documents, number_columns)
    if not documents.numbers and not documents.unclear_numbers:
        score_columns = [
            column for column in other_columns if role_of_numbers(column.name) == "score"
        ]
        documents.unclear_numbers += [
            c.steps for c in score_columns if all(map(is_number, c.values))
        ]
    is_sure = kind is not None or name == "" or fold_name(id_column.name) in _SURE_IDS
    has_document_name = _DOCUMENT_NAME.fullmatch(fold_name(name)) is not None
    return documents if is_sure or has_document_name or documents.numbers else None


def find_scored_ids(values: Mapping[str, Sequence[Any]], prefix: Steps) -> list[Steps]:
    """Search nested values for lists of objects that have a score, and return the paths to the
    fields of these objects that may be document ids. Each path is given as its steps."""
    id_steps: list[Steps] = []
    for name, field_values in values.items():
        present = [value for value in field_values if value is not None]
        steps = (*prefix, Step("key", name))
        if present and all(type(value) is dict for value in present) and len(steps) < _MAX_DEPTH:
            keys = list(dict.fromkeys(chain.from_iterable(present)))[:_MAX_KEYS]
            children = {key: [value[key] for value in present if key in value] for key in keys}
            id_steps += find_scored_ids(children, steps)
        elif prefix and present and all(type(value) is list for value in present):
            path = (*steps, ITEMS)
            items = [item for value in present for item in value if type(item) is dict]
            columns = _collect_columns(items, path)
            if any(
                role_of_numbers(c.name) == "score" or fold_name(c.name) in DISTANCES
                for c in columns
            ):
                id_index = find_position([c.name for c in columns], _ITEM_IDS)
                ids = [columns[id_index].steps] if id_index >= 0 else []
                id_steps += ids or find_ids_in_objects(present, path)
    return id_steps


def find_ids_in_objects(lists: Sequence[Any], prefix: Steps) -> list[Steps]:
    """Find fields that may contain document ids, in lists of objects that have no field with the
    name of an id. Each field is returned as a path: a list of its steps.

    Possible ids are values without blanks that occur once in their list. Strings are preferred to
    numbers."""
    objects = [item_list for item_list in lists if type(item_list) is list and item_list]
    items = list(chain.from_iterable(objects))
    if not items or any(type(item) is not dict for item in items):
        return []
    keys = [
        key
        for key in dict.fromkeys(chain.from_iterable(items))
        if all(
            all(_is_id(item.get(key)) for item in item_list)
            and len({item[key] for item in item_list}) == len(item_list)
            for item_list in objects
        )
    ]
    text_keys = [key for key in keys if not any(is_numeric([item[key]]) for item in items)]
    return [(*prefix, Step("key", key)) for key in text_keys or keys]


def _collect_columns(items: Sequence[dict[str, Any]], prefix: Steps) -> list[NumberColumn]:
    """Return the single values in objects, and in objects directly inside these, as columns of
    strings."""
    values: dict[Steps, list[str]] = {}
    for item in items:
        for name, value in item.items():
            inner = value.items() if type(value) is dict else ((None, value),)
            for part, entry in inner:
                steps = (*prefix, Step("key", name), *((Step("key", part),) if part else ()))
                if entry is not None and (not is_nested(entry) or fold_name(name) in NUMBER_NAMES):
                    values.setdefault(steps, []).append(str(entry))
    return [NumberColumn(steps[-1].name, steps, entry) for steps, entry in values.items()]


def _assign_number_roles(documents: DocumentList, columns: Sequence[NumberColumn]) -> None:
    """Assign columns of numbers to roles, such as "score" or "grade".

    A column is assigned by its name, or by the ending of its name if no other column has this
    ending."""
    names = [column.name for column in columns]
    for role, column_name in NUMBERS.items():
        index = find_position(names, NAMES[column_name])
        if index >= 0:
            documents.numbers[role] = columns[index]
    used_steps = [column.steps for column in documents.numbers.values()]
    candidates = [c for c in columns if c.steps not in used_steps and all(map(is_number, c.values))]
    role_counts = Counter(role_of_numbers(column.name) for column in candidates)
    for column in candidates:
        role = role_of_numbers(column.name)
        if role and role not in documents.numbers and role_counts[role] == 1:
            documents.numbers[role] = column
        elif (
            not _DETAIL_NAME.fullmatch(fold_name(column.name))
            and fold_name(column.name) not in TEXTS
        ):
            documents.unclear_numbers.append(column.steps)
    grade = documents.numbers.get("grade")
    has_numbers = grade is not None and all(map(is_number, grade.values))
    if grade and has_numbers and not are_whole_grades(grade.values) and documents.kind != "qrels":
        # A relevance of .87 is a score of a search engine as often as a gain.
        documents.unclear_numbers.append(documents.numbers.pop("grade").steps)


def may_mean_documents(name: str, items: Sequence[Any]) -> bool:
    """Return whether an unused list may have been intended as documents or as their numbers."""
    folded_name = fold_name(name)
    name_match = (
        _DOCUMENT_NAME.fullmatch(folded_name)
        or _RELEVANT_NAME.search(folded_name)
        or _RANKED_NAME.search(folded_name)
    )
    return bool(items) and bool(name_match or role_of_numbers(name)) and all(map(_is_id, items))


def find_documents_in_keys(
    names: Sequence[str], values: Mapping[str, Sequence[Any]], prefix: Steps
) -> list[DocumentList]:
    """Return the documents of objects that map each document id to a number: {"results": {"d1":
    0.5}}."""
    documents = []
    for name in names:
        numbers = [v for entry in values[name] if type(entry) is dict for v in entry.values()]
        is_grades = role_of_numbers(name) == "grade"
        kind = "qrels" if is_grades else _kind_by_name(name, ())
        is_named = kind is not None or _DOCUMENT_NAME.fullmatch(fold_name(name))
        are_objects = all(type(entry) is dict for entry in values[name])
        if numbers and is_named and are_objects and is_numeric(numbers):
            base = (*prefix, Step("key", name))
            entry = NumberColumn(name, (*base, VALUES), list(map(str, numbers)))
            role = "grade" if kind == "qrels" else "score"
            documents.append(DocumentList(name, (*base, KEYS), kind, numbers={role: entry}))
    return documents


def is_nested(value: Any) -> bool:
    """Return whether a value is an object or a list."""
    return type(value) in (dict, list)


def is_numeric(values: Sequence[Any]) -> bool:
    """Return whether all values are numbers, not strings."""
    return all(type(value) in (int, float, NumberText) for value in values)


def _is_id(value: Any) -> bool:
    """Return whether a value may be an id: a string without blanks, or a whole number."""
    if type(value) is str:
        return len(value) <= _MAX_ID_LENGTH and not re.search(r"\s", value)
    return type(value) is int or (type(value) is NumberText and value.isdigit())


def find_lists_in_objects(values: Mapping[str, Sequence[Any]]) -> list[Steps]:
    """Return the paths of lists of single values inside an object of a record, such as
    `labels.carts`."""
    keys = dict.fromkeys(
        (name, key)
        for name, entries in values.items()
        for entry in entries
        if type(entry) is dict
        for key, value in entry.items()
        if type(value) is list and not any(map(is_nested, value))
    )
    return [(Step("key", name), Step("key", key), ITEMS) for name, key in keys]

"""Infer the mapping of records from names and types if the records are not from a known tool.

The following are inferred in turn: the structure (records, a table by columns or by rows, an object
of lists), the query, the lists of documents, the numbers of each document, and the kind. If
anything remains unclear, the user must assign columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

from metrics_core.formats.mapping.documents import (
    ITEMS,
    KEYS,
    NUMBER_NAMES,
    SAMPLE_SIZE,
    TABLES,
    TEXTS,
    VALUES,
    DocumentList,
    NumberColumn,
    find_documents,
    find_documents_in_keys,
    find_ids_in_objects,
    find_lists_in_objects,
    find_scored_ids,
    is_nested,
    is_numeric,
    is_relevant_name,
    may_mean_documents,
    record_shape,
    sample_items,
)
from metrics_core.formats.mapping.paths import RecordPath, RolePaths, Step, Steps
from metrics_core.formats.parsing.chosen_columns import WORD_OF
from metrics_core.formats.parsing.columns import (
    NAMES,
    OTHER_NAMES,
    QUERY_IDS,
    QUERY_TEXTS,
    ROLES,
    find_position,
    fold_name,
    infer_header_roles,
    recognise_columns,
)
from metrics_core.formats.parsing.list_names import (
    QUERY_KEYS,
    is_non_relevant_name,
    kind_of_list,
    role_of_numbers,
)
from metrics_core.formats.registry import SPECIFIC, UNNAMED, Kind

_QUERY_TEXTS = {*QUERY_TEXTS, "userinput"}
_QUERY_ID_NAMES = (*ROLES["query_id"], *OTHER_NAMES["query_id"])
_QUERY_OBJECTS = ("query", "topic", "metadata")


@dataclass
class Inference:
    """The result of inferring the content of records.

    mappings         mappings for each kind of table
    sureness         confidence in each kind
    names            names of the lists
    query            path of the query
    has_texts        whether the query has a text
    unclear_numbers  numbers of documents that have no known meaning
    candidate_lists  several lists, each of which could be the list of documents
    possible_ids     possible ids of documents, recognised by their type alone
    unused_lists     lists that are not used"""

    mappings: dict[Kind, list[RolePaths]] = field(default_factory=dict)
    sureness: dict[Kind, int] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    query: RecordPath | None = None
    has_texts: bool = False
    unclear_numbers: list[RecordPath] = field(default_factory=list)
    candidate_lists: list[RecordPath] = field(default_factory=list)
    possible_ids: list[RecordPath] = field(default_factory=list)
    unused_lists: list[RecordPath] = field(default_factory=list)

    def add_mapping(self, kind: Kind, name: str, sureness: int, **paths: RecordPath | None) -> None:
        """Add a mapping for a kind of table, with its list name and the confidence in the kind."""
        mapping = {role: (path,) for role, path in paths.items() if path is not None}
        self.mappings.setdefault(kind, []).append(mapping)
        self.sureness[kind] = sureness
        if name and name not in self.names:
            self.names.append(name)


def infer_mappings(records: Sequence[Any], *, is_truncated: bool = False) -> Inference:
    """Infer the content of records. The inference is empty if the records contain no list of
    documents.

    If `is_truncated` is true, the only record is incomplete, and may lack its query."""
    rows, inference = [record for record in records if type(record) is dict], Inference()
    if len(records) == 1 and rows and _infer_table(rows[0], inference):
        return inference
    if rows and all(map(_is_query_to_list_map, rows)):
        lists = list(chain.from_iterable(row.values() for row in rows))
        documents = find_documents("", lists, (VALUES,))
        if documents is not None and not documents.query:
            inference.query = RecordPath((KEYS,))
            _add_mappings(inference, [documents], None)
        return inference
    _infer_records(rows, (), inference, is_truncated=is_truncated)
    return inference


# The whole of a file


def _infer_table(record: dict[str, Any], inference: Inference) -> bool:
    """Add the mappings of an object to `inference` if it is a table, or if it has the records as
    its values or in its only list of objects. Returns whether mappings were added."""
    names, values = list(record), list(record.values())
    first = values[0] if values else None
    data, columns = record.get("data"), record.get("columns")
    if _has_ids(names) and _have_same_shape(values):
        step = VALUES if type(first) is dict else ITEMS
        columns = [list(v.values()) if type(v) is dict else v for v in values]
        return _infer_flat_table(names, columns, lambda name: (Step("key", name), step), inference)
    if find_position(names, QUERY_KEYS) >= 0 and _infer_columns(record, inference):
        return True
    if (
        type(first) is dict
        and _has_ids(list(first))
        and all(type(v) is dict and tuple(v) == tuple(first) for v in values)
    ):
        columns = [[v[name] for v in values] for name in first]
        return _infer_flat_table(
            list(first), columns, lambda name: (VALUES, Step("key", name)), inference
        )
    if type(columns) is list and type(data) is list and all(type(n) is str for n in columns):
        if not all(type(row) is list and len(row) == len(columns) for row in data):
            return False
        column_values = [[row[i] for row in data] for i in range(len(columns))]
        indexes = {name: str(i) for i, name in enumerate(columns)}
        return _infer_flat_table(
            columns,
            column_values,
            lambda name: (Step("key", "data"), ITEMS, Step("item", indexes[name])),
            inference,
        )
    if values and all(type(v) is dict for v in values):
        _infer_records(sample_items(values, record_shape), (VALUES,), inference)
        return bool(inference.mappings)
    list_names = [n for n, v in record.items() if type(v) is list and v and type(v[0]) is dict]
    if len(list_names) == 1 and _find_query_path([record]) is None:
        row_steps = (Step("key", list_names[0]), ITEMS)
        rows = [
            row for row in sample_items(record[list_names[0]], record_shape) if type(row) is dict
        ]
        _infer_records(rows, row_steps, inference)
        names = list(rows[0])
        if not inference.mappings and _has_ids(names) and not any(map(is_nested, rows[0].values())):
            columns = [[row.get(name) for row in rows] for name in names]
            return _infer_flat_table(
                names, columns, lambda name: (*row_steps, Step("key", name)), inference
            )
        return bool(inference.mappings)
    return False


def _infer_columns(record: dict[str, Any], inference: Inference) -> bool:
    """Add the mappings of an object that has a list of queries and, parallel to it, a list of the
    documents of each query. Returns whether mappings were added."""
    lists = {name: values for name, values in record.items() if type(values) is list and values}
    query_names = [name for name, values in lists.items() if not any(map(is_nested, values))]
    query_index = find_position(query_names, QUERY_KEYS)
    if query_index < 0:
        return False
    count = len(lists[query_names[query_index]])
    inference.query = RecordPath((Step("key", query_names[query_index]), ITEMS))
    documents = [
        document_list
        for name, values in lists.items()
        if len(values) == count and all(type(value) in (list, type(None)) for value in values)
        if (document_list := find_documents(name, values, (Step("key", name), ITEMS, ITEMS)))
    ]
    _add_mappings(inference, documents, None)
    return bool(inference.mappings)


def _has_ids(names: Sequence[str]) -> bool:
    """Return whether columns with these names include a query id and a document id."""
    return (
        find_position(names, NAMES["query_id"]) >= 0 and find_position(names, NAMES["doc_id"]) >= 0
    )


def _have_same_shape(values: Sequence[Any]) -> bool:
    """Return whether all values are lists of the same length, or objects with the same keys. The
    values inside the lists or objects must be single values."""
    kinds = set(map(type, values))
    if kinds == {list}:
        is_same, inner = len(set(map(len, values))) == 1, values
    else:
        is_same = kinds == {dict} and len({tuple(v) for v in values}) == 1
        inner = [v.values() for v in values] if is_same else []
    return is_same and not any(is_nested(value) for container in inner for value in container)


def _infer_flat_table(
    names: list[str],
    columns: Sequence[Sequence[Any]],
    steps_of: Callable[[str], Steps],
    inference: Inference,
) -> bool:
    """Add the mappings of records that form a table with one row per document. Returns whether they
    form such a table."""
    rows = list(islice(zip(*columns, strict=True), SAMPLE_SIZE))
    texts = [["" if value is None else str(value) for value in row] for row in rows]
    sureness = recognise_columns(names, texts)
    best = max(sureness.values(), default=0)
    for kind in TABLES:
        header_roles = infer_header_roles(names, kind)
        if header_roles.missing or kind not in sureness:
            continue
        paths = {
            "system" if role == "tag" else WORD_OF.get(role, role): RecordPath(
                steps_of(names[index])
            )
            for role, index in header_roles.roles.items()
            if role not in ("subtopic", "iteration")
        }
        inference.add_mapping(
            kind, "", SPECIFIC if sureness[kind] == best else sureness[kind], **paths
        )
    return bool(inference.mappings)


def _is_query_to_list_map(record: Mapping[str, Any]) -> bool:
    """Return whether an object has a list of documents for each query."""
    are_lists = all(type(value) is list or value is None for value in record.values())
    return are_lists and any(record.values()) and not any(map(kind_of_list, islice(record, 3)))


# Records


def _infer_records(
    rows: Sequence[dict[str, Any]],
    prefix: Steps,
    inference: Inference,
    *,
    is_truncated: bool = False,
) -> None:
    """Infer the content of the records at `prefix` and add it to `inference`. Each record has lists
    of documents for one query. The query may be the key of the record."""
    names = list(dict.fromkeys(chain.from_iterable(rows)))
    values = {n: [entry for row in rows if (entry := row.get(n)) is not None] for n in names}
    lists = [n for n in names if any(type(entry) is list for entry in values[n]) or not values[n]]
    documents = [
        entry
        for name in lists
        if (entry := find_documents(name, values[name], (*prefix, Step("key", name), ITEMS)))
    ]
    if _may_be_document_records(names):
        documents = [entry for entry in documents if entry.kind == "qrels"]
    if any(entry.possible_kinds[1] == SPECIFIC for entry in documents):
        documents = [entry for entry in documents if entry.possible_kinds[1] == SPECIFIC]
    query = _find_query_path(rows)
    query_steps = [entry.query for entry in documents if entry.query]
    if query_steps and (query is None or fold_name(query[-1].name) in _QUERY_TEXTS):
        inference.query = RecordPath(query_steps[0])
    elif query is not None:
        inference.query = RecordPath((*prefix, *query))
    elif prefix == (VALUES,):
        inference.query = RecordPath((KEYS,))
    elif is_truncated:
        inference.query = RecordPath()
    else:
        return
    single_names = [n for n in names if n not in lists and not any(map(is_nested, values[n]))]
    # A record with a score of its own is one document; a list in it is not a list of documents.
    if not NUMBER_NAMES.isdisjoint(map(fold_name, single_names)):
        documents = [entry for entry in documents if entry.possible_kinds[1] == SPECIFIC]
    used_names = {entry.name for entry in documents}
    _match_number_lists(
        documents, [n for n in lists if n not in used_names], values, prefix, inference
    )
    if not documents:
        documents = find_documents_in_keys(names, values, prefix)
    tag_index = find_position(single_names, NAMES["tag"])
    system = RecordPath((*prefix, Step("key", single_names[tag_index]))) if tag_index >= 0 else None
    text_names = [n for n in single_names if Step("key", n) not in inference.query.steps]
    inference.has_texts = find_position(text_names, QUERY_TEXTS) >= 0
    _add_mappings(inference, documents, system)
    if not documents and not prefix:
        id_steps = []
        if not inference.has_texts:
            for name in lists:
                id_steps += find_ids_in_objects(values[name], (Step("key", name), ITEMS))
            id_steps += find_lists_in_objects(values)
        id_steps = id_steps or find_scored_ids(values, ())
        inference.possible_ids = [RecordPath(steps) for steps in id_steps]
        inference.sureness |= dict.fromkeys(TABLES, UNNAMED) if id_steps else {}


def _find_query_path(rows: Sequence[Mapping[str, Any]]) -> Steps | None:
    """Return the steps of the path to a record's query: its id, perhaps in a nested object, or its
    text if there is no id."""
    first_values: dict[str, Any] = {}
    for row in rows:
        first_values |= {n: v for n, v in row.items() if v is not None and n not in first_values}
    names = [name for name, value in first_values.items() if type(value) is not list]
    object_names = [
        n for n in names if type(first_values[n]) is dict and fold_name(n) in _QUERY_OBJECTS
    ]
    single_names = [n for n in names if type(first_values[n]) is not dict]
    index = find_position(single_names, QUERY_KEYS)
    if index >= 0 and (fold_name(single_names[index]) in QUERY_IDS or not object_names):
        return (Step("key", single_names[index]),)
    for name in object_names:
        keys = list(first_values[name])
        key_index = find_position(keys, (*QUERY_IDS, "text"))
        if key_index >= 0:
            return Step("key", name), Step("key", keys[key_index])
    return (Step("key", single_names[index]),) if index >= 0 else None


def _may_be_document_records(names: Sequence[str]) -> bool:
    """Return whether the records may be documents with references, that is, whether they have a
    text but no query id."""
    return find_position(names, _QUERY_ID_NAMES) < 0 and find_position(names, TEXTS) >= 0


def _match_number_lists(
    documents: Sequence[DocumentList],
    names: Sequence[str],
    values: Mapping[str, Sequence[Any]],
    prefix: Steps,
    inference: Inference,
) -> None:
    """Assign to each list of document ids the list of numbers that belongs to it."""
    for name in names:
        lists = [entry for entry in values[name] if type(entry) is list]
        items = list(chain.from_iterable(islice(lists, SAMPLE_SIZE)))[: SAMPLE_SIZE**2]
        path = (*prefix, Step("key", name), ITEMS)
        role = role_of_numbers(name)
        if role and items and is_numeric(items):
            kind = "qrels" if role == "grade" else "run"
            candidates = [
                entry for entry in documents if entry.kind in (kind, None) and not entry.numbers
            ]
            if len(documents) == 1:
                candidates = [entry for entry in documents if not entry.numbers]
            if len(candidates) == 1:
                candidates[0].numbers[role] = NumberColumn(name, path, list(map(str, items)))
                continue
        if may_mean_documents(name, items):
            inference.unused_lists.append(RecordPath(path))
        elif len(documents) == 1 and items and is_numeric(items) and not documents[0].numbers:
            ids = [entry for entry in values[documents[0].name] if type(entry) is list]
            if [*map(len, ids)] == [*map(len, lists)]:
                documents[0].unclear_numbers.append(path)


def _add_mappings(
    inference: Inference, documents: Sequence[DocumentList], system: RecordPath | None
) -> None:
    """Add the mappings of these lists of documents to the inference."""
    by_kind: Counter[Kind] = Counter()
    for document_list in documents:
        kinds, sureness = document_list.possible_kinds
        paths = {role: RecordPath(n.steps) for role, n in document_list.numbers.items()}
        doc = RecordPath(document_list.doc)
        negative = is_non_relevant_name(document_list.name)
        for kind in kinds:
            by_kind[kind] += not negative
            if kind == "run":
                numbers = {role: paths.get(role) for role in ("score", "rank")}
            else:
                constant = RecordPath(constant="0" if negative else "1")
                numbers = {"grade": paths.get("grade", constant)}
                if "grade" not in paths and not negative:
                    numbers["score"] = paths.get("score")
            inference.add_mapping(
                kind,
                document_list.name,
                sureness,
                query=inference.query,
                doc=doc,
                **numbers,
                system=system if kind == "run" else None,
            )
        inference.unclear_numbers += [RecordPath(steps) for steps in document_list.unclear_numbers]
    if max(by_kind.values(), default=0) > 1:
        inference.candidate_lists = [
            RecordPath(entry.doc) for entry in documents if not is_non_relevant_name(entry.name)
        ]
        for kind, mappings in inference.mappings.items():
            mappings.sort(key=lambda m: is_relevant_name(str(m["doc"][0])) != (kind == "qrels"))

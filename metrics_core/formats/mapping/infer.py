"""The mapping of records that no tool is known for: by the names of what they hold, and by types.

First the orientation (records, a table by columns or by rows, an object of lists), then the query,
the lists of documents, the numbers beside each document, and the kind. What the names leave open is
a question, never a guess.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

from metrics_core.formats.mapping.documents import (
    ITEMS,
    KEYS,
    LOOKED_AT,
    NUMBER_NAMES,
    TABLES,
    TEXTS,
    VALUES,
    DocumentList,
    NumberColumn,
    Steps,
    documents_in,
    documents_of_maps,
    ids_in_objects,
    is_nested,
    is_numeric,
    may_be_of_documents,
    scored_lists,
    shape_of_record,
    some_of,
)
from metrics_core.formats.mapping.paths import Alternatives, Path, Step
from metrics_core.formats.parsing.chosen_columns import WORD_OF
from metrics_core.formats.parsing.columns import (
    FURTHER,
    NAMES,
    QUERY_IDS,
    QUERY_TEXTS,
    ROLES,
    fold,
    position,
    recognise_columns,
    understand,
)
from metrics_core.formats.parsing.list_names import (
    QUERY_KEYS,
    is_negative,
    kind_of_list,
    number_beside,
)
from metrics_core.formats.registry import SPECIFIC, UNNAMED, Kind

_QUERY_TEXTS = {*QUERY_TEXTS, "userinput"}
_OWN_IDS = (*ROLES["query_id"], *FURTHER["query_id"])
_OF_THE_QUERY = ("query", "topic", "metadata")


@dataclass
class Inference:
    """What records hold: the mappings of each kind and how sure that is, the names of their lists,
    the query's path and text, what is asked about it. `unclear` are numbers beside documents that
    could mean anything, `unused` further lists."""

    mappings: dict[Kind, list[Mapping[str, Alternatives]]] = field(default_factory=dict)
    sureness: dict[Kind, int] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    query: Path | None = None
    has_texts: bool = False
    unclear: list[Path] = field(default_factory=list)
    rivals: list[Path] = field(default_factory=list)
    """Lists that could each be the documents."""
    unnamed: list[Path] = field(default_factory=list)
    """What may be the ids of documents, by types alone."""
    unused: list[Path] = field(default_factory=list)

    def add(self, kind: Kind, name: str, sureness: int, **paths: Path | None) -> None:
        """A mapping of a kind."""
        there = {role: (path,) for role, path in paths.items() if path is not None}
        self.mappings.setdefault(kind, []).append(there)
        self.sureness[kind] = sureness
        if name and name not in self.names:
            self.names.append(name)


def infer(look: Sequence[Any], *, cut: bool = False) -> Inference:
    """What these records hold; nothing if there is no list of documents among it. Of records that
    are `cut` off the query may follow."""
    rows, inference = [record for record in look if type(record) is dict], Inference()
    if len(look) == 1 and rows and _infer_whole(rows[0], inference):
        return inference
    if rows and all(map(_is_map, rows)):
        lists = list(chain.from_iterable(row.values() for row in rows))
        documents = documents_in("", lists, (VALUES,))
        if documents is not None and not documents.query:
            inference.query = Path((KEYS,))
            _add(inference, [documents], None)
        return inference
    _infer_records(rows, (), inference, cut=cut)
    return inference


# The whole of a file


def _infer_whole(record: dict[str, Any], inference: Inference) -> bool:
    """Whether an object is a table itself, or holds the records in its only list of objects."""
    names, values = list(record), list(record.values())
    first = values[0] if values else None
    data, columns = record.get("data"), record.get("columns")
    if _has_ids(names) and _are_alike(values):
        step = VALUES if type(first) is dict else ITEMS
        columns = [list(v.values()) if type(v) is dict else v for v in values]
        return _infer_flat(names, columns, lambda name: (Step("key", name), step), inference)
    if position(names, QUERY_KEYS) >= 0 and _infer_columns(record, inference):
        return True
    if (
        type(first) is dict
        and _has_ids(list(first))
        and all(type(v) is dict and tuple(v) == tuple(first) for v in values)
    ):
        columns = [[v[name] for v in values] for name in first]
        return _infer_flat(
            list(first), columns, lambda name: (VALUES, Step("key", name)), inference
        )
    if type(columns) is list and type(data) is list and all(type(n) is str for n in columns):
        if not all(type(row) is list and len(row) == len(columns) for row in data):
            return False
        by_name = [[row[i] for row in data] for i in range(len(columns))]
        places = {name: str(i) for i, name in enumerate(columns)}
        return _infer_flat(
            columns,
            by_name,
            lambda name: (Step("key", "data"), ITEMS, Step("item", places[name])),
            inference,
        )
    if values and all(type(v) is dict for v in values):
        _infer_records(some_of(values, shape_of_record), (VALUES,), inference)
        return bool(inference.mappings)
    wrapped = [n for n, v in record.items() if type(v) is list and v and type(v[0]) is dict]
    if len(wrapped) == 1 and _query_of([record]) is None:
        inside = (Step("key", wrapped[0]), ITEMS)
        rows = [row for row in some_of(record[wrapped[0]], shape_of_record) if type(row) is dict]
        _infer_records(rows, inside, inference)
        names = list(rows[0])
        if not inference.mappings and _has_ids(names) and not any(map(is_nested, rows[0].values())):
            columns = [[row.get(name) for row in rows] for name in names]
            return _infer_flat(names, columns, lambda name: (*inside, Step("key", name)), inference)
        return bool(inference.mappings)
    return False


def _infer_columns(record: dict[str, Any], inference: Inference) -> bool:
    """Whether an object has the queries as one list, and their documents as a list of lists."""
    lists = {name: own for name, own in record.items() if type(own) is list and own}
    asked = [name for name, own in lists.items() if not any(map(is_nested, own))]
    at = position(asked, QUERY_KEYS)
    if at < 0:
        return False
    count = len(lists[asked[at]])
    inference.query = Path((Step("key", asked[at]), ITEMS))
    documents = [
        found
        for name, own in lists.items()
        if len(own) == count and all(type(one) in (list, type(None)) for one in own)
        if (found := documents_in(name, own, (Step("key", name), ITEMS, ITEMS)))
    ]
    _add(inference, documents, None)
    return bool(inference.mappings)


def _has_ids(names: Sequence[str]) -> bool:
    """Whether columns of these names have the ids of queries and of documents."""
    return position(names, NAMES["query_id"]) >= 0 and position(names, NAMES["doc_id"]) >= 0


def _are_alike(values: Sequence[Any]) -> bool:
    """Whether these are lists of one length, or objects of the same keys, of single values."""
    kinds = set(map(type, values))
    if kinds == {list}:
        alike, inner = len(set(map(len, values))) == 1, values
    else:
        alike = kinds == {dict} and len({tuple(v) for v in values}) == 1
        inner = [v.values() for v in values] if alike else []
    return alike and not any(is_nested(value) for own in inner for value in own)


def _infer_flat(
    names: list[str],
    columns: Sequence[Sequence[Any]],
    steps_of: Callable[[str], Steps],
    inference: Inference,
) -> bool:
    """A table with a row for each document. Whether it is one."""
    rows = list(islice(zip(*columns, strict=True), LOOKED_AT))
    texts = [["" if value is None else str(value) for value in row] for row in rows]
    sureness = recognise_columns(names, texts)
    best = max(sureness.values(), default=0)
    for kind in TABLES:
        understood = understand(names, kind)
        if understood.missing or kind not in sureness:
            continue
        paths = {
            "system" if role == "tag" else WORD_OF.get(role, role): Path(steps_of(names[at]))
            for role, at in understood.roles.items()
            if role not in ("subtopic", "iteration")
        }
        inference.add(kind, "", SPECIFIC if sureness[kind] == best else sureness[kind], **paths)
    return bool(inference.mappings)


def _is_map(record: Mapping[str, Any]) -> bool:
    """Whether an object has a list of documents for each query."""
    lists = all(type(value) is list or value is None for value in record.values())
    return lists and any(record.values()) and not any(map(kind_of_list, islice(record, 3)))


# Records


def _infer_records(
    rows: Sequence[dict[str, Any]], at: Steps, inference: Inference, *, cut: bool = False
) -> None:
    """What records at these steps hold: lists of documents for a query each, which may be the key
    of the record."""
    names = list(dict.fromkeys(chain.from_iterable(rows)))
    values = {n: [own for row in rows if (own := row.get(n)) is not None] for n in names}
    lists = [n for n in names if any(type(own) is list for own in values[n]) or not values[n]]
    documents = [
        own
        for name in lists
        if (own := documents_in(name, values[name], (*at, Step("key", name), ITEMS)))
    ]
    if _may_be_document(names):
        documents = [own for own in documents if own.kind == "qrels"]
    if any(own.kinds[1] == SPECIFIC for own in documents):
        documents = [own for own in documents if own.kinds[1] == SPECIFIC]
    query = _query_of(rows)
    own_queries = [own.query for own in documents if own.query]
    if own_queries and (query is None or fold(query[-1].name) in _QUERY_TEXTS):
        inference.query = Path(own_queries[0])
    elif query is not None:
        inference.query = Path((*at, *query))
    elif at == (VALUES,):
        inference.query = Path((KEYS,))
    elif cut:
        inference.query = Path()
    else:
        return
    plain = [n for n in names if n not in lists and not any(map(is_nested, values[n]))]
    # With a score of its own a record is a document's, and a list in it a mistake.
    if not NUMBER_NAMES.isdisjoint(map(fold, plain)):
        documents = [own for own in documents if own.kinds[1] == SPECIFIC]
    used = {own.name for own in documents}
    _add_beside(documents, [n for n in lists if n not in used], values, at, inference)
    if not documents:
        documents = documents_of_maps(names, values, at)
    tag = position(plain, NAMES["tag"])
    system = Path((*at, Step("key", plain[tag]))) if tag >= 0 else None
    others = [n for n in plain if Step("key", n) not in inference.query.steps]
    inference.has_texts = position(others, QUERY_TEXTS) >= 0
    _add(inference, documents, system)
    if not documents and not at:
        paths = ((name, (Step("key", name), ITEMS)) for name in lists)
        found = [steps for name, own in paths for steps in ids_in_objects(values[name], own)]
        found = (found if not inference.has_texts else []) or scored_lists(values, ())
        inference.unnamed = [Path(steps) for steps in found]
        inference.sureness |= dict.fromkeys(TABLES, UNNAMED) if found else {}


def _query_of(rows: Sequence[Mapping[str, Any]]) -> Steps | None:
    """The steps to the query of a record: its id, also in an object of its own, else its text."""
    first: dict[str, Any] = {}
    for row in rows:
        first |= {n: v for n, v in row.items() if v is not None and n not in first}
    names = [name for name, value in first.items() if type(value) is not list]
    inner = [n for n in names if type(first[n]) is dict and fold(n) in _OF_THE_QUERY]
    single = [n for n in names if type(first[n]) is not dict]
    at = position(single, QUERY_KEYS)
    if at >= 0 and (fold(single[at]) in QUERY_IDS or not inner):
        return (Step("key", single[at]),)
    for name in inner:
        own = list(first[name])
        place = position(own, (*QUERY_IDS, "text"))
        if place >= 0:
            return Step("key", name), Step("key", own[place])
    return (Step("key", single[at]),) if at >= 0 else None


def _may_be_document(names: Sequence[str]) -> bool:
    """Whether a record may be a document's, which lists what it refers to: a bare id and a text."""
    return position(names, _OWN_IDS) < 0 and position(names, TEXTS) >= 0


def _add_beside(
    documents: Sequence[DocumentList],
    names: Sequence[str],
    values: Mapping[str, Sequence[Any]],
    at: Steps,
    inference: Inference,
) -> None:
    """Find the list of numbers beside each list of ids."""
    for name in names:
        lists = [own for own in values[name] if type(own) is list]
        items = list(chain.from_iterable(islice(lists, LOOKED_AT)))[: LOOKED_AT**2]
        path = (*at, Step("key", name), ITEMS)
        role = number_beside(name)
        if role and items and is_numeric(items):
            kind = "qrels" if role == "grade" else "run"
            fitting = [own for own in documents if own.kind in (kind, None) and not own.numbers]
            if len(documents) == 1:
                fitting = [own for own in documents if not own.numbers]
            if len(fitting) == 1:
                fitting[0].numbers[role] = NumberColumn(name, path, list(map(str, items)))
                continue
        if may_be_of_documents(name, items):
            inference.unused.append(Path(path))


def _add(inference: Inference, documents: Sequence[DocumentList], system: Path | None) -> None:
    """The mappings of these lists of documents."""
    by_kind: Counter[Kind] = Counter()
    for own in documents:
        kinds, sureness = own.kinds
        paths = {role: Path(n.steps) for role, n in own.numbers.items()}
        doc = Path(own.doc)
        negative = is_negative(own.name)
        for kind in kinds:
            by_kind[kind] += not negative
            if kind == "run":
                numbers = {role: paths.get(role) for role in ("score", "rank")}
            else:
                constant = Path(constant="0" if negative else "1")
                numbers = {"grade": paths.get("grade", constant)}
                if "grade" not in paths and not negative:
                    numbers["score"] = paths.get("score")
            inference.add(
                kind,
                own.name,
                sureness,
                query=inference.query,
                doc=doc,
                **numbers,
                system=system if kind == "run" else None,
            )
        inference.unclear += [Path(steps) for steps in own.unclear]
    if max(by_kind.values(), default=0) > 1:
        inference.rivals = [Path(own.doc) for own in documents if not is_negative(own.name)]

"""What Python programs hold, as named columns: tables of any library, rows, dictionaries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, cast

import numpy as np
import pyarrow as pa

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Ints
from metrics_core.base.errors import RanklensError
from metrics_core.base.notes import Note
from metrics_core.base.wording import shown
from metrics_core.formats.parsing.columns import position, understand
from metrics_core.formats.parsing.list_names import QUERY_KEYS
from metrics_core.formats.registry import Kind, Request
from metrics_core.tables import Qrels, Run
from metrics_core.tables.arrays import column_of, texts_of
from metrics_core.tables.columns import are_plain_ids, id_text

VALUE: Mapping[Kind, str] = {"run": "score", "qrels": "relevance"}
_WRITE: Mapping[Kind, str] = {
    "run": "Write {query_id: {doc_id: score}}, {query_id: [doc_id, …]} with the best first, or"
    " {query_id: [(doc_id, score), …]}.",
    "qrels": "Write {query_id: {doc_id: relevance}}, or {query_id: [doc_id, …]} for documents of"
    " grade 1.",
}
_NAMELESS = "run"
_LOOKED_AT = 50
"""Rows that show whether records hold lists."""
_MOST_KEYS = 200
"""A dictionary of more is no record, but one by query."""
_IDS_OF_RESULTS = ("docid", "doc_id", "node_id", "id")


@dataclass(frozen=True)
class GivenTable:
    """Named columns as their library holds them, by position; `called` is the name that the whole
    has of its own, or "", `notes` what was odd about it. Of `keyed` columns the keys of one
    dictionary are the documents of a query, so that texts among them differ."""

    names: list[str]
    column: Callable[[int], Any]
    called: str = ""
    keyed: bool = False
    notes: tuple[Note, ...] = ()


def table_of(given: Any, kind: Kind) -> GivenTable:
    """What is given as a table. Raises RanklensError where it is none."""
    if isinstance(given, Mapping):
        is_record = _is_record(given, kind)
        return _of_records(of_rows([given], kind), kind) if is_record else _by_query(given, kind)
    made = made_of(given, kind)
    if made is not None:
        return _of_records(made(), kind)
    if is_listing(given) and not isinstance(given, Set):
        rows = list(given)
        if not rows or is_row(rows[0], kind):
            return _of_records(of_rows(rows, kind), kind)
    raise no_table(given, kind)


def any_table(given: Any) -> GivenTable | None:
    """What is given as a table of whatever rows; None where it is none."""
    made = made_of(given)
    if made is not None:
        return made()
    rows = list(given) if is_listing(given) else []
    return of_rows(rows, "queries") if rows and names_of(rows[0]) else None


def made_of(given: Any, kind: Kind = "run") -> Callable[[], GivenTable] | None:
    """How what is given whole becomes a table; None of what may hold several."""
    if isinstance(given, Mapping):
        return partial(_by_query, given, kind)
    if isinstance(given, pd.DataFrame):
        return partial(_of_frame, given)
    if isinstance(given, np.ndarray):
        return partial(_of_array, given, kind) if given.dtype.names or given.ndim == 2 else None
    if hasattr(given, "dtype") or isinstance(given, (pa.Array, pa.ChunkedArray)):
        return None  # a column, such as a Series, streams as well
    if hasattr(given, "__arrow_c_stream__") or hasattr(given, "__arrow_c_array__"):
        return partial(_of_arrow, given, kind)
    if callable(getattr(given, "to_pandas", None)):
        return partial(_of_convertible, given, kind)
    if callable(getattr(given, "collect", None)) and hasattr(given, "lazy"):
        return partial(_of_lazy, given, kind)
    if callable(getattr(given, "to_dict", None)):
        return partial(_of_dictionary, given, kind)
    return None


def _of_frame(given: pd.DataFrame) -> GivenTable:
    return GivenTable([str(c) for c in given.columns], lambda i: given.iloc[:, i])


def _of_arrow(given: Any, kind: Kind) -> GivenTable:
    try:
        table = pa.table(given)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise no_table(given, kind) from error
    return GivenTable(table.column_names, table.column)


def _of_convertible(given: Any, kind: Kind) -> GivenTable:
    frame = given.to_pandas()
    if not isinstance(frame, pd.DataFrame):
        raise no_table(given, kind)
    return _of_frame(frame)


def _of_lazy(given: Any, kind: Kind) -> GivenTable:
    made = made_of(given.collect(), kind)
    if made is None:
        raise no_table(given, kind)
    return made()


def _of_array(given: np.ndarray[Any, Any], kind: Kind) -> GivenTable:
    if given.dtype.names:
        names = list(given.dtype.names)
        return GivenTable(names, lambda i: given[names[i]].ravel())
    if given.shape[1] != 3:
        raise RanklensError(
            f"An array of {given.shape[1]:,} columns cannot be read as {kind}.",
            f"Give one of three: query_id, doc_id and {VALUE[kind]}, with ids as text.",
        )
    return GivenTable(["query_id", "doc_id", VALUE[kind]], lambda i: given[:, i])


def _of_dictionary(given: Any, kind: Kind) -> GivenTable:
    inside = given.to_dict()
    if not isinstance(inside, Mapping):
        raise no_table(given, kind)
    name = getattr(given, "name", None)
    table = _by_query(inside, kind)
    return replace(table, called=name if isinstance(name, str) else "")


def of_rows(rows: Sequence[Any], kind: Kind) -> GivenTable:
    """A table of dictionaries, named tuples, objects, or three values each."""
    value = VALUE.get(kind, "")
    if not rows or not names_of(rows[0]):
        names = ["query_id", "doc_id", value]
        wrong = next((i for i, row in enumerate(rows) if not is_row(row, kind)), None)
        if wrong is not None:
            raise _odd_row(rows[wrong], wrong, names)
        return GivenTable(names, lambda i: [row[i] for row in rows])
    if isinstance(rows[0], Mapping):
        odd = next((i for i, row in enumerate(rows) if not isinstance(row, Mapping)), None)
        if odd is not None:
            raise _odd_row(rows[odd], odd, names_of(rows[0]))
        every = list(dict.fromkeys(str(key) for row in rows for key in row))
        return GivenTable(every, lambda i: [row.get(every[i]) for row in rows])
    names = names_of(rows[0])
    odd = next((i for i, row in enumerate(rows) if not all(hasattr(row, n) for n in names)), None)
    if odd is not None:
        raise _odd_row(rows[odd], odd, names)
    return GivenTable(names, lambda i: [getattr(row, names[i]) for row in rows])


def _odd_row(row: Any, at: int, names: Sequence[str]) -> RanklensError:
    return RanklensError(
        f"Row {at + 1:,} is {shown(row)}, which differs from the rows before it.",
        f"Give {', '.join(names)} in every row.",
    )


def names_of(row: Any) -> list[str]:
    """The columns that a row names; none where it is three values."""
    if isinstance(row, Mapping):
        return [str(key) for key in row]
    if isinstance(row, tuple):
        return list(getattr(row, "_fields", ()))
    if made_of(row):  # a frame has its columns as attributes
        return []
    told = ("query_id", "doc_id", "score", "relevance", "run")
    return [name for name in told if hasattr(row, name)]


def is_row(value: Any, kind: Kind) -> bool:
    """Whether this is a document of a query, in a list of such."""
    names = names_of(value)
    if not names:
        three = isinstance(value, (tuple, list)) and len(value) == 3
        return three and all(part is None or np.isscalar(part) for part in value[:2])
    roles = understand(names, kind).roles
    if isinstance(value, Mapping) and _is_record(value, kind):
        return True
    if isinstance(value, Mapping) and "query_id" in roles:
        own = list(value.values())[roles["query_id"]]
        return "doc_id" in roles and not (isinstance(own, Mapping) or is_listing(own))
    return "query_id" in roles and "doc_id" in roles


# Records with lists


def _is_record(value: Mapping[Any, Any], kind: Kind) -> bool:
    """Whether a dictionary is a record of a query, or of a tool, that holds this kind."""
    nested = (isinstance(own, Mapping) or is_listing(own) for own in value.values())
    if not 0 < len(value) <= _MOST_KEYS or not any(nested):
        return False
    if position([str(key) for key in value], QUERY_KEYS) >= 0:
        return True
    if all(map(_ends_in_documents, value.values())):
        return False  # loading what knows tools takes longer than scoring a small run
    from metrics_core.formats.mapping import memory

    return memory.preset_of(value, kind) is not None


def _ends_in_documents(value: Any) -> bool:
    """Whether numbers by document, or a list of ids or pairs, are inside, as in a query."""
    in_dictionary = isinstance(value, Mapping)
    while isinstance(value, Mapping):
        value = next(iter(value.values()), 0)
    if isinstance(value, (list, tuple)):
        return not value or not isinstance(value[0], Mapping)
    return not np.isscalar(value) or (in_dictionary and not isinstance(value, str))


def _of_records(table: GivenTable, kind: Kind) -> GivenTable:
    """A table of records that hold lists, or objects, as one of a row for each document, read as
    those of a file; any other as it is."""
    if "doc_id" in understand(table.names, kind).roles:
        return table
    columns = [_values(table.column(at)) for at in range(len(table.names))]
    rows = [dict(zip(table.names, own, strict=True)) for own in zip(*columns, strict=True)]
    looked_at = (own for row in rows[:_LOOKED_AT] for own in row.values())
    if not any(isinstance(own, Mapping) or is_listing(own) for own in looked_at):
        return table
    from metrics_core.formats.mapping import memory

    request = Request(kind, run_name=table.called or _NAMELESS)
    _, read = memory.read_records(rows, request)
    tables = [cast(Run | Qrels, loaded.table) for loaded in read]
    whole = pa.concat_tables([own.table.select([0, 1, 2]) for own in tables])
    names = [own.name for own in tables if isinstance(own, Run) for _ in range(len(own))]
    notes = tuple(chain.from_iterable(own.notes for own in tables))
    if len(tables) > 1:
        whole = whole.append_column("run", pa.array(names))
    called = names[0] if names and names[0] != _NAMELESS else table.called
    given = ["query_id", "doc_id", VALUE[kind], *whole.column_names[3:]]
    return GivenTable(given, whole.column, called, notes=notes)


def _values(column: Any) -> list[Any]:
    plain = getattr(column, "to_pylist", None) or getattr(column, "tolist", None)
    return list(column) if plain is None else plain()


# Dictionaries by query


def _by_query(given: Mapping[Any, Any], kind: Kind) -> GivenTable:
    """The table of {query_id: {doc_id: value}}, or of what else holds a query's documents."""
    names = ["query_id", "doc_id", VALUE[kind]]
    docs: list[Any] = []
    values: list[Any] = []
    ends: list[int] = []
    for query, own in given.items():
        found, worth = (
            (own, own.values()) if isinstance(own, Mapping) else _listing(query, own, kind)
        )
        docs += found
        values += worth
        ends.append(len(docs))
    columns = (_repeated(list(given), np.diff([0, *ends])), docs, values)
    keyed = set(map(type, given.values())) == {dict} and type(given) is dict
    return GivenTable(names, columns.__getitem__, keyed=keyed)


def _repeated(queries: list[Any], times: Ints) -> Any:
    """The query of each row: texts as codes, so that none is looked at once a row."""
    listed = np.flatnonzero(times)
    try:
        ids = texts_of([queries[place] for place in listed.tolist()])
    except (TypeError, UnicodeEncodeError):  # not all are texts that can be written
        return [query for query, n in zip(queries, times.tolist(), strict=True) for _ in range(n)]
    codes = np.repeat(np.arange(len(listed), dtype=np.int32), times[listed])
    return pa.DictionaryArray.from_arrays(column_of(codes), ids)


def _listing(query: Any, own: Any, kind: Kind) -> tuple[Iterable[Any], Iterable[Any]]:
    """The documents of a query that are not in a dictionary, and the value of each. Raises
    RanklensError where these are none."""
    if not is_listing(own):
        message = f"Query {query!r} has {type(own).__name__} {shown(own)} instead of documents."
        raise RanklensError(message, _WRITE[kind])
    if kind == "run" and isinstance(own, Set):
        message = f"The documents of query {query!r} are a set, which has no order."
        raise RanklensError(message, _WRITE[kind])
    plain = getattr(own, "to_pylist", None) or getattr(own, "tolist", None)
    items = plain() if plain is not None else list(own)
    if items and is_pair(items[0]):
        if not (set(map(type, items)) == {tuple} and set(map(len, items)) == {2}):
            _refuse_odd(query, items, is_pair, kind)
        return [doc for doc, _ in items], [value for _, value in items]
    if items and names_of(items[0]):
        names = names_of(items[0])
        understood = understand(["query_id", *names], kind)
        if {"doc_id", VALUE[kind]} <= understood.roles.keys():
            _refuse_odd(query, items, lambda item: names_of(item) == names, kind)
            table = of_rows(items, kind)
            doc, value = (understood.roles[r] - 1 for r in ("doc_id", VALUE[kind]))
            return table.column(doc), table.column(value)
    in_order = [1] * len(items) if kind == "qrels" else range(len(items), 0, -1)
    if are_plain_ids(items):
        return items, in_order
    _refuse_odd(query, items, lambda item: id_in(item) is not None, kind)
    docs, scores = list(map(id_in, items)), [getattr(item, "score", None) for item in items]
    if kind == "qrels" or not any(score is not None for score in scores):
        return docs, in_order
    _refuse_odd(query, items, lambda item: getattr(item, "score", None) is not None, kind)
    return docs, scores


def id_in(item: Any) -> Any:
    """Return the id that this is, or that it names as a result of pyserini, LlamaIndex, LangChain
    or Haystack does; None if it names none."""
    item = getattr(item, "node", item)
    metadata = getattr(item, "metadata", None)
    named = [getattr(item, name, None) for name in _IDS_OF_RESULTS]
    named += [metadata.get("id")] if isinstance(metadata, Mapping) else []
    return next((own for own in (item, *named) if id_text(own) is not None), None)


def _refuse_odd(query: Any, items: Sequence[Any], fits: Callable[[Any], bool], kind: Kind) -> None:
    odd = next((i for i, item in enumerate(items) if not fits(item)), None)
    if odd is not None:
        message = f"Query {query!r} contains {shown(items[odd])} at position {odd + 1:,}."
        hint = "An id must be text or a whole number, or docid, doc_id, node_id or id of an object."
        if kind == "run":
            hint += " Either all objects have a score, or none does."
        raise RanklensError(message, f"{hint} {_WRITE[kind]}")


def is_listing(value: Any) -> bool:
    """Whether this holds several, in order or not."""
    several = isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))
    return several and getattr(value, "ndim", 1) > 0


def is_pair(value: Any) -> bool:
    """Whether this is a document with its value."""
    return isinstance(value, (tuple, list)) and len(value) == 2 and not hasattr(value, "_fields")


def is_whole_number(value: Any) -> bool:
    """Whether this may be an id written as a number."""
    return id_text(value) is not None and not isinstance(value, str)


def no_table(given: Any, kind: Kind) -> RanklensError:
    """The error for what is taken as nothing of the kind."""
    what = "read_run" if kind == "run" else "read_qrels"
    return RanklensError(
        f"{type(given).__name__} cannot be read as {kind}: {shown(given)}.",
        f"Give a table read with {what}, a path, a DataFrame, or a dictionary. {_WRITE[kind]}",
    )

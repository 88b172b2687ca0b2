"""Convert Python objects to named columns: tables of any library, rows and dictionaries."""

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
from metrics_core.base.wording import shorten_value
from metrics_core.formats.parsing.columns import find_position, infer_header_roles
from metrics_core.formats.parsing.list_names import QUERY_KEYS
from metrics_core.formats.registry import Kind, Request
from metrics_core.tables import Qrels, Run
from metrics_core.tables.arrays import as_column, as_text_column
from metrics_core.tables.columns import are_plain_ids, to_id_text

VALUE_COLUMNS: Mapping[Kind, str] = {"run": "score", "qrels": "relevance"}
_HINTS: Mapping[Kind, str] = {
    "run": "Write {query_id: {doc_id: score}}, {query_id: [doc_id, …]} with the best first, or"
    " {query_id: [(doc_id, score), …]}.",
    "qrels": "Write {query_id: {doc_id: relevance}}, or {query_id: [doc_id, …]} for documents of"
    " grade 1. Judgments come after the runs: evaluate(runs, qrels, measures).",
}
_DEFAULT_NAME = "run"
_SAMPLED_ROWS = 50
"""Number of rows that are inspected to detect lists in records."""
_MOST_KEYS = 200
"""Maximum number of keys of a record. The keys of a larger dictionary are query ids."""
_IDS_OF_RESULTS = ("docid", "doc_id", "node_id", "id")


@dataclass(frozen=True)
class PythonTable:
    """Columns of a Python object, each in the type of its library.

    names     column names
    column    function from the index of a column to its values
    called    name of the object itself, "" if it has none
    is_keyed  whether the documents of each query are the keys of a dictionary, so that no
              document is repeated
    notes     irregularities of the input"""

    names: list[str]
    column: Callable[[int], Any]
    called: str = ""
    is_keyed: bool = False
    notes: tuple[Note, ...] = ()


def to_table(data: Any, kind: Kind) -> PythonTable:
    """Convert `data` to a table. Raises RanklensError if it is not a table."""
    if isinstance(data, Mapping):
        is_record = _is_record(data, kind)
        return (
            _expand_records(rows_to_table([data], kind), kind)
            if is_record
            else _from_queries(data, kind)
        )
    make_table = make_table_function(data, kind)
    if make_table is not None:
        return _expand_records(make_table(), kind)
    if is_document_iterable(data) and not isinstance(data, Set):
        rows = list(data)
        if not rows or is_row(rows[0], kind):
            return _expand_records(rows_to_table(rows, kind), kind)
    raise not_a_table_error(data, kind)


def to_any_table(data: Any) -> PythonTable | None:
    """Convert `data` to a table with any columns; None if it is not a table."""
    make_table = make_table_function(data)
    if make_table is not None:
        return make_table()
    rows = list(data) if is_document_iterable(data) else []
    return rows_to_table(rows, "queries") if rows and row_columns(rows[0]) else None


def make_table_function(data: Any, kind: Kind = "run") -> Callable[[], PythonTable] | None:
    """Return a function that converts `data` to a table; None if `data` is not a single table."""
    if isinstance(data, Mapping):
        return partial(_from_queries, data, kind)
    if isinstance(data, pd.DataFrame):
        return partial(_from_frame, data)
    if isinstance(data, np.ndarray):
        return partial(_from_array, data, kind) if data.dtype.names or data.ndim == 2 else None
    if hasattr(data, "dtype") or isinstance(data, (pa.Array, pa.ChunkedArray)):
        return None  # a single column, such as a Series, has __arrow_c_stream__ too
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        return partial(_from_arrow, data, kind)
    if callable(getattr(data, "to_pandas", None)):
        return partial(_from_convertible, data, kind)
    if callable(getattr(data, "collect", None)) and hasattr(data, "lazy"):
        return partial(_from_lazy_frame, data, kind)
    if callable(getattr(data, "to_dict", None)):
        return partial(_from_to_dict, data, kind)
    return None


def _from_frame(frame: pd.DataFrame) -> PythonTable:
    return PythonTable([str(c) for c in frame.columns], lambda i: frame.iloc[:, i])


def _from_arrow(data: Any, kind: Kind) -> PythonTable:
    try:
        table = pa.table(data)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise not_a_table_error(data, kind) from error
    return PythonTable(table.column_names, table.column)


def _from_convertible(data: Any, kind: Kind) -> PythonTable:
    frame = data.to_pandas()
    if not isinstance(frame, pd.DataFrame):
        raise not_a_table_error(data, kind)
    return _from_frame(frame)


def _from_lazy_frame(data: Any, kind: Kind) -> PythonTable:
    make_table = make_table_function(data.collect(), kind)
    if make_table is None:
        raise not_a_table_error(data, kind)
    return make_table()


def _from_array(array: np.ndarray[Any, Any], kind: Kind) -> PythonTable:
    if array.dtype.names:
        names = list(array.dtype.names)
        return PythonTable(names, lambda i: array[names[i]].ravel())
    if array.shape[1] != 3:
        raise RanklensError(
            f"An array of {array.shape[1]:,} columns cannot be read as {kind}.",
            f"Give three columns: query_id, doc_id and {VALUE_COLUMNS[kind]}. Ids must be text.",
        )
    return PythonTable(["query_id", "doc_id", VALUE_COLUMNS[kind]], lambda i: array[:, i])


def _from_to_dict(data: Any, kind: Kind) -> PythonTable:
    content = data.to_dict()
    if not isinstance(content, Mapping):
        raise not_a_table_error(data, kind)
    name = getattr(data, "name", None)
    table = _from_queries(content, kind)
    return replace(table, called=name if isinstance(name, str) else "")


def rows_to_table(rows: Sequence[Any], kind: Kind) -> PythonTable:
    """Return rows as a table. Each row is a dictionary, a named tuple, an object with attributes,
    or a tuple of three values."""
    value = VALUE_COLUMNS.get(kind, "")
    if not rows or not row_columns(rows[0]):
        names = ["query_id", "doc_id", value]
        _check_rows(rows, names, lambda row: is_row(row, kind))
        return PythonTable(names, lambda i: [row[i] for row in rows])
    names = row_columns(rows[0])
    if isinstance(rows[0], Mapping):
        _check_rows(rows, names, lambda row: isinstance(row, Mapping))
        all_names = list(dict.fromkeys(str(key) for row in rows for key in row))
        return PythonTable(all_names, lambda i: [row.get(all_names[i]) for row in rows])
    _check_rows(rows, names, lambda row: all(hasattr(row, name) for name in names))
    return PythonTable(names, lambda i: [getattr(row, names[i]) for row in rows])


def _check_rows(rows: Sequence[Any], names: Sequence[str], is_valid: Callable[[Any], bool]) -> None:
    """Raise RanklensError for the first row that is not valid."""
    for number, row in enumerate(rows, 1):
        if not is_valid(row):
            raise RanklensError(
                f"Row {number:,} differs from the rows before it: {shorten_value(row)}.",
                f"Give {', '.join(names)} in every row.",
            )


def row_columns(row: Any) -> list[str]:
    """Return the column names of a row. A tuple of three values has none."""
    if isinstance(row, Mapping):
        return [str(key) for key in row]
    if isinstance(row, tuple):
        return list(getattr(row, "_fields", ()))
    if make_table_function(row):  # a frame has attributes named like its columns
        return []
    attributes = ("query_id", "doc_id", "score", "relevance", "run")
    return [name for name in attributes if hasattr(row, name)]


def is_row(value: Any, kind: Kind) -> bool:
    """Return whether a value is a single row (one document of a query), not a list of rows."""
    names = row_columns(value)
    if not names:
        is_triple = isinstance(value, (tuple, list)) and len(value) == 3
        return is_triple and all(part is None or np.isscalar(part) for part in value[:2])
    roles = infer_header_roles(names, kind).roles
    if isinstance(value, Mapping) and _is_record(value, kind):
        return True
    if isinstance(value, Mapping) and "query_id" in roles:
        query = list(value.values())[roles["query_id"]]
        return "doc_id" in roles and not (isinstance(query, Mapping) or is_document_iterable(query))
    return "query_id" in roles and "doc_id" in roles


# Records with lists


def _is_record(value: Mapping[Any, Any], kind: Kind) -> bool:
    """Return whether a dictionary is a single record that contains this kind of table: either a
    record of one query, or a record that a supported tool writes."""
    is_nested = (isinstance(item, Mapping) or is_document_iterable(item) for item in value.values())
    if not 0 < len(value) <= _MOST_KEYS or not any(is_nested):
        return False
    if find_position([str(key) for key in value], QUERY_KEYS) >= 0:
        return True
    if all(map(_contains_documents, value.values())):
        return False  # loading the presets takes longer than scoring a small run
    from metrics_core.formats.mapping import python_records

    return python_records.find_preset(value, kind) is not None


def _contains_documents(value: Any) -> bool:
    """Return whether a value contains the documents of a query: {id: number}, ids, or pairs."""
    in_dictionary = isinstance(value, Mapping)
    while isinstance(value, Mapping):
        value = next(iter(value.values()), 0)
    if isinstance(value, (list, tuple)):
        return not value or not isinstance(value[0], Mapping)
    return not np.isscalar(value) or (in_dictionary and not isinstance(value, str))


def _expand_records(table: PythonTable, kind: Kind) -> PythonTable:
    """Return a table with one row per document if `table` has nested records. Any other table is
    returned unchanged."""
    if "doc_id" in infer_header_roles(table.names, kind).roles:
        return table
    columns = [to_list(table.column(index)) for index in range(len(table.names))]
    rows = [dict(zip(table.names, item, strict=True)) for item in zip(*columns, strict=True)]
    first_values = (item for row in rows[:_SAMPLED_ROWS] for item in row.values())
    if not any(isinstance(item, Mapping) or is_document_iterable(item) for item in first_values):
        return table
    from metrics_core.formats.mapping import python_records

    request = Request(kind, run_name=table.called or _DEFAULT_NAME)
    _, loaded_tables = python_records.read_records(rows, request)
    tables = [cast(Run | Qrels, loaded.table) for loaded in loaded_tables]
    all_rows = pa.concat_tables([item.table.select([0, 1, 2]) for item in tables])
    names = [item.name for item in tables if isinstance(item, Run) for _ in range(len(item))]
    notes = tuple(chain.from_iterable(item.notes for item in tables))
    if len(tables) > 1:
        all_rows = all_rows.append_column("run", pa.array(names))
    run_name = names[0] if names and names[0] != _DEFAULT_NAME else table.called
    column_names = ["query_id", "doc_id", VALUE_COLUMNS[kind], *all_rows.column_names[3:]]
    return PythonTable(column_names, all_rows.column, run_name, notes=notes)


def to_list(column: Any) -> list[Any]:
    """Return the values of a column of any library as Python objects."""
    convert = getattr(column, "to_pylist", None) or getattr(column, "tolist", None)
    return list(column) if convert is None else convert()


# Dictionaries by query


def _from_queries(data: Mapping[Any, Any], kind: Kind) -> PythonTable:
    """Convert {query_id: {doc_id: value}} or {query_id: [document, …]} to a table."""
    names = ["query_id", "doc_id", VALUE_COLUMNS[kind]]
    docs: list[Any] = []
    values: list[Any] = []
    ends: list[int] = []
    for query, documents in data.items():
        doc_ids, doc_values = (
            (documents, documents.values())
            if isinstance(documents, Mapping)
            else _split_listing(query, documents, kind)
        )
        docs += doc_ids
        values += doc_values
        ends.append(len(docs))
    columns = (_repeat_queries(list(data), np.diff([0, *ends])), docs, values)
    is_keyed = set(map(type, data.values())) == {dict} and type(data) is dict
    return PythonTable(names, columns.__getitem__, is_keyed=is_keyed)


def _repeat_queries(queries: list[Any], times: Ints) -> Any:
    """Return a column that repeats each query once for each of its documents. It is
    dictionary-encoded if all queries are strings."""
    indexes = np.flatnonzero(times)
    try:
        ids = as_text_column([queries[index] for index in indexes.tolist()])
    except (TypeError, UnicodeEncodeError):  # not all are valid texts
        return [query for query, n in zip(queries, times.tolist(), strict=True) for _ in range(n)]
    codes = np.repeat(np.arange(len(indexes), dtype=np.int32), times[indexes])
    return pa.DictionaryArray.from_arrays(as_column(codes), ids)


def _split_listing(query: Any, listing: Any, kind: Kind) -> tuple[Iterable[Any], Iterable[Any]]:
    """Return the ids and the values of the documents in the `listing` of a query, which is any
    iterable except a dictionary.

    Raises RanklensError if `listing` does not contain documents."""
    if not is_document_iterable(listing):
        message = (
            f"Query {query!r} has {shorten_value(listing)} ({type(listing).__name__}) instead of"
            " documents."
        )
        raise RanklensError(message, _HINTS[kind])
    if kind == "run" and isinstance(listing, Set):
        message = f"Query {query!r} has a set of documents, but a set has no order."
        raise RanklensError(message, _HINTS[kind])
    items = to_list(listing)
    if items and is_document_value_pair(items[0]):
        if not (set(map(type, items)) == {tuple} and set(map(len, items)) == {2}):
            _check_items(query, items, is_document_value_pair, kind)
        return [doc for doc, _ in items], [value for _, value in items]
    if items and row_columns(items[0]):
        names = row_columns(items[0])
        header_roles = infer_header_roles(["query_id", *names], kind)
        if {"doc_id", VALUE_COLUMNS[kind]} <= header_roles.roles.keys():
            _check_items(query, items, lambda item: row_columns(item) == names, kind)
            table = rows_to_table(items, kind)
            doc, value = (header_roles.roles[r] - 1 for r in ("doc_id", VALUE_COLUMNS[kind]))
            return table.column(doc), table.column(value)
    default_values = [1] * len(items) if kind == "qrels" else range(len(items), 0, -1)
    if are_plain_ids(items):
        return items, default_values
    _check_items(query, items, lambda item: find_id(item) is not None, kind)
    docs, scores = list(map(find_id, items)), [getattr(item, "score", None) for item in items]
    if kind == "qrels" or not any(score is not None for score in scores):
        return docs, default_values
    _check_items(query, items, lambda item: getattr(item, "score", None) is not None, kind)
    return docs, scores


def find_id(item: Any) -> Any:
    """Return the id of an item, which is either an id itself or a result object with an id. Returns
    None for any other item.

    Results of pyserini, LlamaIndex, LangChain and Haystack are recognised."""
    item = getattr(item, "node", item)
    metadata = getattr(item, "metadata", None)
    candidates = [getattr(item, name, None) for name in _IDS_OF_RESULTS]
    candidates += [metadata.get("id")] if isinstance(metadata, Mapping) else []
    return next(
        (candidate for candidate in (item, *candidates) if to_id_text(candidate) is not None), None
    )


def _check_items(
    query: Any, items: Sequence[Any], is_valid: Callable[[Any], bool], kind: Kind
) -> None:
    for position, item in enumerate(items, 1):
        if is_valid(item):
            continue
        message = f"Query {query!r} contains {shorten_value(item)} at position {position:,}."
        hint = (
            "An id must be text or a whole number, or an object with docid, doc_id, node_id or id."
        )
        if kind == "run":
            hint += " Either all objects have a score, or none does."
        raise RanklensError(message, f"{hint} {_HINTS[kind]}")


def is_document_iterable(value: Any) -> bool:
    """Return whether a value is an iterable other than a string or dictionary."""
    is_iterable = isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))
    return is_iterable and getattr(value, "ndim", 1) > 0


def is_document_value_pair(value: Any) -> bool:
    """Return whether a value is a pair of a document and its score or grade."""
    return isinstance(value, (tuple, list)) and len(value) == 2 and not hasattr(value, "_fields")


def is_whole_number(value: Any) -> bool:
    """Return whether a value is a whole number, so that it may be used as an id."""
    return to_id_text(value) is not None and not isinstance(value, str)


def not_a_table_error(data: Any, kind: Kind) -> RanklensError:
    """Return the error for data that cannot be read as this kind of table."""
    reader_name = "read_run" if kind == "run" else "read_qrels"
    return RanklensError(
        f"{type(data).__name__} cannot be read as {kind}: {shorten_value(data)}.",
        f"Give a table read with {reader_name}, a path, a DataFrame, or a dictionary."
        f" {_HINTS[kind]}",
    )

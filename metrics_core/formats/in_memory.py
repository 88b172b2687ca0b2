"""Runs and judgments as Python programs hold them. Taken are, here for a run:

    a Run, a path                   as it is; read (a folder of runs gives several)
    a table                         with the columns query_id, doc_id and score, or their usual
                                    other names; a column of run names makes several runs
        pandas, and whatever has __arrow_c_stream__ or to_pandas (polars, pyarrow, duckdb, Hugging
        Face), a LazyFrame of polars
        records of numpy, and arrays of three columns
        a list or a stream of dictionaries, named tuples, objects with these attributes (those of
        ir_measures), or (query_id, doc_id, score)
        records with lists or objects inside, also as frames: what a file of them would be
        (formats.mapping), such as [{"qid": "q1", "hits": [{"docid": "d2", "score": 9.0}]}]
    {query_id: {doc_id: score}}     also what gives this by to_dict (ranx)
    {query_id: [doc_id, …]}         best first
    {query_id: [(doc_id, score)]}
    {query_id: [result, …]}         objects with docid, doc_id, node_id or id, in themselves, in
                                    their node or in their metadata, and a score or, best first,
                                    none (pyserini, LlamaIndex, LangChain, Haystack)

and for judgments the same with relevance for score, where {query_id: [doc_id, …]}, or a set of
them, are documents of grade 1. Several runs are a list of these, or a dictionary by name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from metrics_core.base import frames as pd
from metrics_core.base.errors import RanklensError, RowProblem, TableError
from metrics_core.base.wording import shown
from metrics_core.formats.beir import qrels_of_set
from metrics_core.formats.given_tables import (
    VALUE,
    GivenTable,
    any_table,
    id_in,
    is_listing,
    is_pair,
    is_row,
    is_whole_number,
    made_of,
    no_table,
    table_of,
)
from metrics_core.formats.pairs import pairs_of, read_pairs
from metrics_core.formats.parsing.columns import understand
from metrics_core.formats.parsing.systems import System, systems_of
from metrics_core.formats.reading import read_qrels, read_queries, read_runs
from metrics_core.formats.registry import Kind
from metrics_core.formats.run_folders import holds_runs, runs_of_folder
from metrics_core.tables import Qrels, Queries, Run
from metrics_core.tables.arrays import column_of, texts_of
from metrics_core.tables.columns import (
    WRITE_TEXTS,
    coded,
    id_text,
    refuse,
    refuse_without_ids,
    text_column,
)
from metrics_core.tables.given_numbers import finite_numbers
from metrics_core.tables.judgable import pair_in_words
from metrics_core.tables.run_names import free_name, with_folders

GivenRuns = Any
"""A run, or several as a list or by name, each as the module says."""
GivenQrels = Any
"""Judgments, as the module says."""
GivenQueries = Any
"""Queries with their columns: Queries, a path, a table, or {query_id: {column: value}}."""
GivenPairs = Any
"""Pairs of a query and a document: a path, a table with query_id and doc_id, {query_id: [doc_id,
…]}, a Run or Qrels."""

_NAMELESS = "run"


def runs_from(given: GivenRuns, judged: Collection[str] = ()) -> list[Run]:
    """One run or several, as tables. What has no name of its own is called run, run (2), … Where
    {a: {b: [1, 2]}} may be a run by name or the scores of a document, it is the latter if `a` is
    one of the `judged` queries. Raises RanklensError where there is none or one is nothing of the
    kind, and what reading raises."""
    if isinstance(given, Mapping) and any(map(_is_stream, given.values())):
        given = {key: list(one) if _is_stream(one) else one for key, one in given.items()}
    if isinstance(given, Mapping) and is_row(given, "run"):
        return _runs([given], _NAMELESS)
    if isinstance(given, Mapping) and _holds_runs(given, judged):
        return [run for name, one in given.items() for run in _named(one, str(name))]
    if isinstance(given, (Run, str, Path)) or made_of(given):
        return _runs(given, _NAMELESS)
    if not is_listing(given):
        raise no_table(given, "run")
    listed = list(given)
    if listed and is_row(listed[0], "run"):
        return _runs(listed, _NAMELESS)
    runs: list[Run] = []
    files: list[str] = []
    for one in listed:
        # Two runs that are alike are for the caller to rename.
        own = _runs(one, free_name(_NAMELESS, {run.name for run in runs}))
        runs += own
        file = str(one) if isinstance(one, (str, Path)) else ""
        several = file and len(own) > 1
        files += [f"{file}/{run.name}" if several else file for run in own]
    if not runs:
        raise RanklensError(
            "No run was passed.", "Pass at least one: a Run, a path or a dictionary."
        )
    return with_folders(runs, files)


def qrels_from(given: GivenQrels) -> Qrels:
    """The judgments as a table; raises as `runs_from`."""
    if isinstance(given, Qrels):
        return given
    if isinstance(given, (str, Path)):
        return qrels_of_set(given) or read_qrels(given)
    table = table_of(given, "qrels")
    columns = _columns(table, "qrels")
    qrels = Qrels.from_columns(*columns, distinct=_are_distinct(table, *columns))
    return qrels.noting(*table.notes)


def pairs_from(given: GivenPairs) -> Qrels:
    """Pairs of a query and a document, as judgments of grade 0; raises as `runs_from`."""
    if isinstance(given, (str, Path)):
        return read_pairs(given)
    if isinstance(given, (Run, Qrels)):
        return pairs_of(given.whole().table if isinstance(given, Run) else given.table)
    if isinstance(given, Mapping):
        return pairs_of(qrels_from(given).table)
    table = any_table(given)
    at = {} if table is None else understand(table.names, "run").roles
    if table is None or not {"query_id", "doc_id"} <= at.keys():
        raise RanklensError(
            f"{shown(given)} does not contain pairs of a query and a document.",
            "Give a path, a table with query_id and doc_id, or {query_id: [doc_id, …]}.",
        )
    query_ids, doc_ids = (_ids(table.column(at[role])) for role in ("query_id", "doc_id"))
    return pairs_of({"query_id": query_ids, "doc_id": doc_ids})


def queries_from(given: GivenQueries) -> Queries:
    """The queries as a table. Raises RanklensError where they are none."""
    if isinstance(given, Queries):
        return given
    if isinstance(given, (str, Path)):
        return read_queries(given)
    if isinstance(given, Mapping) and all(isinstance(own, Mapping) for own in given.values()):
        given = [{"query_id": query_id} | dict(own) for query_id, own in given.items()]
    table = None if isinstance(given, Mapping) else any_table(given)
    hint = "Give Queries, a path, a DataFrame, or a dictionary {query_id: {column: value}}."
    if table is None:
        raise RanklensError(f"{shown(given)} does not contain queries.", hint)
    roles = understand(table.names, "queries").roles
    at, text = (roles.get(role, -1) for role in ("query_id", "text"))
    if at < 0:
        there = ", ".join(table.names)
        raise RanklensError(f"The queries have no column query_id; their columns: {there}.", hint)
    columns = {"query_id": _ids(table.column(at))}
    names = ["text" if i == text else name for i, name in enumerate(table.names)]
    columns |= {n: _texts(table.column(i)) for i, n in enumerate(names) if i != at}
    return Queries.from_columns(columns)


def frame_from(given: Any) -> pd.DataFrame:
    """Any table as a frame of pandas. Raises RanklensError where it is none."""
    if isinstance(given, pd.DataFrame):
        return given
    table = None if isinstance(given, (Mapping, str, Path)) else any_table(given)
    if table is None:
        raise RanklensError(f"{shown(given)} is not a table.", "Give a DataFrame.")
    columns = [table.column(i) for i in range(len(table.names))]
    plain = [c.to_pandas() if isinstance(c, pa.ChunkedArray) else c for c in columns]
    return pd.DataFrame(dict(zip(table.names, plain, strict=True)))


# One run, or several


def _named(given: Any, name: str) -> list[Run]:
    """What is given under a name."""
    runs = _runs(given, name)
    if len(runs) == 1:
        return [runs[0].renamed(name)]
    return [run.renamed(f"{name}/{run.name}") for run in runs]


def _runs(given: Any, name: str) -> list[Run]:
    """The run that is given, by its own name or else by this; several where a column names them."""
    if isinstance(given, Run):
        return [given]
    if isinstance(given, (str, Path)):
        return runs_of_folder(given) if holds_runs(given) else read_runs(given)
    table = table_of(given, "run")
    columns = query_ids, doc_ids, scores = _columns(table, "run")
    at = understand(table.names, "run").roles.get("tag", -1)
    if at < 0:
        distinct = _are_distinct(table, *columns)
        run = Run.from_columns(table.called or name, *columns, distinct=distinct)
        return [run.noting(*table.notes)]
    # All of them are checked together: an error counts the rows that were given.
    queries, docs, tags = coded(query_ids), text_column(doc_ids), coded(_ids(table.column(at)))
    for column, ids in (("query_id", queries), ("doc_id", docs), (table.names[at], tags)):
        refuse_without_ids(column, ids)
    numbers = finite_numbers(scores, "score", partial(pair_in_words, queries, docs))
    rows = {"query_id": queries, "doc_id": docs, "score": column_of(numbers), "tag": tags}
    systems, notes = systems_of(pa.table(rows))
    only = tags.dictionary[0].as_py() if len(tags.dictionary) == 1 else name
    runs = [_run_of(system, system.name or only) for system in systems]
    return [runs[0].noting(*table.notes, *notes), *runs[1:]]


def _run_of(system: System, name: str) -> Run:
    """The run of some rows; an error counts those that were given."""
    try:
        return Run.from_columns(name, *(system.rows[c] for c in ("query_id", "doc_id", "score")))
    except TableError as error:
        if system.places is None:
            raise
        rows = [replace(one, row=int(system.places[one.row])) for one in error.problems]
        raise TableError(error.message, rows, error.count, error.hint, error.offer) from error


def _holds_runs(given: Mapping[Any, Any], judged: Collection[str]) -> bool:
    """Whether a dictionary holds runs by name, and not the documents of queries."""
    inside = _first_filled(given.values())
    if isinstance(inside, Mapping):
        value = _first_filled(inside.values())
        if is_listing(value) and not isinstance(value, Iterator):
            first = next(iter(value), None)
            if is_whole_number(first):
                return not {str(key) for key in given} & set(judged)
            named = isinstance(first, Mapping) or id_in(first) is not None
            return named or is_pair(first) or is_row(first, "run")
        return isinstance(value, Mapping)
    if isinstance(inside, (Run, str, Path)) or made_of(inside):
        return True
    return isinstance(inside, Sequence) and len(inside) > 0 and is_row(inside[0], "run")


def _is_stream(given: Any) -> bool:
    """Whether this can be looked at once."""
    return isinstance(given, Iterator) and not made_of(given)


def _first_filled(values: Iterable[Any]) -> Any:
    """The first of these that does not hold nothing; None where there is none."""
    for value in values:
        holds = isinstance(value, Mapping) or (is_listing(value) and hasattr(value, "__len__"))
        if not (holds and len(value) == 0):
            return value
    return None


# Columns


def _columns(table: GivenTable, kind: Kind) -> tuple[Any, Any, Any]:
    """Query ids, document ids, and scores or grades."""
    value = VALUE[kind]
    understood = understand(table.names, kind)
    if understood.missing:
        there = ", ".join(table.names)
        raise RanklensError(
            f"A frame of {'a run' if kind == 'run' else 'judgments'} has no column for"
            f" {' and '.join(understood.missing)}; its columns: {there}.",
            f"Name them query_id, doc_id and {value}, or use one of the recognised alternatives.",
        )
    at = understood.roles
    by_rank = value not in at
    query_ids, doc_ids = (_ids(table.column(at[role])) for role in ("query_id", "doc_id"))
    doc_ids = _documents(query_ids, doc_ids)
    values = table.column(at["rank" if by_rank else value])
    values = values.to_numpy() if isinstance(values, pd.Series) else values
    if by_rank:
        # Without a score, the rank gives the order.
        pair = partial(pair_in_words, coded(query_ids), text_column(doc_ids))
        values = -finite_numbers(values, "rank", pair).astype(np.float64)
    return query_ids, doc_ids, values


def _are_distinct(table: GivenTable, query_ids: Any, doc_ids: Any, _: Any) -> bool:
    """Whether no document can stand twice in a query: texts are keys of dictionaries."""
    return table.keyed and isinstance(query_ids, pa.Array) and isinstance(doc_ids, pa.Array)


def _documents(query_ids: Any, doc_ids: Any) -> Any:
    """Return the ids of documents, texts of Python as a column. Refuse what is no document's id,
    and say of which query."""
    if not isinstance(doc_ids, list):
        return doc_ids
    with suppress(TypeError, UnicodeEncodeError):  # not all are texts that can be written
        return texts_of(doc_ids)
    if set(map(type, doc_ids)) <= {str, int}:
        return doc_ids
    refuse(
        "An id must be text or a whole number.",
        np.flatnonzero([id_text(doc) is None for doc in doc_ids]),
        lambda row: RowProblem(
            row, f"{shown(doc_ids[row])} for query {query_ids[row]}", "a document's id"
        ),
        hint=WRITE_TEXTS,
    )
    return doc_ids


def _ids(column: Any) -> Any:
    """A column of ids: texts and whole numbers of Arrow as they are, else as Python's values."""
    if isinstance(column, (pa.Array, pa.ChunkedArray)):
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        text = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
        if pa.types.is_integer(kind) or any(is_text(kind) for is_text in text):
            return column
        return column.to_pylist()
    return column.tolist() if hasattr(column, "tolist") else column


def _texts(column: Any) -> list[str | None]:
    """The values of a column of the queries as texts; None where there is none."""
    return [
        None if pd.api.types.is_scalar(value) and pd.isna(value) else str(value)
        for value in (column.to_pylist() if hasattr(column, "to_pylist") else list(column))
    ]

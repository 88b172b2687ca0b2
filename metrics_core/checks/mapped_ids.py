"""Tables with their ids read another way, where somebody asked for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError, TableError
from metrics_core.base.notes import Note
from metrics_core.checks.id_readings import AS_THEY_STAND, IdMap
from metrics_core.tables import Documents, Qrels, Queries, Run
from metrics_core.tables.arrays import column_of, texts_of, values_of
from metrics_core.tables.columns import ID, coded
from metrics_core.tables.ranked_run import as_judged_ranks

AnyTable = TypeVar("AnyTable", Run, Qrels, Queries, Documents)


@dataclass(frozen=True)
class IdMaps:
    """How the ids of queries and of documents are read; as they stand where nothing is said."""

    queries: IdMap = AS_THEY_STAND
    documents: IdMap = AS_THEY_STAND

    def __bool__(self) -> bool:
        """Whether any id is read another way."""
        return self != IdMaps()

    @property
    def said(self) -> str:
        """What is done to ids, in words; "" where nothing is."""
        parts = (("query ids", self.queries), ("document ids", self.documents))
        return "; ".join(f"{what}: {own.said}" for what, own in parts if own != AS_THEY_STAND)


def with_mapped_ids(table: AnyTable, maps: IdMaps) -> AnyTable:
    """The table with its ids as `maps` reads them, and a note of what became one: of several
    documents of a run the one of the best score counts, of several judgments the highest grade, of
    the documents' own rows the first. Documents have their ids as runs do. Raises RanklensError for
    judged ranks, and where two queries become one."""
    if not maps:
        return table
    if isinstance(table, Queries):
        return _queries(table, maps)
    if isinstance(table, Run):
        return _run(table, maps)
    if isinstance(table, Documents):
        return _documents(table, maps)
    return _qrels(table, maps)


def _queries(table: Queries, maps: IdMaps) -> Queries:
    ids = texts_of(table.frame["query_id"].tolist())
    read = table.frame.assign(query_id=maps.queries.of_qrels(ids).to_pylist())
    try:
        return Queries.from_columns(dict(read.items())).noting(*table.notes)
    except TableError as error:
        raise _two_become_one(error) from error


def _run(table: Run, maps: IdMaps) -> Run:
    if not table.complete:
        raise RanklensError(
            f"{as_judged_ranks([table.name])}, so its ids can no longer be changed.",
            "Map the ids of the run and the judgments, then make the judged ranks again.",
        )
    rows = table.table
    query_id = _read(rows["query_id"], maps.queries.of_run, apart=True)
    doc_id = _read(rows["doc_id"], maps.documents.of_run)
    read = Run.from_columns(
        table.name, query_id, doc_id, table.scores, rank=table.given_ranks, duplicates="best"
    )
    return replace(
        read, notes=(*table.notes, *_merged(len(table) - len(read), "row", "best score"))
    )


def _documents(table: Documents, maps: IdMaps) -> Documents:
    rows = table.table
    ids = coded(_read(rows["doc_id"], maps.documents.of_run))
    first = np.sort(np.unique(values_of(ids.indices), return_index=True)[1])
    columns = dict(zip(rows.column_names, rows.columns, strict=True))
    read = pa.table({**columns, "doc_id": ids.cast(ID)}).take(column_of(first))
    merged = _merged(len(rows) - len(first), "document", "first", of="ids")
    own = Documents.from_columns(dict(zip(read.column_names, read.columns, strict=True)))
    return own.noting(*table.notes, *merged)


def _qrels(table: Qrels, maps: IdMaps) -> Qrels:
    given = table.given
    query_id = _read(given["query_id"], maps.queries.of_qrels, apart=True)
    doc_id = _read(given["doc_id"], maps.documents.of_qrels)
    rows = pa.table({"query_id": query_id, "doc_id": doc_id, "relevance": given["relevance"]})
    keys = ["query_id", "doc_id"]
    if table.subtopics is not None:
        rows = rows.append_column("subtopic", _plain(given["subtopic"]))
        keys.append("subtopic")
    kept = rows.group_by(keys, use_threads=False).aggregate([("relevance", "max")])
    subtopic = None if table.subtopics is None else kept["subtopic"]
    read = Qrels.from_columns(kept["query_id"], kept["doc_id"], kept["relevance_max"], subtopic)
    merged = _merged(len(rows) - len(kept), "judgment", "highest grade")
    return replace(read, notes=(*table.notes, *merged))


def _merged(count: int, noun: str, kept: str, of: str = "documents") -> tuple[Note, ...]:
    """A note of the rows that fell to others of the same document, where there are any."""
    told = (
        f"{w.count(count)} {w.plural(count, noun)} dropped because the id mapping merged {of}; the"
        f" {kept} of each is kept"
    )
    return (Note("mapped", told, count, loud=True),) if count else ()


def _plain(ids: pa.ChunkedArray) -> pa.Array:
    """The ids of a column as plain texts."""
    own = ids.combine_chunks()
    return own.cast(own.type.value_type) if pa.types.is_dictionary(own.type) else own


def _read(ids: pa.ChunkedArray, read, *, apart: bool = False) -> pa.Array:  # type: ignore[no-untyped-def]
    """The ids as they are read, each distinct one once; those that must stay `apart` do."""
    own = coded(ids)
    names = read(own.dictionary)
    if apart and len(pc.unique(names)) < len(names):
        raise _two_become_one(None)
    return names.take(own.indices)


def _two_become_one(error: TableError | None) -> RanklensError:
    why = f" ({error})" if error else ""
    return RanklensError(
        f"This mapping of query ids merges two queries{why}.",
        "Choose a mapping that keeps them distinct.",
    )

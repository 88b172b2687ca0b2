"""Apply the id mappings that the user requested: replace the ids in tables by the mapped ids."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError, TableError
from metrics_core.base.notes import Note
from metrics_core.checks.id_readings import UNCHANGED_IDS, IdMap
from metrics_core.tables import Documents, GivenScores, Qrels, Queries, Run
from metrics_core.tables.arrays import as_array, as_column, as_text_column, is_coded
from metrics_core.tables.columns import ID, encode_ids
from metrics_core.tables.ranked_run import judged_ranks_clause

AnyTable = TypeVar("AnyTable", Run, Qrels, Queries, Documents, GivenScores)


@dataclass(frozen=True)
class IdMaps:
    """Mappings of query ids and document ids. By default, ids are unchanged."""

    queries: IdMap = UNCHANGED_IDS
    documents: IdMap = UNCHANGED_IDS

    def __bool__(self) -> bool:
        """Whether any id is mapped."""
        return self != IdMaps()

    @property
    def description(self) -> str:
        """Description of the mappings in words; "" if ids are unchanged."""
        parts = (("query ids", self.queries), ("document ids", self.documents))
        return "; ".join(
            f"{what}: {id_map.description}" for what, id_map in parts if id_map != UNCHANGED_IDS
        )


def map_ids(table: AnyTable, maps: IdMaps) -> AnyTable:
    """Return the table with its ids mapped, and a note on rows that were merged.

    If documents of a run are merged, the best score is kept; if judgments are merged, the highest
    grade; if rows of a documents table are merged, the first row. The document ids of that table
    and the query ids of scores are mapped like the ids of runs. Raises RanklensError for a run
    loaded as judged ranks (the ranks of judged documents), and if two queries are merged."""
    if not maps:
        return table
    if isinstance(table, Queries):
        return _map_queries(table, maps)
    if isinstance(table, Run):
        return _map_run(table, maps)
    if isinstance(table, Documents):
        return _map_documents(table, maps)
    if isinstance(table, GivenScores):
        return _map_scores(table, maps)
    return _map_qrels(table, maps)


def _map_queries(table: Queries, maps: IdMaps) -> Queries:
    ids = as_text_column(table.frame["query_id"].tolist())
    mapped = table.frame.assign(query_id=maps.queries.map_qrels_ids(ids).to_pylist())
    try:
        return Queries.from_columns(dict(mapped.items())).with_notes(*table.notes)
    except TableError as error:
        raise _merged_queries_error(error) from error


def _map_run(table: Run, maps: IdMaps) -> Run:
    if not table.complete:
        raise RanklensError(
            f"{judged_ranks_clause([table.name])}, so its ids can no longer be changed.",
            "Map the ids of the run and the judgments, then create the ranks of judged documents"
            " again.",
        )
    rows = table.table
    query_id = _map_id_column(rows["query_id"], maps.queries.map_run_ids, refuse_merging=True)
    doc_id = _map_id_column(rows["doc_id"], maps.documents.map_run_ids)
    mapped = Run.from_columns(
        table.name, query_id, doc_id, table.scores, rank=table.given_ranks, duplicates="best"
    )
    return replace(
        mapped,
        notes=(*table.notes, *_merged_row_notes(len(table) - len(mapped), "row", "best score")),
    )


def _map_documents(table: Documents, maps: IdMaps) -> Documents:
    rows = table.table
    ids = encode_ids(_map_id_column(rows["doc_id"], maps.documents.map_run_ids))
    first = np.sort(np.unique(as_array(ids.indices), return_index=True)[1])
    columns = dict(zip(rows.column_names, rows.columns, strict=True))
    mapped = pa.table({**columns, "doc_id": ids.cast(ID)}).take(as_column(first))
    merged = _merged_row_notes(len(rows) - len(first), "document", "first", source="ids")
    documents = Documents.from_columns(dict(zip(mapped.column_names, mapped.columns, strict=True)))
    return documents.with_notes(*table.notes, *merged)


def _map_scores(table: GivenScores, maps: IdMaps) -> GivenScores:
    rows = {name: table.table[name] for name in table.table.column_names}
    to_ids = maps.queries.map_run_ids
    rows["query_id"] = _map_id_column(rows["query_id"], to_ids, refuse_merging=True)
    details = table.details
    if details is not None:
        ids = _map_id_column(details["query_id"], to_ids).cast(ID)
        details = details.drop_columns("query_id").append_column("query_id", ids)
    return GivenScores.from_columns(**rows | {"value": table.values}, details=details).with_notes(
        *table.notes
    )


def _map_qrels(table: Qrels, maps: IdMaps) -> Qrels:
    given_rows = table.input_table
    query_id = _map_id_column(
        given_rows["query_id"], maps.queries.map_qrels_ids, refuse_merging=True
    )
    doc_id = _map_id_column(given_rows["doc_id"], maps.documents.map_qrels_ids)
    rows = pa.table({"query_id": query_id, "doc_id": doc_id, "relevance": given_rows["relevance"]})
    keys = ["query_id", "doc_id"]
    if table.subtopics is not None:
        rows = rows.append_column("subtopic", _to_plain_strings(given_rows["subtopic"]))
        keys.append("subtopic")
    grouped = rows.group_by(keys, use_threads=False).aggregate([("relevance", "max")])
    subtopic = None if table.subtopics is None else grouped["subtopic"]
    mapped = Qrels.from_columns(
        grouped["query_id"], grouped["doc_id"], grouped["relevance_max"], subtopic
    )
    merged = _merged_row_notes(len(rows) - len(grouped), "judgment", "highest grade")
    return replace(mapped, notes=(*table.notes, *merged))


def _merged_row_notes(
    count: int, noun: str, kept_value: str, source: str = "documents"
) -> tuple[Note, ...]:
    """Return a note on the rows dropped because their ids were merged; no note if no row was
    dropped."""
    message = (
        f"{w.format_count(count)} {w.plural(count, noun)} dropped because the id mapping merged"
        f" {source}; for each merged id, the {kept_value} is kept"
    )
    return (Note("mapped", message, count, loud=True),) if count else ()


def _to_plain_strings(ids: pa.ChunkedArray) -> pa.Array:
    """Return the ids of a column as plain strings."""
    texts = ids.combine_chunks()
    return texts.cast(texts.type.value_type) if is_coded(texts) else texts


def _map_id_column(ids: pa.ChunkedArray, mapping, *, refuse_merging: bool = False) -> pa.Array:  # type: ignore[no-untyped-def]
    """Return the mapped ids of a column. Each distinct id is mapped only once.

    If `refuse_merging` is true, RanklensError is raised if two different ids become equal."""
    encoded = encode_ids(ids)
    names = mapping(encoded.dictionary)
    if refuse_merging and len(pc.unique(names)) < len(names):
        raise _merged_queries_error(None)
    return names.take(encoded.indices)


def _merged_queries_error(error: TableError | None) -> RanklensError:
    why = f" ({error})" if error else ""
    return RanklensError(
        f"This mapping of query ids merges two queries{why}.",
        "Choose a mapping that keeps all queries distinct.",
    )

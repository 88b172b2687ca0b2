"""Export of some queries as a separate collection: a zip file that yields the same scores when it
is loaded."""

from __future__ import annotations

import io
import shutil
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from dashboard.address.view import Comparison
from dashboard.files.query_zip import ABOUT, CUT_FROM
from dashboard.study.study import Study
from dashboard.workspace import Layer, QueryNotes
from dashboard.workspace.exports.notes_and_layers import (
    LAYERS_FILE,
    NOTES_FILE,
    layers_csv,
    notes_csv,
)
from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError
from metrics_core.formats import write
from metrics_core.tables import Qrels, Queries, Run, Table
from metrics_core.tables.columns import ID, encode_ids

Judged = TypeVar("Judged", Run, Qrels)

_PARQUET = ".parquet"
_EPOCH = (1980, 1, 1, 0, 0, 0)
_NO_FILE_NAME = '/\\:*?"<>|\0'


def export_subset(
    study: Study,
    comparison: Comparison,
    query_ids: Sequence[str],
    query_notes: Mapping[str, QueryNotes] | None = None,
    layers: Sequence[Layer] = (),
) -> bytes:
    """Return a zip file with the judgments, query texts, shown runs and notes of these queries, and
    a text file that describes the contents.

    Tables are written as TREC files, or as Parquet if an id cannot be written in that format. A
    separate file has the grades of `layers`, which are the active layers of the study."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        qrels = select_queries(study.unlayered.qrels, query_ids)
        if len(qrels):
            _add_table(archive, "qrels.txt", qrels, "trec")
        for name in comparison.runs:
            run_rows = select_queries(study.runs[name], query_ids)
            if len(run_rows):
                ranks_only = run_rows.given_ranks is not None
                _add_table(
                    archive,
                    f"{_make_safe_file_name(name)}.run",
                    run_rows,
                    "msmarco" if ranks_only else "trec",
                )
        if study.queries is not None:
            frame = study.queries.frame
            query_rows = frame[frame["query_id"].isin(query_ids)]
            if len(query_rows):
                _add_table(archive, "queries.jsonl", Queries(query_rows), "jsonl")
        notes, grades = notes_csv(query_notes or {}, query_ids), layers_csv(layers, query_ids)
        for name, content in {NOTES_FILE: notes, LAYERS_FILE: grades}.items():
            if content:
                archive.writestr(zipfile.ZipInfo(name, _EPOCH), content)
        about = _describe_subset(study, comparison, query_ids, has_layers=bool(grades))
        archive.writestr(zipfile.ZipInfo(ABOUT, _EPOCH), about)
    return out.getvalue()


def select_queries(table: Judged, query_ids: Sequence[str]) -> Judged:
    """Return the rows of a run or of judgments that belong to these queries."""
    table = table.select_queries(query_ids) if isinstance(table, Run) else table
    selected = replace(table, table=_select_rows(table.table, query_ids), notes=())
    if isinstance(selected, Qrels) and selected.subtopics is not None:
        return replace(selected, subtopics=_select_rows(selected.subtopics, query_ids))
    return selected


def _select_rows(table: pa.Table, query_ids: Sequence[str]) -> pa.Table:
    query = encode_ids(table["query_id"])
    is_selected = pc.is_in(query.dictionary, pa.array(list(query_ids), ID))
    rows = table.filter(is_selected.take(query.indices))
    # Encode again, so that the dictionary contains only the selected queries.
    return rows.set_column(0, "query_id", encode_ids(rows["query_id"].cast(ID)))


def _add_table(archive: zipfile.ZipFile, name: str, table: Table, format: str) -> None:
    """Add a table to the zip file, as Parquet if `format` cannot represent the table. The table is
    written through a temporary file, so that the zip entry is never in memory as a whole."""
    with tempfile.TemporaryFile() as draft:
        try:
            write(table, draft, format)
        except RanklensError:
            name += _PARQUET
            draft.seek(0)
            draft.truncate()
            write(table, draft, "parquet")
        draft.seek(0)
        entry = zipfile.ZipInfo(name, _EPOCH)
        entry.compress_type = zipfile.ZIP_DEFLATED
        with archive.open(entry, "w", force_zip64=True) as member:
            shutil.copyfileobj(draft, member)


def _make_safe_file_name(name: str) -> str:
    return "".join("_" if letter in _NO_FILE_NAME else letter for letter in name)


def _describe_subset(
    study: Study, comparison: Comparison, query_ids: Sequence[str], *, has_layers: bool
) -> str:
    total = len(study.query_ids)
    lines = [
        f"{w.format_count(len(query_ids))} of {w.format_query_count(total)}, {CUT_FROM}.",
        f"Runs: {', '.join(comparison.runs)}. Measure: {comparison.name}.",
    ]
    highest = select_queries(study.qrels, query_ids).relevance.max(initial=0)
    if highest < study.qrels.relevance.max(initial=0):
        lines.append(
            "No document of these queries has the highest grade of the whole collection. Measures"
            " that use the highest grade, such as ERR, therefore give different scores here."
        )
    if has_layers:
        lines.append(
            f"{LAYERS_FILE} contains grades given in Ranklens. They are not in qrels.txt, but"
            " Ranklens counts them in its scores."
        )
    return "\n".join(lines) + "\n"

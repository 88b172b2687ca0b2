"""Read Quepid's CSV files: ratings of a case, and snapshots of search results.

    query,docid,rating                                                          basic export
    Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position,title    one column per field

Quepid writes a blank before a text that a spreadsheet might run as a formula."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.errors import (
    MOST_PROBLEMS_SHOWN,
    FileFormatError,
    LineProblem,
)
from metrics_core.base.notes import Note, note_on_cases
from metrics_core.base.wording import format_query_count, format_with_noun, plural
from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.presets import Preset
from metrics_core.formats.parsing.columns import fold_name, name_document_columns
from metrics_core.formats.parsing.delimited import (
    read_csv_records,
    read_named_columns,
    read_table,
    split_csv,
)
from metrics_core.formats.parsing.named import (
    NamedColumns,
    check_header,
    check_rows_exist,
    load_named,
)
from metrics_core.formats.registry import (
    TOOL_SPECIFIC,
    Kind,
    Loaded,
    Request,
    Sample,
    Sureness,
    Tool,
    add_notes,
    missing_kind_error,
    reader,
)
from metrics_core.formats.source.lines import SelectedLines, file_error, line_error
from metrics_core.formats.source.source import Source
from metrics_core.formats.tabular import read_csv_columns
from metrics_core.tables import Queries
from metrics_core.tables.arrays import as_array, is_coded
from metrics_core.tables.columns import ID

_RATINGS = ["query", "docid", "rating"]
_SNAPSHOT = ["Snapshot Name", "Snapshot Time", "Case ID", "Query Text", "Doc ID", "Doc Position"]
_GUARDED = r"^ ([=+\-@])"
"""Pattern of a text before which Quepid wrote a blank, because a spreadsheet might run it as a
formula."""


def recognise_ratings(sample: Sample) -> Sureness:
    """Recognise ratings by the names of their three columns.

    If a value of the query column contains a space, or if a query has no ratings, the query column
    contains the texts of the queries, so that the file may also be read as queries. Otherwise the
    column may contain ids."""
    if sample.columns or not sample.lines or split_csv(sample.lines[0], ",") != _RATINGS:
        return {}
    rows = [split_csv(line, ",") for line in sample.lines[1:]]
    are_texts = any(" " in row[0].strip() or row[1:] == ["", ""] for row in rows if row)
    return dict.fromkeys(("qrels", "queries") if are_texts else ("qrels",), TOOL_SPECIFIC)


@reader(
    "quepid-ratings",
    title="Quepid ratings",
    kinds=("qrels", "queries"),
    endings=(".csv",),
    explanation="Ratings of a Quepid case as CSV, read as judgments; OpenSearch imports the same"
    " format. The query text is the query id. A query without ratings has no judgments."
    " The blank that Quepid adds before texts starting with = + - or @ is removed. Quepid's TREC"
    " export uses its own query numbers, so it cannot be combined with these files.",
    example="query,docid,rating\nstar wars,11,3\nstar wars,12,0\nunrated,,",
    recognise=recognise_ratings,
    first_rows=read_csv_columns,
    together=recognise_ratings,
    tools=(
        Tool(
            "Quepid",
            "a case's ratings: *Export*, Basic or CSV (query, docid, rating)",
            "judgments, and the queries",
            "information need and notes, which are in the case's JSON",
            ("search",),
        ),
    ),
)
def read_ratings(source: Source, request: Request) -> Loaded:
    """Read the judgments or the queries in a file of ratings. Raises FileFormatError."""
    qrels_request = replace(request, kind="qrels")
    named = read_table(source, qrels_request, ",")
    if named.names != _RATINGS:
        raise _columns_error(source, named.names, named.header or 1, _RATINGS)
    row_count = len(named)
    named = _strip_formula_guards(named, named.names[:2])
    query_texts = named.column(0)
    named = _drop_unrated(named)
    if request.kind == "qrels" and (len(named) or not row_count):
        return load_named(source, request, named, "quepid-ratings", "Quepid ratings")
    if request.kind == "qrels" or not row_count:
        hint = "Rate documents, then export again."
        raise missing_kind_error(source, request.kind, "none in this file", hint)
    texts = [text for text in query_texts.unique().to_pylist() if text]
    queries = Queries.from_columns({"query_id": texts, "text": texts})
    title = "Quepid ratings: query"
    return Loaded(queries.with_notes(*named.notes), "quepid-ratings", title, source.name)


def _columns_error(
    source: Source, names: list[str], line: int, expected: list[str]
) -> FileFormatError:
    return line_error(
        source,
        line,
        ", ".join(names),
        f"the columns {', '.join(expected)}",
        "Read the file as CSV, with format=csv.",
    )


def _drop_unrated(named: NamedColumns) -> NamedColumns:
    """Return the rows of queries that have ratings, and a note about the other queries."""
    is_empty = [pc.equal(named.column(index).cast(ID), "") for index in (1, 2)]
    is_unrated = pc.and_(*is_empty)
    if not pc.any(is_unrated).as_py():
        return named
    row_numbers = as_array(pc.indices_nonzero(pc.invert(is_unrated))).astype("int64")
    columns = {name: column.take(pa.array(row_numbers)) for name, column in named.columns.items()}
    line_index = SelectedLines(named.index, row_numbers) if named.index else None
    queries = named.column(0).cast(ID).filter(is_unrated).unique().to_pylist()
    message = f"{format_query_count(len(queries))} without ratings and therefore without judgments"
    note = note_on_cases("unrated", message, queries)
    return replace(named, columns=columns, index=line_index, notes=[*named.notes, note])


def _strip_formula_guards(named: NamedColumns, names: list[str]) -> NamedColumns:
    """Return the columns without the blanks that Quepid writes before formulas."""
    columns, changed = dict(named.columns), dict[str, None]()
    count = 0
    for name in names:
        texts = columns[name].cast(ID)
        is_guarded = pc.match_substring_regex(texts, _GUARDED)
        row_count = pc.sum(is_guarded).as_py() or 0
        if row_count:
            stripped = pc.replace_substring_regex(texts, _GUARDED, r"\1")
            changed |= dict.fromkeys(stripped.filter(is_guarded).unique().to_pylist()[:3])
            columns[name] = stripped.dictionary_encode() if is_coded(columns[name]) else stripped
            count += row_count
    if not count:
        return named
    message = (
        f"{count:,} {plural(count, 'text begins', 'texts begin')} with the blank that Quepid adds"
        " before = + - or @ for spreadsheets; the blank is removed"
    )
    note = Note("guards", message, count, tuple([*changed][:3]))
    return replace(named, columns=columns, notes=[*named.notes, note])


def recognise_snapshots(sample: Sample) -> Sureness:
    """Recognise snapshots by their first six column names. All other columns are fields of
    documents."""
    if sample.columns or not sample.lines:
        return {}
    names = split_csv(sample.lines[0], ",")
    if not _has_snapshot_columns(names):
        return {}
    documents: tuple[Kind, ...] = ("documents",) if len(names) > 6 else ()
    return dict.fromkeys(("run", "queries", *documents), TOOL_SPECIFIC)


def _has_snapshot_columns(names: Sequence[str]) -> bool:
    return [fold_name(name) for name in names[:6]] == [fold_name(name) for name in _SNAPSHOT]


SNAPSHOTS = Preset(
    "quepid-snapshots",
    "Quepid snapshots",
    endings=(".csv",),
    explanation="Snapshots of a Quepid case as CSV: one run per snapshot, ordered by position, with"
    " query texts and document fields. The query text is the query id, as in Quepid's ratings. The"
    " blank that Quepid adds before texts starting with = + - or @ is removed.",
    example="Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position,title\n"
    "before,2026-11-02 09:30,7,star wars,11,1,A New Hope\n"
    "before,2026-11-02 09:30,7,star wars,12,2,Star Trek",
    recognised_by=(),
    tables={
        "run": "query=query doc=found[].doc rank=found[].place system=run",
        "queries": "query=query text=query",
        "documents": "doc=found[].doc fields=found[].fields",
    },
    once=(),
    tools=(
        Tool(
            "Quepid",
            "a case's snapshots as CSV",
            "one run per snapshot, queries and document fields",
            "scores (the position is the rank); the query numbers of the TREC export, which no"
            " other file contains",
            ("search",),
        ),
    ),
)


def read_snapshots(source: Source, request: Request) -> Loaded:
    """Read the runs, queries or documents in a file of snapshots. Raises FileFormatError."""
    from metrics_core.formats.mapping import preset_files
    from metrics_core.formats.mapping.axes import PythonValues, Records

    named = _read_snapshot_columns(source, request)
    check_rows_exist(source, named)
    runs, records = _build_run_names(named), list[dict[str, object]]()
    fields, problems = name_document_columns(named.names[6:]), list[LineProblem]()
    columns = [named.column(index).cast(ID).to_pylist() for index in range(len(named.names))]
    lines = [named.index.line(row) or 0 for row in range(len(named))] if named.index else None
    for row, (_, _, _, query, doc, position, *values) in enumerate(zip(*columns, strict=True)):
        is_empty = query and not doc and not position
        if not is_empty and not (query and doc and re.fullmatch(r"\d{1,9}", position, re.ASCII)):
            problems.append(_position_problem(lines[row] if lines else None, query, doc, position))
        document_fields = dict(zip(fields, values, strict=True))
        documents = (
            [] if is_empty else [{"doc": doc, "place": position, "fields": document_fields or None}]
        )
        records.append({"query": query, "run": runs[row], "found": documents})
    if problems:
        raise file_error(source, problems[:MOST_PROBLEMS_SHOWN], count=len(problems))
    blocks = [Records(PythonValues(records), None if lines is None else np.array(lines))]
    loaded = preset_files.read_preset(SNAPSHOTS, source, request, iter(blocks))
    notes = [*named.notes, *([_snapshots_note(named, runs)] if request.kind == "run" else [])]
    return add_notes(loaded, *notes)


declare(SNAPSHOTS, recognise=recognise_snapshots, first_rows=read_csv_columns, read=read_snapshots)


def _read_snapshot_columns(source: Source, request: Request) -> NamedColumns:
    """Return all columns of a file in which the text of a document may extend over several lines.
    The blanks that Quepid writes before formulas are removed."""
    records = read_csv_records(source, ",")
    line_number, _, fields = next((record for record in records if record[2]), (1, 1, [""]))
    names = [name.strip() for name in fields]
    if not _has_snapshot_columns(names):
        raise _columns_error(source, names, line_number, _SNAPSHOT)
    check_header(source, names, line_number)
    named = read_named_columns(source, replace(request, kind="documents"), records, names)
    return _strip_formula_guards(named, named.names)


def _position_problem(line: int | None, query: str, doc: str, position: str) -> LineProblem:
    if query and doc:
        return LineProblem(line, f"`{position}` as Doc Position", "a whole number, from 1")
    actual = "no Query Text" if not query else "no Doc ID"
    hint = "A query without results has neither Doc ID nor Doc Position."
    return LineProblem(line, actual, "a query and a document", hint=hint)


def _build_run_names(named: NamedColumns) -> list[str]:
    """Return the run name of each row: the name of its snapshot. If several snapshots have the same
    name, the time is added; if they also have the same time, the case is added too."""
    rows = list(zip(*(named.column(index).cast(ID).to_pylist() for index in range(3)), strict=True))
    snapshots = dict.fromkeys(rows)
    name_counts = Counter(name for name, _, _ in snapshots)
    time_counts = Counter((name, time) for name, time, _ in snapshots)
    names_by_snapshot: dict[tuple[str, str, str], str] = {}
    for name, time, case in snapshots:
        run_name = name if name_counts[name] == 1 else f"{name} {time}"
        names_by_snapshot[name, time, case] = (
            run_name if time_counts[name, time] == 1 else f"{run_name} case {case}"
        )
    return [names_by_snapshot[row] for row in rows]


def _snapshots_note(named: NamedColumns, runs: list[str]) -> Note:
    """Return the note that lists the snapshots of the runs."""
    columns = (named.column(index).cast(ID).to_pylist() for index in (1, 2))
    snapshots = [
        f"{run} of {time or 'no time'}, case {case or 'none'}"
        for run, time, case in dict.fromkeys(zip(runs, *columns, strict=True))
    ]
    message = f"{format_with_noun(len(snapshots), 'Quepid snapshot')}, ordered by position"
    return note_on_cases("snapshots", message, snapshots)

"""Quepid's CSV files: the ratings of a case, and snapshots of what a search found.

    query,docid,rating                                                          its basic export
    Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position,title    a column a field

Before a text that a spreadsheet might take for a formula Quepid writes a blank.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Ints
from metrics_core.base.errors import MOST_PROBLEMS_SHOWN, FileFormatError, LineProblem
from metrics_core.base.notes import Note
from metrics_core.base.wording import plural
from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.presets import Preset
from metrics_core.formats.parsing.columns import document_columns, fold
from metrics_core.formats.parsing.delimited import (
    csv_fields,
    csv_records,
    named_from,
    quickly_named,
)
from metrics_core.formats.parsing.named import NamedColumns, check_header, load_named
from metrics_core.formats.registry import (
    KIND_TITLES,
    OF_A_TOOL,
    Kind,
    Loaded,
    NothingOfKindError,
    Request,
    Sample,
    Tool,
    reader,
)
from metrics_core.formats.source.lines import RowLines, refuse
from metrics_core.formats.source.source import Source
from metrics_core.formats.tabular import csv_columns
from metrics_core.tables import Queries
from metrics_core.tables.arrays import values_of
from metrics_core.tables.columns import ID

_RATINGS = ["query", "docid", "rating"]
_SNAPSHOT = ["Snapshot Name", "Snapshot Time", "Case ID", "Query Text", "Doc ID", "Doc Position"]
_GUARDED = r"^ ([=+\-@])"
"""A text with Quepid's blank before what begins a formula."""


def recognise_ratings(sample: Sample) -> Mapping[Kind, int]:
    """By the three names of its header. The queries are texts where one has a blank or stands
    without ratings; else they may be ids."""
    if sample.columns or not sample.lines or csv_fields(sample.lines[0], ",") != _RATINGS:
        return {}
    rows = [csv_fields(line, ",") for line in sample.lines[1:]]
    texts = any(" " in row[0].strip() or row[1:] == ["", ""] for row in rows if row)
    return dict.fromkeys(("qrels", "queries") if texts else ("qrels",), OF_A_TOOL)


@reader(
    "quepid-ratings",
    title="Quepid ratings",
    kinds=("qrels", "queries"),
    endings=(".csv",),
    explanation="Ratings of a Quepid case as CSV, read as judgments; OpenSearch imports the same"
    " format. The query text is the query id. A query without ratings is a query without judgments."
    " The blank that Quepid adds before texts starting with = + - or @ is removed. Quepid's TREC"
    " export uses its own query numbers, so it cannot be combined with these files.",
    example="query,docid,rating\nstar wars,11,3\nstar wars,12,0\nunrated,,",
    recognise=recognise_ratings,
    first_rows=csv_columns,
    together=recognise_ratings,
    tools=(
        Tool(
            "Quepid",
            "a case's ratings: *Export*, Basic or CSV (query, docid, rating)",
            "judgments, and the queries",
            "information need and notes: they are in the case's JSON",
            ("search",),
        ),
    ),
)
def read_ratings(source: Source, request: Request) -> Loaded:
    """The judgments, or the queries, of a file of ratings."""
    judging = replace(request, kind="qrels")
    named = quickly_named(source, judging, ",")
    if named is None:
        named = named_from(source, judging, csv_records(source, ","))
    if named.names != _RATINGS:
        raise _other_columns(source, named.names, named.header or 1, _RATINGS)
    rows = len(named)
    named = _without_guards(named, named.names[:2])
    every_query = named.column(0)
    named = _without_empty(named)
    if request.kind == "qrels" and (len(named) or not rows):
        return load_named(source, request, named, "quepid-ratings", "Quepid ratings")
    if request.kind == "qrels" or not rows:
        problem = LineProblem(None, "none in this file", KIND_TITLES[request.kind])
        raise NothingOfKindError(source.name, [problem], hint="Rate documents, then export again.")
    texts = [text for text in every_query.unique().to_pylist() if text]
    queries = Queries.from_columns({"query_id": texts, "text": texts})
    title = "Quepid ratings: query"
    return Loaded(queries.noting(*named.notes), "quepid-ratings", title, source.name)


def _other_columns(
    source: Source, names: list[str], line: int, expected: list[str]
) -> FileFormatError:
    problem = LineProblem(line, ", ".join(names), f"the columns {', '.join(expected)}")
    return refuse(source, [problem], hint="Read the file as CSV, with format=csv.")


@dataclass(frozen=True)
class _Kept:
    """The lines of the rows that are left."""

    index: RowLines
    rows: Ints

    def line(self, row: int) -> int | None:
        return self.index.line(int(self.rows[row]))


def _without_empty(named: NamedColumns) -> NamedColumns:
    """The rows without those of a query that has no rating."""
    empty = [pc.equal(_plain(named.column(at)), "") for at in (1, 2)]
    without = pc.and_(*empty)
    if not pc.any(without).as_py():
        return named
    left = values_of(pc.indices_nonzero(pc.invert(without))).astype("int64")
    columns = {name: column.take(pa.array(left)) for name, column in named.columns.items()}
    index = _Kept(named.index, left) if named.index else None
    queries = _plain(named.column(0)).filter(without).unique().to_pylist()
    noun = plural(len(queries), "query", "queries")
    message = f"{len(queries):,} {noun} without ratings, so without judgments"
    note = Note("unrated", message, len(queries), tuple(queries[:3]))
    return replace(named, columns=columns, index=index, notes=[*named.notes, note])


def _without_guards(named: NamedColumns, names: list[str]) -> NamedColumns:
    """The same texts without the blank before what begins a formula."""
    columns, changed = dict(named.columns), dict[str, None]()
    count = 0
    for name in names:
        texts = _plain(columns[name])
        guarded = pc.match_substring_regex(texts, _GUARDED)
        rows = pc.sum(guarded).as_py() or 0
        if rows:
            bare = pc.replace_substring_regex(texts, _GUARDED, r"\1")
            changed |= dict.fromkeys(bare.filter(guarded).unique().to_pylist()[:3])
            coded = pa.types.is_dictionary(columns[name].type)
            columns[name] = bare.dictionary_encode() if coded else bare
            count += rows
    if not count:
        return named
    return replace(named, columns=columns, notes=[*named.notes, _guards(count, [*changed])])


def _guards(count: int, examples: list[str]) -> Note:
    message = (
        f"{count:,} {plural(count, 'text begins', 'texts begin')} with a blank before = + - or @,"
        " which Quepid adds for spreadsheets; it is removed"
    )
    return Note("guards", message, count, tuple(examples[:3]))


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(ID) if pa.types.is_dictionary(column.type) else column


def recognise_snapshots(sample: Sample) -> Mapping[Kind, int]:
    """By the names of its first six columns; the further ones are fields of documents."""
    if sample.columns or not sample.lines:
        return {}
    names = csv_fields(sample.lines[0], ",")
    if not _of_snapshots(names):
        return {}
    documents: tuple[Kind, ...] = ("documents",) if len(names) > 6 else ()
    return dict.fromkeys(("run", "queries", *documents), OF_A_TOOL)


def _of_snapshots(names: Sequence[str]) -> bool:
    return [fold(name) for name in names[:6]] == [fold(name) for name in _SNAPSHOT]


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
            "one run per snapshot, queries and documents' fields",
            "scores: ranked by position; the query numbers of the TREC export are in no other file",
            ("search",),
        ),
    ),
)


def read_snapshots(source: Source, request: Request) -> Loaded:
    """The runs, the queries or the documents of a file of snapshots."""
    from metrics_core.formats.mapping import preset_files
    from metrics_core.formats.mapping.axes import PythonValues, Records

    named = _snapshot_columns(source, request)
    if not len(named):
        problem = LineProblem(None, "only a header", "at least one row")
        raise refuse(source, [problem], hint="Is the file complete?")
    runs, records = _run_names(named), list[dict[str, object]]()
    fields, problems = document_columns(named.names[6:]), list[LineProblem]()
    columns = [_plain(named.column(at)).to_pylist() for at in range(len(named.names))]
    lines = [named.index.line(row) or 0 for row in range(len(named))] if named.index else None
    for row, (_, _, _, query, doc, place, *values) in enumerate(zip(*columns, strict=True)):
        nothing = query and not doc and not place
        if not nothing and not (query and doc and re.fullmatch(r"\d{1,9}", place, re.ASCII)):
            problems.append(_misplaced(lines[row] if lines else None, query, doc, place))
        own = dict(zip(fields, values, strict=True))
        found = [] if nothing else [{"doc": doc, "place": place, "fields": own or None}]
        records.append({"query": query, "run": runs[row], "found": found})
    if problems:
        raise refuse(source, problems[:MOST_PROBLEMS_SHOWN], count=len(problems))
    blocks = [Records(PythonValues(records), None if lines is None else np.array(lines))]
    loaded = preset_files.read(SNAPSHOTS, source, request, iter(blocks))
    told = dict(_snapshot_notes(named, runs))[request.kind]
    return replace(loaded, table=loaded.table.noting(*told))


declare(SNAPSHOTS, recognise=recognise_snapshots, first_rows=csv_columns, read=read_snapshots)


def _snapshot_columns(source: Source, request: Request) -> NamedColumns:
    """All columns, without the blanks before formulas; texts of documents may go over lines."""
    records = csv_records(source, ",")
    number, _, fields = next((record for record in records if record[2]), (1, 1, [""]))
    names = [name.strip() for name in fields]
    if not _of_snapshots(names):
        raise _other_columns(source, names, number, _SNAPSHOT)
    check_header(source, names, number)
    named = named_from(source, replace(request, kind="documents"), records, names)
    return _without_guards(named, named.names)


def _misplaced(line: int | None, query: str, doc: str, place: str) -> LineProblem:
    if query and doc:
        return LineProblem(line, f"`{place}` as Doc Position", "a whole number, from 1")
    found = "no Query Text" if not query else "no Doc ID"
    hint = "A query without results has neither Doc ID nor Doc Position."
    return LineProblem(line, found, "a query and a document", hint=hint)


def _run_names(named: NamedColumns) -> list[str]:
    """By row the name of its snapshot, with the time, and the case, where others have it, too."""
    rows = list(zip(*(_plain(named.column(at)).to_pylist() for at in range(3)), strict=True))
    snapshots = dict.fromkeys(rows)
    same = Counter(name for name, _, _ in snapshots)
    timed = Counter((name, time) for name, time, _ in snapshots)
    called: dict[tuple[str, str, str], str] = {}
    for name, time, case in snapshots:
        own = name if same[name] == 1 else f"{name} {time}"
        called[name, time, case] = own if timed[name, time] == 1 else f"{own} case {case}"
    return [called[row] for row in rows]


def _snapshot_notes(named: NamedColumns, runs: list[str]) -> Iterator[tuple[Kind, list[Note]]]:
    """What was odd in the columns, of each kind; of runs also which snapshots they are."""
    columns = (_plain(named.column(at)).to_pylist() for at in (1, 2))
    told = dict.fromkeys(zip(runs, *columns, strict=True))
    snapshots = [f"{run} of {time or 'no time'}, case {case or 'none'}" for run, time, case in told]
    message = f"{len(told):,} Quepid {plural(len(told), 'snapshot')}, ordered by position"
    yield "run", [*named.notes, Note("snapshots", message, len(told), tuple(snapshots[:3]))]
    yield "queries", named.notes
    yield "documents", named.notes

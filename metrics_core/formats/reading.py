"""From a file to a table: recognise the format, read it, refuse what cannot be read."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Unpack, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import wording as w
from metrics_core.base.errors import FileFormatError, RanklensError
from metrics_core.formats.kinds import Recognised, recognise, sample_of
from metrics_core.formats.parsing.systems import only_run
from metrics_core.formats.read_as import AS_USUAL, ChoicesOfKind, GivenFile, ReadAs, ReadingChoices
from metrics_core.formats.registry import (
    FirstRows,
    Format,
    Kind,
    Loaded,
    Sample,
    formats,
    run_name,
)
from metrics_core.formats.source.opening import memory_enough
from metrics_core.formats.source.source import Source
from metrics_core.tables import Documents, Qrels, Queries, Run
from metrics_core.tables.arrays import values_of
from metrics_core.tables.columns import ID, coded

_FEWEST_QUERIES = 0.9
"""The share of its queries that are judged, at least."""
_MOST_PAIRS = 0.5
"""The share of its documents that are judged, at most: of other judgments it may be more."""
_FEWEST_SCORES = 0.5
"""Different scores within the lists, as a share of the documents, at least: grades repeat."""


def why_a_run(read: Run, judgments: Sequence[Qrels]) -> str:
    """Why a file that was read as a run is one, by one of the loaded judgments; "" where none says
    it clearly."""
    for qrels in judgments:
        queries = read.query_ids
        judged = len(set(queries) & set(qrels.query_ids))
        known = int(np.sum(values_of(pc.is_in(_pairs(read.table), value_set=_pairs(qrels.table)))))
        if (
            judged >= _FEWEST_QUERIES * len(queries)
            and 0 < known <= _MOST_PAIRS * len(read)
            and _different_scores(read) >= _FEWEST_SCORES * len(read)
        ):
            return (
                f"the loaded judgments cover {w.count(judged)} of its {w.count(len(queries))}"
                f" {w.plural(len(queries), 'query', 'queries')} and {w.count(known)} of its"
                f" {w.count(len(read))} documents"
            )
    return ""


def _pairs(rows: pa.Table) -> pa.Array:
    """Query and document of each row as one text."""
    query_id, doc_id = (rows[name].cast(ID).combine_chunks() for name in ("query_id", "doc_id"))
    return pc.binary_join_element_wise(query_id, doc_id, "\n")


def _different_scores(read: Run) -> int:
    codes = values_of(coded(read.table["query_id"]).indices)
    rows = np.stack([codes.astype(np.float64), read.scores], axis=1)
    return len(np.unique(rows, axis=0))


def read(source: GivenFile, *, name: str | None = None, **choices: Unpack[ChoicesOfKind]) -> Loaded:
    """Read one file, packed or not, and say how it was understood.

    `source` is a path (`-` for the standard input; a pipe will do), the bytes of a file whose
    `name` then should be given, or a program's records, dictionaries as JSON Lines would have them.
    The choices are the fields of `ReadAs`: kind and format are recognised from the content unless
    they are given. Raises FileFormatError where the file cannot be read so, ParameterError for an
    invalid choice.
    """
    return only_run(*_opened_and_read(source, name, ReadAs(**choices)))


def read_each(
    source: GivenFile,
    *,
    name: str | None = None,
    judgments: Sequence[Qrels] = (),
    **choices: Unpack[ChoicesOfKind],
) -> list[Loaded]:
    """Read one file: its table or, where a run's name tells several systems apart, a run for each,
    called by it. Arguments and errors as in `read`, which takes files of one table. A file of which
    neither columns nor name say what it is may be told by `judgments` that are there already."""
    return _opened_and_read(source, name, ReadAs(**choices), judgments)[1]


def _opened_and_read(
    source: GivenFile,
    name: str | None,
    read_as: ReadAs,
    judgments: Sequence[Qrels] = (),
) -> tuple[Source, list[Loaded]]:
    """What is in a file, and the file."""
    if not isinstance(source, (str, Path, bytes)):
        from metrics_core.formats.mapping import memory

        return memory.read_records(source, read_as.request(read_as.kind or "run", name or "run"))
    opened = read_as.opened(source, name)
    return opened, read_source(opened, read_as, insists=read_as.insists, judgments=judgments)


def read_source(
    opened: Source, read_as: ReadAs, *, insists: bool, judgments: Sequence[Qrels] = ()
) -> list[Loaded]:
    """What `read_each` gives of an opened source. Who `insists` on the kind knows it from
    elsewhere: a file that looks more like another is read all the same."""
    request = read_as.request("run", run_name(opened.name))

    def fits(declared: Format) -> str:
        if not judgments:
            return ""
        with suppress(RanklensError):  # what cannot be read as a run is none
            table = declared.read(opened, request).table
            return why_a_run(table, judgments) if isinstance(table, Run) else ""
        return ""

    found = recognise(
        opened,
        sample_of(opened, request.columns),
        read_as.kind,
        read_as.format,
        insists=insists,
        fits=fits,
    )
    with memory_enough(opened):
        loaded = found.format.read(opened, replace(request, kind=found.kind))
    noted = () if found.note is None else (found.note,)
    first = replace(loaded, table=loaded.table.noting(*noted), others=())
    return [replace(one, evidence=found.evidence) for one in (first, *loaded.others)]


def read_run(
    source: GivenFile, *, name: str | None = None, **choices: Unpack[ReadingChoices]
) -> Run:
    """Read a run; raises FileFormatError if the file is something else, or holds several
    (`read_runs`). Arguments as in `read`."""
    return cast(Run, read(source, name=name, kind="run", **choices).table)


def read_runs(
    source: GivenFile, *, name: str | None = None, **choices: Unpack[ReadingChoices]
) -> list[Run]:
    """Read the run of a file, or the runs of one of several systems, each called by the name that
    tells them apart; raises FileFormatError as `read_run`. Arguments as in `read`."""
    each = read_each(source, name=name, kind="run", **choices)
    return [cast(Run, loaded.table) for loaded in each]


def read_qrels(
    source: GivenFile, *, name: str | None = None, **choices: Unpack[ReadingChoices]
) -> Qrels:
    """Read judgments; raises FileFormatError if the file is something else. Arguments as in
    `read`."""
    return cast(Qrels, read(source, name=name, kind="qrels", **choices).table)


def read_queries(
    source: str | Path | bytes, *, name: str | None = None, **choices: Unpack[ReadingChoices]
) -> Queries:
    """Read queries; raises FileFormatError if the file is something else. Arguments as in
    `read`."""
    return cast(Queries, read(source, name=name, kind="queries", **choices).table)


def read_documents(
    source: str | Path | bytes, *, name: str | None = None, **choices: Unpack[ReadingChoices]
) -> Documents:
    """Read documents; raises FileFormatError if the file is something else. Arguments as in
    `read`."""
    return cast(Documents, read(source, name=name, kind="documents", **choices).table)


def recognised(opened: Source, kind: Kind | None) -> tuple[str, Kind]:
    """The name of the format in which a source is read as this kind, or as what it seems to be, and
    the kind. Raises FileFormatError."""
    found = recognise(opened, sample_of(opened), kind, None)
    return found.format.name, found.kind


def at_a_glance(source: str | Path | bytes, name: str | None = None) -> Recognised | None:
    """What the beginning of a file says it holds; None where it says nothing."""
    try:
        opened = AS_USUAL.opened(source, name)
        return recognise(opened, sample_of(opened), None, None)
    except (RanklensError, OSError):
        return None


def first_rows(
    source: str | Path | bytes, *, name: str | None = None, **choices: Unpack[ChoicesOfKind]
) -> FirstRows | None:
    """The columns of a file by their names, with its first rows, for choosing which is which
    (`columns` of `read`); None where its format has no columns by name or between tabs. Raises
    FileFormatError."""
    return rows_of_sample(sample_of(ReadAs(**choices).opened(source, name)))


def rows_of_sample(sample: Sample) -> FirstRows | None:
    """Return what `first_rows` does, of the beginning of a file."""
    try:
        own = recognise(sample.source, sample, None, None).format
    except FileFormatError:
        own = None  # columns of names that nobody knows
    between = sample.text.lstrip()[:1] not in "{[<" and "\t" in sample.first_line
    asked = [own] if own is not None and (own.first_rows or not between) else formats()
    found = (f.first_rows(sample) for f in asked if f.first_rows is not None)
    return next((rows for rows in found if rows is not None), None)

"""From a file to a table: recognise the format, read it, refuse what cannot be read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from metrics_core.base.errors import FileFormatError, LineProblem, ParameterError, RanklensError
from metrics_core.base.wording import shown
from metrics_core.formats.registry import (
    CERTAIN,
    KIND_TITLES,
    KINDS,
    LIKELY,
    NO,
    POSSIBLE,
    Format,
    Kind,
    Loaded,
    Request,
    Sample,
    formats,
    run_name,
)
from metrics_core.formats.source.limits import MOST_COLUMNS, Size
from metrics_core.formats.source.opening import memory_enough, open_source
from metrics_core.formats.source.source import Source, shortened
from metrics_core.formats.values import Grades
from metrics_core.tables import Documents, Duplicates, Qrels, Queries, Run
from metrics_core.tables.given_numbers import finite_number


def read(
    source: str | Path | bytes,
    *,
    kind: Kind | None = None,
    format: str | None = None,
    name: str | None = None,
    duplicates: Duplicates = "error",
    grades: Grades = "integer",
    encoding: str | None = None,
    limit: Size | None = None,
) -> Loaded:
    """Read one file, packed or not, and say how it was understood.

    `source` is a path (`-` for the standard input; a pipe will do), or the bytes of a file whose
    `name` then should be given. Kind and format
    are recognised from the content unless they are given. `duplicates` says what becomes of a
    document twice in a query of a run ("error", "best" score, "first" row), `grades` whether grades
    are whole numbers ("integer"), gains ("real") or words by a mapping, `encoding` replaces UTF-8.
    `limit` is how much the file may take: bytes, or a text such as 8GB (4 GB unless it is given).
    Raises FileFormatError where the file cannot be read so.
    """
    check_choices(kind, format, duplicates, grades)
    opened = open_source(source, name, encoding, limit)
    insists = grades != "integer"
    return read_source(opened, kind, format, duplicates, grades, insists=insists)


def read_source(
    opened: Source,
    kind: Kind | None,
    format: str | None,
    duplicates: Duplicates,
    grades: Grades,
    *,
    insists: bool,
) -> Loaded:
    """What `read` gives of an opened source. Who `insists` on the kind knows it from elsewhere: a
    file that looks more like another is read all the same."""
    sample = _sample(opened)
    chosen, kind = _choose(opened, sample, kind, format, insists=insists)
    request = Request(
        kind=kind, duplicates=duplicates, grades=grades, run_name=run_name(opened.name)
    )
    with memory_enough(opened):
        return chosen.read(opened, request)


def read_run(
    source: str | Path | bytes,
    *,
    format: str | None = None,
    name: str | None = None,
    duplicates: Duplicates = "error",
    encoding: str | None = None,
    limit: Size | None = None,
) -> Run:
    """Read a run; raises FileFormatError if the file is something else. Arguments as in `read`."""
    loaded = read(
        source,
        kind="run",
        format=format,
        name=name,
        duplicates=duplicates,
        encoding=encoding,
        limit=limit,
    )
    return cast(Run, loaded.table)


def read_qrels(
    source: str | Path | bytes,
    *,
    format: str | None = None,
    name: str | None = None,
    grades: Grades = "integer",
    encoding: str | None = None,
    limit: Size | None = None,
) -> Qrels:
    """Read judgments; raises FileFormatError if the file is something else. Arguments as in
    `read`."""
    loaded = read(
        source,
        kind="qrels",
        format=format,
        name=name,
        grades=grades,
        encoding=encoding,
        limit=limit,
    )
    return cast(Qrels, loaded.table)


def read_queries(
    source: str | Path | bytes,
    *,
    format: str | None = None,
    name: str | None = None,
    encoding: str | None = None,
    limit: Size | None = None,
) -> Queries:
    """Read queries; raises FileFormatError if the file is something else. Arguments as in
    `read`."""
    loaded = read(source, kind="queries", format=format, name=name, encoding=encoding, limit=limit)
    return cast(Queries, loaded.table)


def read_documents(
    source: str | Path | bytes,
    *,
    format: str | None = None,
    name: str | None = None,
    encoding: str | None = None,
    limit: Size | None = None,
) -> Documents:
    """Read documents; raises FileFormatError if the file is something else. Arguments as in
    `read`."""
    loaded = read(
        source, kind="documents", format=format, name=name, encoding=encoding, limit=limit
    )
    return cast(Documents, loaded.table)


def recognised(opened: Source, kind: Kind | None) -> tuple[str, Kind]:
    """The name of the format in which a source is read as this kind, or as what it seems to be, and
    the kind. Raises FileFormatError."""
    declared, chosen = _choose(opened, _sample(opened), kind, None, insists=False)
    return declared.name, chosen


def kind_at_a_glance(source: str | Path | bytes) -> Kind | None:
    """What the beginning of a file says it holds; None where it says nothing."""
    try:
        opened = open_source(source)
        return _choose(opened, _sample(opened), None, None, insists=False)[1]
    except (RanklensError, OSError):
        return None


def check_choices(kind: str | None, format: str | None, duplicates: str, grades: Grades) -> None:
    """Refuse a reading choice that there is not with a ParameterError."""
    known = [f.name for f in formats()]
    if kind is not None and kind not in KINDS:
        raise ParameterError(f"There is no kind {kind!r}.", f"The kinds are: {', '.join(KINDS)}.")
    if format is not None and format not in known:
        raise ParameterError(f"There is no format {format!r}.", f"They are: {', '.join(known)}.")
    if duplicates not in ("error", "best", "first"):
        raise ParameterError(f"duplicates is error, best or first, not {duplicates!r}.")
    if isinstance(grades, str) and grades not in ("integer", "real"):
        raise ParameterError(f"grades is integer, real or a mapping of words, not {grades!r}.")
    for word, grade in grades.items() if isinstance(grades, Mapping) else ():
        if finite_number(grade) is None:
            raise ParameterError(
                f"grades makes {word!r} the grade {shown(grade)}, which is not a finite number."
            )


def _sample(source: Source) -> Sample:
    if source.magic.startswith(tuple(f.magic for f in formats() if f.magic)):
        return Sample(source, "")
    text = source.head.decode()
    if not text.strip():
        raise FileFormatError(
            source.name,
            [LineProblem(None, "an empty file", "a run, judgments, queries or documents")],
            hint="The file is empty; was it written to the end?",
        )
    sample = Sample(source, text)
    _check_width(source, sample)
    return sample


def _check_width(source: Source, sample: Sample) -> None:
    """Refuse a first line of very many columns at once: each would become an array."""
    first = sample.lines[0] if sample.lines else ""
    if first.lstrip().startswith(("{", "[", "<")):
        return
    marks = ["\t"] if "\t" in first else [" ", ",", ";", "|"]
    columns = max(first.count(mark) for mark in marks) + 1
    if columns > MOST_COLUMNS:
        number = sample.text.split("\n").index(first) + 1
        found = f"{columns:,}" if len(sample.text) > len(first) else f"more than {columns:,}"
        problem = LineProblem(number, found, f"at most {MOST_COLUMNS:,} columns", shortened(first))
        raise FileFormatError(
            source.name, [problem], hint="Is this a table of a row for each document?"
        )


def _choose(
    source: Source, sample: Sample, kind: Kind | None, format: str | None, insists: bool
) -> tuple[Format, Kind]:
    """The format and kind to read a file as; refuses what fits nothing or another kind.

    Whoever asks for real-valued grades `insists` that the numbers are grades, not scores, and so
    does the place of a file in a set.
    """
    candidates = [
        (sureness, declared, its_kind)
        for declared in formats()
        if format in (None, declared.name)
        for its_kind, sureness in declared.recognise(sample).items()
    ]
    best = max(candidates, key=lambda c: c[0], default=None)
    if kind is not None:
        wanted = max((c for c in candidates if c[2] == kind), key=lambda c: c[0], default=None)
        sureness = NO if wanted is None else wanted[0]
        possible = insists and sureness >= POSSIBLE
        if best is not None and not possible and _clearly_another(best[0], sureness):
            raise _another_kind(source, best[2], kind)
        best = wanted
    if best is not None and best[0] > NO:
        return best[1], best[2]
    declared = next((f for f in formats() if f.name == format), None)
    if declared is not None and (kind or declared.kinds[0]) in declared.kinds:
        return declared, kind or declared.kinds[0]
    raise _unrecognised(source, sample, kind)


def _clearly_another(best: int, wanted: int) -> bool:
    """Whether a file is so surely of another kind that reading it as wanted would mislead."""
    return (best > POSSIBLE > wanted) or (best >= CERTAIN and wanted < LIKELY)


def _another_kind(source: Source, found: Kind, wanted: Kind) -> FileFormatError:
    swapped = {found, wanted} == {"run", "qrels"}
    hint = f"This looks like {KIND_TITLES[found]}"
    hint += "; are run and judgments swapped?" if swapped else "."
    return FileFormatError(
        source.name,
        [LineProblem(None, KIND_TITLES[found], KIND_TITLES[wanted])],
        hint=hint,
        offer=f"kind={found}",
    )


def _unrecognised(source: Source, sample: Sample, kind: Kind | None) -> FileFormatError:
    first = sample.lines[0] if sample.lines else ""
    number = sample.text.split("\n").index(first) + 1 if first else None
    wanted = KIND_TITLES[kind] if kind else "a run, judgments, queries or documents"
    return FileFormatError(
        source.name,
        [LineProblem(number, _described(first), wanted, text=shortened(first))],
        hint="A TREC run line is: query_id Q0 doc_id rank score run_name. A TREC qrels line is:"
        " query_id 0 doc_id relevance. CSV, TSV, JSON and Parquet need column names such as"
        " query_id, doc_id, score; `python -m metrics_core formats` shows an example of each.",
    )


def _described(line: str) -> str:
    """A first line in words: its columns, by the separator that gives the most."""
    separators = {"tabs": "\t", "commas": ",", "semicolons": ";", "bars": "|"}
    word, mark = max(separators.items(), key=lambda item: line.count(item[1]))
    if line.count(mark) > line.count(" "):
        return f"{line.count(mark) + 1} columns between {word}, which fit no format"
    return f"a line of {len(line.split())} words, which fits no format" if line else "no such thing"

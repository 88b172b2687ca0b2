"""What a file is: the one place that decides, from evidence in this order.

    said      the reader named the kind: a place on the command line, `kind=`, a choice on a page
    columns   columns and shapes that can mean only one thing
    name      words in the file's name: it tells a run from judgments, queries from documents
    loaded    judgments that are there already and know its queries: then it is a run
    guess     what is most likely; who can ask the reader should

What a file is said to be is taken where it can be that: judgments need a query, a document and a
number that is a grade. A name decides only between kinds that the columns leave open.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metrics_core.base.errors import FileFormatError, LineProblem
from metrics_core.base.notes import Note
from metrics_core.formats.registry import (
    ASKED,
    CERTAIN,
    IF_SAID,
    KIND_TITLES,
    LIKELY,
    NO,
    POSSIBLE,
    SPECIFIC,
    TOOL_ASKED,
    UNNAMED,
    Columns,
    Evidence,
    Format,
    Kind,
    Sample,
    formats,
    formats_for,
    has_magic,
)
from metrics_core.formats.source.limits import MOST_COLUMNS
from metrics_core.formats.source.lines import fields_listed
from metrics_core.formats.source.other_files import refuse_other_bytes
from metrics_core.formats.source.source import Source, shortened
from metrics_core.formats.values import is_number

_PAIRS: tuple[tuple[Kind, Kind], ...] = (("run", "qrels"), ("queries", "documents"))
"""Kinds that may look alike, so that a name tells them apart."""

_SURE_WORDS: dict[Kind, str] = {
    "qrels": r"qrel",
    "queries": r"quer|topic",
    "documents": r"corpus|doc|article|passage|collection",
}
"""Words that count in the name of a file's folder, too (qrels/test.tsv)."""
_WORDS: dict[Kind, str] = {
    "qrels": r"judg|(?<![a-z])(?:rels?|relevance|gold|label(?:s|led|ed)?|ratings?)(?![a-z])",
    "run": r"bm25|rerank|(?<![a-z])(?:runs?(?![a-z])|results?(?![a-z])|rank|pred)|\.(?:run|res)$",
}


_OPEN = (TOOL_ASKED, ASKED, UNNAMED)
"""Kinds that are asked about."""


@dataclass(frozen=True)
class Recognised:
    """What a file is, in which format, and by which evidence; `note` says so where it was neither
    the columns nor what the reader said."""

    format: Format
    kind: Kind
    evidence: Evidence
    note: Note | None = None


@dataclass(frozen=True)
class _Candidate:
    """A kind that a format would read a file as."""

    sureness: int
    format: Format
    kind: Kind


Fits = Callable[[Format], str]
"""Why a file, read as a run in a format, is one by what is loaded; "" where that says nothing."""


def _nothing_loaded(_format: Format) -> str:
    return ""


def sample_of(source: Source, columns: Columns | None = None) -> Sample:
    """The beginning of a file, for recognising it. Raises FileFormatError where it is empty or as
    wide as no table is."""
    if has_magic(source.magic):
        return Sample(source, "", columns or {})
    refuse_other_bytes(source.name, source.magic)
    text = source.head.decode()
    if not text.strip():
        raise FileFormatError(
            source.name,
            [LineProblem(None, "an empty file", "a run, judgments, queries or documents")],
            hint="The file is empty. Check that it was written completely.",
        )
    sample = Sample(source, text, columns or {})
    _check_width(source, sample)
    return sample


def recognise(
    source: Source,
    sample: Sample,
    kind: Kind | None,
    format: str | None,
    *,
    insists: bool = False,
    fits: Fits = _nothing_loaded,
) -> Recognised:
    """The format and kind to read a file as. Raises FileFormatError for what fits nothing or is
    clearly of another kind than the one that is said.

    Whoever asks for real-valued grades `insists` that the numbers are grades, not scores, and so
    does the place of a file in a set. What neither columns nor name say, `fits` may say.
    """
    if not sample.has_trec_lines:
        from metrics_core.formats.strangers import refuse_strangers

        refuse_strangers(sample, kind)
    candidates = [
        _Candidate(sureness, declared, its_kind)
        for declared in (formats_for(sample) if format in (None, "trec") else formats())
        if format in (None, declared.name) and (declared.first_rows or not sample.columns)
        for its_kind, sureness in declared.recognise(sample).items()
    ]
    best = _surest(candidates)
    if best is not None and format is None and _headless(sample.first_line):
        only_near = best.sureness < LIKELY and best.format.name == "trec"
        if only_near or (best.sureness == ASKED and kind == "qrels"):
            raise _unrecognised(source, sample, kind)
    if kind is not None:
        wanted = _surest([c for c in candidates if c.kind == kind])
        sureness = NO if wanted is None else wanted.sureness
        possible = insists and sureness >= POSSIBLE
        if best is not None and not possible and _clearly_another(best.sureness, sureness):
            raise _another_kind(source, best.kind, kind, numbers=sureness >= IF_SAID)
        if wanted is not None and wanted.sureness > NO:
            return Recognised(wanted.format, kind, "said")
    elif best is not None and best.sureness > NO:
        return _by_name(sample, best, candidates, fits)
    declared = next((f for f in formats() if f.name == format), None)
    if declared is not None and (kind or declared.kinds[0]) in declared.kinds:
        return Recognised(declared, kind or declared.kinds[0], "said")
    raise _unrecognised(source, sample, kind)


def _surest(candidates: Sequence[_Candidate]) -> _Candidate | None:
    return max(candidates, key=lambda c: c.sureness, default=None)


def _by_name(
    sample: Sample, best: _Candidate, candidates: Sequence[_Candidate], fits: Fits
) -> Recognised:
    """The likeliest by columns and shape, or the other of its pair where the name says so, or else
    what is loaded."""
    pair = next(pair for pair in _PAIRS if best.kind in pair)
    other = _surest([c for c in candidates if c.kind in pair and c.kind != best.kind])
    left_open = other is not None and other.sureness >= LIKELY
    told, surely = named_as(sample.path, pair)
    if told == best.kind:
        return Recognised(best.format, best.kind, "name" if left_open else "columns")
    if told and other is not None and _can_be_other(best, other, surely=surely):
        message = f"read as {KIND_TITLES[told]} because of its file name"
        return Recognised(other.format, told, "name", Note("kind", message, 1))
    sure = best.sureness >= CERTAIN or not left_open
    if sure and best.sureness not in _OPEN:
        return Recognised(best.format, best.kind, "columns")
    run = next((c for c in (best, other) if c is not None and c.kind == "run"), None)
    why = "" if run is None else fits(run.format)
    if run is not None and why:
        return Recognised(run.format, "run", "loaded", Note("kind", f"read as a run: {why}", 1))
    if best.sureness in _OPEN:
        raise _to_be_asked(sample)
    return Recognised(best.format, best.kind, "guess")


def _can_be_other(best: _Candidate, other: _Candidate, *, surely: bool) -> bool:
    """Whether a name may make a file the other kind of its pair. Queries and documents are told by
    their columns where these are certain; of a score and a grade none is."""
    if best.format.name == "trec" and best.sureness >= CERTAIN:
        return False  # the number of its columns can mean only one thing
    if best.sureness >= (SPECIFIC if best.kind in _PAIRS[0] else CERTAIN):
        return False
    return other.sureness >= (POSSIBLE if surely else LIKELY)


def named_as(path: str, pair: tuple[Kind, Kind] = _PAIRS[0]) -> tuple[Kind | None, bool]:
    """Which of two kinds a file's name says it is, None where it says neither or both, and whether
    it does by a word that means nothing else."""
    *folders, name = path.rsplit("/", 2)[-2:]
    for part in (name, *folders):
        found = [kind for kind in pair if re.search(_SURE_WORDS.get(kind, r"(?!)"), part)]
        if len(found) == 1:
            return found[0], True
        found = [kind for kind in pair if re.search(_WORDS.get(kind, r"(?!)"), name)]
        if len(found) == 1 and part == name:
            return found[0], False
    return None, False


def _to_be_asked(sample: Sample) -> FileFormatError:
    """The error for documents by query of which nothing says what they are."""
    return FileFormatError(
        sample.source.name,
        [LineProblem(None, "lists of documents by query", "a run or judgments (qrels)")],
        hint=_headless(sample.first_line)
        or "Read ranked lists with kind=run, and relevant documents with kind=qrels."
        f" {fields_listed(sample.source)}",
    )


def _clearly_another(best: int, wanted: int) -> bool:
    """Whether a file is so surely of another kind that reading it as wanted would mislead."""
    return (best > POSSIBLE > wanted) or (best >= CERTAIN and wanted < LIKELY)


def _another_kind(
    source: Source, found: Kind, wanted: Kind, *, numbers: bool = False
) -> FileFormatError:
    """The error for a file of another kind; `numbers` says that they could be what is wanted."""
    swapped = {found, wanted} == {"run", "qrels"}
    hint = f"This looks like {KIND_TITLES[found]}"
    hint += "; are run and judgments swapped?" if swapped else "."
    if wanted == "qrels" and numbers:
        hint += " If the numbers are grades, read them with grades=real."
    return FileFormatError(
        source.name,
        [LineProblem(None, KIND_TITLES[found], KIND_TITLES[wanted])],
        hint=hint,
        offer=f"kind={found}",
    )


def _unrecognised(source: Source, sample: Sample, kind: Kind | None) -> FileFormatError:
    first = sample.first_line
    number = sample.text.split("\n").index(first) + 1 if first else None
    wanted = KIND_TITLES[kind] if kind else "a run, judgments, queries or documents"
    return FileFormatError(
        source.name,
        [LineProblem(number, _described(first), wanted, text=shortened(first))],
        hint=_headless(first)
        or "A TREC run line is: query_id Q0 doc_id rank score run_name. A TREC qrels line is:"
        " query_id 0 doc_id relevance. CSV, TSV, JSON and Parquet need column names such"
        " as query_id, doc_id, score; `python -m metrics_core formats` shows an example of"
        " each.",
    )


def _described(line: str) -> str:
    """A first line in words: its columns, by the separator that gives the most."""
    separators = {"tabs": "\t", "commas": ",", "semicolons": ";", "bars": "|"}
    word, mark = max(separators.items(), key=lambda item: line.count(item[1]))
    if line.count(mark) > line.count(" "):
        return f"{line.count(mark) + 1} columns separated by {word}, which fit no format"
    return f"a line of {len(line.split())} words, which fits no format" if line else "another kind"


def _headless(line: str) -> str:
    """How to mend a line of two ids and a number that stands first, without a header; "" where this
    is none."""
    mark = max(",;|\t ", key=line.count)
    fields = line.split() if mark == " " else [field.strip() for field in line.split(mark)]
    if len(fields) != 3 or not is_number(fields[2]) or not all(fields):
        return ""
    query, doc, number = fields
    header = f", or add a header line such as query_id{mark}doc_id{mark}score"
    ranks = " If the numbers are ranks (1 = best), read them with format=msmarco."
    return (
        f"The columns have no names. If they are query ({query}), document ({doc}) and score or"
        f" grade ({number}), read them with columns query=1,doc=2,score=3 (grade=3 for"
        f" judgments){'' if mark == ' ' else header}.{ranks if number.isdecimal() else ''}"
    )


def _check_width(source: Source, sample: Sample) -> None:
    """Refuse a first line of very many columns at once: each would become an array."""
    first = sample.first_line
    if first.lstrip().startswith(("{", "[", "<")):
        return
    marks = ["\t"] if "\t" in first else [" ", ",", ";", "|"]
    columns = max(first.count(mark) for mark in marks) + 1
    if columns > MOST_COLUMNS:
        number = sample.text.split("\n").index(first) + 1
        found = f"{columns:,}" if len(sample.text) > len(first) else f"more than {columns:,}"
        problem = LineProblem(number, found, f"at most {MOST_COLUMNS:,} columns", shortened(first))
        raise FileFormatError(source.name, [problem], hint="A table needs one row per document.")

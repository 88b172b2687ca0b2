"""Decide the kind of a file, from evidence in this order.

    said      the user named the kind: position on the command line, `kind=`, a choice on a page
    columns   columns and structure that allow only one kind
    name      words in the file name: run or judgments, queries or documents
    loaded    judgments that are already loaded cover the queries of the file, so it is a run
    guess     the most likely kind; the dashboard should ask the user

The kind that the user named is used if it is possible: judgments need a query, a document and a
number that is a grade. A file name only decides between kinds that the columns allow."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metrics_core.base.errors import FileFormatError, LineProblem, content_error
from metrics_core.base.notes import Note
from metrics_core.formats.registry import (
    AMBIGUOUS,
    CERTAIN,
    IF_REQUESTED,
    IMPOSSIBLE,
    KIND_TITLES,
    LIKELY,
    ONLY_IF_REQUESTED,
    POSSIBLE,
    SPECIFIC,
    TOOL_AMBIGUOUS,
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
from metrics_core.formats.source.limits import MAX_COLUMNS
from metrics_core.formats.source.lines import fields_hint
from metrics_core.formats.source.source import Source, shorten_line
from metrics_core.formats.source.unsupported_files import refuse_unsupported_bytes
from metrics_core.formats.values import is_number

_PAIRS: tuple[tuple[Kind, Kind], ...] = (
    ("run", "qrels"),
    ("queries", "documents"),
    ("queries", "scores"),
)
"""Pairs of kinds that may look alike, between which the file name decides."""

_SURE_WORDS: dict[Kind, str] = {
    "qrels": r"qrel",
    "queries": r"quer|topic",
    "documents": r"corpus|doc|article|passage|collection",
    "scores": r"(?<![a-z])scores?(?![a-z])|metric",
}
"""Words that indicate a kind not only in a file name but also in a folder name (qrels/test.tsv)."""
_WORDS: dict[Kind, str] = {
    "qrels": r"judg|(?<![a-z])(?:rels?|relevance|gold|label(?:s|led|ed)?|ratings?)(?![a-z])",
    "run": r"bm25|rerank|(?<![a-z])(?:runs?(?![a-z])|results?(?![a-z])|rank|pred)|\.(?:run|res)$",
}


_OPEN = (TOOL_AMBIGUOUS, AMBIGUOUS, UNNAMED)
"""Levels of confidence at which the user must choose the kind."""


@dataclass(frozen=True)
class Recognition:
    """The recognised format and kind of a file, and the evidence for them.

    `note` is set if the file name or loaded judgments decided the kind."""

    format: Format
    kind: Kind
    evidence: Evidence
    note: Note | None = None


@dataclass(frozen=True)
class _Candidate:
    """A possible format and kind of a file, and the confidence in them."""

    sureness: int
    format: Format
    kind: Kind


RunReason = Callable[[Format], str]
"""Function that takes a format and returns the reason why the file is a run if it is read in this
format; "" if there is no reason."""


def read_sample(source: Source, columns: Columns | None = None) -> Sample:
    """Return the beginning of a file, from which the format and the kind are recognised.

    Raises FileFormatError if the file is empty, is not supported, or has too many columns."""
    if has_magic(source.magic):
        return Sample(source, "", columns or {})
    refuse_unsupported_bytes(source.name, source.magic)
    text = source.head.decode()
    if not text.strip():
        raise content_error(
            source.name,
            "an empty file",
            "a run, judgments, queries or documents",
            "The file is empty. Check that it was written completely.",
        )
    sample = Sample(source, text, columns or {})
    _check_column_count(source, sample)
    return sample


def recognise_source(
    source: Source,
    sample: Sample,
    kind: Kind | None,
    format: str | None,
    *,
    force_kind: bool = False,
    run_reason: RunReason = lambda _: "",
) -> Recognition:
    """Return the format and the kind with which a file is read.

    `force_kind` is true if the kind is certain, because the user asked for real-valued grades or
    because of the file's position in a set. `run_reason` is a function that returns the reason why
    the file is a run. It is called if neither the columns nor the file name decide the kind. Raises
    FileFormatError if no format fits, or if the file is clearly of a different kind than `kind`."""
    if not sample.has_trec_lines:
        from metrics_core.formats.foreign_files import refuse_foreign_files

        refuse_foreign_files(sample, kind)
    candidates = [
        _Candidate(sureness, file_format, candidate_kind)
        for file_format in (formats_for(sample) if format in (None, "trec") else formats())
        if format in (None, file_format.name) and (file_format.first_rows or not sample.columns)
        for candidate_kind, sureness in file_format.recognise(sample).items()
    ]
    best = _best_candidate(candidates)
    if best is not None and format is None and _missing_header_hint(sample.first_line):
        is_near_trec = best.sureness < LIKELY and best.format.name == "trec"
        if is_near_trec or (best.sureness == AMBIGUOUS and kind == "qrels"):
            raise _unrecognised_error(source, sample, kind)
    if kind is not None:
        candidate = _best_candidate([c for c in candidates if c.kind == kind])
        sureness = IMPOSSIBLE if candidate is None else candidate.sureness
        is_possible = (force_kind and sureness >= POSSIBLE) or (kind == "scores" and sureness > 0)
        if (
            best is not None
            and not is_possible
            and _is_other_kind_likelier(best.sureness, sureness)
        ):
            raise _other_kind_error(
                source, best.kind, kind, could_be_grades=sureness >= IF_REQUESTED
            )
        if candidate is not None and candidate.sureness > IMPOSSIBLE:
            return Recognition(candidate.format, kind, "said")
    elif best is not None and best.sureness > ONLY_IF_REQUESTED:
        return _decide_by_name(sample, best, candidates, run_reason)
    file_format = next((f for f in formats() if f.name == format), None)
    if file_format is not None and (kind or file_format.kinds[0]) in file_format.kinds:
        return Recognition(file_format, kind or file_format.kinds[0], "said")
    raise _unrecognised_error(source, sample, kind)


def _best_candidate(candidates: Sequence[_Candidate]) -> _Candidate | None:
    return max(candidates, key=lambda c: c.sureness, default=None)


def _decide_by_name(
    sample: Sample, best: _Candidate, candidates: Sequence[_Candidate], run_reason: RunReason
) -> Recognition:
    """Return the most likely kind. A different kind is returned if the file name or loaded
    judgments indicate it clearly enough."""
    pair = next(pair for pair in _PAIRS if best.kind in pair)
    other = _best_candidate([c for c in candidates if c.kind in pair and c.kind != best.kind])
    is_open = other is not None and other.sureness >= LIKELY
    named_kind, is_sure_word = kind_from_file_name(sample.path, pair)
    if named_kind == best.kind:
        return Recognition(best.format, best.kind, "name" if is_open else "columns")
    if (
        named_kind
        and other is not None
        and _may_prefer_other_kind(best, other, is_sure_word=is_sure_word)
    ):
        message = f"read as {KIND_TITLES[named_kind]} because of its file name"
        return Recognition(other.format, named_kind, "name", Note("kind", message, 1))
    is_certain = best.sureness >= CERTAIN or not is_open
    if is_certain and best.sureness not in _OPEN:
        return Recognition(best.format, best.kind, "columns")
    run = next((c for c in (best, other) if c is not None and c.kind == "run"), None)
    reason = "" if run is None else run_reason(run.format)
    if run is not None and reason:
        return Recognition(run.format, "run", "loaded", Note("kind", f"read as a run: {reason}", 1))
    if best.sureness in _OPEN:
        raise _ambiguous_error(sample, best.kind)
    return Recognition(best.format, best.kind, "guess")


def _may_prefer_other_kind(
    best: _Candidate, other_candidate: _Candidate, *, is_sure_word: bool
) -> bool:
    """Return whether the file name may overrule the most likely kind, `best`, so that the file is
    read as the kind of `other_candidate`.

    The file name is ignored if the columns already identify the kind. This is the case for TREC
    lines, for a structure that only runs or only judgments have (`SPECIFIC`), and for columns of
    queries or documents (`CERTAIN`)."""
    if best.format.name == "trec" and best.sureness >= CERTAIN:
        return False  # the number of columns allows only one kind
    if best.sureness not in _OPEN and best.sureness >= (
        SPECIFIC if best.kind in _PAIRS[0] else CERTAIN
    ):
        return False
    return other_candidate.sureness >= (POSSIBLE if is_sure_word else LIKELY)


def kind_from_file_name(path: str, pair: tuple[Kind, Kind] = _PAIRS[0]) -> tuple[Kind | None, bool]:
    """Return which of two kinds a file name indicates, and whether the word in the name is
    unambiguous.

    The kind is None if the name indicates neither or both."""
    *folders, name = path.rsplit("/", 2)[-2:]
    for part in (name, *folders):
        kinds = [kind for kind in pair if re.search(_SURE_WORDS.get(kind, r"(?!)"), part)]
        if len(kinds) == 1:
            return kinds[0], True
        kinds = [kind for kind in pair if re.search(_WORDS.get(kind, r"(?!)"), name)]
        if len(kinds) == 1 and part == name:
            return kinds[0], False
    return None, False


def _ambiguous_error(sample: Sample, kind: Kind) -> FileFormatError:
    """Return the error for a file whose kind is ambiguous.

    Lists of documents by query can be a run or judgments. Numbers by query can be the scores of one
    run, or facts about the queries."""
    if kind == "scores":
        return content_error(
            sample.source.name,
            "numbers by query, but no run names",
            "scores of one run, or queries",
            (
                "If the numbers are the scores of one run, use kind=scores. If they"
                " describe the queries, use kind=queries."
            ),
        )
    return content_error(
        sample.source.name,
        "lists of documents by query",
        "a run or judgments (qrels)",
        _missing_header_hint(sample.first_line)
        or "If the lists are ranked results, use kind=run. If they contain the relevant documents,"
        " use kind=qrels."
        f" {fields_hint(sample.source)}",
    )


def _is_other_kind_likelier(best: int, sureness: int) -> bool:
    """Return whether a different kind is so likely that reading the file as the requested kind
    would mislead."""
    return (best > POSSIBLE > sureness) or (best >= CERTAIN and sureness < LIKELY)


def _other_kind_error(
    source: Source, actual: Kind, expected: Kind, *, could_be_grades: bool = False
) -> FileFormatError:
    """Return the error for a file whose kind differs from the expected kind.

    `could_be_grades` is whether the numbers in the file could be grades."""
    is_swapped = {actual, expected} == {"run", "qrels"}
    hint = f"This looks like {KIND_TITLES[actual]}"
    hint += "; are run and judgments swapped?" if is_swapped else "."
    if expected == "qrels" and could_be_grades:
        hint += " If the numbers are grades, read them with grades=real."
    return content_error(
        source.name, KIND_TITLES[actual], KIND_TITLES[expected], hint, offer=f"kind={actual}"
    )


def _unrecognised_error(source: Source, sample: Sample, kind: Kind | None) -> FileFormatError:
    first = sample.first_line
    line_number = sample.text.split("\n").index(first) + 1 if first else None
    expected = KIND_TITLES[kind] if kind else "a run, judgments, queries or documents"
    return FileFormatError(
        source.name,
        [LineProblem(line_number, _describe_line(first), expected, text=shorten_line(first))],
        hint=_missing_header_hint(first)
        or "A TREC run line is: query_id Q0 doc_id rank score run_name. A TREC qrels line is:"
        " query_id 0 doc_id relevance. CSV, TSV, JSON and Parquet need column names such"
        " as query_id, doc_id, score; `metrics-core formats` shows an example of"
        " each.",
    )


def _describe_line(line: str) -> str:
    """Describe the first line of a file: its number of columns and their separator, or its number
    of words."""
    separators = {"tabs": "\t", "commas": ",", "semicolons": ";", "bars": "|"}
    word, mark = max(separators.items(), key=lambda item: line.count(item[1]))
    if line.count(mark) > line.count(" "):
        return f"{line.count(mark) + 1} columns separated by {word}, which fit no format"
    return f"a line of {len(line.split())} words, which fits no format" if line else "another kind"


def _missing_header_hint(line: str) -> str:
    """Return a hint on how to read a file without a header. The hint is "" unless the first line
    has two ids and a number."""
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


def _check_column_count(source: Source, sample: Sample) -> None:
    """Raise FileFormatError if the first line has too many columns."""
    first = sample.first_line
    if first.lstrip().startswith(("{", "[", "<")):
        return
    marks = ["\t"] if "\t" in first else [" ", ",", ";", "|"]
    columns = max(first.count(mark) for mark in marks) + 1
    if columns > MAX_COLUMNS:
        line_number = sample.text.split("\n").index(first) + 1
        actual = f"{columns:,}" if len(sample.text) > len(first) else f"more than {columns:,}"
        problem = LineProblem(
            line_number, actual, f"at most {MAX_COLUMNS:,} columns", shorten_line(first)
        )
        raise FileFormatError(source.name, [problem], hint="A table needs one row per document.")

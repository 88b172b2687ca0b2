"""Why a run cannot be judged within memory: found by a second look, so that the line can be named.

The first look only tells that something is in the way; most files have nothing, and need no numbers
of their lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import wording as w
from metrics_core.base.compiled.signatures import PADDING
from metrics_core.base.errors import FileFormatError, LineProblem, RanklensError
from metrics_core.formats.parsing.checking import LONGEST_ID
from metrics_core.formats.parsing.trec_lines import RUN, careful, header_in
from metrics_core.formats.reading import recognised
from metrics_core.formats.source.limits import size_text
from metrics_core.formats.source.lines import refuse
from metrics_core.formats.source.source import Source
from metrics_core.judging.matching import nothing_shared
from metrics_core.judging.while_reading.apart import Dealing, dealt, odd_line
from metrics_core.judging.while_reading.judgments import Judgments
from metrics_core.judging.while_reading.rows import (
    Rows,
    first_irregular,
    rows_of,
    texts_at,
    whole_queries,
)
from metrics_core.tables.arrays import column_of, values_of
from metrics_core.tables.columns import coded
from metrics_core.tables.repeats import repeated_rows

Ints = npt.NDArray[np.int64]

_NOT_PLAIN = r"[^\x21-\x7e]"
_SHOWN = 10
_IDS = ("query_id", "doc_id")
_WHOLE = "leave --memory out to read the run whole"
_MENDED = f"write it so, or sort the file by query, or {_WHOLE}"


def obstacle(source: Source, judgments: Judgments, how: Dealing) -> RanklensError:
    """What is in the way, with its lines; queries that stand apart are dealt so."""
    if recognised(source, "run") != ("trec", "run"):
        return RanklensError(
            f"{source.name} is no TREC run, and --memory takes no others.",
            f"Write it as one, or {_WHOLE}.",
        )
    if not judgments.plain:
        return RanklensError(
            "The judgments have ids beyond printable ASCII, and --memory takes no others.",
            f"Write them in ASCII, or {_WHOLE}.",
        )
    seen: dict[str, None] = {}
    repeats: list[_Repeats] = []
    for rows, lines in _pieces(source):
        table = rows.table()
        odd = _odd_ids(source, rows, table, lines) or _long_ids(source, table, lines)
        if odd is not None:
            return odd
        repeats.append(_Repeats.of(table, lines))
        names = texts_at(rows.data, rows.segments[:, 1], rows.segments[:, 2]).to_pylist()
        before = len(seen)
        seen |= dict.fromkeys(names)
        if len(seen) - before < len(names):  # the lines of a query stand apart
            found = _apart(source, how)
            break
    else:
        found = _Repeats.all(repeats).error(source)
    return found or nothing_shared(list(seen), judgments.qrels.query_ids, source.name)


def _pieces(source: Source) -> Iterator[tuple[Rows, Ints]]:
    """The rows of pieces of whole queries, and the physical line of each row."""
    before = 1
    for piece in whole_queries(source):
        rows = rows_of(piece, source)
        own = None if rows.parsed is None else rows.parsed.stretch.numbers
        yield rows, before + (np.arange(len(rows)) if own is None else np.asarray(own))
        before += piece.padded[: piece.end].count(b"\n")


def _odd_ids(source: Source, rows: Rows, table: pa.Table, lines: Ints) -> FileFormatError | None:
    if rows.plain:
        return None
    odd = [pc.match_substring_regex(table[c].cast(pa.string()), _NOT_PLAIN) for c in _IDS]
    at = np.flatnonzero(values_of(pc.or_(*odd)))
    hint = f"--memory takes no others: write the ids in ASCII, or {_WHOLE}."
    return _problems(source, lines[at], "other characters", "ids of printable ASCII", hint)


def _long_ids(source: Source, table: pa.Table, lines: Ints) -> FileFormatError | None:
    sizes = values_of(pc.binary_length(table["doc_id"]))
    at = np.flatnonzero(sizes > LONGEST_ID)
    if not len(at):
        return None
    found, expected = f"one of {size_text(int(sizes[at[0]]))}", f"at most {size_text(LONGEST_ID)}"
    return _problems(source, lines[at], found, f"a doc_id of {expected}", "")


@dataclass(frozen=True)
class _Repeats:
    """Documents that stand a second time in a query: the first of them by line, and how many."""

    first: list[LineProblem]
    count: int

    @classmethod
    def of(cls, table: pa.Table, lines: Ints) -> _Repeats:
        """Those of some rows, each with its line."""
        queries = coded(table["query_id"].cast(pa.string()))
        again, _ = repeated_rows(values_of(queries.indices), table["doc_id"])
        rows = table.take(column_of(again[:_SHOWN])).to_pylist()
        problems = [
            LineProblem(
                line,
                f"document {row['doc_id']} of query {row['query_id']} a second time",
                "each document once for a query",
            )
            for row, line in zip(rows, lines[again[:_SHOWN]].tolist(), strict=True)
        ]
        return cls(problems, len(again))

    @classmethod
    def all(cls, several: Sequence[_Repeats]) -> _Repeats:
        """Those of several parts of a file."""
        return cls([p for some in several for p in some.first], sum(some.count for some in several))

    def error(self, source: Source) -> FileFormatError | None:
        """What is said of them; None of none."""
        if not self.first:
            return None
        first = sorted(self.first, key=lambda problem: problem.line or 0)[:_SHOWN]
        texts = source.lines_at({problem.line or 0 for problem in first})
        return FileFormatError(
            source.name,
            [replace(problem, text=texts.get(problem.line or 0, "")) for problem in first],
            count=self.count,
            hint=f"Keep one of the rows. To have one chosen by --duplicates, {_WHOLE}.",
        )


def _apart(source: Source, how: Dealing) -> RanklensError | None:
    """What is in the way where the lines of a query stand apart. Raises FileFormatError where the
    file is no text."""
    odd = _odd_line(source)
    if odd is not None:
        return odd
    made = dealt(source, **how)
    bad: list[LineProblem] = []
    repeats: list[_Repeats] = []
    irregular: list[int] = []
    tags: dict[str, None] = {}
    long: FileFormatError | None = None
    for bucket in made.buckets if made else ():
        padded, numbers = bucket.whole()
        text = bytes(padded[: -len(PADDING)])
        parsed = careful(text, RUN, may_have_header=False)
        bad += [replace(p, line=int(numbers[p.line or 0]) + 1) for p in parsed.problems]
        own = parsed.stretch.numbers
        lines = 1 + (numbers if own is None else numbers[own])
        long = long or _long_ids(source, parsed.table, lines)
        repeats.append(_Repeats.of(parsed.table, lines))
        first = first_irregular(text)
        irregular += [] if first is None else [int(numbers[first]) + 1]
        tags |= dict.fromkeys(parsed.tags)
    if bad:
        return refuse(source, sorted(bad, key=lambda p: p.line or 0), count=len(bad))
    refused = long or _Repeats.all(repeats).error(source)
    if refused is not None:
        return refused
    if irregular:
        return _not_plain(source, min(irregular))
    if len(tags) > 1:
        return RanklensError(
            f"{source.name} has several run names, {w.listing(list(tags)[:3])}, and --memory takes"
            " one where the lines of a query stand apart.",
            f"Make it one, or sort the file by query, or {_WHOLE}.",
        )
    return None


def _odd_line(source: Source) -> FileFormatError | None:
    """The first line that ends in another way than with a newline, or that is no row."""
    before = 1
    for block in source.blocks(plain_ends=False):
        at = block.find(b"\r")
        if at >= 0:
            line = np.array([before + block.count(b"\n", 0, at)])
            found, expected = "a carriage return", "a newline alone at the end of a line"
            hint = f"Where the lines of a query stand apart, --memory takes no other: {_MENDED}."
            return _problems(source, line, found, expected, hint)
        before += block.count(b"\n")
    odd = 1 if header_in(source.head) else odd_line(source)
    if odd is None:
        return None
    text = source.lines_at({odd})[odd].lstrip(" \t")
    if odd > 1 and text and not text.startswith("#"):
        return _not_plain(source, odd)
    expected = "rows alone where the lines of a query stand apart"
    found = "a header, a blank line or a comment"
    hint = "Take such lines out, or sort the file by query."
    return _problems(source, np.array([odd]), found, expected, hint)


def _not_plain(source: Source, line: int) -> FileFormatError:
    found = "a line that is not plain"
    expected = "six columns of printable ASCII with a whole number as rank and a plain one as score"
    hint = f"Where the lines of a query stand apart, --memory takes no others: {_MENDED}."
    return _problems(source, np.array([line]), found, expected, hint)


def _problems(source: Source, lines: Ints, found: str, expected: str, hint: str) -> FileFormatError:
    numbers = lines[:_SHOWN].tolist()
    texts = source.lines_at(set(numbers))
    problems = [LineProblem(n, found, expected, text=texts.get(n, "")) for n in numbers]
    return FileFormatError(source.name, problems, count=len(lines), hint=hint)

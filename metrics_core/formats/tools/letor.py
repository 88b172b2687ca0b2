"""Learning to rank: feature lines of LETOR and SVMrank, read as judgments, and the scores of
RankLib, read as runs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from metrics_core.base.errors import FileFormatError
from metrics_core.base.notes import Note
from metrics_core.base.wording import format_with_noun
from metrics_core.formats.parsing.checking import build_qrels_table
from metrics_core.formats.parsing.systems import FormatDetails, load_runs
from metrics_core.formats.registry import (
    CERTAIN,
    TOOL_SPECIFIC,
    Loaded,
    Request,
    Sample,
    Sureness,
    Tool,
    build_sample,
    reader,
)
from metrics_core.formats.source.lines import LineIndex, line_error
from metrics_core.formats.source.source import Source, shorten_line
from metrics_core.formats.values import A_SCORE, explain_bad_number, is_number
from metrics_core.tables.columns import ID, encode_texts

_LINE = re.compile(r"\s*[-+]?\d+(?:\.\d+)?\s+qid:\S+(?:\s+\d+:|\s*#|\s*$)")
_DOC_ID = re.compile(r"\bdoc_?(?:id|no)\s*=\s*(\S+)", re.IGNORECASE)
_FEATURES = "2 qid:1 1:0.5 2:0.31 # docid = doc-7"
_ROWS_BETWEEN_CHECKS = 4096
_SCORES = "q1\t0\t0.83"
_INDRI = "q1 Q0 docid = doc-7 inc = 1 1 0.83 indri"
_NUMBERED_MESSAGE = (
    "no document ids in the file, so documents are numbered from 0 within each query, as in"
    " RankLib; the same number means different documents in different queries"
)


def recognise_letor(sample: Sample) -> Sureness:
    """Recognise lines with a grade, `qid:`, and features or a comment. Most lines of the file must
    have this form."""
    match_count = sum(bool(_LINE.match(line)) for line in sample.lines)
    return {"qrels": TOOL_SPECIFIC} if match_count > len(sample.lines) / 2 else {}


@dataclass
class _LineCounts:
    """Counts of lines and comments in a feature file.

    features       lines with features
    long_comments  comments with several words
    skipped        blank and comment lines
    unnamed_lines  physical lines without a document id"""

    features: int = 0
    long_comments: int = 0
    skipped: int = 0
    unnamed_lines: list[int] = field(default_factory=list)


@dataclass
class _LineRows:
    """The query, document, number and physical line of each row."""

    queries: list[str] = field(default_factory=list)
    docs: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def add(self, source: Source, line: int, query_id: str, doc_id: str, number: str) -> None:
        self.queries.append(query_id)
        self.docs.append(doc_id)
        self.numbers.append(number)
        self.lines.append(line)
        if not len(self.lines) % _ROWS_BETWEEN_CHECKS:
            source.check_cells(len(self.lines), 4, line)

    def to_table(self, number_name: str) -> pa.Table:
        """Return a table with the columns query_id, doc_id and `number_name`. The last contains the
        numbers as strings."""
        docs, numbers = pa.array(self.docs, ID), encode_texts(self.numbers)
        return pa.table(
            {"query_id": encode_texts(self.queries), "doc_id": docs, number_name: numbers}
        )


@reader(
    "letor",
    title="LETOR or SVMrank features",
    kinds=("qrels",),
    endings=(".txt", ".dat", ".letor"),
    explanation="One line per document with grade, query and features, as used by LETOR, MSLR,"
    " SVMrank, RankLib and XGBoost. Read as judgments. Comments identify documents: `docid ="
    " …` or the first word. Without comments, documents are numbered from 0 within each query.",
    example=f"{_FEATURES}\n0 qid:1 1:0.1 2:0.08 # docid = doc-3",
    recognise=recognise_letor,
    tools=(
        Tool(
            "LETOR, SVMrank",
            "the feature file, with the documents in its comments",
            "judgments",
            "document ids that are not in comments; what the features mean",
            ("search",),
        ),
    ),
)
def read_letor(source: Source, request: Request) -> Loaded:
    """Read judgments from feature lines. Raises FileFormatError for a malformed line."""
    rows, query_counts, counts = _LineRows(), Counter[str](), _LineCounts()
    for number, line in enumerate(source.text_lines(), 1):
        content, _, comment = line.partition("#")
        if not content.strip():
            counts.skipped += 1
            continue
        grade, query, features = (*content.split(None, 2), "", "")[:3]
        _, qid, query_id = query.partition("qid:")
        if query != qid + query_id or not query_id:
            raise line_error(
                source,
                number,
                "no `qid:` in the second column",
                "grade, qid:, features",
                f"A line looks like: {_FEATURES}",
            )
        doc_id = _find_doc_id(comment, counts)
        if doc_id is None:
            counts.unnamed_lines.append(number)
        counts.features += bool(features.strip())
        rows.add(source, number, query_id, doc_id or str(query_counts[query_id]), grade)
        query_counts[query_id] += 1
    if 0 < len(counts.unnamed_lines) < query_counts.total():
        raise _partly_named_error(source, counts.unnamed_lines, query_counts.total())
    qrels = build_qrels_table(
        source, request, rows.to_table("relevance"), LineIndex.from_numbers(rows.lines)
    )
    title = "LETOR or SVMrank: grade, query, features"
    return Loaded(qrels.with_notes(*_line_notes(counts)), "letor", title, source.name)


def _line_notes(counts: _LineCounts) -> Iterator[Note]:
    """Yield notes about irregular lines and about content that is not used."""
    if counts.unnamed_lines:
        yield Note("places", _NUMBERED_MESSAGE, len(counts.unnamed_lines), loud=True)
    longer = (
        f"{format_with_noun(counts.long_comments, 'comment')} with several words; the first word is"
        " used as the document's id"
    )
    features = f"{format_with_noun(counts.features, 'line')} with features; features are ignored"
    skipped = f"{format_with_noun(counts.skipped, 'blank or comment line')}, skipped"
    for code, count, message in (
        ("comments", counts.long_comments, longer),
        ("features", counts.features, features),
        ("comments", counts.skipped, skipped),
    ):
        if count:
            yield Note(code, message, count)


def _find_doc_id(comment: str, counts: _LineCounts) -> str | None:
    """Return the document id in a comment. Returns None if there is none.

    The id is the value of `docid = …`. In a comment without assignments it is the first word."""
    match = _DOC_ID.search(comment)
    if match:
        return match[1]
    words = comment.split()
    if not words or "=" in comment:
        return None
    counts.long_comments += len(words) > 1
    return words[0]


def _partly_named_error(
    source: Source, unnamed_lines: Sequence[int], lines: int
) -> FileFormatError:
    actual = f"no document in the comments of {len(unnamed_lines):,} of {lines:,} lines"
    return line_error(
        source,
        unnamed_lines[0],
        actual,
        "a document in every line or in none",
        f"A line looks like: {_FEATURES}",
    )


def recognise_ranklib(sample: Sample) -> Sureness:
    """Recognise lines with a query, a document number and a score, separated by tabs. Document
    numbers count 0, 1, 2, … in each query.

    If at least half of the scores are whole numbers, the file is not recognised, because it may be
    an MS MARCO run. The output of RankLib's option -indri is also recognised: TREC lines with a
    comment in place of the document."""
    if sum(_is_indri(line.split()) for line in sample.lines) > len(sample.lines) / 2:
        return {"run": TOOL_SPECIFIC}
    lines = [line.split("\t") for line in sample.lines]
    if not lines or any(len(fields) != 3 or not is_number(fields[2]) for fields in lines):
        return {}
    query_counts = Counter[str]()
    for query_id, position, _ in lines:
        if position != str(query_counts[query_id]):
            return {}
        query_counts[query_id] += 1
    whole_count = sum(fields[2].strip().isdigit() for fields in lines)
    return (
        {"run": CERTAIN} if max(query_counts.values()) > 1 and whole_count < len(lines) / 2 else {}
    )


@reader(
    "ranklib",
    title="RankLib scores",
    kinds=("run",),
    endings=(".txt", ".score", ".tsv"),
    explanation="Output of RankLib's -score: query, number of the document within the query (from"
    " 0), and score. It matches judgments read from the same feature file if no comment names the"
    " documents. Output of -indri is a TREC run with the comment in the document column:"
    " the document is the comment's `docid = …` or its only word.",
    example=f"{_SCORES}\nq1\t1\t0.12",
    recognise=recognise_ranklib,
    tools=(
        Tool(
            "RankLib",
            "`-rank FEATURES -indri FILE`, or `-score FILE` if no comment names the documents",
            "a run",
            "with -score: the ids of the documents",
            ("search",),
        ),
    ),
)
def read_ranklib(source: Source, request: Request) -> Loaded:
    """Read a run from RankLib's scores or from the output of its option -indri.

    Raises FileFormatError for a malformed line."""
    lines = build_sample(source).lines
    if any(_is_indri(line.split()) for line in lines):
        return _read_indri(source, request)
    rows, query_counts = _LineRows(), Counter[str]()
    hint = f"A line looks like: {_SCORES}"
    for number, line in enumerate(source.text_lines(), 1):
        fields = [text.strip() for text in line.split("\t")]
        if fields == [""]:
            continue
        if len(fields) != 3 or not all(fields):
            raise line_error(
                source,
                number,
                format_with_noun(len(fields), "column"),
                "query, number and score",
                f"{hint}, separated by tabs.",
            )
        query_id, position, score = fields
        if position != str(query_counts[query_id]):
            raise line_error(
                source,
                number,
                f"place `{shorten_line(position)}`",
                f"place {query_counts[query_id]} of query {shorten_line(query_id)}",
                "RankLib numbers documents 0, 1, 2, … within each query.",
            )
        _check_score(source, number, score, hint)
        query_counts[query_id] += 1
        rows.add(source, number, query_id, position, score)
    note = Note("places", _NUMBERED_MESSAGE, query_counts.total(), loud=True)
    return _load_run(source, request, rows, "RankLib: query, number, score", [note])


def _check_score(source: Source, line: int, score: str, hint: str) -> None:
    if not is_number(score):
        hint = explain_bad_number(score) or hint
        raise line_error(source, line, f"`{shorten_line(score)}`", A_SCORE, hint)


def _load_run(
    source: Source, request: Request, rows: _LineRows, title: str, notes: Sequence[Note]
) -> Loaded:
    table = rows.to_table("score")
    table = table.set_column(2, "score", table["score"].cast(pa.string()).cast(pa.float64()))
    details = FormatDetails("ranklib", title, has_scores=True)
    return load_runs(source, request, table, LineIndex.from_numbers(rows.lines), details, notes)


def _is_indri(words: Sequence[str]) -> bool:
    """Return whether a line was written by RankLib's option -indri and is not an ordinary TREC
    line.

    Such a line has a comment in place of the document id. In older versions, the comment starts
    with #."""
    return (
        len(words) > 5
        and (words[1], words[-1]) == ("Q0", "indri")
        and words[-3].isdecimal()
        and is_number(words[-2])
        and (len(words) > 6 or words[2].startswith("#"))
    )


def _read_indri(source: Source, request: Request) -> Loaded:
    """Return the run in the output of RankLib's option -indri. Raises FileFormatError for a
    malformed line."""
    rows = _LineRows()
    hint = (
        "This is a comment of the feature file. Only `docid = …` or a one-word comment identifies a"
        f" document: {_INDRI}. Add such comments and rank again, or use -score and evaluate with"
        " the same feature file."
    )
    for number, line in enumerate(source.text_lines(), 1):
        words = line.split()
        if not words:
            continue
        comment = " ".join(words[2:-3]).lstrip("# ")
        match = _DOC_ID.search(comment)
        doc_id = match[1] if match else comment
        if len(words) < 6 or words[1] != "Q0" or not doc_id or " " in doc_id:
            actual = f"`{shorten_line(comment)}` in the document column"
            raise line_error(source, number, actual, "a document's id", hint)
        _check_score(source, number, words[-2], hint)
        rows.add(source, number, words[0], doc_id, words[-2])
    return _load_run(source, request, rows, "RankLib: query, comment, rank, score", [])

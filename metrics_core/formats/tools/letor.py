"""Learning to rank: the lines of features of LETOR and SVMrank, which are judgments, and RankLib's
scores of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from metrics_core.base.errors import FileFormatError, LineProblem
from metrics_core.base.notes import Note
from metrics_core.formats.parsing.checking import qrels_table
from metrics_core.formats.parsing.systems import FormatDetails, load_runs
from metrics_core.formats.registry import (
    CERTAIN,
    OF_A_TOOL,
    Kind,
    Loaded,
    Request,
    Sample,
    Tool,
    reader,
)
from metrics_core.formats.source.lines import LineIndex, counted, refuse
from metrics_core.formats.source.source import Source, shortened
from metrics_core.formats.values import A_SCORE, is_number, why_not_a_number
from metrics_core.tables.columns import ID, coded_texts

_LINE = re.compile(r"\s*[-+]?\d+(?:\.\d+)?\s+qid:\S+(?:\s+\d+:|\s*#|\s*$)")
_DOC_ID = re.compile(r"\bdoc_?(?:id|no)\s*=\s*(\S+)", re.IGNORECASE)
_FEATURES = "2 qid:1 1:0.5 2:0.31 # docid = doc-7"
_ROWS_BETWEEN_CHECKS = 4096
_SCORES = "q1\t0\t0.83"
_INDRI = "q1 Q0 docid = doc-7 inc = 1 1 0.83 indri"
_PLACES = (
    "no document ids in the file; documents are numbered within their query from 0, as in RankLib,"
    " so the same number means different documents in different queries"
)


def recognise_letor(sample: Sample) -> Mapping[Kind, int]:
    """A grade, qid: and features, or a comment, in most lines."""
    fitting = sum(bool(_LINE.match(line)) for line in sample.lines)
    return {"qrels": OF_A_TOOL} if fitting > len(sample.lines) / 2 else {}


@dataclass
class _Told:
    """What lines say beside the judgments: how many have features, how many comments have more
    words than an id, how many lines are skipped; which lines name no document."""

    features: int = 0
    longer: int = 0
    skipped: int = 0
    unnamed: list[int] = field(default_factory=list)


@dataclass
class _Rows:
    """The query, the document and the number of each line that has one."""

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

    def table(self, of_numbers: str) -> pa.Table:
        """The rows, the numbers as texts under this name."""
        docs, numbers = pa.array(self.docs, ID), coded_texts(self.numbers)
        return pa.table(
            {"query_id": coded_texts(self.queries), "doc_id": docs, of_numbers: numbers}
        )


@reader(
    "letor",
    title="LETOR or SVMrank features",
    kinds=("qrels",),
    endings=(".txt", ".dat", ".letor"),
    explanation="One line per document with grade, query and features, as used by LETOR, MSLR,"
    " SVMrank, RankLib and XGBoost. Read as judgments. The comment names the document: `docid = …`"
    " or its first word. Without comments, documents are numbered within their query from 0.",
    example=f"{_FEATURES}\n0 qid:1 1:0.1 2:0.08 # docid = doc-3",
    recognise=recognise_letor,
    tools=(
        Tool(
            "LETOR, SVMrank",
            "the feature file, with the documents in its comments",
            "judgments",
            "the documents, if no comment names them; what the features mean",
            ("search",),
        ),
    ),
)
def read_letor(source: Source, request: Request) -> Loaded:
    """The judgments in lines of features. Raises FileFormatError."""
    rows, seen, told = _Rows(), Counter[str](), _Told()
    for number, line in enumerate(source.text_lines(), 1):
        own, _, comment = line.partition("#")
        if not own.strip():
            told.skipped += 1
            continue
        grade, query, features = (*own.split(None, 2), "", "")[:3]
        _, qid, query_id = query.partition("qid:")
        if query != qid + query_id or not query_id:
            problem = LineProblem(number, "no `qid:` in the second column", "grade, qid:, features")
            raise refuse(source, [problem], hint=f"A line looks like: {_FEATURES}")
        doc_id = _doc_id(comment, told)
        if doc_id is None:
            told.unnamed.append(number)
        told.features += bool(features.strip())
        rows.add(source, number, query_id, doc_id or str(seen[query_id]), grade)
        seen[query_id] += 1
    if 0 < len(told.unnamed) < seen.total():
        raise _half_named(source, told.unnamed, seen.total())
    qrels = qrels_table(source, request, rows.table("relevance"), LineIndex.of(rows.lines))
    title = "LETOR or SVMrank: grade, query, features"
    return Loaded(qrels.noting(*_notes(told)), "letor", title, source.name)


def _notes(told: _Told) -> Iterator[Note]:
    """What is odd about the lines, or not used of them."""
    if told.unnamed:
        yield Note("places", _PLACES, len(told.unnamed), loud=True)
    longer = f"{counted(told.longer, 'comment')} with several words; the first is used as the"
    features = f"{counted(told.features, 'line')} with features, which are ignored"
    skipped = f"{counted(told.skipped, 'blank or comment line')}, skipped"
    for code, count, message in (
        ("comments", told.longer, f"{longer} document's id"),
        ("features", told.features, features),
        ("comments", told.skipped, skipped),
    ):
        if count:
            yield Note(code, message, count)


def _doc_id(comment: str, told: _Told) -> str | None:
    """The document that a comment names: `docid = …`, or the first word of one that gives no values
    of other names."""
    named = _DOC_ID.search(comment)
    if named:
        return named[1]
    words = comment.split()
    if not words or "=" in comment:
        return None
    told.longer += len(words) > 1
    return words[0]


def _half_named(source: Source, unnamed: Sequence[int], lines: int) -> FileFormatError:
    found = f"no document in the comments of {len(unnamed):,} of {lines:,} lines"
    problem = LineProblem(unnamed[0], found, "one in each line, or in none")
    return refuse(source, [problem], hint=f"A line looks like: {_FEATURES}")


def recognise_ranklib(sample: Sample) -> Mapping[Kind, int]:
    """A query, its documents counted 0, 1, 2, … and a score, between tabs, where MS MARCO's ranks
    have whole numbers in the last place; or TREC's lines with a comment for the document."""
    if sum(_is_indri(line.split()) for line in sample.lines) > len(sample.lines) / 2:
        return {"run": OF_A_TOOL}
    lines = [line.split("\t") for line in sample.lines]
    if not lines or any(len(fields) != 3 or not is_number(fields[2]) for fields in lines):
        return {}
    seen = Counter[str]()
    for query_id, place, _ in lines:
        if place != str(seen[query_id]):
            return {}
        seen[query_id] += 1
    whole = sum(fields[2].strip().isdigit() for fields in lines)
    return {"run": CERTAIN} if max(seen.values()) > 1 and whole < len(lines) / 2 else {}


@reader(
    "ranklib",
    title="RankLib scores",
    kinds=("run",),
    endings=(".txt", ".score", ".tsv"),
    explanation="Output of RankLib's -score: query, the document's number within its query from 0,"
    " and score. It matches judgments read from the same feature file if no comment names the"
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
    """The run in RankLib's scores or its -indri output. Raises FileFormatError."""
    lines = Sample(source, source.head.decode()).lines
    if any(_is_indri(line.split()) for line in lines):
        return _read_indri(source, request)
    rows, seen = _Rows(), Counter[str]()
    hint = f"A line looks like: {_SCORES}"
    for number, line in enumerate(source.text_lines(), 1):
        fields = [text.strip() for text in line.split("\t")]
        if fields == [""]:
            continue
        if len(fields) != 3 or not all(fields):
            problem = LineProblem(number, counted(len(fields), "column"), "query, number and score")
            raise refuse(source, [problem], hint=f"{hint}, separated by tabs.")
        query_id, place, score = fields
        if place != str(seen[query_id]):
            found, expected = f"place `{shortened(place)}`", f"place {seen[query_id]}"
            problem = LineProblem(number, found, f"{expected} of query {shortened(query_id)}")
            raise refuse(
                source, [problem], hint="RankLib numbers documents 0, 1, 2, … within each query."
            )
        if not is_number(score):
            problem = LineProblem(number, f"`{shortened(score)}`", A_SCORE)
            raise refuse(source, [problem], hint=why_not_a_number(score) or hint)
        seen[query_id] += 1
        rows.add(source, number, query_id, place, score)
    note = Note("places", _PLACES, seen.total(), loud=True)
    return _run(source, request, rows, "RankLib: query, place, score", [note])


def _run(
    source: Source, request: Request, rows: _Rows, title: str, notes: Sequence[Note]
) -> Loaded:
    table = rows.table("score")
    table = table.set_column(2, "score", table["score"].cast(pa.string()).cast(pa.float64()))
    details = FormatDetails("ranklib", title, scored=True)
    return load_runs(source, request, table, LineIndex.of(rows.lines), details, notes)


def _is_indri(words: Sequence[str]) -> bool:
    """Whether this is a line of -indri that is no line of TREC: a comment, with its mark in older
    versions, stands for the document's id."""
    return (
        len(words) > 5
        and (words[1], words[-1]) == ("Q0", "indri")
        and words[-3].isdecimal()
        and is_number(words[-2])
        and (len(words) > 6 or words[2].startswith("#"))
    )


def _read_indri(source: Source, request: Request) -> Loaded:
    """The run in the output of -indri. Raises FileFormatError."""
    rows = _Rows()
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
        named = _DOC_ID.search(comment)
        doc_id = named[1] if named else comment
        if len(words) < 6 or words[1] != "Q0" or not doc_id or " " in doc_id:
            found = f"`{shortened(comment)}` in the document column"
            raise refuse(source, [LineProblem(number, found, "a document's id")], hint=hint)
        if not is_number(words[-2]):
            problem = LineProblem(number, f"`{shortened(words[-2])}`", A_SCORE)
            raise refuse(source, [problem], hint=why_not_a_number(words[-2]) or hint)
        rows.add(source, number, words[0], doc_id, words[-2])
    return _run(source, request, rows, "RankLib: query, comment, rank, score", [])

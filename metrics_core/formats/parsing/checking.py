"""Build checked tables from the columns of a file. If a check fails, the error states the physical
lines."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Ints
from metrics_core.base.errors import (
    MOST_PROBLEMS_SHOWN,
    content_error,
)
from metrics_core.base.notes import Note
from metrics_core.formats.registry import Request
from metrics_core.formats.source.limits import format_size
from metrics_core.formats.source.lines import (
    RowLines,
    convert_table_errors,
    file_error,
    row_problem,
)
from metrics_core.formats.source.source import Source
from metrics_core.formats.values import GradeProblem, build_grade_array, parse_grades
from metrics_core.tables import Qrels, Run
from metrics_core.tables.arrays import as_array, is_coded
from metrics_core.tables.columns import encode_ids, refuse_missing_ids
from metrics_core.tables.qrels import find_subtopic_column

MAX_ID_BYTES = 1_000_000
"""Maximum number of bytes of an id. A longer value is a text in the wrong column."""

MAX_TEXT_BYTES = 2**31 - 1
"""Maximum number of bytes of all ids of a column. Arrow's offsets in a joined column are 32-bit
integers."""

ProblemTexts = tuple[str, str, str]
"""An invalid text, a description of valid text, and a hint."""

_ALL_IDS = f"ids of at most {format_size(MAX_TEXT_BYTES)} in total"


def build_run_table(
    source: Source,
    request: Request,
    rows: pa.Table,
    index: RowLines | None,
    file_rows: Ints | None = None,
    *,
    ranks: Ints | None = None,
) -> Run:
    """Build a run from the columns query_id, doc_id and score (finite).

    If `file_rows`, int64[row], is given, `rows` are the rows of the file with these indexes,
    otherwise all rows of the file. `ranks`, int64[row], are stored unchanged. Raises
    FileFormatError if a document is repeated in a query and the request does not say which row to
    keep."""
    with convert_table_errors(source, index, file_rows):
        return Run.from_columns(
            request.run_name,
            rows["query_id"],
            rows["doc_id"],
            rows["score"],
            rank=ranks,
            duplicates=request.duplicates,
        )


def build_qrels_table(
    source: Source, request: Request, rows: pa.Table, index: RowLines | None
) -> Qrels:
    """Build judgments from the columns query_id, doc_id and relevance (text).

    A column subtopic or iteration is used if it exists. Raises FileFormatError for a value that is
    not a grade, a missing id, and different grades for the same query and document."""
    check_ids(source, rows, index)
    texts = encode_ids(rows["relevance"])
    codes = as_array(texts.indices)
    parsed_grades = parse_grades(texts.dictionary.to_pylist(), request.grades)
    bad_rows = np.flatnonzero(np.isnan(parsed_grades.values[codes]))
    _refuse_grades(source, texts, bad_rows, parsed_grades.problems, index)
    grades = build_grade_array(parsed_grades, codes, request.grades)
    subtopic = find_subtopics(rows)
    with convert_table_errors(source, index):
        qrels = Qrels.from_columns(rows["query_id"], rows["doc_id"], grades, subtopic)
    qrels = add_subtopics_note(qrels)
    if grades.dtype.kind == "f" and grades.min() >= 0 and grades.max() <= 1:
        message = (
            "all grades are between 0 and 1, so binary measures count only grade 1 as relevant,"
            " unless you set a threshold such as AP(rel=0.5)"
        )
        qrels = qrels.with_notes(Note("fractions", message, int((grades % 1 > 0).sum()), loud=True))
    negative = int(np.count_nonzero(grades < 0))
    if not negative:
        return qrels
    message = f"negative grades: {negative:,}; their documents count as not relevant"
    return qrels.with_notes(Note("negative", message, negative))


def check_ids(source: Source, rows: pa.Table, index: RowLines | None) -> None:
    """Raise FileFormatError for missing and overlong ids, and for a column with more bytes of ids
    than Arrow can join."""
    for name in ("query_id", "doc_id"):
        column = rows[name]
        with convert_table_errors(source, index):
            refuse_missing_ids(name, column)
        has_codes = is_coded(column)
        ids = encode_ids(column) if has_codes else column
        lengths = pc.binary_length(ids.dictionary if has_codes else ids)
        if (pc.max(lengths).as_py() or 0) > MAX_ID_BYTES:
            position = pc.index(pc.greater(lengths, MAX_ID_BYTES), True).as_py()
            row = pc.index(ids.indices, position).as_py() if has_codes else position
            actual = f"one of {format_size(lengths[position].as_py())}"
            expected = f"a {name} of at most {format_size(MAX_ID_BYTES)}"
            raise file_error(source, [row_problem(index, row, actual, expected)])
        if (pc.sum(lengths).as_py() or 0) > MAX_TEXT_BYTES:
            raise content_error(
                source.name,
                f"{format_size(pc.sum(lengths).as_py())} as {name}",
                _ALL_IDS,
                "Split the file into parts.",
            )


def find_subtopics(rows: pa.Table) -> pa.DictionaryArray | None:
    """Return the subtopic of each row; None if there are no subtopics.

    Subtopics are read from the column `subtopic`. If there is no such column, they are the second
    column of TREC judgments (`iteration`), provided that its values vary within a query."""
    if "subtopic" in rows.column_names:
        return encode_ids(pc.fill_null(rows["subtopic"], ""))
    if "iteration" in rows.column_names:
        return find_subtopic_column(rows["query_id"], rows["iteration"])
    return None


def add_subtopics_note(qrels: Qrels) -> Qrels:
    """Return the judgments. If they have subtopics, a note is added. It says how the subtopics are
    used and how many there are per query, and has up to three names as examples."""
    if qrels.subtopics is None:
        return qrels
    table = qrels.input_table
    names = encode_ids(table["subtopic"])
    pairs = np.stack([encode_ids(table["query_id"]).indices, names.indices])
    mean_count = np.unique(pairs, axis=1).shape[1] / len(qrels.query_ids)
    examples = tuple(names.dictionary[:3].to_pylist())
    repeat_count = len(table) - len(qrels)
    if repeat_count:
        message = (
            f"judgments by subtopic: {mean_count:.3g} subtopics per query on average; measures"
            " without subtopics use each document's highest grade"
        )
    else:
        message = (
            f"the second column varies within a query ({mean_count:.3g} values on average), so"
            " diversity measures use it as the subtopic, although no document has grades for two"
            " values"
        )
    return qrels.with_notes(Note("subtopics", message, len(table), examples))


def refuse_rows(
    source: Source,
    index: RowLines | None,
    rows: Ints,
    describe_problem: Callable[[int], ProblemTexts],
    suggestion: str = "",
) -> None:
    """Raise FileFormatError for invalid values in these rows, int64[n], if there are any.

    `describe_problem` returns the texts of the problem in a row."""
    if not len(rows):
        return
    problems = []
    for row in rows[:MOST_PROBLEMS_SHOWN].tolist():
        actual, expected, hint = describe_problem(row)
        problems.append(row_problem(index, row, actual, expected, hint))
    raise file_error(source, problems, count=len(rows), suggestion=suggestion)


def _refuse_grades(
    source: Source,
    texts: pa.DictionaryArray,
    rows: Ints,
    problems: dict[str, GradeProblem],
    index: RowLines | None,
) -> None:
    def describe_problem(row: int) -> ProblemTexts:
        text = texts[row].as_py()
        issue = problems[text]
        return f"`{text}`" if text else "nothing", issue.expected, issue.hint

    offers = dict.fromkeys(issue.offer for issue in problems.values())
    offer = next(iter(offers)) if len(offers) == 1 else ""
    refuse_rows(source, index, rows, describe_problem, offer)

"""Columns of a file made into a checked table; what a table refuses gets its physical line."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Ints
from metrics_core.base.errors import MOST_PROBLEMS_SHOWN, FileFormatError, LineProblem, TableError
from metrics_core.base.notes import Note
from metrics_core.formats.registry import Request
from metrics_core.formats.source.limits import format_size
from metrics_core.formats.source.lines import RowLines, file_error, row_problem, rows_error
from metrics_core.formats.source.source import Source
from metrics_core.formats.values import GradeProblem, build_grade_array, parse_grades
from metrics_core.tables import Qrels, Run
from metrics_core.tables.arrays import as_array
from metrics_core.tables.columns import encode_ids, refuse_missing_ids
from metrics_core.tables.qrels import find_subtopic_column

MAX_ID_BYTES = 1_000_000
"""Bytes of an id; a longer one is a text in the wrong place."""

MAX_TEXT_BYTES = 2**31 - 1
"""Bytes of the ids of a column: Arrow counts those of one that it joins in 31 bits."""

_ALL_IDS = f"at most {format_size(MAX_TEXT_BYTES)} of ids"


def build_run_table(
    source: Source,
    request: Request,
    rows: pa.Table,
    index: RowLines | None,
    file_rows: Ints | None = None,
    *,
    ranks: Ints | None = None,
) -> Run:
    """A run from query_id, doc_id and finite scores, the rows being those of the file or of some
    `file_rows` in it; `ranks` are kept as they are. Raises FileFormatError for a document twice in
    a query, unless the request says which one counts."""
    try:
        return Run.from_columns(
            request.run_name,
            rows["query_id"],
            rows["doc_id"],
            rows["score"],
            rank=ranks,
            duplicates=request.duplicates,
        )
    except TableError as error:
        raise rows_error(source, error, index, file_rows) from error


def build_qrels_table(
    source: Source, request: Request, rows: pa.Table, index: RowLines | None
) -> Qrels:
    """Judgments from query_id, doc_id, the texts of relevance and, where there is one, a column
    subtopic or iteration. Raises FileFormatError for a text that is no grade and for a pair judged
    twice with different grades."""
    check_ids(source, rows, index)
    texts = encode_ids(rows["relevance"])
    codes = as_array(texts.indices)
    parsed_grades = parse_grades(texts.dictionary.to_pylist(), request.grades)
    bad_rows = np.flatnonzero(np.isnan(parsed_grades.values[codes]))
    if len(bad_rows):
        raise _grades_error(source, texts, bad_rows, parsed_grades.problems, index)
    grades = build_grade_array(parsed_grades, codes, request.grades)
    subtopic = _subtopic_column(rows)
    try:
        qrels = Qrels.from_columns(rows["query_id"], rows["doc_id"], grades, subtopic)
    except TableError as error:
        raise rows_error(source, error, index) from error
    if qrels.subtopics is not None:
        qrels = qrels.noting(_subtopic_note(qrels))
    if grades.dtype.kind == "f" and grades.min() >= 0 and grades.max() <= 1:
        message = (
            "all grades are between 0 and 1; binary measures count only grade 1 as relevant, unless"
            " you set a threshold such as AP(rel=0.5)"
        )
        qrels = qrels.noting(Note("fractions", message, int((grades % 1 > 0).sum()), loud=True))
    negative = int(np.count_nonzero(grades < 0))
    if not negative:
        return qrels
    message = f"{negative:,} negative grades; they count as not relevant"
    return qrels.noting(Note("negative", message, negative))


def check_ids(source: Source, rows: pa.Table, index: RowLines | None) -> None:
    """Refuse rows without an id, ids that are texts rather than names, and more of them than Arrow
    joins."""
    for name in ("query_id", "doc_id"):
        column = rows[name]
        try:
            refuse_missing_ids(name, column)
        except TableError as error:
            raise rows_error(source, error, index) from error
        is_coded = pa.types.is_dictionary(column.type)
        ids = encode_ids(column) if is_coded else column
        lengths = pc.binary_length(ids.dictionary if is_coded else ids)
        if (pc.max(lengths).as_py() or 0) > MAX_ID_BYTES:
            position = pc.index(pc.greater(lengths, MAX_ID_BYTES), True).as_py()
            row = pc.index(ids.indices, position).as_py() if is_coded else position
            actual = f"one of {format_size(lengths[position].as_py())}"
            expected = f"a {name} of at most {format_size(MAX_ID_BYTES)}"
            raise file_error(source, [row_problem(index, row, actual, expected)])
        if (pc.sum(lengths).as_py() or 0) > MAX_TEXT_BYTES:
            problem = LineProblem(
                None, f"{format_size(pc.sum(lengths).as_py())} as {name}", _ALL_IDS
            )
            raise file_error(source, [problem], hint="Split the file into parts.")


def _subtopic_column(rows: pa.Table) -> pa.DictionaryArray | None:
    """The subtopic of each row. A column called subtopic has it; TREC's second column may."""
    if "subtopic" in rows.column_names:
        return encode_ids(pc.fill_null(rows["subtopic"], ""))
    if "iteration" in rows.column_names:
        return find_subtopic_column(rows["query_id"], rows["iteration"])
    return None


def _subtopic_note(qrels: Qrels) -> Note:
    """What was made of the subtopics, with counts and the names of a few."""
    table = qrels.given
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
            f"the second column varies within a query ({mean_count:.3g} values on average), though"
            " no document is judged under two values; diversity measures use it as the subtopic"
        )
    return Note("subtopics", message, len(table), examples)


def values_error(
    source: Source,
    index: RowLines | None,
    rows: Ints,
    describe_problem: Callable[[int], tuple[str, str, str]],
    offer: str = "",
) -> FileFormatError:
    """The error for values in these rows; `describe_problem` gives what was found, expected, and a
    hint."""
    problems = []
    for row in rows[:MOST_PROBLEMS_SHOWN].tolist():
        actual, expected, hint = describe_problem(row)
        problems.append(row_problem(index, row, actual, expected, hint))
    return file_error(source, problems, count=len(rows), offer=offer)


def _grades_error(
    source: Source,
    texts: pa.DictionaryArray,
    rows: Ints,
    problems: dict[str, GradeProblem],
    index: RowLines | None,
) -> FileFormatError:
    def describe_problem(row: int) -> tuple[str, str, str]:
        text = texts[row].as_py()
        issue = problems[text]
        return f"`{text}`" if text else "nothing", issue.expected, issue.hint

    offers = dict.fromkeys(issue.offer for issue in problems.values())
    offer = next(iter(offers)) if len(offers) == 1 else ""
    return values_error(source, index, rows, describe_problem, offer)

"""Columns of a file made into a checked table; what a table refuses gets its physical line."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from metrics_core.arrow import coded
from metrics_core.errors import MOST_PROBLEMS_SHOWN, FileFormatError, TableError
from metrics_core.formats.lines import RowLines, problem_in_row, refuse, refuse_rows
from metrics_core.formats.registry import Request
from metrics_core.formats.source import Source
from metrics_core.formats.values import GradeProblem, grade_array, parse_grades
from metrics_core.notes import Note
from metrics_core.tables import Qrels, Run


def run_table(source: Source, request: Request, rows: pa.Table, index: RowLines | None) -> Run:
    """A run from query_id, doc_id and finite scores. Raises FileFormatError for a document twice
    in a query, unless the request says which one counts."""
    try:
        return Run.from_columns(
            request.run_name,
            rows["query_id"],
            rows["doc_id"],
            rows["score"],
            duplicates=request.duplicates,
        )
    except TableError as error:
        raise refuse_rows(source, error, index, offer="duplicates=best") from error


def qrels_table(source: Source, request: Request, rows: pa.Table, index: RowLines | None) -> Qrels:
    """Judgments from query_id, doc_id and the texts of relevance. Raises FileFormatError for a
    text that is no grade and for a pair judged twice with different grades."""
    texts = coded(rows["relevance"])
    codes = texts.indices.to_numpy(zero_copy_only=False)
    graded = parse_grades(texts.dictionary.to_pylist(), request.grades)
    bad = np.flatnonzero(np.isnan(graded.values[codes]))
    if len(bad):
        raise _refuse_grades(source, texts, bad, graded.refused, index)
    grades = grade_array(graded, codes, request.grades)
    try:
        qrels = Qrels.from_columns(rows["query_id"], rows["doc_id"], grades)
    except TableError as error:
        raise refuse_rows(source, error, index) from error
    negative = int(np.count_nonzero(grades < 0))
    if not negative:
        return qrels
    message = f"{negative:,} negative grades; they count as not relevant"
    return qrels.noting(Note("negative", message, negative))


def refuse_values(
    source: Source,
    index: RowLines | None,
    rows: npt.NDArray[np.int64],
    problem: Callable[[int], tuple[str, str, str]],
    offer: str = "",
) -> FileFormatError:
    """The error for values in these rows; `problem` gives what was found, expected, and a hint."""
    problems = []
    for row in rows[:MOST_PROBLEMS_SHOWN].tolist():
        found, expected, hint = problem(row)
        problems.append(problem_in_row(index, row, found, expected, hint))
    return refuse(source, problems, count=len(rows), offer=offer)


def _refuse_grades(
    source: Source,
    texts: pa.DictionaryArray,
    rows: npt.NDArray[np.int64],
    refused: dict[str, GradeProblem],
    index: RowLines | None,
) -> FileFormatError:
    def problem(row: int) -> tuple[str, str, str]:
        text = texts[row].as_py()
        why = refused[text]
        return f"`{text}`" if text else "nothing", why.expected, why.hint

    offers = dict.fromkeys(why.offer for why in refused.values())
    offer = next(iter(offers)) if len(offers) == 1 else ""
    return refuse_values(source, index, rows, problem, offer)

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
from metrics_core.formats.source.limits import size_text
from metrics_core.formats.source.lines import RowLines, problem_in_row, refuse, refuse_rows
from metrics_core.formats.source.source import Source
from metrics_core.formats.values import GradeProblem, grade_array, parse_grades
from metrics_core.tables import Qrels, Run
from metrics_core.tables.arrays import values_of
from metrics_core.tables.columns import coded, refuse_without_ids
from metrics_core.tables.qrels import subtopic_column

LONGEST_ID = 1_000_000
"""Bytes of an id; a longer one is a text in the wrong place."""

MOST_TEXT = 2**31 - 1
"""Bytes of the ids of a column: Arrow counts those of one that it joins in 31 bits."""

_ALL_IDS = f"at most {size_text(MOST_TEXT)} of ids"


def run_table(
    source: Source,
    request: Request,
    rows: pa.Table,
    index: RowLines | None,
    places: Ints | None = None,
    *,
    ranks: Ints | None = None,
) -> Run:
    """A run from query_id, doc_id and finite scores, the rows being those of the file or of some
    `places` in it; `ranks` are kept as they are. Raises FileFormatError for a document twice in a
    query, unless the request says which one counts."""
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
        raise refuse_rows(source, error, index, places) from error


def qrels_table(source: Source, request: Request, rows: pa.Table, index: RowLines | None) -> Qrels:
    """Judgments from query_id, doc_id, the texts of relevance and, where there is one, a column
    subtopic or iteration. Raises FileFormatError for a text that is no grade and for a pair judged
    twice with different grades."""
    check_ids(source, rows, index)
    texts = coded(rows["relevance"])
    codes = values_of(texts.indices)
    graded = parse_grades(texts.dictionary.to_pylist(), request.grades)
    bad = np.flatnonzero(np.isnan(graded.values[codes]))
    if len(bad):
        raise _refuse_grades(source, texts, bad, graded.refused, index)
    grades = grade_array(graded, codes, request.grades)
    subtopic = _subtopics(rows)
    try:
        qrels = Qrels.from_columns(rows["query_id"], rows["doc_id"], grades, subtopic)
    except TableError as error:
        raise refuse_rows(source, error, index) from error
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
            refuse_without_ids(name, column)
        except TableError as error:
            raise refuse_rows(source, error, index) from error
        is_coded = pa.types.is_dictionary(column.type)
        ids = coded(column) if is_coded else column
        lengths = pc.binary_length(ids.dictionary if is_coded else ids)
        if (pc.max(lengths).as_py() or 0) > LONGEST_ID:
            place = pc.index(pc.greater(lengths, LONGEST_ID), True).as_py()
            row = pc.index(ids.indices, place).as_py() if is_coded else place
            found = f"one of {size_text(lengths[place].as_py())}"
            expected = f"a {name} of at most {size_text(LONGEST_ID)}"
            raise refuse(source, [problem_in_row(index, row, found, expected)])
        if (pc.sum(lengths).as_py() or 0) > MOST_TEXT:
            problem = LineProblem(None, f"{size_text(pc.sum(lengths).as_py())} as {name}", _ALL_IDS)
            raise refuse(source, [problem], hint="Split the file into parts.")


def _subtopics(rows: pa.Table) -> pa.DictionaryArray | None:
    """The subtopic of each row. A column called subtopic has it; TREC's second column may."""
    if "subtopic" in rows.column_names:
        return coded(pc.fill_null(rows["subtopic"], ""))
    if "iteration" in rows.column_names:
        return subtopic_column(rows["query_id"], rows["iteration"])
    return None


def _subtopic_note(qrels: Qrels) -> Note:
    """What was made of the subtopics, with counts and the names of a few."""
    table = qrels.given
    names = coded(table["subtopic"])
    pairs = np.stack([coded(table["query_id"]).indices, names.indices])
    each = np.unique(pairs, axis=1).shape[1] / len(qrels.query_ids)
    shown = tuple(names.dictionary[:3].to_pylist())
    several = len(table) - len(qrels)
    if several:
        message = (
            f"judgments by subtopic: {each:.3g} subtopics per query on average; measures without"
            " subtopics use each document's highest grade"
        )
    else:
        message = (
            f"the second column varies within a query ({each:.3g} values on average), though no"
            " document is judged under two values; diversity measures use it as the subtopic"
        )
    return Note("subtopics", message, len(table), shown)


def refuse_values(
    source: Source,
    index: RowLines | None,
    rows: Ints,
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
    rows: Ints,
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

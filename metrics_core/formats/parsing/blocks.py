"""A file of lines taken together: what is wrong with its blocks, what was odd about them and their
ranks. The rank column is ignored; this only remarks on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from metrics_core.base.errors import LineProblem
from metrics_core.base.notes import Note
from metrics_core.formats.parsing.trec_lines import Parsed
from metrics_core.formats.source.lines import counted, refuse
from metrics_core.formats.source.source import Source
from metrics_core.tables.arrays import column_of, values_of
from metrics_core.tables.by_score import contradictions
from metrics_core.tables.columns import coded


def refuse_problems(source: Source, blocks: Sequence[Parsed]) -> None:
    """Raise for all bad lines together, and for a file without rows."""
    before = 1
    problems: list[LineProblem] = []
    for block in blocks:
        problems += [replace(p, line=(p.line or 0) + before) for p in block.problems]
        before += block.stretch.lines
    whole = any(block.stretch.rows for block in blocks)
    if problems:
        count = sum(block.problem_count for block in blocks)
        raise refuse(source, problems, count=count, cut_off=blocks[-1].cut_off and whole)
    if not whole:
        header = any(block.header for block in blocks)
        raise refuse(
            source,
            [
                LineProblem(
                    None, "only a header" if header else "no rows", "a row for each document"
                )
            ],
            hint="The file is empty; was it written to the end?",
        )


def line_notes(blocks: Sequence[Parsed]) -> list[Note]:
    """Notes on a header, comments, blank lines and lines with more columns, with counts."""
    notes = []
    header = next((block.header for block in blocks if block.header), "")
    if header:
        message = "the first line names the columns and was skipped"
        notes.append(Note("header", message, 1, (header,)))
    comments = sum(block.comments for block in blocks)
    if comments:
        first = next(block.comment for block in blocks if block.comment)
        notes.append(
            Note("comment", f"{counted(comments, 'comment line')} (#), skipped", comments, (first,))
        )
    blanks = sum(block.blanks for block in blocks)
    if blanks:
        notes.append(Note("blank", f"{counted(blanks, 'blank line')}, skipped", blanks))
    long = sum(block.long_lines for block in blocks)
    if long:
        message = f"{counted(long, 'line')} of more than six columns; the run name takes the rest"
        notes.append(Note("long_lines", message, long))
    return notes


def rank_notes(
    query_id: pa.ChunkedArray, rank: pa.ChunkedArray, score: pa.DoubleArray
) -> list[Note]:
    """Notes on the columns of a run; ranks are float32, NaN where the text is no number."""
    ranks = values_of(rank)
    whole = ranks == np.floor(ranks)  # NaN equals nothing
    if not whole.all():
        return fraction_notes(int(np.count_nonzero(~whole)))
    query_ids = coded(query_id)
    queries = values_of(query_ids.indices)
    found = contradictions(queries, ranks, values_of(score))
    return contradiction_notes(query_ids.dictionary, found)


def fraction_notes(count: int) -> list[Note]:
    """The note on so many ranks that are no whole numbers."""
    message = f"{counted(count, 'rank')} not a whole number; the order follows from the scores"
    return [Note("rank", message, count)]


def contradiction_notes(query_ids: pa.Array, contradicting: npt.NDArray[Any]) -> list[Note]:
    """The note on the queries at these places, whose ranks contradict their scores, if any."""
    if not len(contradicting):
        return []
    names = query_ids.take(column_of(contradicting[:3])).to_pylist()
    message = (
        f"in {len(contradicting):,} of {len(query_ids):,} queries the rank column"
        " contradicts the scores; the order follows from the scores"
    )
    examples = tuple(f"query {name}" for name in names)
    return [Note("rank", message, len(contradicting), examples)]

"""Collect the problems and notes of all blocks of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from metrics_core.base.errors import LineProblem, content_error
from metrics_core.base.notes import Note
from metrics_core.base.wording import format_with_noun
from metrics_core.formats.parsing.trec_lines import ParsedBlock
from metrics_core.formats.source.lines import file_error
from metrics_core.formats.source.source import Source


def raise_block_problems(source: Source, blocks: Sequence[ParsedBlock]) -> None:
    """Raise one FileFormatError that lists the malformed lines of all blocks. If no line is
    malformed, the error is raised only if the file has no rows."""
    first_line = 1
    problems: list[LineProblem] = []
    for block in blocks:
        problems += [replace(p, line=(p.line or 0) + first_line) for p in block.problems]
        first_line += block.stretch.lines
    has_rows = any(block.stretch.rows for block in blocks)
    if problems:
        count = sum(block.problem_count for block in blocks)
        raise file_error(source, problems, count=count, cut_off=blocks[-1].cut_off and has_rows)
    if not has_rows:
        has_header = any(block.header for block in blocks)
        raise content_error(
            source.name,
            "only a header" if has_header else "no rows",
            "one row per document",
            "The file is empty. Check that it was written completely.",
        )


def line_notes(blocks: Sequence[ParsedBlock]) -> list[Note]:
    """Return up to four notes: on the header, comments, blank lines, and lines with extra columns.
    Each note counts the lines that it is about."""
    notes = []
    header = next((block.header for block in blocks if block.header), "")
    if header:
        message = "the first line is a header, so it was skipped"
        notes.append(Note("header", message, 1, (header,)))
    comments = sum(block.comments for block in blocks)
    first_comments = tuple(block.comment for block in blocks if block.comment)[:1]
    blanks = sum(block.blanks for block in blocks)
    notes += skipped_line_notes(blanks, comments, first_comments)
    long_count = sum(block.long_lines for block in blocks)
    if long_count:
        message = (
            f"{format_with_noun(long_count, 'line')} with more than six columns; everything after"
            " the fifth column is the run name"
        )
        notes.append(Note("long_lines", message, long_count))
    return notes


def skipped_line_notes(
    n_blank: int, n_comments: int = 0, comments: tuple[str, ...] = ()
) -> list[Note]:
    """Return up to two notes, on skipped comments and on skipped blank lines. `comments` are
    examples."""
    notes = []
    if n_comments:
        message = f"{format_with_noun(n_comments, 'comment line')} (#), skipped"
        notes.append(Note("comment", message, n_comments, comments))
    if n_blank:
        notes.append(Note("blank", f"{format_with_noun(n_blank, 'blank line')}, skipped", n_blank))
    return notes

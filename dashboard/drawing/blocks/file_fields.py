"""Blocks for reading a file: its fields with their meanings and the evidence for them, and a
preview of the first rows. For a file that could be two kinds of table, there is a block for each
reading."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup

from dashboard.answers.field_evidence import Evidence
from dashboard.answers.file_preview import FilePreview, KindReading
from dashboard.drawing.blocks.templates import Template
from metrics_core.base import wording as w
from metrics_core.base.errors import LineProblem

_render = Template("file_fields")
_ROWS_CHECKED = 200
_TITLES = {"run": "A run", "qrels": "Judgments"}


def draw_check_heading(
    file: str,
    n_rows: int,
    problem: LineProblem | None = None,
    n_further_problems: int = 0,
) -> Markup:
    """Draw the heading of a file whose fields the user should check: the number of inspected rows,
    the reason why the file was not read, and the number of other files with the same fields
    (`n_further_problems`)."""
    about = (
        f"{'the first ' if n_rows >= _ROWS_CHECKED else ''}{w.format_count(n_rows)}"
        f" {w.plural(n_rows, 'row')}"
    )
    return _render("head", file=file, about=about, why=problem, others=n_further_problems)


def draw_kind_question(file: str) -> Markup:
    """Draw the heading of a file that could be two kinds of table."""
    return _render("question", file=file)


def draw_column_headings() -> Markup:
    """Draw the column headings above the fields."""
    return _render("heads")


def draw_field(name: str, samples: str) -> Markup:
    """Draw a field of a file together with its first values."""
    return _render("field", name=name, samples=samples)


def draw_field_evidence(evidence: Evidence) -> Markup:
    """Draw the evidence for a field's meaning, for example that its values are query ids."""
    return _render("reason", text=evidence.text, fails=evidence.fails)


def draw_preview(file_preview: FilePreview, words: Mapping[str, str]) -> Markup:
    """Draw the first rows of a file. The heading of a column says what the user chose as the
    meaning of the field ("query", "score"). `words` has the displayed name of each meaning."""
    return _render("preview", found=file_preview, words=words)


def draw_message(text: str, *, is_error: bool) -> Markup:
    """Draw a message that says what a file contains or, if `is_error` is true, why the file cannot
    be read."""
    return _render("note", text=text, wrong=is_error)


def draw_kind_preview(kind_reading: KindReading, *, is_likely: bool) -> Markup:
    """Draw how a file would be read as one of the kinds of table that it could be: its first rows,
    the evidence for this kind, and the consequence of reading it this way."""
    words = {"query": "query", "doc": "document", "score": "score", "grade": "grade"}
    title = _TITLES[kind_reading.preview.kind]
    return _render("reading", own=kind_reading, title=title, is_likely=is_likely, words=words)

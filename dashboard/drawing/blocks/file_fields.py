"""How a file is read: its fields with what they mean and why, the first rows as they would be read,
and the readings of a file that may be two kinds of table."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup

from dashboard.answers.field_evidence import Evidence
from dashboard.answers.file_preview import FilePreview, KindReading
from dashboard.drawing.blocks.templates import Template
from metrics_core.base import wording as w
from metrics_core.base.errors import LineProblem

_render = Template("file_fields")
_LOOKED_AT = 200
_TITLES = {"run": "A run", "qrels": "Judgments"}


def head(
    file: str,
    rows: int,
    why: LineProblem | None = None,
    others: int = 0,
) -> Markup:
    """The heading of a file that is to be checked: how many of its rows were looked at, why it was
    not read, and how many `others` are alike."""
    about = (
        f"{'the first ' if rows >= _LOOKED_AT else ''}{w.format_count(rows)}"
        f" {w.plural(rows, 'row')}"
    )
    return _render("head", file=file, about=about, why=why, others=others)


def question(file: str) -> Markup:
    """The heading of a file that may be two kinds of table."""
    return _render("question", file=file)


def heads() -> Markup:
    """The heads above the rows of the fields."""
    return _render("heads")


def field(name: str, samples: str) -> Markup:
    """A field of a file, with its first values."""
    return _render("field", name=name, samples=samples)


def reason(evidence: Evidence) -> Markup:
    """Why a field means what it means."""
    return _render("reason", text=evidence.text, fails=evidence.fails)


def preview(file_preview: FilePreview, words: Mapping[str, str]) -> Markup:
    """The first rows as they would be read; `words` is what their columns are called."""
    return _render("preview", found=file_preview, words=words)


def message(text: str, *, wrong: bool) -> Markup:
    """What a file gives, or why it cannot be read."""
    return _render("told", text=text, wrong=wrong)


def reading(kind_reading: KindReading, *, is_likely: bool) -> Markup:
    """A file read as one of the kinds that it may be."""
    words = {"query": "query", "doc": "document", "score": "score", "grade": "grade"}
    title = _TITLES[kind_reading.preview.kind]
    return _render("reading", own=kind_reading, title=title, is_likely=is_likely, words=words)

"""The Help page: every file format that can be read, taken from the declarations of the formats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from metrics_core.base import wording as w
from metrics_core.formats.registry import Kind, formats, tools

_KINDS: Mapping[Kind, str] = {
    "run": "runs",
    "qrels": "judgments",
    "queries": "queries",
    "documents": "documents",
    "scores": "scores",
}


@dataclass(frozen=True)
class FileFormat:
    """A file format: the kinds of table that it can contain, its usual file extensions and the
    beginning of an example ("" for binary formats)."""

    title: str
    explanation: str
    contents: str
    endings: str
    example: str


def file_formats() -> list[FileFormat]:
    """Return all formats, sorted by title."""
    return [
        FileFormat(
            file_format.title,
            file_format.explanation,
            w.sentence_case(w.join_words([_KINDS[kind] for kind in file_format.kinds])),
            ", ".join(file_format.endings),
            file_format.example,
        )
        for file_format in sorted(formats(), key=lambda file_format: file_format.title.casefold())
    ]


def tools_for(audience: str) -> list[str]:
    """Return the names of the tools that this audience uses. Only tools whose files can be read
    without conversion are included."""
    return list(dict.fromkeys(tool.name for tool in tools() if audience in tool.audiences))

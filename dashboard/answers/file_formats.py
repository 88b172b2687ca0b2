"""Help: every format of files that is read, by what declares it."""

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
}


@dataclass(frozen=True)
class FileFormat:
    """A format: what its files may hold, how they are usually called, and how one begins; "" where
    that is no text."""

    title: str
    explanation: str
    contents: str
    endings: str
    example: str


def file_formats() -> list[FileFormat]:
    """All formats by title."""
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
    """The tools that an audience knows, of those whose files are read as they are, each once."""
    return list(dict.fromkeys(tool.name for tool in tools() if audience in tool.audiences))

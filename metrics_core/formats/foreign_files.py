"""Recognise files of other tools that Ranklens cannot read, and refuse them with a hint."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from metrics_core.base.errors import content_error
from metrics_core.formats.registry import KIND_TITLES, Kind, Sample

_SAMPLED_CHARACTERS = 1 << 13


@dataclass(frozen=True)
class _ForeignFile:
    """A kind of file that Ranklens cannot read, recognised by a pattern in its text.

    hint       advice for the user
    has_texts  whether queries or documents may nevertheless be read from the file"""

    pattern: re.Pattern[str]
    description: str
    hint: str
    has_texts: bool = True


def _foreign_file(
    pattern: str, description: str, hint: str, *, has_texts: bool = True
) -> _ForeignFile:
    return _ForeignFile(re.compile(pattern, re.IGNORECASE), description, hint, has_texts)


_FOREIGN_FILES = (
    _foreign_file(
        r'\ufeff?\s*\{[^\0]*"ranklens snapshot"\s*:',
        "a Ranklens snapshot, which contains scores but no documents",
        "Use it as the baseline of a gate: compare QRELS SNAPSHOT RUN --gate 'AP > -0.01'.",
    ),
    _foreign_file(
        r"(?:name|run|system|model)(?:,[^,\n]+)+\n(?:[^,\n]+(?:,-?[\d.]+(?:e-?\d+)?)+\n)+\Z",
        "one number per run, as in PyTerrier's aggregated.csv",
        "The file has no values per query, so nothing can be tested. Use the scores per query"
        " (query_id, run, measure, value), or the runs in the same folder, NAME.res.gz.",
    ),
    _foreign_file(
        r"version https://git-lfs",
        "a Git LFS pointer, not the file itself",
        "Fetch the file: git lfs pull.",
        has_texts=False,
    ),
    _foreign_file(
        r"\s*(?:404:? Not Found|(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*"
        r"<(?:!doctype html|html|head|Error)\b)",
        "a web page, not the file itself",
        "Download the file itself, for example by its `raw` link. A Ranklens report contains its"
        " collection only if it was saved with the data.",
        has_texts=False,
    ),
    _foreign_file(
        r"(?:[ \t]*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?[ \t]*\n){2,}"
        r"[-+.\de]*\Z",
        "one number per line, as in the predictions of SVMrank or LightGBM",
        "The query and the document of each prediction are in the feature file. Combine both files"
        " into lines such as q1 Q0 doc-7 1 14.2 run.",
    ),
)

_YAML_LINE = re.compile(
    r"(?:[ ]*(?:- +)*(?:\"[^\"]*\"|'[^']*'|[^\s:\"'#{\[<,][^:]*):(?: .*)?|[ ]*- .*|---|\.\.\.)"
)
_YAML_BEGINS = re.compile(r"(?:%YAML\b.*|--- *|[ ]*(?:- +)*[^\s:,][^:\t]*:)")
_YAML = _ForeignFile(
    re.compile(""),
    "YAML",
    "Save it as JSON, for example with json.dump(yaml.safe_load(file), other). In JSON, text ids"
    " cannot be confused with numbers.",
    has_texts=False,
)


def refuse_foreign_files(sample: Sample, kind: Kind | None) -> None:
    """Raise FileFormatError for a file that Ranklens cannot read, unless queries or documents are
    read from it."""
    text = sample.text[:_SAMPLED_CHARACTERS]
    foreign_file = next(
        (candidate for candidate in _FOREIGN_FILES if candidate.pattern.match(text)), None
    )
    if foreign_file is None and _is_yaml(sample.lines):
        foreign_file = _YAML
    if foreign_file and not (foreign_file.has_texts and kind in ("queries", "documents")):
        expected = KIND_TITLES[kind] if kind else "a run, judgments, queries or documents"
        raise content_error(
            sample.source.name, foreign_file.description, expected, foreign_file.hint
        )


def _is_yaml(lines: Sequence[str]) -> bool:
    """Return whether all lines are valid YAML, and one of them starts a mapping or a document."""
    has_beginning = any(_YAML_BEGINS.fullmatch(line.rstrip()) for line in lines)
    return has_beginning and all(_YAML_LINE.fullmatch(line.rstrip()) for line in lines)

"""Files of other tools that hold runs or judgments in shapes of their own, and what is no table at
all: told by a word that stands in no file of ours, and refused by name with the way out."""

from __future__ import annotations

import re
from dataclasses import dataclass

from metrics_core.base.errors import FileFormatError, LineProblem
from metrics_core.formats.registry import KIND_TITLES, Kind, Sample

_RECORDS = 'Write a record for each query, such as {"query_id": "q1", "hits": ["d2", "d1"]}'
_RELEVANT = _RECORDS.replace('"hits"', '"relevant_ids"')
_LOOKED_AT = 1 << 13


@dataclass(frozen=True)
class _Stranger:
    """What a file is by a pattern in its text, and what to do instead."""

    pattern: re.Pattern[str]
    what: str
    way_out: str


def _stranger(pattern: str, what: str, way_out: str) -> _Stranger:
    return _Stranger(re.compile(pattern, re.IGNORECASE), what, way_out)


_STRANGERS = (
    _stranger(
        r'\s*\{\s*"ranklens snapshot"\s*:',
        "a snapshot of Ranklens, which holds scores and no documents",
        "It stands for the baseline of a gate: compare QRELS SNAPSHOT RUN --gate 'AP > -0.01'.",
    ),
    _stranger(
        r'\s*\{\s*"questions"\s*:\s*\[',
        "a file of BioASQ's questions",
        f"Its `documents` are lists. {_RELEVANT}.",
    ),
    _stranger(
        r'\s*\{[^\n]*"input"\s*:[^\n]*"output"\s*:[^\n]*"provenance"\s*:',
        "KILT's records",
        f"{_RELEVANT}.",
    ),
    _stranger(
        r'\s*[\[{][^\0]*"(?:positive_ctxs|hard_negative_ctxs)"\s*:\s*\[',
        "DPR's records",
        f"Their positive_ctxs are judgments. {_RELEVANT}.",
    ),
    _stranger(
        r"\s*-?\d+(?:\.\d+)?\s+qid:\S+\s+\d+:",
        "features of LETOR or SVMrank",
        "Write the grades as `query_id 0 doc_id grade`, and the model's scores as a run.",
    ),
    _stranger(
        r"version https://git-lfs",
        "a pointer of Git LFS, not the file",
        "Fetch the file itself: git lfs pull.",
    ),
    _stranger(
        r"\s*(?:404: Not Found|<!doctype html|<html)",
        "a page of the web, not the file",
        "Download the file itself, such as by its link `raw`. A report of Ranklens holds its"
        " collection where it was saved with the data.",
    ),
)


def refuse_strangers(sample: Sample, kind: Kind | None) -> None:
    """Raise FileFormatError for what another tool writes, unless it is wanted for its texts."""
    if kind in ("queries", "documents"):
        return
    text = sample.text[:_LOOKED_AT]
    found = next((known for known in _STRANGERS if known.pattern.match(text)), None)
    if found:
        wanted = KIND_TITLES[kind] if kind else "a run, judgments, queries or documents"
        problem = LineProblem(None, found.what, wanted)
        raise FileFormatError(sample.source.name, [problem], hint=found.way_out)

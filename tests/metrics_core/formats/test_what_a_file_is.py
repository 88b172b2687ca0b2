"""What people bring is taken for what it is: a table of situations met in public, each with what it
is read as, or the words by which it is refused (the letters are those of the situations' list)."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import pytest

from metrics_core.base.errors import FileFormatError
from metrics_core.formats import Loaded, read
from metrics_core.tables import Documents, Qrels, Queries, Run

Content = str | bytes

RUN, QRELS = {"q1": {"d1": 2.0, "d2": 1.0}}, {"q1": {"d1": 2, "d2": 1}}


@dataclass(frozen=True)
class Case:
    """A file, how it is asked for, and what comes of it: a kind with its rows, by the evidence, or
    an error's words. `says` are words of its notes."""

    situation: str
    content: Content
    name: str
    asked: dict[str, Any] = field(default_factory=dict)
    kind: str = ""
    rows: dict[str, dict[str, float]] | None = None
    evidence: str = ""
    says: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


def rows_of(table: Run | Qrels | Queries | Documents) -> dict[str, dict[str, float]]:
    """The documents of each query, in the order of the file."""
    assert isinstance(table, Run | Qrels)
    found: dict[str, dict[str, float]] = {}
    for row in table.table.to_pylist():
        query_id, doc_id, number = list(row.values())[:3]
        found.setdefault(query_id, {})[doc_id] = number
    return found


def csv(header: str, *rows: str) -> str:
    return "\n".join([header, *rows]) + "\n"


def tabs(text: str) -> str:
    return text.replace(",", "\t")


def jsonl(text: str) -> str:
    """A table of CSV as JSON Lines, its numbers as numbers."""
    return pd.read_csv(io.StringIO(text)).to_json(orient="records", lines=True)


def parquet(text: str) -> bytes:
    buffer = io.BytesIO()
    pd.read_csv(io.StringIO(text)).to_parquet(buffer, index=False)
    return buffer.getvalue()


FORMS: dict[str, Callable[[str], Content]] = {
    "csv": str,
    "tsv": tabs,
    "jsonl": jsonl,
    "parquet": parquet,
}


def in_every_form(situation: str, text: str, name: str, **expected: Any) -> list[Case]:
    """The same table in every format of named columns."""
    return [Case(situation, of(text), f"{name}.{form}", **expected) for form, of in FORMS.items()]


WHOLE = csv("query_id,doc_id,score", "q1,d1,2.0", "q1,d2,1.0")
BEIR = csv("query-id,corpus-id,score", "q1,d1,2.0", "q1,d2,1.0")
REAL = csv("query_id,doc_id,score", "q1,d1,0.5", "q1,d2,1.0")
GAINS = {"q1": {"d1": 0.5, "d2": 1.0}}
JUDGED = {"kind": "qrels"}

F1 = [
    Case("F1", json.dumps(QRELS), name, kind=kind, rows=rows, evidence=evidence)
    for name, kind, rows, evidence in [
        ("llm_rerank_run.json", "run", RUN, "name"),
        ("bm25.json", "run", RUN, "name"),
        ("predictions.json", "run", RUN, "name"),
        ("dense-results.json", "run", RUN, "name"),
        ("x.run", "run", RUN, "name"),
        ("x.json", "qrels", QRELS, "guess"),
        ("qrels.json", "qrels", QRELS, "name"),
        ("qrels_of_run_1.json", "qrels", QRELS, "name"),
        ("gold_bm25.json", "qrels", QRELS, "guess"),  # a word of each says nothing
        ("truncated.json", "qrels", QRELS, "guess"),  # no word of its own
    ]
]
F1 += [
    Case("F1", json.dumps(QRELS), "x.json", {"kind": "run"}, "run", RUN, "said"),
    *in_every_form("F1", WHOLE, "x", kind="run", rows=RUN, evidence="columns"),
]
F2 = [
    *in_every_form("F2", WHOLE, "x", asked=JUDGED, kind="qrels", rows=QRELS, evidence="said"),
    *in_every_form("F2", BEIR, "x", asked=JUDGED, kind="qrels", rows=QRELS),
    *in_every_form("F2", BEIR, "x", kind="qrels", rows=QRELS, evidence="columns"),
    *in_every_form("F2", WHOLE, "qrels_x", kind="qrels", rows=QRELS, evidence="name"),
    Case("F2", WHOLE, "relevance judgments.csv", kind="qrels", rows=QRELS, evidence="name"),
    Case("F2", WHOLE, "gold.csv", kind="qrels", rows=QRELS, says=("as the file's name says",)),
    Case("F2", WHOLE, "release.csv", kind="run", rows=RUN, evidence="columns"),
    Case("F2", json.dumps(RUN), "x.json", JUDGED, "qrels", QRELS),
    Case("F2", json.dumps(RUN), "labels.json", {}, "qrels", QRELS, "name"),
    *in_every_form("F2", REAL, "x", asked=JUDGED | {"grades": "real"}, kind="qrels", rows=GAINS),
    Case("F2", json.dumps(GAINS), "x.json", JUDGED | {"grades": "real"}, "qrels", GAINS),
    *in_every_form("F2", REAL, "qrels", refused=("a whole number as grade", "grades=real")),
    *in_every_form("F2", REAL, "x", asked=JUDGED, refused=("swapped", "grades=real")),
    Case("F2", REAL, "gold.csv", kind="run", rows=GAINS, evidence="columns"),
]


def label(case: Case) -> str:
    asked = ",".join(f"{name}={value}" for name, value in case.asked.items())
    return f"{case.situation}-{case.name}-{asked}"


@pytest.mark.parametrize("case", [*F1, *F2], ids=label)
def test_what_a_file_is(case: Case) -> None:
    content = case.content.encode() if isinstance(case.content, str) else case.content

    def loaded() -> Loaded:
        return read(content, name=case.name, **case.asked)

    if case.refused:
        with pytest.raises(FileFormatError) as caught:
            loaded()
        told = str(caught.value)
        assert all(words in told for words in case.refused), told
        return
    found = loaded()
    assert found.kind == case.kind
    assert case.evidence in ("", found.evidence)
    assert case.rows is None or rows_of(found.table) == case.rows
    told = "; ".join(note.message for note in found.notes)
    assert all(words in told for words in case.says), told

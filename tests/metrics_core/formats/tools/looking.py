"""What the tests of other tools' files look at: rows, notes, what refuses, and scores beside those
of the same run as TREC lines."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dashboard.files.uploaded_file import UploadedFile, tables_of
from metrics_core.__main__ import main
from metrics_core.base.errors import FileFormatError
from metrics_core.formats import Loaded, read_run, read_set
from metrics_core.scoring.evaluate import evaluate
from metrics_core.tables import Documents, Qrels, Queries, Run

MEASURES = ["nDCG@10", "AP", "RR", "P@1"]


def lines(*records: Any) -> bytes:
    """Records as JSON Lines."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def rows(loaded: Loaded) -> dict[str, dict[str, float]]:
    """The documents of each query with their number, in the order of the file."""
    assert isinstance(loaded.table, Run | Qrels)
    found: dict[str, dict[str, float]] = {}
    for row in loaded.table.table.to_pylist():
        query_id, doc_id, number = list(row.values())[:3]
        found.setdefault(query_id, {})[doc_id] = number
    return found


def records(loaded: Loaded) -> list[dict[str, Any]]:
    """The rows of queries or documents; what is missing is left out."""
    assert isinstance(loaded.table, Queries | Documents)
    table = loaded.table
    listed: list[dict[str, Any]] = (
        table.frame.to_dict("records") if isinstance(table, Queries) else table.table.to_pylist()
    )
    return [{name: value for name, value in row.items() if value is not None} for row in listed]


def notes(loaded: Loaded) -> list[str]:
    return [note.message for note in loaded.notes]


def by_kind(content: bytes, name: str, **choices: Any) -> dict[str, list[Loaded]]:
    """The tables of a set, which the dashboard makes of it too."""
    found: dict[str, list[Loaded]] = {}
    for loaded in read_set(content, name=name, **choices):
        found.setdefault(loaded.kind, []).append(loaded)
    if not choices:
        uploaded = tables_of(UploadedFile(name, content))
        several = [one for loaded in found.values() for one in loaded]
        assert sorted((one.kind, one.file, one.title, one.notes) for one in uploaded) == sorted(
            (one.kind, one.file, one.title, one.notes) for one in several
        )
    return found


def refused(content: bytes, name: str, *words: str, **choices: Any) -> None:
    """The dashboard, which asks as the others do, is refused it with these words."""
    with pytest.raises(FileFormatError) as caught:
        tables_of(UploadedFile(name, content), **choices)
    told = str(caught.value)
    assert all(word in told for word in (name, *words)), told


def hold_to_trec(
    run: Loaded, trec: str, qrels: Qrels, capsys: pytest.CaptureFixture[str], *paths: Path | str
) -> None:
    """The scores of a run are those of TREC lines, in Python and, of the judgments and the run at
    these paths, on the command line."""
    assert isinstance(run.table, Run)
    lined = replace(read_run(trec.encode()), name=run.table.name)
    assert evaluate(run.table, qrels, MEASURES).equals(evaluate(lined, qrels, MEASURES))
    if not paths:
        return
    judged, file, *rest = map(str, paths)
    asked = ["-m", ",".join(MEASURES), "--format", "csv", *rest]
    beside = Path(file).with_suffix(".beside.trec")
    beside.write_text(trec)
    outputs = []
    for path in (file, str(beside)):
        assert main(["evaluate", judged, path, *(asked if path == file else asked[:4])]) == 0
        outputs.append([line.partition(",")[2] for line in capsys.readouterr().out.splitlines()])
    assert outputs[0] == outputs[1] and len(outputs[0]) > len(MEASURES)

"""What the tests of other tools' files look at: rows, notes, what refuses, and scores beside those
of the same run as TREC lines. Python, the command line and the dashboard are asked alike."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dashboard.files.uploaded_file import UploadedFile, read_tables
from metrics_core.__main__ import main
from metrics_core.base.errors import FileFormatError
from metrics_core.formats import (
    Kind,
    Loaded,
    is_set,
    read,
    read_all_tables,
    read_qrels,
    read_run,
    read_set,
)
from metrics_core.scoring.evaluate import evaluate
from metrics_core.tables import Documents, GivenScores, Qrels, Queries, Run

MEASURES = ["nDCG@10", "AP", "RR", "P@1", "P@2", "R@3", "Judged@3"]

Rows = dict[str, dict[str, float]]


def as_json(whole: Any, indent: int | None = None) -> bytes:
    return json.dumps(whole, indent=indent).encode()


def lines(*records: Any) -> bytes:
    """Records as JSON Lines."""
    return b"".join(as_json(record) + b"\n" for record in records)


def trec_of(run: Rows) -> str:
    """A run as TREC lines, split at tabs."""
    return "".join(
        f"{query}\tQ0\t{doc}\t{rank}\t{score!r}\tt\n"
        for query, docs in run.items()
        for rank, (doc, score) in enumerate(docs.items(), 1)
    )


def written(folder: Path, files: Mapping[str, bytes]) -> list[Path]:
    """The paths of files that are written there."""
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in files]


def rows(loaded: Loaded) -> Rows:
    """The documents of each query with their number, in the order of the file."""
    assert isinstance(loaded.table, Run | Qrels)
    found: Rows = {}
    for row in loaded.table.table.to_pylist():
        query_id, doc_id, number = row.values()
        found.setdefault(query_id, {})[doc_id] = number
    return found


def records(loaded: Loaded) -> list[dict[str, Any]]:
    """The rows of queries, documents or scores, with None for what is missing."""
    assert isinstance(loaded.table, Queries | Documents | GivenScores)
    if isinstance(loaded.table, Queries):
        return loaded.table.frame.to_dict("records")
    return list(loaded.table.table.to_pylist())


def notes(loaded: Loaded) -> list[str]:
    """The sentences with their examples, `!` before loud ones."""
    return [
        f"{'!' if note.loud else ''}{note.message}: {', '.join(note.examples)}".removesuffix(": ")
        for note in loaded.notes
    ]


def alike(content: bytes, name: str) -> list[Loaded]:
    """The tables of a file, which the dashboard makes of it too."""
    each = (read_set if is_set(content) else read_all_tables)(content, name=name)
    assert _seen(read_tables(UploadedFile(name, content))) == _seen(each)
    return each


def by_kind(content: bytes, name: str) -> dict[Kind, list[Loaded]]:
    """The tables of a file, in Python, on the dashboard, and where one kind is asked for, alike."""
    found: dict[Kind, list[Loaded]] = {}
    for loaded in alike(content, name):
        found.setdefault(loaded.kind, []).append(loaded)
    for kind, own in found.items():
        assert _seen(read_all_tables(content, name=name, kind=kind)) == _seen(own)
    return found


def held(made: Mapping[Kind, list[Loaded]]) -> dict[str, Any]:
    """The rows or records of all tables by kind, those of one of several runs by its name."""
    return {one.tag or one.kind: _held(one) for each in made.values() for one in each}


def _held(loaded: Loaded) -> Any:
    return rows(loaded) if isinstance(loaded.table, Run | Qrels) else records(loaded)


def _seen(each: list[Loaded]) -> list[tuple[Any, ...]]:
    return [
        (one.kind, one.format, one.file, one.title, one.tag, one.notes, _held(one)) for one in each
    ]


def refused(content: bytes, name: str, *words: str, **choices: Any) -> str:
    """Python and the dashboard are refused it with these words; gives how it may be mended."""
    with pytest.raises(FileFormatError) as in_python:
        read(content, name=name, **choices)
    with pytest.raises(FileFormatError) as on_a_page:
        read_tables(UploadedFile(name, content), **choices)
    for error in (in_python.value, on_a_page.value):
        assert all(word in str(error) for word in (name, *words)), str(error)
    return in_python.value.hint


def on_the_command_line(
    capsys: pytest.CaptureFixture[str], *arguments: Path | str, status: int = 0
) -> tuple[list[list[str]], str]:
    """What `evaluate` prints of files, the judgments first, as rows without the header, and what it
    says."""
    assert main(["evaluate", *map(str, arguments), "--format", "tsv"]) == status
    out, err = capsys.readouterr()
    return [line.split("\t") for line in out.splitlines()[1:]], err


def hold_to_trec(
    run: Loaded,
    trec: str,
    judged: Path,
    file: Path | None = None,
    capsys: pytest.CaptureFixture[str] | None = None,
) -> None:
    """The scores of a run are those of TREC lines, by these judgments: in Python and, of the file
    of the run where it is given, on the command line."""
    assert isinstance(run.table, Run)
    qrels = read_qrels(judged)
    lined = replace(read_run(trec.encode()), name=run.table.name)
    assert evaluate(run.table, qrels, MEASURES).equals(evaluate(lined, qrels, MEASURES))
    if file is None or capsys is None:
        return
    beside = file.with_suffix(".beside.trec")
    beside.write_text(trec)
    asked = "-m", ",".join(MEASURES)
    found, _ = on_the_command_line(capsys, judged, file, *asked)
    expected, _ = on_the_command_line(capsys, judged, beside, *asked)
    own = [row[1:] for row in found if row[0] == run.table.name]
    assert own == [row[1:] for row in expected] and len(own) == len(MEASURES)

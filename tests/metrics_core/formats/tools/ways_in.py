"""A file of another tool as Python, the command line and a page read it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from dashboard.files.uploaded_file import UploadedFile, tables_of
from metrics_core.__main__ import main
from metrics_core.base.errors import FileFormatError
from metrics_core.formats import Loaded, is_set, read, read_each, read_set
from metrics_core.scoring.evaluate import evaluate
from metrics_core.tables import Documents, Qrels, Queries, Run

MEASURES = ["nDCG@10", "AP", "P@2", "RR", "R@3", "Judged@3"]


def rows_of(table: Run | Qrels) -> dict[str, dict[str, float]]:
    """The documents of each query, with a score or a grade."""
    found: dict[str, dict[str, float]] = {}
    for query_id, doc_id, number in (list(row.values())[:3] for row in table.table.to_pylist()):
        found.setdefault(query_id, {})[doc_id] = number
    return found


def texts_of(table: Queries | Documents) -> list[dict[str, Any]]:
    """The rows of queries or documents."""
    if isinstance(table, Documents):
        return list(table.table.to_pylist())
    return table.frame.to_dict("records")


def all_of(content: str, name: str) -> dict[str, Any]:
    """All that a file holds, by kind or by the name of a run, as Python and a page read it."""
    by_python = read_set(content.encode(), name=name) if is_set(content.encode()) else []
    by_python = by_python or read_each(content.encode(), name=name)
    on_a_page = tables_of(UploadedFile(name, content.encode()))
    assert [(one.kind, _held(one)) for one in on_a_page] == [
        (one.kind, _held(one)) for one in by_python
    ]
    return {one.tag or one.kind: _held(one) for one in by_python}


def _held(loaded: Loaded) -> Any:
    table = loaded.table
    return rows_of(table) if isinstance(table, Run | Qrels) else texts_of(table)


def notes_of(content: str, name: str, kind: Any) -> list[str]:
    """What reading notes of a kind: its sentences with their examples, `!` before loud ones."""
    return [
        f"{'!' if note.loud else ''}{note.message}: {', '.join(note.examples)}".removesuffix(": ")
        for note in read_each(content.encode(), name=name, kind=kind)[0].notes
    ]


def refusal(content: str, name: str = "x", **asked: Any) -> str:
    """The error that a file is refused with."""
    with pytest.raises(FileFormatError) as caught:
        read(content.encode(), name=name, **asked)
    return str(caught.value)


def as_trec(run: dict[str, dict[str, float]]) -> str:
    """A run as TREC's lines, split at tabs."""
    return "".join(
        f"{query}\tQ0\t{doc}\t{rank}\t{score!r}\tx\n"
        for query, docs in run.items()
        for rank, (doc, score) in enumerate(docs.items(), 1)
    )


def hold_to_trec(
    qrels: tuple[str, str], run: tuple[str, str], expected: dict[str, dict[str, float]], name: str
) -> None:
    """The run of that name in a file scores as the same as TREC's lines, to the bit."""
    judged = read(qrels[1].encode(), name=qrels[0], kind="qrels").table
    each = read_each(run[1].encode(), name=run[0], kind="run")
    own = next(one.table for one in each if one.table.name == name)  # type: ignore[union-attr]
    lines = read(as_trec(expected).encode(), name=name, kind="run").table
    assert isinstance(judged, Qrels) and isinstance(own, Run) and isinstance(lines, Run)
    scored = [evaluate(one, judged, MEASURES) for one in (own, lines)]
    assert scored[0].equals(scored[1])


def on_the_command_line(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    files: dict[str, str],
    *options: str,
    status: int = 0,
) -> tuple[list[list[str]], str]:
    """What `evaluate` prints of files, the judgments first, as rows, and what it says."""
    for name, content in files.items():
        (folder / name).write_text(content)
    paths: Sequence[str] = [str(folder / name) for name in files]
    asked = ["-m", "P@2", "--format", "tsv"]
    assert main(["evaluate", *paths, *asked, *options]) == status
    out, err = capsys.readouterr()
    return [line.split("\t") for line in out.splitlines()[1:]], err

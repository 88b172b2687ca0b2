"""What a workspace shows, compared with what it must show after what was done to it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from dashboard.workspace import Collection, Entry, Workspace
from dashboard.workspace.notes import QueryNotes
from tests.reliability.acts import QUERY, File, State, kind_of, loaded


@cache
def _rows(file: str, key: int) -> Any:
    return loaded(file, key).table.table.to_pydict()  # type: ignore[union-attr]


Files = list[tuple[str, int, str, int]]
"""Each one's name, which rows, the run's name, the colour."""
Shown = dict[str, tuple[Files, dict[str, int], list[str], list[str]]]
"""Per collection its files, and the grades, tags and notes of its query."""


def must_show(state: State) -> Shown:
    """What must be shown of a state."""
    return {
        name: (_told_of(shelf.shown()), shelf.grades, sorted(shelf.tags), shelf.notes)
        for name, shelf in state.items()
        if not shelf.removed
    }


def must_bring_back(state: State) -> dict[str, Files]:
    """The files that can be brought back of a state."""
    every = {name: _told_of(shelf.shown(removed=True)) for name, shelf in state.items()}
    return {name: files for name, files in every.items() if files}


def _told_of(files: list[File]) -> Files:
    return [(f.file, f.key, f.name, f.slot) for f in files]


def shows(workspace: Workspace) -> Shown:
    """What a workspace shows, every row of it read and compared with what was given. Fails where a
    row, a kind or a note is another one, or anything is told to be damaged."""
    found: Shown = {}
    assert workspace.paths_moved_aside() == []
    for collection in workspace.read_collections():
        identity = collection.id
        assert (
            workspace.damaged_records(identity) == []
            and workspace.contents(identity).damaged_row_texts() == []
        )
        assert collection.name not in found, f"{collection.name} is there twice"
        files = [_seen(workspace, e) for e in workspace.entries(identity)]
        found[collection.name] = (files, *state_shows(workspace, identity))
    return found


def state_shows(workspace: Workspace, identity: str) -> tuple[dict[str, int], list[str], list[str]]:
    """The grades, tags and notes of a collection's query."""
    layers, noted = workspace.layers.list_layers(identity), workspace.notes.notes_by_query(identity)
    assert [layer.lost for layer in layers] in ([], [()]) and not noted.keys() - {QUERY}
    grades = {d: int(g) for layer in layers for (_, d), g in layer.grades.items()}
    own = noted.get(QUERY, QueryNotes())
    return grades, sorted(own.tags), [note.text for note in own.notes]


def can_bring_back(workspace: Workspace) -> dict[str, Files]:
    """What was removed and can still be brought back."""
    every: list[Collection] = [
        *workspace.read_collections(),
        *workspace.read_collections(only_removed=True),
    ]
    found = {c.name: workspace.removed_entries(c.id) for c in every}
    return {name: [_seen(workspace, e) for e in files] for name, files in found.items() if files}


def _seen(workspace: Workspace, entry: Entry) -> tuple[str, int, str, int]:
    table = workspace.load_table(entry)
    assert entry.kind == kind_of(entry.file)
    rows = table.table.to_pydict()  # type: ignore[union-attr]
    key = int(str(rows["doc_id"][0]).removeprefix("d"))
    assert rows == _rows(entry.file, key), f"{entry.file} has other rows"
    assert (entry.rows, entry.notes) == (len(rows["doc_id"]), loaded(entry.file, key).notes)
    return entry.file, key, entry.name, entry.slot


def left_over(folder: Path) -> list[str]:
    """What lies in a folder without being part of the workspace, or is lacking: "" for none."""
    if not folder.is_dir():
        return []
    return sorted(_left_over(folder))


def _left_over(folder: Path) -> Iterator[str]:
    known = {
        "workspace.db",
        "workspace.db-journal",
        "collections",
        "tables",
        "lock",
        "removing.lock",
    }
    yield from (p.name for p in folder.iterdir() if p.name not in known)
    workspace, named = Workspace(folder), set()
    every = [*workspace.read_collections(), *workspace.read_collections(only_removed=True)]
    ids = {c.id for c in every}
    for place in _inside(folder / "collections"):
        if place.name not in ids:
            yield f"collections/{place.name}"
            continue
        # A journal that SQLite had only begun is not applied, and taken for the next change.
        allowed = {"state.good.db", "state.db-journal"}
        yield from ({p.name for p in _inside(place)} - allowed) ^ {"state.db"}
        named |= {f"{e.table}.parquet" for e in _entries(workspace, place.name)}
    yield from {p.name for p in _inside(folder / "tables")} ^ named


def _entries(workspace: Workspace, identity: str) -> list[Entry]:
    return [*workspace.entries(identity), *workspace.removed_entries(identity)]


def _inside(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []

"""Notes and tags: what two clicks say at the same time is kept once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from dashboard.workspace import StorageError, Workspace


@pytest.mark.parametrize("servers", [1, 2])
def test_what_is_said_at_once_is_kept_once(tmp_path: Path, servers: int) -> None:
    workspaces = [Workspace(tmp_path / "workspace") for _ in range(servers)]
    workspaces[0].get_or_create_collection("shop", "shop")
    together = Barrier(6)

    def click(number: int) -> None:
        together.wait()
        notes = workspaces[number % servers].notes
        notes.add_note_and_tag("shop", "q", "the stemmer", "cause: stemming", author="anna")

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(click, range(6)))
    kept = workspaces[0].notes.notes_by_query("shop")["q"]
    assert [(note.text, note.author) for note in kept.notes] == [("the stemmer", "anna")]
    assert kept.tags == ("cause: stemming",)


def test_another_one_may_say_the_same_and_one_may_say_it_again(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "workspace")
    workspace.get_or_create_collection("shop", "shop")
    for text, by in [("why", "anna"), ("why", "bo"), ("because", "bo"), ("why", "bo")]:
        workspace.notes.add_note_and_tag("shop", "q", text, "", author=by)
    said = [(note.text, note.author) for note in workspace.notes.notes_by_query("shop")["q"].notes]
    assert said == [("why", "anna"), ("why", "bo"), ("because", "bo"), ("why", "bo")]
    with pytest.raises(StorageError):
        workspace.notes.add_note_and_tag("gone", "q", "why", "", author="bo")

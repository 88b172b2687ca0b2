"""What a process writes stays while it lives, whoever starts on the same folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

from dashboard.workspace import Workspace
from dashboard.workspace.disk import durable
from dashboard.workspace.long_runs import run_writer
from dashboard.workspace.long_runs.cache import Cache
from dashboard.workspace.long_runs.stored_run import MAX_IN_MEMORY
from metrics_core import formats
from metrics_core.base import whole_files

_STARTS = (
    "import sys; from pathlib import Path; from dashboard.workspace import Workspace;from"
    " dashboard.workspace.startup import clean_workspace;"
    " clean_workspace(Workspace(Path(sys.argv[1])))"
)
_IS_KILLED = (
    "import os, sys; from pathlib import Path; from dashboard.workspace import Workspace;"
    "manager = Workspace(Path(sys.argv[1])).cache.open_draft(); draft = manager.__enter__();"
    "draft.write(b'x'); os._exit(9)"
)


def run(program: str, folder: Path) -> int:
    return subprocess.run([sys.executable, "-c", program, str(folder)], check=False).returncode


def test_a_second_start_leaves_what_the_first_process_writes(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    workspace.get_or_create_collection("Mine")
    assert run(_IS_KILLED, tmp_path) == 9
    place = tmp_path / "cache" / "tables"
    (left,) = place.iterdir()
    with workspace.cache.open_draft() as draft:
        assert draft is not None
        draft.write(b"rows")
        assert run(_STARTS, tmp_path) == 0
        (written,) = place.iterdir()
        assert written != left
        draft.move_to(place / "whole")
    assert (place / "whole").read_bytes() == b"rows"


def test_room_is_not_made_by_what_is_being_written(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache", lambda: True, largest=1)
    with cache.open_draft() as draft:
        assert draft is not None
        draft.write(b"rows")
        cache._remove_least_used()
        draft.move_to(tmp_path / "whole")
    assert (tmp_path / "whole").read_bytes() == b"rows"


def test_what_is_kept_while_a_second_process_starts_is_kept(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    workspace.get_or_create_collection("Mine", "own")
    rows = "".join(f"q{i % 9} Q0 d{i} 1 {i}.5 x\n" for i in range(MAX_IN_MEMORY + 1))
    loaded = formats.read(rows.encode(), name="long.run")
    written = run_writer.put_rows

    def write(*given: Any) -> None:
        written(*given)
        assert run(_STARTS, tmp_path) == 0

    with mock.patch.object(run_writer, "put_rows", write):
        entry = workspace.add_table("own", loaded).entry
    assert len(workspace.load_table(entry)) == MAX_IN_MEMORY + 1


def test_a_draft_that_a_start_removed_before_it_was_locked_is_made_again(tmp_path: Path) -> None:
    path, tries = tmp_path / "x.part", [False, True]
    with mock.patch.object(whole_files, "_acquire_lock", lambda handle: tries.pop(0)):
        draft = durable.Draft(path)
    draft.write(b"rows")
    draft.move_to(tmp_path / "whole")
    assert (tmp_path / "whole").read_bytes() == b"rows" and not tries

"""Where the judged documents of long runs stand: found once, and kept in the workspace's cache.

Found again where the judgments or the run are others, by a hash of their rows. No Streamlit here.
"""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from dashboard.workspace.disk.records import note_of
from dashboard.workspace.long_runs.cache import Cache, Kept
from dashboard.workspace.long_runs.stored_run import StoredRun
from dashboard.workspace.long_runs.tables import content_of
from metrics_core.judging.empty_ranks import EmptyRanks
from metrics_core.judging.join import judged_at, places
from metrics_core.judging.judged import JudgedRanks, Places, TiedRanks
from metrics_core.tables import Documents, Qrels, Run

_WHAT = "judged"
_COLUMNS = ("query", "rank", "qrels_row", "retrieved")
_TIED = ("first", "number")
_EMPTY = ("query", "first", "last")


class KeptRanks:
    """Joins runs with judgments as `judge` does; of runs that stay on the disk, what that needs of
    their rows comes from the cache."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    def __call__(
        self, run: Run, qrels: Qrels, *, documents: Documents | None = None
    ) -> JudgedRanks:
        """`judge(run, qrels, documents=documents)`. Raises NoSharedQueriesError."""
        found = self._found(run, qrels) if isinstance(run, StoredRun) else places(run, qrels)
        return judged_at(run, qrels, found, documents=documents)

    def _found(self, run: StoredRun, qrels: Qrels) -> Places:
        kept = self._cache.get(_WHAT, run.rows.content, content_of(qrels.given, "qrels"))
        if kept is not None:
            return _places(kept)
        found = places(run, qrels)
        keep_places(self._cache, run.rows.content, qrels, found)
        return found


def keep_places(cache: Cache, content: str, qrels: Qrels, found: Places) -> None:
    """Keep where the judged documents of a long run stand, by the hash of its rows."""
    numbers = {name: getattr(found, name) for name in _COLUMNS}
    numbers |= {name: getattr(found.tied, name) for name in _TIED}
    if found.empty is not None:
        numbers |= {f"empty {name}": getattr(found.empty, name) for name in _EMPTY}
    arrays = {name: values.astype(np.int32) for name, values in numbers.items()}
    kept = Kept(arrays, [asdict(note) for note in found.notes])
    cache.put(_WHAT, content, content_of(qrels.given, "qrels"), kept=kept)


def _places(kept: Kept) -> Places:
    query, rank, qrels_row, retrieved = (kept.arrays[n].astype(np.int64) for n in _COLUMNS)
    tied = TiedRanks(*(kept.arrays[n].astype(np.int64) for n in _TIED))
    notes = tuple(note_of(told) for told in kept.told)
    empty = None
    if "empty query" in kept.arrays:
        gap, top, end = (kept.arrays[f"empty {name}"].astype(np.int64) for name in _EMPTY)
        empty = EmptyRanks(gap, top, end, len(retrieved))
    return Places(query, rank, qrels_row, retrieved, tied, notes, empty)

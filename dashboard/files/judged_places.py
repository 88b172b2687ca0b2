"""The positions of judged documents in long runs, cached in the workspace.

They are computed again if the rows of the judgments or of the run change, which is detected by
hashes. This module does not import Streamlit."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from dashboard.workspace.disk.records import parse_note
from dashboard.workspace.long_runs.cache import Cache, CachedValue
from dashboard.workspace.long_runs.stored_run import StoredRun
from dashboard.workspace.long_runs.tables import hash_rows
from metrics_core.judging.empty_ranks import EmptyRanks
from metrics_core.judging.join import find_judged_document_ranks, join_judged_document_ranks
from metrics_core.judging.judged import JudgedPlaces, JudgedRanks, TiedRanks
from metrics_core.tables import Documents, Qrels, Run

_WHAT = "judged"
_COLUMNS = ("query", "rank", "qrels_row", "retrieved")
_TIED = ("first", "number")
_EMPTY = ("query", "first", "last")


class CachedRanks:
    """A function object that joins runs with judgments, with the same result as `join_judgments`.
    For runs stored on disk, the positions of judged documents come from the cache."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    def __call__(
        self, run: Run, qrels: Qrels, *, documents: Documents | None = None
    ) -> JudgedRanks:
        """Return `join_judgments(run, qrels, documents=documents)`. Raises NoSharedQueriesError."""
        judged_places = (
            self._cached_judged_document_ranks(run, qrels)
            if isinstance(run, StoredRun)
            else find_judged_document_ranks(run, qrels)
        )
        return join_judged_document_ranks(run, qrels, judged_places, documents=documents)

    def _cached_judged_document_ranks(self, run: StoredRun, qrels: Qrels) -> JudgedPlaces:
        cached = self._cache.get(_WHAT, run.rows.content, hash_rows(qrels.input_table, "qrels"))
        if cached is not None:
            return _unpack_judged_document_ranks(cached)
        judged_places = find_judged_document_ranks(run, qrels)
        cache_judged_document_ranks(self._cache, run.rows.content, qrels, judged_places)
        return judged_places


def cache_judged_document_ranks(
    cache: Cache, content_hash: str, qrels: Qrels, judged_document_ranks: JudgedPlaces
) -> None:
    """Cache the positions of the judged documents in a long run. The keys are `content_hash`, which
    is the hash of the run's rows, and the hash of the judgments' rows."""
    numbers = {name: getattr(judged_document_ranks, name) for name in _COLUMNS}
    numbers |= {name: getattr(judged_document_ranks.tied, name) for name in _TIED}
    if judged_document_ranks.empty is not None:
        numbers |= {f"empty {name}": getattr(judged_document_ranks.empty, name) for name in _EMPTY}
    arrays = {name: values.astype(np.int32) for name, values in numbers.items()}
    value = CachedValue(arrays, [asdict(note) for note in judged_document_ranks.notes])
    cache.put(_WHAT, content_hash, hash_rows(qrels.input_table, "qrels"), value=value)


def _unpack_judged_document_ranks(cached: CachedValue) -> JudgedPlaces:
    query, rank, qrels_row, retrieved = (cached.arrays[n].astype(np.int64) for n in _COLUMNS)
    tied = TiedRanks(*(cached.arrays[n].astype(np.int64) for n in _TIED))
    notes = tuple(parse_note(note) for note in cached.metadata)
    empty = None
    if "empty query" in cached.arrays:
        gap, top, end = (cached.arrays[f"empty {name}"].astype(np.int64) for name in _EMPTY)
        empty = EmptyRanks(gap, top, end, len(retrieved))
    return JudgedPlaces(query, rank, qrels_row, retrieved, tied, notes, empty)

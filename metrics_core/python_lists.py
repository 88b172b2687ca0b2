"""Compare the lists of runs without judgments, for the Python interface."""

from __future__ import annotations

from collections.abc import Iterable

from metrics_core.base import frames as pd
from metrics_core.base.errors import ParameterError, UnknownRunError
from metrics_core.explaining.list_changes import (
    ListChanges,
    find_changes_of_runs,
    summarise_changes,
)
from metrics_core.formats.in_memory import RunsLike, convert_to_runs
from metrics_core.measures import GivenMeasure
from metrics_core.scoring.intervals import LEVEL
from metrics_core.tables.columns import to_id_text


def list_changes(
    runs: RunsLike, *, baseline: str | None = None, top: int = 10, by_query: bool = True
) -> pd.DataFrame:
    """Return how the first `top` results of each run differ from those of the baseline, by default
    the first run. No judgments are needed.

    One row per run and query. Columns: run, baseline, query_id, kept (documents that stay), new,
    overlap (share in common), rbo (rank-biased overlap, persistence 0.9), first_change (first rank
    with different documents) and best_new (best rank of a new document); the last two are 0 if
    there is none. If `by_query` is false, one row per run, with the columns of `compare(runs,
    None)`. Raises UnknownRunError, NoSharedQueriesError, and RanklensError if there is only one
    run.

    >>> list_changes(["old.run", "new.run"], top=5)  # doctest: +SKIP"""
    changes = _find_changes(runs, baseline, top)
    if not by_query:
        return summarise_changes(changes)
    return pd.concat([each.frame for each in changes], ignore_index=True)


def compare_unjudged(
    runs: RunsLike,
    measures: GivenMeasure | Iterable[GivenMeasure],
    baseline: str | None,
    *,
    top: int,
    level: float = LEVEL,
) -> pd.DataFrame:
    """Return the result of `summarise_changes`, one row per run. Raises the errors of
    `list_changes`, and ParameterError if measures are given."""
    if measures != ():
        raise ParameterError(
            "Measures need judgments.", "Give judgments instead of None, or leave out the measures."
        )
    return summarise_changes(_find_changes(runs, baseline, top), level)


def _find_changes(runs: RunsLike, baseline: str | None, top: int) -> list[ListChanges]:
    tables = {run.name: run for run in convert_to_runs(runs)}
    names = list(tables)
    name = names[0] if baseline is None else to_id_text(baseline) or ""
    if name not in tables:
        raise UnknownRunError(name, names)
    return find_changes_of_runs(list(tables.values()), tables[name], top)

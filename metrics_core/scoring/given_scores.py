"""Tables of given scores as `Scores`: repeats are averaged, and each name becomes a measure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Ints, Mask
from metrics_core.base.errors import NoSharedQueriesError, RanklensError, did_you_mean
from metrics_core.measures import given_measure
from metrics_core.scoring.scores import Scores
from metrics_core.tables import GivenScores


def scores_from_given(
    tables: Sequence[GivenScores],
    *,
    lower: Collection[str] = (),
    higher: Collection[str] = (),
) -> Scores:
    """Return the scores of one or several tables, by run, query and measure.

    Repeats are averaged; a query without any score on a measure has NaN, never 0. For the measures
    in `lower`, lower is better. Raises RanklensError for a name that no table has, or that is in
    both collections, and for scores of a run in two tables.
    """
    runs, query_ids, names = (
        list(dict.fromkeys(name for table in tables for name in table.names(column)))
        for column in ("run", "query_id", "measure")
    )
    refuse_unknown_names([*lower, *higher], names)
    both = sorted({*lower} & {*higher})
    if both:
        raise RanklensError(
            f"{both[0]} is given as lower and as higher is better.", "Give one of the two."
        )
    cells = [_find_cells(table, runs, query_ids, names) for table in tables]
    _refuse_shared_cells(tables, cells)
    cell = np.concatenate(cells)
    values = np.concatenate([table.values for table in tables])
    shape = len(runs), len(query_ids), len(names)
    defined = ~np.isnan(values)
    n_cells = int(np.prod(shape))
    counts = np.bincount(cell[defined], minlength=n_cells)
    sums = np.bincount(cell[defined], values[defined], minlength=n_cells)
    means = np.divide(sums, counts, out=np.full(n_cells, np.nan), where=counts > 0).reshape(shape)
    has_rows = np.zeros(n_cells, dtype=np.bool_)
    has_rows[cell] = True
    directions = dict.fromkeys(lower, False) | dict.fromkeys(higher, True)
    measures = [
        given_measure(name, means[:, :, index], higher_is_better=directions.get(name))
        for index, name in enumerate(names)
    ]
    missing: Mask = ~has_rows.reshape(shape).max(axis=2)
    return Scores(tuple(runs), tuple(query_ids), tuple(measures), means, missing)


def refuse_unknown_names(names: Collection[str], available: Sequence[str]) -> None:
    """Raise RanklensError for the first name that is not available."""
    unknown = next((name for name in names if name not in available), None)
    if unknown is not None:
        suggestion = did_you_mean(unknown, available)
        listing = ", ".join(available) or "none"
        raise RanklensError(
            f"There are no scores of {unknown}.", f"{suggestion} Available: {listing}.".strip()
        )


def join_given_scores(computed: Scores, given_scores: Scores) -> Scores:
    """Return computed and given scores of the queries that both have, in the order of `computed`.

    A run without lists, or without given scores, has NaN. Raises NoSharedQueriesError, and
    RanklensError if both have no run in common.
    """
    given_ids = {*given_scores.query_ids}
    query_ids = [query_id for query_id in computed.query_ids if query_id in given_ids]
    if not query_ids:
        first, other = computed.query_ids[0], given_scores.query_ids[0]
        raise NoSharedQueriesError(
            "The scores and the judgments have no query in common.",
            f"The judgments have {first}, for example, the scores {other}.",
        )
    if not {*computed.runs} & {*given_scores.runs}:
        raise RanklensError(
            f"No run has given scores: they are of {', '.join(given_scores.runs[:5])}.",
            f"The runs are {', '.join(computed.runs[:5])}. Give both the same names.",
        )
    runs = list(dict.fromkeys([*computed.runs, *given_scores.runs]))
    parts = [_align_scores(scores, runs, query_ids) for scores in (computed, given_scores)]
    missing = parts[0].missing & parts[1].missing
    values = np.concatenate([part.values for part in parts], axis=2)
    measures = (*computed.measures, *given_scores.measures)
    return Scores(tuple(runs), tuple(query_ids), measures, values, missing)


def _align_scores(scores: Scores, runs: Sequence[str], query_ids: Sequence[str]) -> Scores:
    """Return the scores of these runs and queries; NaN for a run that has none."""
    positions = pd.Index(scores.query_ids).get_indexer(list(query_ids))
    values = np.full((len(runs), len(query_ids), len(scores.measures)), np.nan)
    missing = np.ones((len(runs), len(query_ids)), dtype=np.bool_)
    for row, run in enumerate(runs):
        if run in scores.runs:
            values[row] = scores.values[scores.position(run)][positions]
            missing[row] = scores.missing[scores.position(run)][positions]
    return Scores(tuple(runs), tuple(query_ids), scores.measures, values, missing)


def select_measures(scores: Scores, names: Sequence[str]) -> Scores:
    """Return the scores of the measures with these canonical names, in this order."""
    all_names = list(map(str, scores.measures))
    columns = [all_names.index(name) for name in names]
    measures = tuple(scores.measures[column] for column in columns)
    return replace(scores, measures=measures, values=scores.values[:, :, columns])


def _find_cells(
    table: GivenScores, runs: Sequence[str], query_ids: Sequence[str], names: Sequence[str]
) -> Ints:
    """Return for each row its position in the flat array float64[run, query, measure]."""
    run, query, measure = (
        pd.Index(all_names).get_indexer(table.names(column))[table.codes(column)]
        for column, all_names in (("run", runs), ("query_id", query_ids), ("measure", names))
    )
    cells: Ints = (run * len(query_ids) + query) * len(names) + measure
    return cells


def _refuse_shared_cells(tables: Sequence[GivenScores], cells: Sequence[Ints]) -> None:
    """Raise RanklensError if two tables have a score of the same run, query and measure."""
    frame = pd.concat(
        [pd.DataFrame({"cell": np.unique(cell), "table": i}) for i, cell in enumerate(cells)]
    )
    repeated = frame[frame["cell"].duplicated()]
    if len(repeated):
        cell, number = (int(repeated[name].iloc[0]) for name in ("cell", "table"))
        table = tables[number]
        row = int(np.flatnonzero(cells[number] == cell)[0])
        run, query_id, measure = (
            table.table[c][row].as_py() for c in ("run", "query_id", "measure")
        )
        raise RanklensError(
            f"Two files have {measure} of run {run} for query {query_id}.",
            "Name the run in a column run, or rename a file: its name names the run.",
        )

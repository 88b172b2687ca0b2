"""Convert tables of given scores to `Scores`: repeats are averaged, and each name becomes a
measure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.base.arrays import Floats
from metrics_core.base.errors import (
    NoSharedQueriesError,
    ParameterError,
    RanklensError,
    did_you_mean,
)
from metrics_core.base.notes import Note
from metrics_core.base.wording import shorten_value
from metrics_core.measures import Measure, make_given_measure, parse_measure
from metrics_core.measures.declaring.given_measures import PREFIX
from metrics_core.scoring.scores import Scores, build_scores, join_measures
from metrics_core.tables import GivenScores

_KEYS = ["run", "query_id"]
_TOLERANCE = 1.01e-4
"""Tolerance for comparing given scores with computed scores. Tools often write four decimals."""


def scores_from_tables(
    tables: Sequence[GivenScores], *, lower: Collection[str] = (), higher: Collection[str] = ()
) -> Scores:
    """Return the scores in one or several tables, by run, query and measure.

    Repeats are averaged. A query without any score on a measure has NaN, never 0. `lower` and
    `higher` name the measures for which lower or higher is better. Raises RanklensError for a name
    that is in both or that no table has, and if two tables have a score of the same run, query and
    measure."""
    parts = [table.table.to_pandas().assign(file=number) for number, table in enumerate(tables)]
    rows = pd.concat(parts, ignore_index=True)
    in_file = rows[[*_KEYS, "measure", "file"]].drop_duplicates()
    repeated = in_file[in_file.duplicated([*_KEYS, "measure"])]
    if len(repeated):
        run, query_id, measure, _ = repeated.iloc[0]
        raise RanklensError(
            f"Two files have {measure} of run {run} for query {query_id}.",
            "Add a column `run`, or rename a file: without that column, a run has the file’s name.",
        )
    wide = pivot_measures(rows)
    names = [name for name in wide.columns if name not in _KEYS]
    directions = find_directions(lower, higher)
    refuse_unknown_names(directions, names)
    numbers = wide[names].to_numpy(dtype=np.float64)
    measures = [
        make_given_measure(name, numbers[:, column], higher_is_better=directions.get(name))
        for column, name in enumerate(names)
    ]
    return build_scores(wide, measures, numbers)


def pivot_measures(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the columns run, query_id and one for each measure, in order of appearance. `rows` has
    the columns run, query_id, measure and value. Repeats of a score are averaged."""
    keys = pd.MultiIndex.from_frame(rows[_KEYS].drop_duplicates())
    cells = rows.groupby([*_KEYS, "measure"], sort=False, observed=True)["value"].mean()
    names = [*dict.fromkeys(rows["measure"])]
    return cells.unstack("measure").reindex(keys)[names].set_axis(names, axis=1).reset_index()


def find_directions(lower: Collection[str], higher: Collection[str]) -> dict[str, bool]:
    """Return for each name in `lower` and `higher` whether higher is better. Raises RanklensError
    for a name that is in both, and ParameterError for a name that is not a string."""
    for name in (*lower, *higher):
        if not isinstance(name, str):
            raise ParameterError(
                f"{shorten_value(name)} is not the name of a measure.",
                "lower and higher must each be a name or a list of names: lower='latency_ms'.",
            )
    both = sorted({*lower} & {*higher})
    if both:
        raise RanklensError(f"{both[0]} is named in both lower and higher.", "Name it in only one.")
    return dict.fromkeys(lower, False) | dict.fromkeys(higher, True)


def refuse_unknown_names(names: Collection[str], available: Sequence[str]) -> None:
    """Raise RanklensError for the first of `names` that is not in `available`."""
    unknown = next((name for name in names if name not in available), None)
    if unknown is not None:
        hint = f"{did_you_mean(unknown, available)} Available: {', '.join(available)}."
        raise RanklensError(f"There are no scores of {unknown}.", hint.strip())


def join_given_scores(computed: Scores, given_scores: Scores) -> Scores:
    """Return the runs of `computed` with both computed and given scores, on the queries that have
    both.

    A run without given scores has NaN. Raises NoSharedQueriesError, and RanklensError if no run has
    given scores."""
    is_shared = np.isin(computed.query_ids, given_scores.query_ids)
    if not is_shared.any():
        first, other = computed.query_ids[0], given_scores.query_ids[0]
        raise NoSharedQueriesError(
            "The scores and the judgments have no query in common.",
            f"The judgments have queries such as {first}; the scores have queries such as {other}.",
        )
    if not {*computed.runs} & {*given_scores.runs}:
        raise RanklensError(
            f"The given scores belong to other runs: {', '.join(given_scores.runs[:5])}.",
            f"The runs are {', '.join(computed.runs[:5])}. Use the same names in both.",
        )
    shared = computed.select_queries(is_shared)
    values = select_values(given_scores, shared.runs, shared.query_ids)
    return join_measures([shared, replace(shared, measures=given_scores.measures, values=values)])


def unused_score_notes(
    given_scores: Scores, runs: Sequence[str], query_ids: Sequence[str]
) -> list[Note]:
    """Return two notes on scores that another tool computed: one names the runs that have such
    scores but no list, the other counts the queries that have both judgments and such scores. The
    second is omitted if all queries have both."""
    notes, unlisted = [], [run for run in given_scores.runs if run not in {*runs}]
    if unlisted:
        message = f"scores of runs without result lists are not used: {w.shorten_list(unlisted)}"
        notes.append(Note("given_scores", message, len(unlisted), loud=True))
    n = len({*query_ids} & {*given_scores.query_ids})
    if n < max(len(query_ids), len(given_scores.query_ids)):
        message = (
            f"{w.format_query_count(n)} in common, of {len(query_ids):,} with"
            f" judgments and {len(given_scores.query_ids):,} with given scores"
        )
        notes.append(Note("queries", message, n))
    return notes


def find_computed_measure(name: str) -> Measure | None:
    """Return the measure that Ranklens can compute and compare with the given scores of this name.
    Returns None if there is no such measure, or if it needs other data than grades."""
    try:
        measure = parse_measure(name.removeprefix(PREFIX)) if name.startswith(PREFIX) else None
    except RanklensError:
        return None
    return None if measure is None or measure.declaration.needs else measure


def compare_with_computed_scores(
    given_scores: Scores, compute: Callable[[Sequence[Measure]], Scores]
) -> tuple[list[str], list[Note]]:
    """Compare scores from another tool with the scores of the computed measure of the same name.
    `compute` is a function that computes the scores of measures.

    Returns the names of the given measures whose scores are equal to the computed ones, and a note
    on each measure that was compared."""
    names = [str(measure) for measure in given_scores.measures]
    pairs = {name: measure for name in names if (measure := find_computed_measure(name))}
    equal_names: list[str] = []
    notes: list[Note] = []
    if not pairs:
        return equal_names, notes
    computed = compute([*dict.fromkeys(pairs.values())])
    given_values = select_values(given_scores, computed.runs, computed.query_ids)
    for name, measure in pairs.items():
        gaps = given_values[:, :, names.index(name)] - computed.values_of(measure)
        n, total = int((np.abs(gaps) > _TOLERANCE).sum()), int((~np.isnan(gaps)).sum())
        short_name = name.removeprefix(PREFIX)
        message = f"{short_name} equals {measure} as computed here, so it is shown only once"
        if n or not total:
            message = f"for {n:,} of {total:,} scores, {short_name} differs from {measure} as"
            message += f" computed here; the measure in the file is called {name}"
        else:
            equal_names.append(name)
        notes.append(Note("stored_scores", message, n, loud=bool(n)))
    return equal_names, notes


def select_values(scores: Scores, runs: Sequence[str], query_ids: Sequence[str]) -> Floats:
    """Return the scores of these runs and queries, float64[run, query, measure]; NaN if there is no
    score."""
    rows = pd.MultiIndex.from_product([runs, query_ids])
    values = scores.frame.set_index(_KEYS).reindex(rows).to_numpy(dtype=np.float64)
    return np.asarray(values.reshape(len(runs), len(query_ids), len(scores.measures)))


def select_measures(scores: Scores, names: Sequence[str]) -> Scores:
    """Return the scores of the measures with these canonical names, in this order."""
    by_name = {str(measure): column for column, measure in enumerate(scores.measures)}
    columns = [by_name[name] for name in names]
    measures = tuple(scores.measures[column] for column in columns)
    return replace(scores, measures=measures, values=scores.values[:, :, columns])

"""Scores: the result of scoring, and the input for comparing, slicing and findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import Any, Literal

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats, Mask
from metrics_core.base.errors import ParameterError, RanklensError, UnknownRunError
from metrics_core.base.wording import shorten_value
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure, make_given_measure, parse_measure
from metrics_core.tables.finite_numbers import to_finite_number

WithoutRelevant = Literal["zero", "leave out"]

_KEYS = ("run", "query_id")


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of several runs on several measures, for each query.

    values   float64[run, query, measure]; NaN if a score is undefined
    missing  bool[run, query]: the run has no results for the query. The query gets the score of an
             empty list, usually 0. If the scores are from a frame without a row for the query, it
             gets NaN"""

    runs: tuple[str, ...]
    query_ids: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: Floats
    missing: Mask

    @classmethod
    def from_any(cls, scores: Scores | pd.DataFrame) -> Scores:
        """Convert a frame with the columns run, query_id and one per measure to Scores. Scores are
        returned unchanged.

        Raises RanklensError if run or query_id is missing, or if a query of a run occurs twice."""
        return scores if isinstance(scores, Scores) else _read_frame(scores)

    @property
    def n_queries(self) -> int:
        """The number of queries, including queries without results."""
        return len(self.query_ids)

    def position(self, run: str) -> int:
        """Return the index of a run in `runs`. Raises UnknownRunError."""
        if run not in self.runs:
            raise UnknownRunError(run, self.runs)
        return self.runs.index(run)

    def values_of(self, measure: Measure | str) -> Floats:
        """Return the scores on one measure, float64[run, query]. Raises RanklensError if there are
        no scores on this measure."""
        parsed_measure = parse_measure(measure)
        if parsed_measure not in self.measures:
            listing = ", ".join(map(str, self.measures))
            raise RanklensError(
                f"There are no scores of {parsed_measure}.", f"Available: {listing}."
            )
        return self.values[:, :, self.measures.index(parsed_measure)]

    def select_runs(self, runs: Sequence[str]) -> Scores:
        """Return the scores of these runs, in this order. Raises UnknownRunError."""
        rows = [self.position(run) for run in runs]
        if rows == list(range(len(self.runs))):
            return self
        return replace(self, runs=tuple(runs), values=self.values[rows], missing=self.missing[rows])

    def select_queries(self, queries: Mask) -> Scores:
        """Return the scores of the queries for which `queries` bool[query] is true."""
        if queries.all():
            return self
        return replace(
            self,
            query_ids=tuple(compress(self.query_ids, queries.tolist())),
            values=self.values[:, queries],
            missing=self.missing[:, queries],
        )

    def combined(self) -> Floats:
        """Return one score per run and measure, float64[run, measure], combined over the queries as
        the measure declares.

        Undefined scores are excluded. The result is NaN if no score is defined."""
        totals = np.full((len(self.runs), len(self.measures)), np.nan)
        for i in range(len(self.runs)):
            for j, measure in enumerate(self.measures):
                # Column by column: numpy sums a single column in a different order than a matrix.
                column = np.ascontiguousarray(self.values[i, :, j])
                totals[i, j] = measure.declaration.combination.combine(column)
        return totals

    @cached_property
    def frame(self) -> pd.DataFrame:
        """One row per run and query. Columns: run, query_id and one float64 column per measure,
        with its canonical name. Cached; do not modify."""
        n_runs, n_queries, n_measures = self.values.shape
        flat = self.values.reshape(n_runs * n_queries, n_measures)
        table = pd.DataFrame(flat, columns=[str(m) for m in self.measures])
        table.insert(0, "run", np.repeat(np.array(self.runs, dtype=object), n_queries))
        table.insert(1, "query_id", np.tile(np.array(self.query_ids, dtype=object), n_runs))
        return table


def join_measures(parts: Sequence[Scores]) -> Scores:
    """Return the scores of the same runs on the same queries, with the measures of all parts."""
    if len(parts) == 1:
        return parts[0]
    measures = tuple(measure for part in parts for measure in part.measures)
    # Scores of one measure are contiguous, since they are used by measure.
    by_measure = np.concatenate([np.moveaxis(part.values, 2, 0) for part in parts])
    return replace(parts[0], measures=measures, values=np.moveaxis(by_measure, 0, 2))


def scores_from_frame(
    frame: pd.DataFrame,
    columns: Sequence[str] | None = None,
    *,
    higher_is_better: Mapping[str, bool] | None = None,
) -> Scores:
    """Return the scores in a frame with the columns run and query_id. They come from `columns`, or
    from every numeric column if `columns` is None.

    A column with the name of a measure is taken as that measure if its numbers are within the
    measure's range. The direction of any other column is taken from `higher_is_better`, which maps
    column names to true or false, and otherwise decided by `make_given_measure`. Raises
    RanklensError in the same cases as `Scores.from_any`, and if there is no numeric column or a
    value is not a finite number."""
    check_key_columns(frame)
    for column in columns or ():
        if column in _KEYS or column not in frame.columns:
            listing = ", ".join(str(c) for c in frame.columns if c not in _KEYS)
            raise RanklensError(
                f"There are no scores of {column}.", f"Available: {listing or 'none'}."
            )
    names = find_measure_columns(frame, only_numeric=True) if columns is None else columns
    numbers = {str(name): read_number_column(frame, name) for name in names}
    if not numbers:
        raise RanklensError(
            "No column of the frame contains numbers.", "Give a number for each run and query."
        )
    directions = higher_is_better or {}
    measures = [_find_measure(n, values, directions.get(n)) for n, values in numbers.items()]
    return build_scores(frame, measures, np.column_stack(list(numbers.values())))


def find_measure_columns(frame: pd.DataFrame, *, only_numeric: bool = False) -> list[Any]:
    """Return the names of the columns other than run and query_id. If `only_numeric` is true, only
    numeric columns are included."""
    columns = [c for c in frame.columns if c not in _KEYS]
    return [c for c in columns if not only_numeric or frame[c].dtype.kind in "iuf"]


def read_number_column(frame: pd.DataFrame, column: str) -> Floats:
    """Return a column as float64[row]. An empty cell becomes NaN.

    Raises RanklensError if a value is not a finite number."""
    values = frame[column]
    result = np.full(len(values), np.nan)
    present = np.flatnonzero(values.notna().to_numpy())
    if values.dtype.kind in "iuf":
        result[present] = values.iloc[present].to_numpy(dtype=np.float64)
    else:
        numbers = [to_finite_number(value) for value in values.iloc[present].tolist()]
        result[present] = [np.inf if number is None else number for number in numbers]
    infinite = np.flatnonzero(np.isinf(result))
    if len(infinite):
        run, query_id, value = (frame[c].tolist()[int(infinite[0])] for c in (*_KEYS, column))
        raise RanklensError(
            f"{column} of run {run!r} for query {query_id!r} is {shorten_value(value)}, which is"
            " not a finite number.",
            "Give a number, or leave the value empty.",
        )
    return result


def _find_measure(name: str, values: Floats, higher_is_better: bool | None) -> Measure:
    """Return the declared measure with this name. If there is none, or if the scores do not fit its
    range and direction, return a given measure: a measure that is known only by its scores."""
    try:
        measure = parse_measure(name)
    except RanklensError:
        return make_given_measure(name, values, higher_is_better=higher_is_better)
    own_direction, (low, high) = measure.declaration.higher_is_better, measure.declaration.range
    defined = values[~np.isnan(values)]
    if higher_is_better is None:
        higher_is_better = own_direction
    if higher_is_better == own_direction and ((defined >= low) & (defined <= high)).all():
        return measure
    return make_given_measure(name, values, higher_is_better=higher_is_better)


def _read_frame(frame: pd.DataFrame) -> Scores:
    check_key_columns(frame)
    measures = [parse_measure(str(c)) for c in find_measure_columns(frame)]
    numbers = frame.drop(columns=list(_KEYS)).to_numpy(dtype=np.float64)
    return build_scores(frame, measures, numbers)


def check_key_columns(frame: pd.DataFrame) -> None:
    """Raise RanklensError if one of the columns run and query_id is missing or has an empty
    cell."""
    for key in _KEYS:
        if key not in frame.columns:
            raise RanklensError(
                f"The frame of scores has no column {key!r}.",
                "It needs the columns run and query_id, and one column per measure, as in the"
                " result of evaluate.",
            )
        empty = np.flatnonzero(frame[key].isna().to_numpy())
        if len(empty):
            raise RanklensError(
                f"Row {int(empty[0]) + 1:,} of the scores has no {key}.", "Give one in every row."
            )


def build_scores(frame: pd.DataFrame, measures: Sequence[Measure], numbers: Floats) -> Scores:
    """Build Scores from `numbers` float64[row, measure] and the runs and queries in the rows of the
    frame."""
    (run_code, runs), (query_code, query_ids) = (
        # 1 and "1" are the same id, as in runs and judgments.
        pd.factorize(keys if pd.api.types.is_string_dtype(keys) else keys.map(str))
        for keys in (frame[key] for key in _KEYS)
    )
    cell = run_code * np.int64(len(query_ids)) + query_code
    duplicates = np.flatnonzero(pd.Series(cell).duplicated().to_numpy())
    if len(duplicates):
        row = frame.iloc[int(duplicates[0])]
        raise RanklensError(
            f"The scores of run {row['run']!r} contain query {row['query_id']!r} twice.",
            "Keep one row for each query of a run.",
        )
    values = np.full((len(runs) * len(query_ids), len(measures)), np.nan)
    values[cell] = numbers
    missing = np.ones(len(values), dtype=np.bool_)
    missing[cell] = False
    shape = (len(runs), len(query_ids))
    return Scores(
        runs=tuple(map(str, runs)),
        query_ids=tuple(map(str, query_ids)),
        measures=tuple(measures),
        values=values.reshape(*shape, len(measures)),
        missing=missing.reshape(shape),
    )


def score_runs(
    judged: Sequence[JudgedRanks],
    measures: Sequence[Measure],
    *,
    without_relevant: WithoutRelevant = "zero",
) -> Scores:
    """Score runs that were judged by the same qrels. A measure that is listed twice counts once.

    If `without_relevant` is "leave out", a query without a relevant document has no score instead
    of 0. Raises LackingDataError if a measure needs more than grades, and ParameterError for an
    invalid `without_relevant`."""
    check_without_relevant(without_relevant)
    measures = tuple(dict.fromkeys(measures))
    values = np.empty((len(judged), judged[0].n_queries if judged else 0, len(measures)))
    for i, ranks in enumerate(judged):
        for j, measure in enumerate(measures):
            values[i, :, j] = score_run(ranks, measure, without_relevant=without_relevant)
    return Scores(
        runs=tuple(r.run_name for r in judged),
        query_ids=judged[0].query_ids if judged else (),
        measures=measures,
        values=values,
        missing=np.array([r.retrieved == 0 for r in judged], dtype=np.bool_).reshape(
            values.shape[:2]
        ),
    )


def check_without_relevant(value: WithoutRelevant) -> None:
    """Raise ParameterError if the value is invalid."""
    if value not in ("zero", "leave out"):
        raise ParameterError(f"without_relevant must be 'zero' or 'leave out', not {value!r}.")


def score_run(
    ranks: JudgedRanks, measure: Measure, *, without_relevant: WithoutRelevant = "zero"
) -> Floats:
    """Return the scores of one run on one measure, float64[query]; NaN if undefined."""
    values = measure.score(ranks)
    if without_relevant == "leave out" and measure.declaration.combination.averaged:
        values = np.where(ranks.n_relevant(measure.relevant_from) > 0, values, np.nan)
    return values

"""Mean differences in the cells of two groupings of the queries."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from metrics_core.base import frames as pd
from metrics_core.measures import GivenMeasure, parse_measure
from metrics_core.scoring.scores import Scores
from metrics_core.slicing.breakdowns import ALL, coded_groups, group_of
from metrics_core.tables import Queries


def cross_breakdown(
    scores: Scores | pd.DataFrame,
    queries: Queries,
    measure: GivenMeasure,
    *,
    rows: str,
    columns: str,
    run: str,
    baseline: str,
) -> pd.DataFrame:
    """`crossed` of two columns of the queries. Raises UnknownColumnError and UnknownRunError."""
    given = Scores.given(scores)
    one, other = (group_of(queries, given.query_ids, by) for by in (rows, columns))
    return crossed(given, measure, one, other, run=run, baseline=baseline)


def crossed(
    scores: Scores | pd.DataFrame,
    measure: GivenMeasure,
    rows: pd.Series,
    columns: pd.Series,
    *,
    run: str,
    baseline: str,
) -> pd.DataFrame:
    """Mean difference in every cell of two groupings: columns row, column, queries, difference.
    `rows` and `columns` are the groups of each query, indexed by query_id.

    A last row and column "all" hold the margins. A cell without queries has NaN and 0 queries.
    Raises UnknownRunError.
    """
    given, wanted = Scores.given(scores), parse_measure(measure)
    combination = wanted.declaration.combination
    both = given.only([run, baseline]).of(wanted).T
    both = np.where(np.isnan(both).any(axis=1, keepdims=True), np.nan, both)
    scaled = combination.onto(both)
    known = ~np.isnan(scaled[:, 0])
    ids = list(given.query_ids)
    (row, row_names), (column, column_names) = (
        coded_groups(groups.reindex(ids)) for groups in (rows, columns)
    )
    shape = len(row_names), len(column_names)
    places = np.ravel_multi_index((row[known], column[known]), shape)
    counts = _with_margins(np.bincount(places, minlength=shape[0] * shape[1]).reshape(shape))
    with np.errstate(invalid="ignore", divide="ignore"):
        own, other = (
            combination.back(
                _with_margins(
                    np.bincount(places, side[known], minlength=shape[0] * shape[1]).reshape(shape)
                )
                / counts
            )
            for side in scaled.T
        )
    named = pd.MultiIndex.from_product([[*row_names, ALL], [*column_names, ALL]])
    return pd.DataFrame(
        {
            "row": named.get_level_values(0),
            "column": named.get_level_values(1),
            "queries": counts.ravel().astype(np.int64),
            "difference": (own - other).ravel(),
        }
    )


def _with_margins(cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The cells with a last row and column of their sums."""
    rows = np.vstack([cells, cells.sum(axis=0)])
    return np.hstack([rows, rows.sum(axis=1, keepdims=True)])

"""Mean differences by two groupings of the queries at once."""

from __future__ import annotations

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base.arrays import AnyArray, Floats
from metrics_core.measures import GivenMeasure, parse_measure
from metrics_core.scoring.scores import Scores
from metrics_core.slicing.breakdowns import ALL, encode_groups


def cross_groups(
    scores: Scores | pd.DataFrame,
    measure: GivenMeasure,
    rows: pd.Series,
    columns: pd.Series,
    *,
    run: str,
    baseline: str,
) -> pd.DataFrame:
    """Return the mean difference in every cell of two groupings. Columns: row, column, queries,
    difference.

    `rows` and `columns` are the groups of each query, Series indexed by query_id. A last row and a
    last column named "all" contain the totals. A cell without queries has difference NaN. Raises
    UnknownRunError."""
    run_scores, parsed_measure = Scores.from_any(scores), parse_measure(measure)
    combination = parsed_measure.declaration.combination
    pair_scores = run_scores.select_runs([run, baseline]).values_of(parsed_measure).T
    pair_scores = np.where(np.isnan(pair_scores).any(axis=1, keepdims=True), np.nan, pair_scores)
    scaled = combination.to_scale(pair_scores)
    is_defined = ~np.isnan(scaled[:, 0])
    ids = list(run_scores.query_ids)
    (row, row_names), (column, column_names) = (
        encode_groups(groups.reindex(ids)) for groups in (rows, columns)
    )
    shape = len(row_names), len(column_names)
    cells = np.ravel_multi_index((row[is_defined], column[is_defined]), shape)

    def sum_cells(values: Floats | None = None) -> AnyArray:
        return _add_margins(
            np.bincount(cells, values, minlength=shape[0] * shape[1]).reshape(shape)
        )

    counts = sum_cells()
    with np.errstate(invalid="ignore", divide="ignore"):
        own_means, other_means = (
            combination.from_scale(sum_cells(side[is_defined]) / counts) for side in scaled.T
        )
    cell_names = pd.MultiIndex.from_product([[*row_names, ALL], [*column_names, ALL]])
    return pd.DataFrame(
        {
            "row": cell_names.get_level_values(0),
            "column": cell_names.get_level_values(1),
            "queries": counts.ravel().astype(np.int64),
            "difference": (own_means - other_means).ravel(),
        }
    )


def _add_margins(cells: AnyArray) -> AnyArray:
    """Return the cells [row, column] with an additional last row and column that contain their
    sums."""
    rows = np.vstack([cells, cells.sum(axis=0)])
    return np.hstack([rows, rows.sum(axis=1, keepdims=True)])

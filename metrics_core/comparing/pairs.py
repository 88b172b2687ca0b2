"""Runs against a baseline: paired differences, wins and losses, verdicts.

A difference is always run minus baseline, whatever is better; outcomes and verdicts say who does
better, also where lower scores are better. A query counts as the same where the two differ by no
more than `SAME`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from metrics_core.comparing.tests import t_test
from metrics_core.measures import parse_measure
from metrics_core.scoring.means import LEVEL, compared_intervals

Floats = npt.NDArray[np.float64]

SAME = 0.01
"""Half the width of the band in which two scores of a query count as the same."""

AHEAD, BEHIND, UNCLEAR = "ahead", "behind", "unclear"
BETTER, WORSE, LEVEL_WITH = "better", "worse", "same"


def score_matrix(scores: pd.DataFrame, measure: str, runs: Sequence[str]) -> pd.DataFrame:
    """Scores of one measure: a row for each query_id, in the order of the frame, a column a run."""
    columns = {}
    for run in runs:
        part = scores.loc[scores["run"] == run]
        columns[run] = pd.Series(part[measure].to_numpy(), index=part["query_id"].to_numpy())
    return pd.DataFrame(columns)


def outcomes(differences: Floats, *, same: float = SAME) -> npt.NDArray[np.object_]:
    """Per difference "better", "worse" or "same"; None where it is undefined."""
    # A difference of exactly the band in decimals must not fall out of it by rounding.
    edge = same + 1e-12
    result = np.full(len(differences), LEVEL_WITH, dtype=object)
    result[differences > edge] = BETTER
    result[differences < -edge] = WORSE
    result[np.isnan(differences)] = None
    return result


def _direction(measure: str) -> int:
    """1 where a higher score is better, else -1."""
    return 1 if parse_measure(measure).declaration.higher_is_better else -1


def verdict(low: float, high: float) -> str:
    """ "ahead" or "behind" where the interval of the difference excludes zero, else "unclear"."""
    if low > 0:
        return AHEAD
    return BEHIND if high < 0 else UNCLEAR


def differences(
    scores: pd.DataFrame, measure: str, run: str, baseline: str, *, same: float = SAME
) -> pd.DataFrame:
    """Per query: columns query_id, score, baseline_score, difference, outcome."""
    matrix = score_matrix(scores, measure, [run, baseline] if run != baseline else [run])
    difference = (matrix[run] - matrix[baseline]).to_numpy()
    return pd.DataFrame(
        {
            "query_id": matrix.index.to_numpy(),
            "score": matrix[run].to_numpy(),
            "baseline_score": matrix[baseline].to_numpy(),
            "difference": difference,
            "outcome": outcomes(difference * _direction(measure), same=same),
        }
    )


def compare(
    scores: pd.DataFrame,
    measure: str,
    baseline: str,
    *,
    same: float = SAME,
    level: float = LEVEL,
) -> pd.DataFrame:
    """Every run against the baseline on one measure, the baseline's own row first.

    Columns: run, mean, difference, low, high (the interval of the mean paired difference), won,
    lost, same, queries (those with both scores defined), p_value (paired t-test), verdict. In the
    baseline's own row difference and what follows from it are NaN or None. A geometric mean is
    compared as such: difference is that of the two means, and the test is on logarithms.
    """
    runs = list(dict.fromkeys([baseline, *scores["run"]]))
    matrix = score_matrix(scores, measure, runs)
    combination = parse_measure(measure).declaration.combination
    values, against = matrix.to_numpy(), matrix[[baseline]].to_numpy()
    paired = values - against
    ((mean, interval),) = compared_intervals(values, against, [level], combination)
    tested = combination.onto(values) - combination.onto(against)
    direction = _direction(measure)
    ends = np.stack([interval.low, interval.high], axis=1) * direction
    rows = []
    for i, run in enumerate(runs):
        row: dict[str, object] = {"run": run, "mean": mean.mean[i]}
        defined = paired[~np.isnan(paired[:, i]), i]
        found = list(outcomes(defined * direction, same=same))
        own = run == baseline
        row |= {
            "difference": np.nan if own else interval.mean[i],
            "low": np.nan if own else interval.low[i],
            "high": np.nan if own else interval.high[i],
            "won": found.count(BETTER),
            "lost": found.count(WORSE),
            "same": found.count(LEVEL_WITH),
            "queries": len(defined),
            "p_value": np.nan if own else t_test(tested[~np.isnan(tested[:, i]), i]),
            "verdict": None if own else verdict(*sorted(ends[i])),
        }
        rows.append(row)
    return pd.DataFrame(rows)

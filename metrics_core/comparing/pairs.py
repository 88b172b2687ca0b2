"""Runs against a baseline: paired differences, wins and losses, verdicts.

A difference is always run minus baseline, whatever is better; outcomes and verdicts say who does
better, also where lower scores are better. A query counts as the same where the two differ by no
more than `SAME`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from metrics_core.comparing.tests import t_test
from metrics_core.measures import GivenMeasure, Measure, parse_measure
from metrics_core.scoring.intervals import LEVEL, compared
from metrics_core.scoring.scores import Scores

Floats = npt.NDArray[np.float64]

SAME = 0.01
"""Half the width of the band in which two scores of a query count as the same."""

FEWEST_QUERIES = 10
"""With fewer queries two runs are examples, not a result: there is no verdict, whatever the
interval."""

AHEAD, BEHIND, UNCLEAR, TOO_FEW = "ahead", "behind", "unclear", "too few"
BETTER, WORSE, LEVEL_WITH = "better", "worse", "same"


def outcomes(differences: Floats, *, same: float = SAME) -> npt.NDArray[np.object_]:
    """Per difference "better", "worse" or "same"; None where it is undefined."""
    # A difference of exactly the band in decimals must not fall out of it by rounding.
    edge = same + 1e-12
    result = np.full(len(differences), LEVEL_WITH, dtype=object)
    result[differences > edge] = BETTER
    result[differences < -edge] = WORSE
    result[np.isnan(differences)] = None
    return result


def verdict(low: float, high: float, queries: int) -> str:
    """ "ahead" or "behind" where the interval of the difference excludes zero, else "unclear"; "too
    few" where it rests on fewer than `FEWEST_QUERIES` queries, whatever the interval."""
    if queries < FEWEST_QUERIES:
        return TOO_FEW
    if low > 0:
        return AHEAD
    return BEHIND if high < 0 else UNCLEAR


def _direction(measure: Measure) -> int:
    """1 where a higher score is better, else -1."""
    return 1 if measure.declaration.higher_is_better else -1


def differences(
    scores: Scores | pd.DataFrame,
    measure: GivenMeasure,
    run: str,
    baseline: str,
    *,
    same: float = SAME,
) -> pd.DataFrame:
    """Per query: columns query_id, score, baseline_score, difference, outcome. Raises
    UnknownRunError."""
    given, wanted = Scores.given(scores), parse_measure(measure)
    own, other = given.only([run, baseline]).of(wanted)
    return pd.DataFrame(
        {
            "query_id": np.array(given.query_ids, dtype=object),
            "score": own,
            "baseline_score": other,
            "difference": own - other,
            "outcome": outcomes((own - other) * _direction(wanted), same=same),
        }
    )


def compare(
    scores: Scores | pd.DataFrame,
    measure: GivenMeasure,
    baseline: str,
    *,
    same: float = SAME,
    level: float = LEVEL,
) -> pd.DataFrame:
    """Every run against the baseline on one measure, the baseline's own row first.

    Columns: run, mean, difference, low, high (the interval of the mean paired difference), won,
    lost, same, queries (those with both scores defined), p_value (paired t-test), verdict. In the
    baseline's own row difference and what follows from it are NaN or None. A geometric mean is
    compared as such: difference is that of the two means, and the test is on logarithms. Raises
    UnknownRunError.
    """
    given, wanted = Scores.given(scores), parse_measure(measure)
    given.position(baseline)
    runs = list(dict.fromkeys([baseline, *given.runs]))
    values = np.ascontiguousarray(given.only(runs).of(wanted).T)
    against = values[:, :1]
    combination = wanted.declaration.combination
    scores, gaps = compared(values, against, combination)
    (interval,) = gaps.intervals([level])
    paired = values - against
    tested = combination.onto(values) - combination.onto(against)
    direction = _direction(wanted)
    ends = np.stack([interval.low, interval.high], axis=1) * direction
    rows = []
    for i, run in enumerate(runs):
        own = run == baseline
        defined = paired[~np.isnan(paired[:, i]), i]
        found = list(outcomes(defined * direction, same=same))
        low, high = sorted(ends[i])
        rows.append(
            {
                "run": run,
                "mean": scores.mean[i],
                "difference": np.nan if own else interval.mean[i],
                "low": np.nan if own else interval.low[i],
                "high": np.nan if own else interval.high[i],
                "won": found.count(BETTER),
                "lost": found.count(WORSE),
                "same": found.count(LEVEL_WITH),
                "queries": len(defined),
                "p_value": np.nan if own else t_test(tested[~np.isnan(tested[:, i]), i]),
                "verdict": None if own else verdict(low, high, len(defined)),
            }
        )
    return pd.DataFrame(rows)

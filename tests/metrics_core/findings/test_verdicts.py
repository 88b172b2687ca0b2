"""How many runs are compared, and what is said of a difference that does not matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from metrics_core.comparing.method import METHOD, Method
from metrics_core.comparing.verdicts import NO_MATTER
from metrics_core.findings import method_finding, others_verdict, verdict

NOTHING = {"p_corrected": np.nan, "low": np.nan, "high": np.nan}
FEW = NOTHING | {"queries": 8}
ALIKE = NOTHING | {"differing": 5}


def of_runs(*rows: dict[str, Any]) -> pd.DataFrame:
    """A frame of `compare` of the baseline "old" and runs "a", "b" … of 40 queries."""
    whole = {"mean": 0.5, "difference": 0.004, "low": -0.011, "high": 0.019}
    whole |= {"won": 9, "lost": 6, "same": 25, "queries": 40, "differing": 20, "p_corrected": 0.4}
    base = whole | NOTHING | {"run": "old", "verdict": None, "reason": None}
    told = {"verdict": "cannot tell", "reason": "p is above 0.05 after correction"}
    return pd.DataFrame(
        [base, *(whole | told | {"run": "abcdef"[i]} | row for i, row in enumerate(rows))]
    )


@pytest.mark.parametrize(
    ("rows", "method", "said"),
    [
        ([{}], METHOD, "One run compared with one baseline, 95\u00a0% intervals."),
        (
            [{}, ALIKE],
            METHOD,
            "Two runs compared with one baseline: 95\u00a0% intervals and verdicts hold for both"
            " together; one is not tested, since too few of its queries differ.",
        ),
        (
            [{}, FEW, FEW, ALIKE],
            METHOD,
            "Four runs compared with one baseline: 95\u00a0% intervals and verdicts hold for all"
            " four together; two are not tested, since they have too few queries, and one, since"
            " too few of its queries differ.",
        ),
        (
            [{}, FEW],
            Method(correction="none"),
            "Two runs compared with one baseline, not corrected: each interval and verdict holds"
            " only by itself, and among many some are chance; one is not tested, since it has too"
            " few queries. Chosen: bootstrap and random signs, not corrected.",
        ),
        ([FEW, ALIKE], METHOD, ""),
        ([], METHOD, ""),
    ],
)
def test_all_compared_runs_are_counted(
    rows: list[dict[str, Any]], method: Method, said: str
) -> None:
    assert method_finding(of_runs(*rows), method).text == said


INNER = {"verdict": NO_MATTER, "low": -0.021, "inner_low": -0.009, "inner_high": 0.017}


def test_of_no_difference_that_matters_the_interval_is_that_which_was_tested() -> None:
    found = verdict(of_runs(INNER), "nDCG@10", "a", "old", margin=0.02).text
    assert found.startswith(
        "No difference that matters between a and old on nDCG@10: +0.004 [−0.009, 0.017]"
        " (90\u00a0% interval), within the 0.02 that matters. "
    )
    stricter = verdict(of_runs(INNER), "nDCG@10", "a", "old", margin=0.02, level=0.99).text
    assert "(98\u00a0% interval)" in stricter
    assert others_verdict(of_runs({}, INNER), "a", "old").text == (
        "b and old differ by less than matters, +0.004 [−0.009, 0.017] (90\u00a0% interval)."
    )


def test_two_that_are_level_may_differ_by_no_more_than_matters() -> None:
    found = verdict(of_runs(INNER | {"difference": 0.0}), "P@5", "a", "old", margin=0.02).text
    assert "matters between a and old on P@5: 0.000 [−0.009, 0.017] (90\u00a0%" in found
    # Without the columns the interval is the usual one, and says so by having no level.
    plain = of_runs({"verdict": NO_MATTER})
    assert ": +0.004 [−0.011, 0.019], within" in verdict(plain, "AP", "a", "old", margin=0.02).text

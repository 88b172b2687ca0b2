"""How many runs are compared, and what is said of a difference that does not matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from metrics_core.comparing.method import DEFAULT_METHOD, Method
from metrics_core.comparing.verdicts import BETTER_BY_LITTLE, NO_MATTER
from metrics_core.findings.verdicts import method_finding, verdict_finding

NOTHING = {"p_corrected": np.nan, "low": np.nan, "high": np.nan}
FEW = NOTHING | {"queries": 8}
ALIKE = NOTHING | {"differing": 5}


def of_runs(*rows: dict[str, Any]) -> pd.DataFrame:
    """A frame of `compare` of the baseline "old" and runs "a", "b" … of 40 queries."""
    whole = {"mean": 0.5, "difference": 0.004, "low": -0.011, "high": 0.019}
    whole |= {"won": 9, "lost": 6, "same": 25, "queries": 40, "differing": 20, "p_corrected": 0.4}
    whole["mean"] = 0.504
    base = whole | NOTHING | {"mean": 0.5} | {"run": "old", "verdict": None, "reason": None}
    told = {"verdict": "cannot tell", "reason": "p is above 0.05 after correction"}
    return pd.DataFrame(
        [base, *(whole | told | {"run": "abcdef"[i]} | row for i, row in enumerate(rows))]
    )


@pytest.mark.parametrize(
    ("rows", "method", "said"),
    [
        ([{}], DEFAULT_METHOD, "One run is compared with one baseline, with 95% intervals."),
        (
            [{}, ALIKE],
            DEFAULT_METHOD,
            "Two runs are compared with one baseline, with 95% intervals; one is not tested,"
            " because too few of its queries differ.",
        ),
        (
            [{}, {}, FEW],
            DEFAULT_METHOD,
            "Three runs are compared with one baseline, with 95% intervals and verdicts corrected"
            " for two comparisons; one is not tested because it has too few queries.",
        ),
        (
            [{}, FEW, FEW, ALIKE],
            DEFAULT_METHOD,
            "Four runs are compared with one baseline, with 95% intervals; two are not tested"
            " because they have too few queries, and one, because too few of its queries differ.",
        ),
        (
            [{}, FEW],
            Method(correction="none"),
            "Two runs are compared with one baseline, not corrected: each interval and verdict is"
            " valid only on its own, because with many comparisons some are significant by chance;"
            " one is"
            " not tested because it has too few queries. Method: paired bootstrap (for up"
            " to 100 queries combined with a randomisation test), not corrected.",
        ),
        ([FEW, ALIKE], DEFAULT_METHOD, ""),
        ([], DEFAULT_METHOD, ""),
    ],
)
def test_all_compared_runs_are_counted(
    rows: list[dict[str, Any]], method: Method, said: str
) -> None:
    assert method_finding(of_runs(*rows), method).text == said


INNER = {"verdict": NO_MATTER, "low": -0.021, "inner_low": -0.009, "inner_high": 0.017}


def test_of_no_difference_that_matters_the_interval_is_that_which_was_tested() -> None:
    def found(**changes: Any) -> str:
        method = Method(margin=0.02, level=changes.pop("level", 0.95))
        told = verdict_finding(of_runs(INNER | changes), "nDCG@10", "a", "old", method=method)
        return told.text.replace("\u00a0", " ")

    assert found() == (
        "a and old [equivalent within 0.02|unclear] nDCG@10 is 0.504 against 0.500. The true"
        " difference is between −0.009 and +0.017 (90% interval), within the margin of 0.02."
    )
    assert "(98% interval)" in found(level=0.99)
    assert "nDCG@10 is 0.500 for both. The true" in found(mean=0.5, difference=0.0)
    assert "between −0.0090 and +0.0196 (90%" in found(inner_high=0.0196)


def test_a_clear_difference_may_matter_to_nobody() -> None:
    little = {"verdict": BETTER_BY_LITTLE, "low": 0.001, "high": 0.007, "p_corrected": 0.02}
    found = verdict_finding(of_runs(little), "AP", "a", "old", method=Method(margin=0.02)).lead.text
    assert found.endswith("The difference of 0.0040 is smaller than the margin of 0.02.")
    nearly = little | {"difference": 0.01996, "low": 0.01, "high": 0.03}
    found = verdict_finding(of_runs(nearly), "AP", "a", "old", method=Method(margin=0.02)).lead.text
    assert found.endswith("The difference of 0.01996 is smaller than the margin of 0.02.")

"""Every loaded run against the baseline: worked out once, whichever of them are shown."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from dashboard.address.view import Comparison
from dashboard.opened.study import Study, narrowing
from metrics_core.comparing.method import Method
from metrics_core.comparing.pairs import compare
from metrics_core.measures import Measure


def compared(study: Study, shown: Comparison, measure: Measure) -> pd.DataFrame:
    """The frame of `compare` of all loaded runs on one measure over the queries in view: what is
    said of one run holds for all of them together, whichever are shown."""
    # A margin is the chosen measure's.
    own = measure == shown.measure
    method = shown.method if own else replace(shown.method, margin=None)
    return study.kept(_compared, measure, shown.baseline, narrowing(shown), method)


def of_shown(frame: pd.DataFrame, shown: Comparison) -> pd.DataFrame:
    """The rows of the shown runs, the baseline's first."""
    runs = list(dict.fromkeys([shown.baseline, *shown.runs]))
    return frame.set_index("run").loc[runs].reset_index()


def _compared(
    study: Study, measure: Measure, baseline: str, view: Comparison, method: Method
) -> pd.DataFrame:
    return compare(study.every_score(view, measure), measure, baseline, method=method)

"""The slow parts of the Overview as separate steps, so that a page can show progress, and the user
can leave the page before the last step."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from dashboard.address.view import Comparison
from dashboard.answers.overview import is_overview_cached
from dashboard.answers.overview_measures import overview_measures
from dashboard.answers.run_comparisons import compare_runs
from dashboard.study.study import Study
from metrics_core.base import wording as w

Step = tuple[str, Callable[[], object]]
"""A description of a step, and the function that performs it. The study caches the result."""

_MAX_QUICK_SIZE = 50_000
"""Maximum of runs × queries that can be compared without a noticeable wait."""


def overview_steps(study: Study, comparison: Comparison) -> list[Step]:
    """Return the steps that are still needed for the Overview. The result is empty if the Overview
    is cached or quick to compute."""
    queries = study.n_in_view(comparison)
    runs = len(study.names)
    if runs * queries < _MAX_QUICK_SIZE or is_overview_cached(study, comparison):
        return []
    scope = f"{w.format_with_noun(runs, 'run')} on {w.format_count(queries)} queries"
    return [
        (
            f"Comparing {scope}: {measure}. Leaving this page cancels the comparison.",
            partial(compare_runs, study, comparison, measure),
        )
        for measure in overview_measures(study, comparison)
    ]

"""What takes long, step by step, so that a page can say how far it is and be left meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from dashboard.address.view import Comparison
from dashboard.answers.overview import is_overview_known, overview_measures
from dashboard.answers.run_comparisons import compare_runs
from dashboard.study.study import Study
from metrics_core.base import wording as w

Step = tuple[str, Callable[[], object]]
"""What is being done, and the work; what it gives is kept by the study."""

_SOON = 50_000
"""Runs times queries that are compared in a moment."""


def overview_steps(study: Study, comparison: Comparison) -> list[Step]:
    """What the Overview needs and is not at hand; nothing where it is done in a moment."""
    queries = int(study.view_mask(comparison).sum())
    runs = len(study.names)
    if runs * queries < _SOON or is_overview_known(study, comparison):
        return []
    scope = f"{w.format_count(runs)} {w.plural(runs, 'run')} on {w.format_count(queries)} queries"
    return [
        (
            f"Comparing {scope}: {measure}. Leaving this page cancels it.",
            partial(compare_runs, study, comparison, measure),
        )
        for measure in overview_measures(comparison)
    ]

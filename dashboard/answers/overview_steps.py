"""What takes long, step by step, so that a page can say how far it is and be left meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from dashboard.address.view import Comparison
from dashboard.answers.compared import compared
from dashboard.answers.overview import overview_known, overview_measures
from dashboard.study.study import Study
from metrics_core.base import wording as w

Step = tuple[str, Callable[[], object]]
"""What is being done, and the work; what it gives is kept by the study."""

_SOON = 50_000
"""Runs times queries that are compared in a moment."""


def overview_steps(study: Study, shown: Comparison) -> list[Step]:
    """What the Overview needs and is not at hand; nothing where it is done in a moment."""
    queries = int(study.in_view(shown).sum())
    runs = len(study.names)
    if runs * queries < _SOON or overview_known(study, shown):
        return []
    whole = f"{w.count(runs)} {w.plural(runs, 'run')} on {w.count(queries)} queries"
    return [
        (
            f"Comparing {whole}: {measure}. Leaving this page cancels it.",
            partial(compared, study, shown, measure),
        )
        for measure in overview_measures(shown)
    ]

"""The best mean score that a perfect reordering of the first results reaches."""

from __future__ import annotations

import pandas as pd

from dashboard.address.view import Comparison
from dashboard.study.cached_answers import cache_answer
from dashboard.study.study import Study
from metrics_core.base.arrays import Floats
from metrics_core.explaining.headroom import has_headroom, reranking_ceiling
from metrics_core.findings.cutoffs import reranking_subtitle, reranking_title
from metrics_core.findings.sentence import Sentence
from metrics_core.measures import MEAN, Measure
from metrics_core.scoring.curves import longest_list_length

_DEPTHS = (2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)


def can_rerank(study: Study, comparison: Comparison) -> bool:
    """Return whether the effect of a better document order on the measure can be computed. The
    measure must depend on the order and be a mean over queries. Its scores must not come from
    another tool."""
    measure = comparison.measure
    return (
        has_headroom(measure)
        and study.is_computed(measure)
        and measure.declaration.combination == MEAN
    )


@cache_answer
def reranking(study: Study, comparison: Comparison) -> tuple[Sentence, Sentence, pd.DataFrame]:
    """Return a title, a lead, and the best mean of each shown run after reordering. The frame has
    run, k (the number of reordered results) and mean. For k = 1, the mean is over the actual
    scores. Raises ValueError unless `can_rerank`."""
    longest = max(longest_list_length([study.judged[run]]) for run in comparison.runs)
    k = comparison.measure.cutoff or comparison.cutoff
    depths = tuple(sorted({d for d in (1, k, *_DEPTHS) if d <= longest} | {longest}))
    mask = study.view_mask(comparison)
    means = {
        run: MEAN.combine(
            study.cached_answer(_ceiling_by_depth, run, comparison.measure, depths)[mask]
        )
        for run in comparison.runs
    }
    frame = pd.DataFrame({"k": depths, **means}).melt("k", var_name="run", value_name="mean")
    focus_rows = frame[frame["run"] == comparison.focus]
    return (
        reranking_title(focus_rows, comparison.focus, comparison.name),
        reranking_subtitle(focus_rows, comparison.name, k),
        frame,
    )


def _ceiling_by_depth(study: Study, run: str, measure: Measure, depths: tuple[int, ...]) -> Floats:
    return reranking_ceiling(study.judged[run], measure, depths)

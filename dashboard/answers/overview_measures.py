"""The measures in the table of the Overview: the given measures, then the default measures."""

from __future__ import annotations

import numpy as np

from dashboard.address.view import Comparison
from dashboard.study.study import Study
from metrics_core.base import wording as w
from metrics_core.measures import Measure, parse_measure
from metrics_core.scoring.scores import Scores

_USUAL_MEASURES = ("nDCG@{k}", "P@{k}", "R@{k}", "RR", "AP")
_BESIDE_GIVEN = ("nDCG@{k}", "R@{k}")


def overview_measures(study: Study, comparison: Comparison) -> list[Measure]:
    """Return the given measures, followed by the default measures at the chosen cutoff. If there
    are given measures, only some of the default measures are included. If the chosen measure is in
    neither group, it is added in front."""
    names = _USUAL_MEASURES if not study.given_tables else _BESIDE_GIVEN if study.judged else ()
    measures = [
        *study.given_measures,
        *(parse_measure(m.format(k=comparison.cutoff)) for m in names),
    ]
    return measures if comparison.measure in measures else [comparison.measure, *measures]


def measure_gloss(measure: Measure) -> str:
    """Describe a measure in a few words, for a table heading."""
    text = measure.declaration.gloss
    if measure.cutoff is None and "{k}" in text:
        return text.replace("top {k}", "whole list")
    return text.replace("{k}", str(measure.cutoff))


def missing_scores_text(scores: Scores, study: Study) -> str:
    """Return a sentence that says, for each run and each measure whose scores were given in files,
    how many queries lack a score. Returns "" if no score is missing."""
    lacks = [
        f"{run} has no {measure} for {w.format_query_count(n)}"
        for measure in study.given_measures
        for run, n in zip(
            scores.runs, np.isnan(scores.values_of(measure)).sum(axis=1).tolist(), strict=True
        )
        if n
    ]
    return f" Missing scores are left out, not counted as 0: {'; '.join(lacks)}." if lacks else ""

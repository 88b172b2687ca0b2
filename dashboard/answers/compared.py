"""Every loaded run against the baseline: worked out once, whichever of them are shown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.study.study import Study
from metrics_core.comparing import power
from metrics_core.comparing.method import Method
from metrics_core.comparing.pairs import compare_each
from metrics_core.comparing.test_warnings import doubts as doubts_of
from metrics_core.comparing.verdicts import CANNOT_TELL, CLEAR
from metrics_core.findings.sentence import Sentence, joined
from metrics_core.findings.testing import (
    doubts_findings,
    margin_finding,
    needed_finding,
    shown_finding,
)
from metrics_core.measures import Measure

Asked = tuple[Measure, str, Comparison, Method]
"""Measure, baseline, what the queries in view depend on, and how runs are compared."""


def compared(study: Study, shown: Comparison, measure: Measure) -> pd.DataFrame:
    """The frame of `compare` of all loaded runs on one measure over the queries in view: what is
    said of one run holds for all of them together, whichever are shown."""
    return compared_each(study, shown, [measure])[0]


def compared_each(
    study: Study, shown: Comparison, measures: Sequence[Measure]
) -> list[pd.DataFrame]:
    """`compared` on several measures; those that nobody has asked for yet in one pass."""
    asked = [_asked(shown, measure) for measure in measures]
    new = tuple(one for one in asked if not study.known(_compared, *one))
    if len(new) > 1:
        for one, frame in zip(new, study.kept(_compared_each, new), strict=True):
            study.kept(_compared, *one, made=frame)
    return [study.kept(_compared, *one) for one in asked]


def _asked(shown: Comparison, measure: Measure) -> Asked:
    # A margin is the chosen measure's.
    own = measure == shown.measure
    method = shown.method if own else replace(shown.method, margin=None)
    return measure, shown.baseline, shown.narrowing, method


def of_shown(frame: pd.DataFrame, shown: Comparison) -> pd.DataFrame:
    """The rows of the shown runs, the baseline's first."""
    runs = list(dict.fromkeys([shown.baseline, *shown.runs]))
    place = {run: i for i, run in enumerate(frame["run"].tolist())}
    return frame.iloc[[place[run] for run in runs]].reset_index(drop=True)


def _compared(
    study: Study, measure: Measure, baseline: str, view: Comparison, method: Method
) -> pd.DataFrame:
    return _compared_each(study, ((measure, baseline, view, method),))[0]


def _compared_each(study: Study, asked: tuple[Asked, ...]) -> list[pd.DataFrame]:
    """All of one baseline and one view, on several measures."""
    _, baseline, view, _ = asked[0]
    measures = tuple(one[0] for one in asked)
    scores = study.every_score(view, *measures)
    return compare_each(scores, measures, baseline, methods=[one[3] for one in asked])


def what_it_rests_on(study: Study, shown: Comparison) -> Sentence:
    """What the queries could show of the run in focus against the baseline, and where they showed
    nothing how many it would take."""
    size = sample_size(study, shown)
    if np.isnan(size.p):
        return Sentence()
    margin = Sentence()
    if shown.method.margin is not None:
        margin = margin_finding(*size.inner, unchanged=size.unchanged)
    said = [shown_finding(size.smallest, size.queries)]
    if said[0]:
        said.append(needed_finding(size.difference, size.needed))
    return joined([sentence for sentence in (*said, margin) if sentence], " ")


def doubted(study: Study, shown: Comparison) -> Sentence:
    """What makes the test of the mean doubtful; empty where nothing does."""
    size = sample_size(study, shown)
    if np.isnan(size.p):
        return Sentence()
    own, other = (
        study.scores(shown, shown.measure).only([shown.focus, shown.baseline]).of(shown.measure)
    )
    return joined(doubts_findings(doubts_of(own - other), found=size.verdict in CLEAR), " ")


@dataclass(frozen=True)
class SampleSize:
    """The test of a pair, the `smallest` difference that it can detect and, where it shows nothing,
    how many queries were `needed`; NaN where that is not known. `inner` is the interval of two
    one-sided tests, `unchanged` whether no query differs."""

    difference: float
    queries: int
    p: float
    verdict: str | None
    inner: tuple[float, float]
    unchanged: bool
    smallest: float = math.nan
    needed: float = math.nan


def sample_size(study: Study, shown: Comparison) -> SampleSize:
    """How many queries the pair has, and what they can show."""
    row = compared(study, shown, shown.measure).set_index("run").loc[shown.focus]
    queries, inner = int(row["queries"]), (row["inner_low"], row["inner_high"])
    found = SampleSize(
        row["difference"],
        queries,
        row["p_corrected"],
        row["verdict"],
        inner,
        unchanged=not row["differing"],
    )
    linear = shown.measure.declaration.combination.linear
    if np.isnan(row["width"]) or not linear or queries < power.FEWEST_TOLD:
        return found
    found = replace(found, smallest=power.smallest_shown(row["error"], row["width"], queries))
    if found.verdict != CANNOT_TELL:
        return found
    level = power.level_of_one(row["width"], queries)
    needed = power.queries_needed(row["difference"], row["error"] * queries**0.5, level)
    return replace(found, needed=needed)

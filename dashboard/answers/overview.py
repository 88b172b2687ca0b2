"""The Overview: is it better, is it real, where to look."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.address.address import MISSING
from dashboard.address.measure_key import at_k
from dashboard.address.view import Comparison
from dashboard.answers.breakdown import of_focus_by_column
from dashboard.answers.compared import compared_each, of_shown, what_it_rests_on
from dashboard.answers.group_names import spoken
from dashboard.answers.pairs import every_pair, every_pair_known
from dashboard.study.study import Study
from metrics_core import findings
from metrics_core.comparing.pairs import BETTER, WORSE, differences
from metrics_core.comparing.verdicts import CLEAR, FEWEST_QUERIES
from metrics_core.findings.sentence import joined
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure, parse_measure
from metrics_core.scoring.curves import judged_share
from metrics_core.scoring.scores import Scores
from metrics_core.slicing.breakdowns import sizes_only

_USUAL_MEASURES = ("nDCG@{k}", "P@{k}", "R@{k}", "RR", "AP")
_LISTED = 5
MANY_RUNS = 4
"""Of more runs than these the Overview says which may be the best; of fewer the verdict does."""


@dataclass(frozen=True)
class Overview:
    """What the Overview shows. `measures` are name, gloss and how each is chosen in an address;
    `together` says for how many runs the verdicts hold at once.
    `too_few` runs have too few queries of both scores for a verdict on the chosen measure. Queries
    that are `worse` and `better` have `unlisted_by`: which of the two does not list it, or ""."""

    verdict: findings.Sentence
    others: findings.Sentence
    together: findings.Sentence
    facts: findings.Facts
    table: pd.DataFrame
    measures: list[tuple[str, str, str]]
    judged_shares: dict[str, float]
    comparison: pd.DataFrame
    worse: pd.DataFrame
    better: pd.DataFrame
    lowest: pd.DataFrame
    highest: pd.DataFrame
    scale: float
    won: int
    lost: int
    groups: pd.DataFrame | None
    grouping: str | None
    looked_at: int
    too_few: list[str]


def overview(study: Study, shown: Comparison) -> Overview:
    """The Overview page."""
    return study.kept(_overview, shown)


def bests(study: Study, shown: Comparison) -> findings.Sentence:
    """Which of many runs may be the best; empty of few, and where there are too few queries."""
    if shown.loaded <= MANY_RUNS:
        return findings.Sentence()
    return findings.bests_finding(every_pair(study, shown))


def bests_known(study: Study, shown: Comparison) -> bool:
    """Whether `bests` is at hand, or takes a while to work out."""
    return shown.loaded <= MANY_RUNS or every_pair_known(study, shown)


def overview_known(study: Study, shown: Comparison) -> bool:
    """Whether the page is at hand, or takes a while to work out."""
    return study.known(_overview, shown)


def _overview(study: Study, shown: Comparison) -> Overview:
    measures = overview_measures(shown)
    scores = study.scores(shown, *measures)
    frames = compared_each(study, shown, measures)
    every = {str(m): frame for m, frame in zip(measures, frames, strict=True)}
    by_measure = {name: of_shown(frame, shown) for name, frame in every.items()}
    comparison = by_measure[shown.name]
    table = pd.concat([f.assign(measure=m) for m, f in by_measure.items()], ignore_index=True)
    table["clear"] = table["verdict"].isin(CLEAR)
    grouping = next(iter(study.groupings), None)
    own = None
    if grouping is not None and study.queries is not None and scores.n_queries:
        own = of_focus_by_column(study, shown, grouping)
    gaps = differences(scores, shown.measure, shown.focus, shown.baseline)
    gaps["unlisted_by"] = _unlisted_by(scores, shown)
    difference, score = gaps["difference"].to_numpy(), gaps["score"].to_numpy()
    outcome = gaps["outcome"].to_numpy()
    rising = np.argsort(difference, kind="stable")
    worse, better = (rising[outcome[rising] == side] for side in (WORSE, BETTER))
    low, high = (rising[np.argsort(by[rising], kind="stable")] for by in (score, -score))

    def listed(places: npt.NDArray[np.int64]) -> pd.DataFrame:
        return study.with_texts(gaps.iloc[places[:_LISTED]])

    named = None if own is None else spoken(own, grouping or "")
    mask = study.in_view(shown)
    in_view = {name: study.judged[name].among(mask) for name in shown.runs}
    return Overview(
        verdict=findings.verdict(
            comparison,
            shown.name,
            shown.focus,
            shown.baseline,
            named,
            runs_loaded=shown.loaded,
            margin=shown.method.margin,
            level=shown.method.level,
            higher_is_better=shown.measure.declaration.higher_is_better,
        ),
        others=findings.others_verdict(
            comparison, shown.focus, shown.baseline, level=shown.method.level
        ),
        together=joined(
            [
                findings.method_finding(every[shown.name], shown.method),
                what_it_rests_on(study, shown, comparison),
            ],
            " ",
        ),
        facts=_facts(study, shown, scores, in_view),
        table=table,
        measures=[(str(m), gloss(m), at_k(m)) for m in measures],
        judged_shares={n: judged_share(ranks, shown.cutoff) for n, ranks in in_view.items()},
        comparison=comparison,
        worse=listed(worse),
        better=listed(better[::-1]),
        lowest=listed(low),
        highest=listed(high),
        scale=float(gaps["difference"].abs().max()) if len(gaps) else 1.0,
        won=len(better),
        lost=len(worse),
        groups=None if own is None else _in_order(own),
        grouping=grouping,
        looked_at=len(study.groups[grouping]) if grouping else 0,
        too_few=list(comparison.loc[comparison["queries"] < FEWEST_QUERIES, "run"]),
    )


def _unlisted_by(scores: Scores, shown: Comparison) -> npt.NDArray[np.object_]:
    """Which of the two does not list each query; "" where both do, or neither."""
    own, other = scores.only([shown.focus, shown.baseline]).missing
    return np.select([own & ~other, other & ~own], [shown.focus, shown.baseline], "").astype(object)


def _in_order(groups: pd.DataFrame) -> pd.DataFrame:
    """The groups best first; numbers and ranges in their own order."""
    if sizes_only(groups["group"]):
        return groups
    return groups.sort_values("difference", ascending=False, na_position="last", kind="stable")


def _facts(
    study: Study, shown: Comparison, scores: Scores, in_view: Mapping[str, JudgedRanks]
) -> findings.Facts:
    ranks = list(in_view.values())
    listed = sum(int(np.minimum(r.retrieved, shown.cutoff).sum()) for r in ranks)
    judged = sum(float(r.judged().count(shown.cutoff).sum()) for r in ranks)
    grades = ranks[0].judged_relevance
    pair = dict.fromkeys((shown.focus, shown.baseline))
    mask = study.in_view(shown.usual(MISSING))
    missing = {n: len(study.judged[n].among(mask).missing_queries) for n in pair}
    return findings.Facts(
        queries=ranks[0].n_queries,
        judgments=int((grades >= 0).sum()),
        lowest_grade=float(grades.min()) if len(grades) else math.nan,
        highest_grade=float(grades.max()) if len(grades) else math.nan,
        judged_share=judged / listed if listed else math.nan,
        cutoff=shown.cutoff,
        all_zero=int((scores.of(shown.measure) == 0).all(axis=0).sum()),
        missing={n: c for n, c in missing.items() if c},
        left_out=shown.shared,
        unanswerable=int((ranks[0].n_relevant() == 0).sum()),
        unjudged=len({q for n in shown.runs for q in study.judged[n].unjudged_queries}),
        every_run=shown.every_run,
    )


def overview_measures(shown: Comparison) -> list[Measure]:
    """The usual measures at the chosen cutoff, with the chosen one."""
    usual = [parse_measure(m.format(k=shown.cutoff)) for m in _USUAL_MEASURES]
    return usual if shown.measure in usual else [shown.measure, *usual]


def gloss(measure: Measure) -> str:
    """A measure's meaning in a few words, for a table head."""
    text = measure.declaration.gloss
    if measure.cutoff is None and "{k}" in text:
        return text.replace("top {k}", "whole list")
    return text.replace("{k}", str(measure.cutoff))

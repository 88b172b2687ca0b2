"""The Overview: is it better, is it real, where to look."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.address.view import View
from dashboard.opened.study import Study, about
from metrics_core import findings
from metrics_core.comparing.pairs import BETTER, WORSE, compare, differences, score_matrix
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure, parse_measure
from metrics_core.scoring.curves import judged_share
from metrics_core.slicing.breakdowns import breakdown

_USUAL_MEASURES = ("nDCG@{k}", "P@{k}", "R@{k}", "RR", "AP")
_LISTED = 5


@dataclass(frozen=True)
class Overview:
    """What the Overview shows."""

    verdict: findings.Sentence
    others: findings.Sentence
    facts: findings.Facts
    table: pd.DataFrame
    measures: list[tuple[str, str]]
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


def overview(study: Study, view: View) -> Overview:
    """The Overview page."""
    return study.kept(("overview", about(view)), lambda: _overview(study, view))


def _overview(study: Study, view: View) -> Overview:
    measures = overview_measures(view)
    scores = study.score_frame(view, measures)
    name = str(view.measure)
    by_measure = {str(m): compare(scores, str(m), view.baseline) for m in measures}
    comparison = by_measure[name]
    table = pd.concat([f.assign(measure=m) for m, f in by_measure.items()], ignore_index=True)
    table["clear"] = table["verdict"].isin(["ahead", "behind"])
    grouping = next(iter(study.groupings), None)
    groups = None
    if grouping is not None and study.queries is not None and not scores.empty:
        groups = breakdown(
            scores,
            study.queries,
            name,
            by=grouping,
            baseline=view.baseline,
            looked_at=len(study.groups[grouping]),
        )
    gaps = study.with_texts(differences(scores, name, view.focus, view.baseline))
    gaps = gaps.sort_values("difference", kind="stable")
    own = groups[groups["run"] == view.focus] if groups is not None else None
    mask = study.in_view(view)
    in_view = {name: study.judged[name].among(mask) for name in view.runs}
    return Overview(
        verdict=findings.verdict(
            comparison, name, view.focus, view.baseline, groups, runs_loaded=len(study.names)
        ),
        others=findings.others_verdict(comparison, view.focus, view.baseline),
        facts=_facts(study, view, scores, list(in_view.values())),
        table=table,
        measures=[(str(m), gloss(m)) for m in measures],
        judged_shares={n: judged_share(ranks, view.cutoff) for n, ranks in in_view.items()},
        comparison=comparison,
        worse=gaps[gaps["outcome"] == WORSE].head(_LISTED),
        better=gaps[gaps["outcome"] == BETTER].iloc[::-1].head(_LISTED),
        lowest=gaps.sort_values("score", kind="stable").head(_LISTED),
        highest=gaps.sort_values("score", ascending=False, kind="stable").head(_LISTED),
        scale=float(gaps["difference"].abs().max()) if len(gaps) else 1.0,
        won=int((gaps["outcome"] == BETTER).sum()),
        lost=int((gaps["outcome"] == WORSE).sum()),
        groups=None if own is None else own.sort_values("difference", ascending=False),
        grouping=grouping,
    )


def _facts(
    study: Study, view: View, scores: pd.DataFrame, ranks: Sequence[JudgedRanks]
) -> findings.Facts:
    listed = sum(int(np.minimum(r.retrieved, view.cutoff).sum()) for r in ranks)
    judged = sum(float(r.judged().count(view.cutoff).sum()) for r in ranks)
    grades = ranks[0].judged_relevance
    matrix = score_matrix(scores, str(view.measure), view.runs)
    return findings.Facts(
        queries=ranks[0].n_queries,
        judgments=int((grades >= 0).sum()),
        lowest_grade=float(grades.min()) if len(grades) else math.nan,
        highest_grade=float(grades.max()) if len(grades) else math.nan,
        judged_share=judged / listed if listed else math.nan,
        cutoff=view.cutoff,
        all_zero=int((matrix == 0).all(axis=1).sum()),
        missing=len({q for r in ranks for q in r.missing_queries}),
        unanswerable=int((ranks[0].n_relevant() == 0).sum()),
        unjudged=len({q for n in view.runs for q in study.judged[n].unjudged_queries}),
    )


def overview_measures(view: View) -> list[Measure]:
    """The usual measures at the chosen cutoff, with the chosen one."""
    usual = [parse_measure(m.format(k=view.cutoff)) for m in _USUAL_MEASURES]
    if str(view.measure) in {str(m) for m in usual}:
        return usual
    return [view.measure, *usual]


def gloss(measure: Measure) -> str:
    """A measure's meaning in a few words, for a table head."""
    text = measure.declaration.gloss
    if measure.cutoff is None and "{k}" in text:
        return text.replace("top {k}", "whole list")
    return text.replace("{k}", str(measure.cutoff))

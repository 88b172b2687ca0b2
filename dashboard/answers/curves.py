"""Curves: does the lead depend on how many results count?"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from dashboard.address.view import Comparison
from dashboard.opened.study import Study
from metrics_core import findings
from metrics_core.comparing.curves import mean_curves
from metrics_core.measures import parse_measure
from metrics_core.scoring import curves as by_cutoff

_FAMILIES = ("P", "R", "nDCG")


@dataclass(frozen=True)
class Curves:
    """What the Curves page shows; `frames` by measure name, `table` all of them. `ranges` holds
    the least and the greatest score of each measure; `half` says what the chart of precision
    against recall shows."""

    finding: findings.Sentence
    frames: dict[str, pd.DataFrame]
    precision_recall: pd.DataFrame
    table: pd.DataFrame
    queries: int
    ranges: dict[str, tuple[float, float]]
    half: str

    @property
    def alike(self) -> list[pd.DataFrame]:
        """The frames of the measures from 0 to 1, whose differences compare."""
        return [frame for name, frame in self.frames.items() if self.ranges[name] == (0, 1)]


def curves(study: Study, shown: Comparison) -> Curves:
    """The Curves page."""
    return study.kept(_curves, shown)


def _curves(study: Study, shown: Comparison) -> Curves:
    mask = study.in_view(shown)
    judged = [study.judged[name].among(mask) for name in shown.runs]
    cutoffs = by_cutoff.cutoffs_up_to(by_cutoff.depth_of(judged), also=[shown.cutoff])
    frames = {
        family: mean_curves(judged, parse_measure(f"{family}@1"), cutoffs, shown.baseline)
        for family in _FAMILIES
    }
    family = shown.family
    if shown.measure.declaration.cutoff is None:
        family = "nDCG"
    own = frames.get(family)
    if own is None:
        own = mean_curves(judged, shown.measure.at(1), cutoffs, shown.baseline)
        frames = {family: own, **frames}
    precision_recall = by_cutoff.precision_recall(judged)
    return Curves(
        finding=findings.curves_finding(own, family, shown.focus, shown.baseline)
        + findings.short_lists(judged, (shown.focus, shown.baseline)),
        frames=frames,
        precision_recall=precision_recall,
        table=pd.concat([f.assign(measure=name) for name, f in frames.items()], ignore_index=True),
        queries=int(mask.sum()),
        ranges=dict.fromkeys(frames, (0.0, 1.0)) | {family: shown.measure.declaration.range}
        if shown.measure.declaration.cutoff is not None
        else dict.fromkeys(frames, (0.0, 1.0)),
        half=findings.precision_at_half_recall(precision_recall, shown.runs),
    )

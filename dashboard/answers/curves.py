"""Curves: does the lead depend on how many results count?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import pandas as pd

from dashboard.address.view import Comparison
from dashboard.opened.study import Study
from metrics_core import findings
from metrics_core.comparing.curves import Band, Means, bands, curve_frame, means_by_cutoff
from metrics_core.measures import Measure, parse_measure
from metrics_core.scoring import curves as by_cutoff

_FAMILIES = ("P", "R", "nDCG")

Cutoffs = tuple[int, ...]
Place = tuple[str, Measure]
"""A run and a measure."""
Found = TypeVar("Found")


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
    families = {name: parse_measure(f"{name}@1") for name in _FAMILIES}
    family = shown.family
    if shown.measure.declaration.cutoff is None:
        family = "nDCG"
    if family not in families:
        families = {family: shown.measure.at(1), **families}
    frames = _frames(study, shown, families, tuple(cutoffs))
    own = frames[family]
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


def _frames(
    study: Study, shown: Comparison, families: Mapping[str, Measure], cutoffs: Cutoffs
) -> dict[str, pd.DataFrame]:
    """The frame of `mean_curves` of each measure. Each run's part depends on that run alone, each
    band on its pair: what another view had is at hand."""
    view, baseline = shown.narrowing, shown.baseline
    means = {(run, m): (run, m, cutoffs, view) for m in families.values() for run in shown.runs}
    pairs = {at: (*asked, baseline) for at, asked in means.items() if at[0] != baseline}
    own, against = _each(study, _means, means), _each(study, _bands, pairs)
    return {
        name: pd.concat(
            [
                curve_frame(run, cutoffs, own[run, measure], against.get((run, measure)))
                for run in shown.runs
            ],
            ignore_index=True,
        )
        for name, measure in families.items()
    }


def _each(
    study: Study, answer: Callable[..., tuple[Found, ...]], asked: Mapping[Place, tuple[Any, ...]]
) -> dict[Place, Found]:
    """What an answer finds for each place; those not at hand are asked for together."""
    new = {at: one for at, one in asked.items() if not study.knows(answer, one)}
    if len(new) > 1:
        for one, found in zip(new.values(), study.kept(answer, *new.values()), strict=True):
            study.keep(cast(tuple[Found, ...], (found,)), answer, one)
    return {at: study.kept(answer, one)[0] for at, one in asked.items()}


def _means(study: Study, *asked: tuple[str, Measure, Cutoffs, Comparison]) -> tuple[Means, ...]:
    mask, cutoffs = study.in_view(asked[0][3]), asked[0][2]
    found: dict[int, Means] = {}
    combinations = [measure.declaration.combination for _, measure, *_ in asked]
    for combination in dict.fromkeys(combinations):
        places = [i for i, c in enumerate(combinations) if c == combination]
        wanted = [(study.judged[asked[i][0]].among(mask), asked[i][1]) for i in places]
        found |= dict(zip(places, means_by_cutoff(wanted, cutoffs), strict=True))
    return tuple(found[i] for i in range(len(asked)))


def _bands(study: Study, *asked: tuple[str, Measure, Cutoffs, Comparison, str]) -> tuple[Band, ...]:
    _, _, cutoffs, view, baseline = asked[0]
    mask = study.in_view(view)
    runs = {name: study.judged[name].among(mask) for name in {baseline, *(a[0] for a in asked)}}
    return tuple(bands([(runs[run], runs[baseline], m) for run, m, *_ in asked], cutoffs))

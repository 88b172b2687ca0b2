"""The By cutoff page: how the lead of a run depends on the cutoff."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.run_comparisons import compare_runs
from dashboard.study.cached_answers import cache_answer
from dashboard.study.study import Study
from metrics_core.base.errors import RanklensError
from metrics_core.comparing.curves import (
    Band,
    MeanCurve,
    Pair,
    differences_by_cutoff,
    find_bands,
    make_curve_frame,
    means_by_cutoff,
)
from metrics_core.comparing.verdicts import CLEAR, FEWEST_QUERIES
from metrics_core.findings.charts import precision_at_half_recall_finding
from metrics_core.findings.cutoffs import (
    curves_placeholder,
    curves_subtitle,
    curves_title,
    describe_cutoff,
    median_list_length,
    precision_subtitle,
    precision_title,
)
from metrics_core.findings.phrases import short_lists_note
from metrics_core.findings.sentence import Sentence, join_sentences
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure, parse_measure
from metrics_core.scoring import curves as by_cutoff

_FAMILIES = ("P", "R", "nDCG")
_DEFAULT_CUTOFFS = (*range(1, 21), 50, 100)
"""Cutoffs that readers usually choose. They are always computed, so that choosing one does not
change the bands."""
_BOUNDS = ("low", "high", "diff_low", "diff_high")
MOST_IN_COLOUR, _BEST_IN_COLOUR = 6, 4
"""With at most `MOST_IN_COLOUR` runs, all runs have a colour. With more, only the compared pair and
the `_BEST_IN_COLOUR` best runs have one."""
_QUICK_SIZE = 60_000
"""Maximum of bands × cutoffs × queries for which the computation causes no noticeable wait."""

Cutoffs = tuple[int, ...]
RunMeasure = tuple[str, Measure]
"""A run and a measure."""
MeansKey = tuple[str, Measure, Cutoffs, Comparison]
BandKey = tuple[str, Measure, Cutoffs, Comparison, str]
"""Cache key of a band: run, measure, cutoffs, the part of the comparison that selects the queries,
and the baseline."""
Result = TypeVar("Result")


@dataclass(frozen=True)
class _CurveInputs:
    """What the curves are computed from: the runs restricted to the queries in view, the measures
    by family name, and the cutoffs."""

    comparison: Comparison
    ranks: list[JudgedRanks]
    families: dict[str, Measure]
    cutoffs: Cutoffs

    @property
    def keys_of_means(self) -> dict[RunMeasure, MeansKey]:
        comparison, view = self.comparison, self.comparison.comparison_that_selects_queries
        measures = self.families.values()
        return {(run, m): (run, m, self.cutoffs, view) for m in measures for run in comparison.runs}

    @property
    def band_keys(self) -> dict[RunMeasure, BandKey]:
        baseline = self.comparison.baseline
        return {
            run_measure: (*key, baseline)
            for run_measure, key in self.keys_of_means.items()
            if run_measure[0] != baseline
        }


@dataclass(frozen=True)
class Curves:
    """The By cutoff page. `title` and `lead` are about the curves, and `short_lists` warns if one
    run has much shorter lists; `recall_title` and `recall_lead` are about precision against recall.

    `frames` maps measure names to the frame of `mean_curves`; `table` contains all frames, with an
    additional column measure. `precision_recall` has run, recall, precision; `half_recall` states
    each run's precision at recall 0.5 in words. `list_ends` maps each run to the rank by which half
    of its lists have ended. `best_runs` are the shown runs, ordered by their mean on the chosen
    measure.

    If the verdict at the chosen k is significant and the band over all k agrees, `title` says at
    which k the difference is significant. Otherwise, it states the verdict at the chosen k."""

    title: Sentence
    lead: Sentence
    short_lists: str
    recall_title: Sentence
    recall_lead: Sentence
    frames: dict[str, pd.DataFrame]
    precision_recall: pd.DataFrame
    table: pd.DataFrame
    queries: int
    list_ends: dict[str, int]
    half_recall: str
    best_runs: tuple[str, ...]

    def coloured_runs(self, comparison: Comparison) -> tuple[str, ...]:
        """Return the runs that are shown in colour, ordered by mean. If there are many runs, only
        the compared pair and the best runs are in colour."""
        if len(comparison.runs) <= MOST_IN_COLOUR:
            return self.best_runs
        coloured = {*comparison.pair, *self.best_runs[:_BEST_IN_COLOUR]}
        return tuple(run for run in self.best_runs if run in coloured)


@cache_answer
def curves(study: Study, comparison: Comparison) -> Curves:
    """Return the By cutoff page."""
    if not study.judged:
        raise RanklensError("Scores from a file have no cutoff.", "Add runs and judgments.")
    inputs = _curve_inputs(study, comparison)
    pairs = inputs.band_keys
    for key in pairs.values():
        # The band of the reversed pair is the same with its sign changed.
        if not study.has_answer(_curve_bands, key) and _is_band_cached(study, key):
            reversed_bands: tuple[Band, ...] = (
                study.cached_answer(_curve_bands, _reversed_key(key))[0].reversed_band,
            )
            study.cached_answer(_curve_bands, key, precomputed=reversed_bands)
    return _assemble_curves(
        study,
        inputs,
        _results_by_run_and_measure(study, _curve_means, inputs.keys_of_means),
        _results_by_run_and_measure(study, _curve_bands, pairs),
    )


def are_curves_quick_to_compute(study: Study, comparison: Comparison) -> bool:
    """Return whether the page can be shown without a wait: the page or its bands (the slow part)
    are in the cache, or the bands are quick to compute."""
    if study.has_answer(curves, comparison):
        return True
    inputs = _curve_inputs(study, comparison)
    pairs = inputs.band_keys
    new_count = sum(not _is_band_cached(study, key) for key in pairs.values())
    if not pairs:  # one run has bands as well
        new_count = sum(
            not study.has_answer(_curve_means, key) for key in inputs.keys_of_means.values()
        )
    return new_count * len(inputs.cutoffs) * study.n_in_view(comparison) < _QUICK_SIZE


@cache_answer
def curves_without_bands(study: Study, comparison: Comparison) -> Curves:
    """Return the By cutoff page without its bands, because these take longer to compute. The
    finding says that significance is still being computed, and the bounds of all intervals are
    NaN."""
    inputs = _curve_inputs(study, comparison)
    gaps = _results_by_run_and_measure(study, _curve_differences, inputs.band_keys)
    page = _assemble_curves(
        study,
        inputs,
        _results_by_run_and_measure(study, _curve_means_without_bounds, inputs.keys_of_means),
        gaps,
    )
    if not gaps:
        return page
    title, lead = curves_placeholder(_measure_family(comparison), *comparison.pair)
    return replace(page, title=title, lead=lead)


def _precision_recall(study: Study, run: str, comparison: Comparison) -> pd.DataFrame:
    return by_cutoff.precision_recall(
        [study.judged[run].select_queries(study.view_mask(comparison))]
    )


def _measure_family(comparison: Comparison) -> str:
    """Return the family of the measure if the measure has a cutoff to vary, otherwise nDCG."""
    return "nDCG" if comparison.measure.declaration.cutoff is None else comparison.family


def _curve_inputs(study: Study, comparison: Comparison) -> _CurveInputs:
    mask = study.view_mask(comparison)
    ranks = [study.judged[name].select_queries(mask) for name in comparison.runs]
    families = {name: parse_measure(f"{name}@1") for name in _FAMILIES}
    family = _measure_family(comparison)
    if family in families:  # the chosen measure comes first
        families = {family: families[family], **families}
    else:
        families = {family: comparison.measure.at(1), **families}
    depth = by_cutoff.longest_list_length(ranks)
    cutoffs = tuple(
        by_cutoff.cutoffs_up_to(depth, extra_cutoffs=[*_DEFAULT_CUTOFFS, comparison.cutoff])
    )
    return _CurveInputs(comparison, ranks, families, cutoffs)


def _reversed_key(key: BandKey) -> BandKey:
    run, measure, cutoffs, view, baseline = key
    return (baseline, measure, cutoffs, view, run)


def _is_band_cached(study: Study, key: BandKey) -> bool:
    """Return whether the band is in the cache. If the measure is averaged linearly over queries,
    the band of the reversed pair is equivalent, so it is also accepted."""
    linear = key[1].declaration.combination.linear
    return study.has_answer(_curve_bands, key) or (
        linear and study.has_answer(_curve_bands, _reversed_key(key))
    )


def _assemble_curves(
    study: Study,
    inputs: _CurveInputs,
    means: Mapping[RunMeasure, MeanCurve],
    bands_by_pair: Mapping[RunMeasure, Band],
) -> Curves:
    comparison, frames = inputs.comparison, _curve_frames(inputs, means, bands_by_pair)
    queries = study.n_in_view(comparison)
    if queries < FEWEST_QUERIES:
        frames = {name: f.assign(**dict.fromkeys(_BOUNDS, np.nan)) for name, f in frames.items()}
    run_frames = [
        study.cached_answer(_precision_recall, run, comparison.comparison_that_selects_queries)
        for run in comparison.runs
    ]
    precision_recall = pd.concat(run_frames, ignore_index=True)
    family, pair = _measure_family(comparison), comparison.pair
    title = curves_title(frames[family], family, *pair)
    verdict_text = Sentence()
    is_title_by_k = True
    if (
        comparison.measure.cutoff is not None
        and not comparison.is_single_run
        and queries >= FEWEST_QUERIES
    ):
        row = (
            compare_runs(study, comparison, comparison.measure)
            .set_index("run")
            .loc[comparison.focus]
        )
        verdict, verdict_text = describe_cutoff(
            frames[family], row, comparison.name, pair, comparison.cutoff
        )
        is_title_by_k = row["verdict"] in CLEAR and not verdict_text
        title = title if is_title_by_k else verdict
    others = {name: frame for name, frame in frames.items() if is_title_by_k and name != family}
    list_ends = {ranks.run_name: median_list_length(ranks) for ranks in inputs.ranks}
    sentences = [curves_subtitle(frames[family], *pair, other_curves=others), verdict_text]
    return Curves(
        title=title,
        lead=join_sentences(sentences, " "),
        short_lists=short_lists_note({run: list_ends[run] for run in pair}),
        recall_title=precision_title(precision_recall, comparison.focus),
        recall_lead=precision_subtitle(precision_recall, *pair, comparison.name),
        frames=frames,
        precision_recall=precision_recall,
        table=pd.concat([f.assign(measure=name) for name, f in frames.items()], ignore_index=True),
        queries=queries,
        list_ends=list_ends,
        half_recall=precision_at_half_recall_finding(precision_recall, comparison.runs),
        best_runs=_order_runs_by_mean(frames[family], comparison),
    )


def _order_runs_by_mean(frame: pd.DataFrame, comparison: Comparison) -> tuple[str, ...]:
    """Return the shown runs, ordered by their means at the chosen k. If k is not among the cutoffs,
    the deepest cutoff below it is used."""
    upto = frame[frame["k"] <= comparison.cutoff].groupby("run")["mean"].last()
    means = {run: upto.get(run, np.nan) for run in comparison.runs}
    return tuple(sorted(comparison.runs, key=lambda run: -np.nan_to_num(means[run], nan=-np.inf)))


def _curve_frames(
    inputs: _CurveInputs,
    means: Mapping[RunMeasure, MeanCurve],
    bands_by_pair: Mapping[RunMeasure, Band],
) -> dict[str, pd.DataFrame]:
    """Return the frame of `mean_curves` for each measure. The means of a run depend only on that
    run, and a band depends only on its pair, so both are reused from other views."""

    def run_frame(run: str, measure: Measure) -> pd.DataFrame:
        key = run, measure
        return make_curve_frame(run, inputs.cutoffs, means[key], bands_by_pair.get(key))

    return {
        name: pd.concat(
            [run_frame(run, measure) for run in inputs.comparison.runs], ignore_index=True
        )
        for name, measure in inputs.families.items()
    }


def _results_by_run_and_measure(
    study: Study,
    function: Callable[..., tuple[Result, ...]],
    keys: Mapping[RunMeasure, tuple[Any, ...]],
) -> dict[RunMeasure, Result]:
    """Return the result of the function `function` for each run and measure. Results that are not
    in the cache are computed together."""
    new_keys = {
        run_measure: key for run_measure, key in keys.items() if not study.has_answer(function, key)
    }
    if len(new_keys) > 1:
        for key, result in zip(
            new_keys.values(), study.cached_answer(function, *new_keys.values()), strict=True
        ):
            study.cached_answer(function, key, precomputed=cast(tuple[Result, ...], (result,)))
    return {run_measure: study.cached_answer(function, key)[0] for run_measure, key in keys.items()}


def _curve_means(study: Study, *keys: MeansKey) -> tuple[MeanCurve, ...]:
    return _compute_means(study, keys, with_bounds=True)


def _curve_means_without_bounds(study: Study, *keys: MeansKey) -> tuple[MeanCurve, ...]:
    return _compute_means(study, keys, with_bounds=False)


def _compute_means(
    study: Study, keys: Sequence[MeansKey], *, with_bounds: bool
) -> tuple[MeanCurve, ...]:
    mask, cutoffs = study.view_mask(keys[0][3]), keys[0][2]
    means: dict[int, MeanCurve] = {}
    combinations = [measure.declaration.combination for _, measure, *_ in keys]
    for combination in dict.fromkeys(combinations):
        indices = [i for i, c in enumerate(combinations) if c == combination]
        run_measures = [
            (study.judged[keys[i][0]].select_queries(mask), keys[i][1]) for i in indices
        ]
        means |= dict(
            zip(
                indices,
                means_by_cutoff(run_measures, cutoffs, with_bounds=with_bounds),
                strict=True,
            )
        )
    return tuple(means[i] for i in range(len(keys)))


def _curve_bands(study: Study, *keys: BandKey) -> tuple[Band, ...]:
    return tuple(find_bands(*_select_pair_ranks(study, keys)))


def _curve_differences(study: Study, *keys: BandKey) -> tuple[Band, ...]:
    return tuple(differences_by_cutoff(*_select_pair_ranks(study, keys)))


def _select_pair_ranks(study: Study, keys: Sequence[BandKey]) -> tuple[list[Pair], Cutoffs]:
    _, _, cutoffs, view, baseline = keys[0]
    mask = study.view_mask(view)
    runs = {
        name: study.judged[name].select_queries(mask) for name in {baseline, *(a[0] for a in keys)}
    }
    return [(runs[run], runs[baseline], m) for run, m, *_ in keys], cutoffs

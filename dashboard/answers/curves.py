"""By cutoff: does the lead depend on how many results count?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.compared import compared
from dashboard.study.study import Study
from metrics_core.comparing.curves import (
    Band,
    Means,
    Pair,
    bands,
    curve_frame,
    differences_by_cutoff,
    means_by_cutoff,
)
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings.charts import precision_at_half_recall
from metrics_core.findings.cutoffs import (
    curves_at_k,
    curves_awaited,
    curves_lead,
    curves_title,
    list_end,
    precision_lead,
    precision_title,
    short_lists,
)
from metrics_core.findings.sentence import Sentence, joined
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure, parse_measure
from metrics_core.scoring import curves as by_cutoff

_FAMILIES = ("P", "R", "nDCG")
_USUAL = (*range(1, 21), 50, 100)
"""Cutoffs that readers choose: where all have a place already, another one changes no band."""
_ENDS = ("low", "high", "diff_low", "diff_high")
MOST_IN_COLOUR, _BEST = 6, 4
"""Runs whose lines can be told apart by colour; of more, so many of the best are."""
_FEW = 60_000
"""Bands times cutoffs times queries that are drawn in a moment."""

Cutoffs = tuple[int, ...]
Place = tuple[str, Measure]
"""A run and a measure."""
Asked = tuple[str, Measure, Cutoffs, Comparison]
PairAsked = tuple[str, Measure, Cutoffs, Comparison, str]
"""What a band depends on: a run, a measure, cutoffs, which queries are in view, and a baseline."""
Found = TypeVar("Found")


@dataclass(frozen=True)
class _Drawn:
    """What of a comparison is drawn: its runs over the queries in view, the measures by the names
    of their families, and the cutoffs."""

    shown: Comparison
    judged: list[JudgedRanks]
    families: dict[str, Measure]
    cutoffs: Cutoffs

    @property
    def means(self) -> dict[Place, Asked]:
        """What the means depend on."""
        shown, view = self.shown, self.shown.narrowing
        measures = self.families.values()
        return {(run, m): (run, m, self.cutoffs, view) for m in measures for run in shown.runs}

    @property
    def pairs(self) -> dict[Place, PairAsked]:
        """What the bands of pairs depend on."""
        baseline = self.shown.baseline
        return {at: (*one, baseline) for at, one in self.means.items() if at[0] != baseline}


@dataclass(frozen=True)
class Curves:
    """What the page shows: a title and its lead for the curves, and another pair for precision
    against recall. `frames` by measure name, `table` all of them. `ranges` holds the least and the
    greatest score of each measure; `ends` the rank by which half of a run's lists end; `half` says
    what the chart of precision against recall shows. `best` are the shown runs by their mean on the
    chosen measure."""

    title: Sentence
    lead: Sentence
    recall_title: Sentence
    recall_lead: Sentence
    frames: dict[str, pd.DataFrame]
    precision_recall: pd.DataFrame
    table: pd.DataFrame
    queries: int
    ranges: dict[str, tuple[float, float]]
    ends: dict[str, int]
    half: str
    best: tuple[str, ...]

    @property
    def alike(self) -> list[pd.DataFrame]:
        """The frames of the measures from 0 to 1, whose differences compare."""
        return [frame for name, frame in self.frames.items() if self.ranges[name] == (0, 1)]

    def in_colour(self, shown: Comparison) -> tuple[str, ...]:
        """Of many runs the two compared and the best, all of few; in the order of their means."""
        if len(shown.runs) <= MOST_IN_COLOUR:
            return self.best
        kept = {shown.focus, shown.baseline, *self.best[:_BEST]}
        return tuple(run for run in self.best if run in kept)


def curves(study: Study, shown: Comparison) -> Curves:
    """The Curves page."""
    return study.kept(_curves, shown)


def curves_soon(study: Study, shown: Comparison) -> bool:
    """Whether the page is at hand, or what takes a while of it, the bands; or they are few."""
    if study.known(_curves, shown):
        return True
    drawn = _drawn(study, shown)
    pairs = drawn.pairs
    new = sum(not _known(study, asked) for asked in pairs.values())
    if not pairs:  # one run has bands as well
        new = sum(not study.known(_means, asked) for asked in drawn.means.values())
    return new * len(drawn.cutoffs) * int(study.in_view(shown).sum()) < _FEW


def curve_lines(study: Study, shown: Comparison) -> Curves:
    """The page without its bands, which is at hand sooner: the finding says that which lead is real
    is being worked out, and the ends of all intervals are NaN."""
    return study.kept(_lines, shown)


def _curves(study: Study, shown: Comparison) -> Curves:
    drawn = _drawn(study, shown)
    pairs = drawn.pairs
    for asked in pairs.values():
        # What is known of a pair is known of it the other way round.
        if not study.known(_bands, asked) and _known(study, asked):
            turned: tuple[Band, ...] = (study.kept(_bands, _turned(asked))[0].turned,)
            study.kept(_bands, asked, made=turned)
    return _page(study, drawn, _each(study, _means, drawn.means), _each(study, _bands, pairs))


def _lines(study: Study, shown: Comparison) -> Curves:
    drawn = _drawn(study, shown)
    gaps = _each(study, _differences, drawn.pairs)
    page = _page(study, drawn, _each(study, _quick_means, drawn.means), gaps)
    if not gaps:
        return page
    title, lead = curves_awaited(_family(shown), shown.focus, shown.baseline)
    return replace(page, title=title, lead=lead)


def _precision_recall(study: Study, run: str, view: Comparison) -> pd.DataFrame:
    return by_cutoff.precision_recall([study.judged[run].among(study.in_view(view))])


def _family(shown: Comparison) -> str:
    """The measure's own family, where it has a cutoff to vary."""
    return "nDCG" if shown.measure.declaration.cutoff is None else shown.family


def _drawn(study: Study, shown: Comparison) -> _Drawn:
    mask = study.in_view(shown)
    judged = [study.judged[name].among(mask) for name in shown.runs]
    families, family = {name: parse_measure(f"{name}@1") for name in _FAMILIES}, _family(shown)
    if family in families:  # the chosen measure comes first
        families = {family: families[family], **families}
    else:
        families = {family: shown.measure.at(1), **families}
    depth = by_cutoff.depth_of(judged)
    cutoffs = tuple(by_cutoff.cutoffs_up_to(depth, also=[*_USUAL, shown.cutoff]))
    return _Drawn(shown, judged, families, cutoffs)


def _turned(asked: PairAsked) -> PairAsked:
    run, measure, cutoffs, view, baseline = asked
    return (baseline, measure, cutoffs, view, run)


def _known(study: Study, asked: PairAsked) -> bool:
    """Whether a band is at hand, or that of the pair the other way round, which says the same."""
    linear = asked[1].declaration.combination.linear
    return study.known(_bands, asked) or (linear and study.known(_bands, _turned(asked)))


def _page(
    study: Study, drawn: _Drawn, means: Mapping[Place, Means], against: Mapping[Place, Band]
) -> Curves:
    shown, frames = drawn.shown, _frames(drawn, means, against)
    queries = int(study.in_view(shown).sum())
    if queries < FEWEST_QUERIES:
        frames = {name: f.assign(**dict.fromkeys(_ENDS, np.nan)) for name, f in frames.items()}
    each = [study.kept(_precision_recall, run, shown.narrowing) for run in shown.runs]
    precision_recall = pd.concat(each, ignore_index=True)
    ranges = dict.fromkeys(frames, (0.0, 1.0))
    own = _family(shown)
    if shown.measure.declaration.cutoff is not None:
        ranges[own] = shown.measure.declaration.range
    pair = shown.focus, shown.baseline
    title = curves_title(frames[own], own, *pair)
    said = [curves_lead(frames[own], own, *pair), short_lists(drawn.judged, pair)]
    if shown.measure.cutoff is not None and not shown.alone and queries >= FEWEST_QUERIES:
        row = compared(study, shown, shown.measure).set_index("run").loc[shown.focus]
        title, beside = curves_at_k(frames[own], row, shown.name, pair, shown.cutoff)
        said.insert(1, beside)
    return Curves(
        title=title,
        lead=joined([part for part in said if part], " "),
        recall_title=precision_title(precision_recall, shown.focus),
        recall_lead=precision_lead(precision_recall, *pair, shown.name),
        frames=frames,
        precision_recall=precision_recall,
        table=pd.concat([f.assign(measure=name) for name, f in frames.items()], ignore_index=True),
        queries=queries,
        ranges=ranges,
        ends={ranks.run_name: list_end(ranks) for ranks in drawn.judged},
        half=precision_at_half_recall(precision_recall, shown.runs),
        best=_best_first(frames[own], shown),
    )


def _best_first(frame: pd.DataFrame, shown: Comparison) -> tuple[str, ...]:
    """The shown runs by their means at the chosen k, or at the deepest one before it."""
    upto = frame[frame["k"] <= shown.cutoff].groupby("run")["mean"].last()
    means = {run: upto.get(run, np.nan) for run in shown.runs}
    return tuple(sorted(shown.runs, key=lambda run: -np.nan_to_num(means[run], nan=-np.inf)))


def _frames(
    drawn: _Drawn, means: Mapping[Place, Means], against: Mapping[Place, Band]
) -> dict[str, pd.DataFrame]:
    """The frame of `mean_curves` of each measure. Each run's part depends on that run alone, each
    band on its pair: what another view had is at hand."""

    def part(run: str, measure: Measure) -> pd.DataFrame:
        at = run, measure
        return curve_frame(run, drawn.cutoffs, means[at], against.get(at))

    return {
        name: pd.concat([part(run, measure) for run in drawn.shown.runs], ignore_index=True)
        for name, measure in drawn.families.items()
    }


def _each(
    study: Study, answer: Callable[..., tuple[Found, ...]], asked: Mapping[Place, tuple[Any, ...]]
) -> dict[Place, Found]:
    """What an answer finds for each place; those not at hand are asked for together."""
    new = {at: one for at, one in asked.items() if not study.known(answer, one)}
    if len(new) > 1:
        for one, found in zip(new.values(), study.kept(answer, *new.values()), strict=True):
            study.kept(answer, one, made=cast(tuple[Found, ...], (found,)))
    return {at: study.kept(answer, one)[0] for at, one in asked.items()}


def _means(study: Study, *asked: Asked) -> tuple[Means, ...]:
    return _means_of(study, asked, bounds=True)


def _quick_means(study: Study, *asked: Asked) -> tuple[Means, ...]:
    return _means_of(study, asked, bounds=False)


def _means_of(study: Study, asked: Sequence[Asked], *, bounds: bool) -> tuple[Means, ...]:
    mask, cutoffs = study.in_view(asked[0][3]), asked[0][2]
    found: dict[int, Means] = {}
    combinations = [measure.declaration.combination for _, measure, *_ in asked]
    for combination in dict.fromkeys(combinations):
        places = [i for i, c in enumerate(combinations) if c == combination]
        wanted = [(study.judged[asked[i][0]].among(mask), asked[i][1]) for i in places]
        found |= dict(zip(places, means_by_cutoff(wanted, cutoffs, bounds=bounds), strict=True))
    return tuple(found[i] for i in range(len(asked)))


def _bands(study: Study, *asked: PairAsked) -> tuple[Band, ...]:
    return tuple(bands(*_of_pairs(study, asked)))


def _differences(study: Study, *asked: PairAsked) -> tuple[Band, ...]:
    return tuple(differences_by_cutoff(*_of_pairs(study, asked)))


def _of_pairs(study: Study, asked: Sequence[PairAsked]) -> tuple[list[Pair], Cutoffs]:
    _, _, cutoffs, view, baseline = asked[0]
    mask = study.in_view(view)
    runs = {name: study.judged[name].among(mask) for name in {baseline, *(a[0] for a in asked)}}
    return [(runs[run], runs[baseline], m) for run, m, *_ in asked], cutoffs

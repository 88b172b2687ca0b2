"""How firm? The evidence behind each way in which the verdict could turn, worked out when asked."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.compared import compared
from dashboard.study.study import Study
from metrics_core.base.arrays import Floats
from metrics_core.comparing import agreement as other_measures
from metrics_core.comparing.coverage import QueryCoverage, counting, coverage
from metrics_core.comparing.crossings import Crossings, crossings, difference_at_each
from metrics_core.comparing.fragility import Fragility, fragility
from metrics_core.comparing.method import METHOD
from metrics_core.comparing.ties import TieRange, difference_range, tie_range
from metrics_core.findings.firmness import ComparedPair
from metrics_core.findings.verdict_risks import Missed
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure, parse_measure

_MEASURES = (
    "nDCG@5", "nDCG@10", "nDCG@20", "P@1", "P@5", "P@10", "P@20", "R@10", "R@100",
    "Success@1", "Success@10", "RR", "AP", "RBP(p=0.8)", "ERR@20",
)  # fmt: skip


@dataclass(frozen=True)
class ByCutoff:
    """The pair by cutoff; `frame` is that of `mean_curves` for the two runs, its band that of
    `found`."""

    found: Crossings
    frame: pd.DataFrame


def pair_of(study: Study, shown: Comparison) -> ComparedPair:
    """The pair and its verdict."""
    frame = compared(study, shown, shown.measure)
    verdict = frame.set_index("run").loc[shown.focus, "verdict"]
    # The sum of what is combined has the sign of the difference, and less rounding.
    side = int(np.sign(single(study, shown).total)) * shown.measure.declaration.direction
    return ComparedPair(shown.focus, shown.baseline, shown.name, str(verdict), side)


def pair_lists(study: Study, shown: Comparison) -> tuple[JudgedRanks, JudgedRanks]:
    mask = study.in_view(shown)
    return study.judged[shown.focus].among(mask), study.judged[shown.baseline].among(mask)


def only_pair(shown: Comparison) -> Comparison:
    """The key of what does not depend on the other runs."""
    return replace(shown, also=(), loaded=0, method=METHOD)


def _whatever_is_chosen(shown: Comparison) -> Comparison:
    """The key of what depends on the runs and the queries in view, not on the chosen measure."""
    return replace(shown.narrowing, focus=shown.focus, baseline=shown.baseline, also=shown.also)


def typical_length(ranks: JudgedRanks) -> int:
    listed = ranks.retrieved[ranks.retrieved > 0]
    return int(np.median(listed)) if len(listed) else 0


def gaps(study: Study, shown: Comparison) -> Floats:
    """The differences of the queries, on the scale on which they are averaged."""
    own, other = (
        study.scores(shown, shown.measure).only([shown.focus, shown.baseline]).of(shown.measure)
    )
    onto = shown.measure.declaration.combination.onto
    return np.asarray(onto(own) - onto(other))


def single(study: Study, shown: Comparison) -> Fragility:
    """The fewest queries whose removal turns the sign."""
    return study.kept(_single, only_pair(shown))


def _single(study: Study, shown: Comparison) -> Fragility:
    return fragility(gaps(study, shown))


def missed(study: Study, shown: Comparison, found: Fragility) -> Missed | None:
    """What the two did not find; None of a measure on which finding nothing is not the least."""
    declaration, measure = shown.measure.declaration, shown.measure
    if not declaration.higher_is_better or declaration.range[0] != 0 or not found.total:
        return None
    own, other = pair_lists(study, shown)
    relevant = (other if found.total > 0 else own).relevant(measure.relevant_from)
    lacking = {ranks.run_name: ranks.retrieved == 0 for ranks in (own, other)}
    return Missed(relevant.count(measure.cutoff) == 0, lacking, measure.cutoff)


def removed(study: Study, shown: Comparison) -> pd.DataFrame:
    """The queries that turn the sign if they go, those that carry most first: query_id, text, meta,
    difference, left (the mean difference of the others once it and those above are gone)."""
    own, found = gaps(study, shown), single(study, shown)
    order = found.order[: found.turning or 0]
    gone = np.cumsum(own[order])
    left = (found.total - gone) / np.maximum(found.queries - np.arange(1, len(order) + 1), 1)
    ids = np.array(study.scores(shown, shown.measure).query_ids, dtype=object)
    frame = pd.DataFrame({"query_id": ids[order], "difference": own[order], "left": left})
    return study.with_texts(frame)


def cutoffs(study: Study, shown: Comparison) -> ByCutoff | None:
    """The pair by cutoff; None of a measure without one."""
    return study.kept(_cutoffs, only_pair(shown))


def _cutoffs(study: Study, shown: Comparison) -> ByCutoff | None:
    measure = shown.measure
    if measure.declaration.cutoff is None or measure.declaration.needs:
        return None
    # The same whatever the cutoff is: a reader who tries several waits once.
    each = study.kept(_at_each, _whatever_is_chosen(shown), measure.at(1))
    lists = pair_lists(study, shown)
    found = crossings(*lists, measure, also=measure.cutoff or shown.cutoff, difference=each)
    means = dict(zip((shown.focus, shown.baseline), found.means, strict=True))
    gap = found.difference[found.cutoffs - 1]
    nothing = np.full(len(found.cutoffs), np.nan)
    parts = [
        pd.DataFrame(
            {
                "run": name,
                "k": found.cutoffs,
                "mean": means[name],
                "low": nothing,
                "high": nothing,
                "difference": gap if name == shown.focus else nothing,
                "diff_low": found.low if name == shown.focus else nothing,
                "diff_high": found.high if name == shown.focus else nothing,
            }
        )
        for name in (shown.focus, shown.baseline)
    ]
    return ByCutoff(found, pd.concat(parts, ignore_index=True))


def _at_each(study: Study, pair: Comparison, measure: Measure) -> Floats:
    return difference_at_each(*pair_lists(study, pair), measure)


def _several(shown: Comparison) -> tuple[Measure, ...]:
    return tuple(dict.fromkeys([shown.measure, *map(parse_measure, _MEASURES)]))


def measures(study: Study, shown: Comparison) -> other_measures.Agreement:
    """What other measures say of the pair, and of the order of all runs shown; the chosen one
    first, with its verdict."""
    several = _several(shown)
    # The same for every chosen measure that is among the usual ones.
    found = study.kept(_measures, _whatever_is_chosen(shown), tuple(sorted(several, key=str)))
    verdict = compared(study, shown, shown.measure).set_index("run").loc[shown.focus]
    return found.in_order([str(measure) for measure in several]).with_verdict(shown.name, verdict)


def _measures(
    study: Study, shown: Comparison, several: tuple[Measure, ...]
) -> other_measures.Agreement:
    scores = study.scores(shown, *several)
    return other_measures.agreement(scores, shown.focus, shown.baseline)


def seen_otherwise(study: Study, shown: Comparison) -> tuple[str, pd.DataFrame]:
    """The measure that names another winner on most queries than the chosen one, and the queries on
    which the two lie furthest apart: the frame of `disagreements` with text and meta."""
    return study.kept(_seen_otherwise, only_pair(shown))


def _seen_otherwise(study: Study, shown: Comparison) -> tuple[str, pd.DataFrame]:
    chosen, *others = _several(shown)
    scores = study.scores(shown, chosen, *others)
    frames = {
        str(other): other_measures.disagreements(scores, shown.focus, shown.baseline, chosen, other)
        for other in others
    }
    name = max(frames, key=lambda n: other_measures.opposed(frames[n], [chosen, n]))
    return name, study.with_texts(frames[name].head(10))


@dataclass(frozen=True)
class TieEffects:
    """What the order of equal scores could do: the lowest and highest difference, how many queries
    have any of all, and the ranges of both runs."""

    span: tuple[float, float]
    counts: tuple[int, int]
    exact: bool
    run: TieRange
    baseline: TieRange


def tied(study: Study, shown: Comparison) -> TieEffects | None:
    """What the order of equal scores could do; None where a run came as judged ranks, which hold no
    scores."""
    if study.nameless((shown.focus, shown.baseline)):
        return None
    return study.kept(_tied, only_pair(shown))


def _tied(study: Study, shown: Comparison) -> TieEffects:
    mask = study.in_view(shown)
    own, other = (
        study.kept(_tie_range, name, shown.measure).among(mask)
        for name in (shown.focus, shown.baseline)
    )
    return TieEffects(
        difference_range(own, other, shown.measure),
        (int((own.tied | other.tied).sum()), int(mask.sum())),
        own.exact and other.exact,
        own,
        other,
    )


def _tie_range(study: Study, name: str, measure: Measure) -> TieRange:
    return tie_range(study.runs[name], study.judged[name], measure)


def moved_by_ties(study: Study, shown: Comparison) -> pd.DataFrame | None:
    """The queries whose difference depends on the order of equal scores, most first: query_id,
    text, meta, difference, low, high. None where there are none, as of `tied`."""
    found = tied(study, shown)
    if found is None:
        return None
    scores = study.scores(shown, shown.measure)
    own, other = scores.only([shown.focus, shown.baseline]).of(shown.measure)
    frame = pd.DataFrame(
        {
            "query_id": np.array(scores.query_ids, dtype=object),
            "difference": own - other,
            "low": found.run.low - found.baseline.high,
            "high": found.run.high - found.baseline.low,
        }
    )
    width = frame["high"] - frame["low"]
    moved = frame.assign(width=width)[width > 1e-12].sort_values("width", ascending=False)
    return study.with_texts(moved.drop(columns="width"))


def covered(study: Study, shown: Comparison) -> QueryCoverage:
    """Which queries in view each of the two lacks."""
    return coverage(pair_lists(study, shown))


def on_shared(study: Study, shown: Comparison) -> float:
    """The difference over the queries that both list; NaN where there are none."""
    pair = (shown.focus, shown.baseline)
    scores = counting(study.scores(shown, shown.measure).only(pair), "shared")
    if not scores.n_queries:
        return float("nan")
    own, other = scores.combined()[:, 0]
    return float(own - other)


def lacking(study: Study, shown: Comparison) -> pd.DataFrame:
    """The queries in view that one of the two lacks: query_id, text, meta, run."""
    rows = [
        {"query_id": query_id, "run": run}
        for run, missing in covered(study, shown).lacking.items()
        for query_id in missing
    ]
    return study.with_texts(pd.DataFrame(rows, columns=["query_id", "run"]))

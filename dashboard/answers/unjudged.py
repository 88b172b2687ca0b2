"""How firm? What the documents that nobody judged could do to a difference, and which to judge."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.firm import only_pair, pair_lists
from dashboard.answers.judging_order import Pair, is_sample
from dashboard.study.keeping import at_most
from dashboard.study.study import Study
from metrics_core.base.arrays import Ints
from metrics_core.base.parallel import on_all_cores
from metrics_core.tables import Run
from metrics_core.unjudged.bounds import DifferenceBounds, difference_bounds
from metrics_core.unjudged.expected_difference import LikelyDifference, likely_difference
from metrics_core.unjudged.first_documents import (
    FirstDocuments,
    FirstOfBoth,
    first_documents,
    same_documents,
)
from metrics_core.unjudged.next_judgments import NextJudgments, judge_next
from metrics_core.unjudged.unjudged_ranks import UnjudgedRanks, judged_shares, unjudged_ranks

_DEPTHS = (1, 5, 10, 20, 50, 100, 1000)
_KEPT_DEPTHS = (5, 10, 20, 50, 100)
_USUAL, _FEW_ROWS = 20, 500_000
"""First documents that all usual cutoffs share, where they are so few."""


@dataclass(frozen=True)
class UnjudgedEffects:
    """What the unjudged documents of a pair could do: how far, how likely; `shares` of both lists
    that are judged, by k; `share` of the ranks that count that is not."""

    reached: DifferenceBounds
    likely: LikelyDifference
    shares: pd.DataFrame
    share: float
    depth: int


def unjudged(study: Study, shown: Comparison) -> UnjudgedEffects:
    """What the unjudged documents could do."""
    return study.kept(_unjudged, only_pair(shown))


def _unjudged(study: Study, shown: Comparison) -> UnjudgedEffects:
    own, other = pair_lists(study, shown)
    measure = shown.measure
    found = unjudged_of(study, shown, shown.measure.cutoff)
    listed = max(int(r.retrieved.max(initial=0)) for r in (own, other))
    depth = min(measure.cutoff or shown.cutoff, max(listed, 1))
    cutoffs = sorted({k for k in _DEPTHS if k <= listed} | {depth})
    at = [sum(int(r.documents(depth).sum()) for r in (own, other))]
    judged = sum(float(r.judged().count(depth).sum()) for r in (own, other))
    # Of very many queries both take long, and neither needs the other.
    with ThreadPoolExecutor(1) as beside:
        asked = partial(likely_difference, chosen=_graded_by_choice(study, shown))
        awaited = beside.submit(asked, own, other, measure, found)
        reached, likely = bounds(study, shown), awaited.result()
    return UnjudgedEffects(
        reached=reached,
        likely=likely,
        shares=judged_shares(own, other, cutoffs),
        share=1 - judged / at[0] if at[0] else float("nan"),
        depth=depth,
    )


def bounds(study: Study, shown: Comparison) -> DifferenceBounds:
    """How far the unjudged documents could move the difference."""
    return study.kept(_bounds, only_pair(shown))


def _bounds(study: Study, shown: Comparison) -> DifferenceBounds:
    found = unjudged_of(study, shown, shown.measure.cutoff)
    return difference_bounds(*pair_lists(study, shown), shown.measure, found)


def _graded_by_choice(study: Study, shown: Comparison) -> bool:
    """Whether layers judge documents of the pair that are no sample of those that the files do not:
    what usually stands first on the page To judge is what could move the difference most."""
    if not _graded_here(study, shown):
        return False
    files, here = (named_unjudged(s, shown, shown.measure.cutoff) for s in (study.bare, study))
    return files is None or here is None or not is_sample(set(files) - set(here), files)


def named_unjudged(study: Study, shown: Comparison, cutoff: int | None) -> list[Pair] | None:
    """The unjudged documents of the pair within a cutoff by their names; None where the lists are
    too long to compare them."""
    found = unjudged_of(study, shown, cutoff)
    if found.doc_ids is None:
        return None
    of = np.array(pair_lists(study, shown)[0].query_ids, dtype=object)[found.query]
    return list(zip(of.tolist(), found.doc_ids.to_pylist(), strict=True))


def _graded_here(study: Study, shown: Comparison) -> bool:
    """Whether layers judge documents of the pair that the files do not."""
    more = np.zeros(len(study.query_ids), dtype=np.bool_)
    for name in (shown.focus, shown.baseline):
        here, files = (
            s.judged[name].judged().count(shown.measure.cutoff) for s in (study, study.bare)
        )
        # Queries that only layers judge stand behind the others.
        more |= here > np.pad(files, (0, len(here) - len(files)))
    return bool(more[study.in_view(shown)].any())


def unjudged_of(study: Study, shown: Comparison, cutoff: int | None) -> UnjudgedRanks:
    """The unjudged documents of the pair within a cutoff, None for the whole lists; the same for
    all measures."""
    return study.kept(
        _unjudged_ranks,
        replace(shown.narrowing, focus=shown.focus, baseline=shown.baseline),
        cutoff,
    )


def how_many_unjudged(study: Study, shown: Comparison) -> int:
    """How many documents of the pair within the measure's cutoff lack a grade; 0 where they were
    not compared, and one in both lists would count twice."""
    found = unjudged_of(study, shown, shown.measure.cutoff)
    return len(found) if found.matched else 0


@at_most(2)
def _unjudged_ranks(study: Study, shown: Comparison, cutoff: int | None) -> UnjudgedRanks:
    return unjudged_ranks(*pair_lists(study, shown), cutoff, _first_of_both(study))


def _first_of_both(study: Study) -> Callable[[Run, Run, int], FirstOfBoth]:
    """The first documents of two runs, the same for every view that asks about so deep."""

    def found(run: Run, baseline: Run, depth: int) -> FirstOfBoth:
        reached = max(depth, min(_USUAL, _FEW_ROWS // max(len(run.query_ids), 1)))
        deep = next((k for k in _KEPT_DEPTHS if reached <= k), depth)
        # Of very many queries it takes long to open each.
        own, other = on_all_cores(lambda of: study.kept(_first, of.name, deep), (run, baseline))
        same = study.kept(_same, run.name, baseline.name, deep)
        return FirstOfBoth(own, other, same)

    return found


@at_most(5)
def _first(study: Study, name: str, depth: int) -> FirstDocuments:
    return first_documents(study.runs[name], depth)


def _same(study: Study, name: str, baseline: str, depth: int) -> Ints:
    run, other = study.runs[name], study.runs[baseline]
    own, theirs = (study.kept(_first, of, depth) for of in (name, baseline))
    return same_documents(run, own, other, theirs)


def next_to_judge(study: Study, shown: Comparison) -> NextJudgments:
    """Which documents to judge next."""
    return study.kept(_next_to_judge, only_pair(shown))


def next_known(study: Study, shown: Comparison) -> bool:
    """Whether that is at hand, or takes a while to work out."""
    return study.known(_next_to_judge, only_pair(shown))


def _next_to_judge(study: Study, shown: Comparison) -> NextJudgments:
    own, other = pair_lists(study, shown)
    reached = unjudged(study, shown).reached
    return judge_next(
        own, other, shown.measure, unjudged_of(study, shown, shown.measure.cutoff), reached
    )

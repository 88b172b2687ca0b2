"""Classify how queries fail: each query of a run, and each query of a pair of runs, has exactly one
kind.

No other module defines kinds. The kinds of one run are tested in the order of `KINDS`; the first
that applies is the kind of the query. "Relevant" is as defined by the measure. k is the cutoff of
the measure, or the number of first results if the measure has no cutoff."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metrics_core.base.arrays import Mask, Objects
from metrics_core.explaining.headroom import Headroom, has_headroom, headroom
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure, parse_measure

MIN_GOOD_SHARE = 2 / 3
"""The share of the ideal score from which a query is good."""
GOOD_SCORE = "at least two thirds of the ideal score"
GOOD = f"A query is good if its score is {GOOD_SCORE}."
MOSTLY = 0.5
"""If at least this share of the first results is unjudged, a low score is not meaningful."""

NOTHING_TO_FIND, NOT_IN_RUN, NOTHING_RETRIEVED = "no relevant exists", "no results", "empty list"
FINE, UNJUDGED_TOP = "good", "mostly unjudged results"
NOTHING_RELEVANT, BELOW, LOW = "no relevant retrieved", "relevant only below", "ranked too low"

FORMER_NAMES = {
    "nothing to find": NOTHING_TO_FIND,
    "not in the run": NOT_IN_RUN,
    "fine": FINE,
    "top filled with unjudged": UNJUDGED_TOP,
    "nothing relevant": NOTHING_RELEVANT,
    "relevant, but too low": LOW,
}
"""Former names of kinds, which saved links and filters may contain."""

KINDS: dict[str, str] = {
    NOTHING_TO_FIND: "No document is judged relevant to the query.",
    NOT_IN_RUN: "The run does not contain the query.",
    NOTHING_RETRIEVED: "The run contains the query, but no document for it.",
    FINE: f"The score is {GOOD_SCORE}.",
    UNJUDGED_TOP: "At least half of the first k results are unjudged, so the score is hardly"
    " informative.",
    NOTHING_RELEVANT: "No relevant document is in the list.",
    BELOW: "Relevant documents are in the list, but none is among the first k.",
    LOW: "Relevant documents are among the first k, but only a few or at low ranks.",
}
"""The kinds of a query in one run, in the order in which they are tested, with a description of
each."""

FIXED, BROKEN, BETTER, WORSE = "fixed", "broken", "better", "worse"
SAME, BOTH_FAIL = "same", "both failing"

CHANGES: dict[str, str] = {
    FIXED: "The query is good with the run but not with the baseline, and the run scores higher.",
    BROKEN: "The query is good with the baseline but not with the run, and the run scores lower.",
    BOTH_FAIL: "Neither run has a relevant document among the first k.",
    BETTER: "The run scores higher, and the query was neither fixed nor broken.",
    WORSE: "The run scores lower, and the query was neither fixed nor broken.",
    SAME: "The scores are equal within the tolerance, or one of them is undefined.",
}
"""The kinds of a query in a pair of runs, in the order in which they are tested, with a description
of each."""


def quality_measure(measure: Measure, cutoff: int) -> Measure:
    """Return the measure that determines whether a query is good.

    This is `measure` itself if a better order increases its score. Otherwise it is nDCG at this
    cutoff."""
    return measure if has_headroom(measure) else parse_measure(f"nDCG@{cutoff}")


def classify_queries(
    ranks: JudgedRanks,
    measure: Measure,
    cutoff: int,
    *,
    known_headroom: Headroom | None = None,
    judgments_complete: bool = False,
) -> Objects:
    """Return how each query of a run succeeds or fails: one of the names in `KINDS`, object[query].

    If the headroom of these ranks on this measure is already known, it can be passed as
    `known_headroom`. If `judgments_complete` is true, unjudged documents count as not relevant, and
    no query has the kind for mostly unjudged results."""
    measure = quality_measure(measure, cutoff)
    first = measure.cutoff or cutoff
    known_headroom = known_headroom or headroom(ranks, measure, first)
    relevant = ranks.relevant(measure.relevant_from)
    listed = ranks.documents(first)
    unjudged = listed - ranks.judged().count(first)
    empty = set(ranks.empty_queries)
    return _first_matching_kind(
        {
            NOTHING_TO_FIND: ranks.n_relevant(measure.relevant_from) == 0,
            NOTHING_RETRIEVED: np.array([q in empty for q in ranks.query_ids], dtype=np.bool_),
            NOT_IN_RUN: ranks.retrieved == 0,
            FINE: known_headroom.reached_share >= MIN_GOOD_SHARE,
            UNJUDGED_TOP: (listed > 0) & (unjudged >= MOSTLY * listed) & (not judgments_complete),
            NOTHING_RELEVANT: relevant.count() == 0,
            BELOW: relevant.count(first) == 0,
            LOW: np.ones(ranks.n_queries, dtype=np.bool_),
        }
    )


def classify_changes(
    run: JudgedRanks,
    baseline: JudgedRanks,
    measure: Measure,
    cutoff: int,
    *,
    tie_threshold: float,
    known_kinds: Sequence[Objects] | None = None,
) -> Objects:
    """Return how each query changes from the baseline to the run: one of the names in `CHANGES`,
    object[query].

    Scores that differ by at most `tie_threshold` are treated as equal. If the results of
    `classify_queries` for the two runs are already known, they can be passed as `known_kinds`."""
    quality = quality_measure(measure, cutoff)
    first = quality.cutoff or cutoff
    both_kinds = known_kinds or [
        classify_queries(ranks, quality, first) for ranks in (run, baseline)
    ]
    fine, was_fine = (run_kinds == FINE for run_kinds in both_kinds)
    gap = (measure.score(run) - measure.score(baseline)) * measure.declaration.direction
    none_relevant = np.logical_and.reduce(
        [ranks.relevant(quality.relevant_from).count(first) == 0 for ranks in (run, baseline)]
    )
    return _first_matching_kind(
        {
            FIXED: fine & ~was_fine & (gap > tie_threshold),
            BROKEN: was_fine & ~fine & (gap < -tie_threshold),
            BOTH_FAIL: none_relevant & (run.n_relevant(quality.relevant_from) > 0),
            BETTER: gap > tie_threshold,
            WORSE: gap < -tie_threshold,
            SAME: np.ones(run.n_queries, dtype=np.bool_),
        }
    )


def _first_matching_kind(rules: dict[str, Mask]) -> Objects:
    rule_index = np.select(list(rules.values()), list(range(len(rules))))
    return np.array(list(rules), dtype=object)[rule_index]

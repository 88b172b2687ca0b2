"""The lists of the Queries page: their keys in an address, and the queries that they contain.

Better, tied and worse are the outcomes; every page states their numbers. The kinds of
`explaining.query_kinds` give more detail: for example, a query that was fixed also got better. A
query can be in several lists, so each list is computed separately."""

from __future__ import annotations

import numpy as np

from dashboard.address.view import Comparison
from dashboard.answers.headroom import run_headroom
from dashboard.study.study import Study
from metrics_core.base.arrays import Mask, Objects
from metrics_core.base.parallel import map_on_all_cores
from metrics_core.comparing.pairs import BETTER, SAME, TIED, WORSE, classify_differences
from metrics_core.explaining import query_kinds
from metrics_core.measures import Measure
from metrics_core.scoring.scores import Scores

SHOW_ALL = "all"
OUTCOMES = (BETTER, TIED, WORSE)
CHANGES = {"fixed": query_kinds.FIXED, "broken": query_kinds.BROKEN, "both": query_kinds.BOTH_FAIL}
FAILURES = {
    "unjudged": query_kinds.UNJUDGED_TOP,
    "nothing": query_kinds.NOTHING_RELEVANT,
    "below": query_kinds.BELOW,
    "low": query_kinds.LOW,
    "fine": query_kinds.FINE,
    "lacking": query_kinds.NOT_IN_RUN,
    "empty": query_kinds.NOTHING_RETRIEVED,
    "no-relevant": query_kinds.NOTHING_TO_FIND,
}
"""Keys of the lists of queries on which the run in focus fails. Each list is for one kind of
failure."""
RULES = {
    **{key: query_kinds.CHANGES[kind] for key, kind in CHANGES.items()},
    **{key: query_kinds.KINDS[kind] for key, kind in FAILURES.items()},
    **{
        key: f"{query_kinds.CHANGES[CHANGES[key]]} {query_kinds.GOOD}"
        for key in ("fixed", "broken")
    },
    TIED: f"The two scores differ by at most {SAME:g}. Costs are the same only if they are equal.",
}
"""The criterion for membership in a list, for lists whose name does not explain it."""

ABOUT_RUNS = (SHOW_ALL, *OUTCOMES, *CHANGES, "none", "missing")
"""Lists about several runs: all queries, the outcomes, the changes, the queries on which every run
fails, and the queries that are missing from one of the compared runs."""
ABOUT_FOCUS = ("zero", *FAILURES)
"""Lists about the run in focus: queries with score zero, and queries with each kind of failure."""
SHOWS = (*ABOUT_RUNS, *ABOUT_FOCUS)
CHIPS = (SHOW_ALL, *OUTCOMES, "fixed", "broken")
CHIPS_OF_ONE = ("zero", "nothing", "low", "fine")
"""The lists that have a chip in the row of chips: `CHIPS` and, for a single run, also
`CHIPS_OF_ONE`. All other lists are under "more"."""

_OF_A_PAIR = (*OUTCOMES, *CHANGES)
_OF_SEVERAL = ("none", "missing")


def query_failures(study: Study, comparison: Comparison) -> Objects:
    """Return the kind of failure of the run in focus for each query in view, object[query]."""
    return run_failures(study, comparison.focus, comparison.measure, comparison.cutoff)[
        study.view_mask(comparison)
    ]


def run_failures(study: Study, run: str, measure: Measure, cutoff: int) -> Objects:
    """Return the kind of failure of a run for each judged query, object[query]. All values are ""
    if the scores on the measure were given in files, not computed here."""
    if not study.is_computed(measure):
        return np.full(len(study.query_ids), "", dtype=object)
    return study.cached_answer(_classify_failures, run, measure, cutoff)


def query_changes(study: Study, comparison: Comparison) -> Objects:
    """Return the kind of change between the compared runs for each query in view, object[query].
    All values are "" if the scores of the measure come from another tool."""
    if not study.is_computed(comparison.measure):
        return query_failures(study, comparison)
    run_changes = study.cached_answer(
        _classify_changes,
        comparison.focus,
        comparison.baseline,
        comparison.measure,
        comparison.cutoff,
    )
    return run_changes[study.view_mask(comparison)]


def query_masks(study: Study, comparison: Comparison, scores: Scores) -> dict[str, Mask]:
    """Return a mask bool[query] for each list of queries, keyed by the key of the list. The mask
    says which queries in view the list contains. `scores` are the scores of the shown runs."""
    run_scores = scores.values_of(comparison.measure)
    focus = run_scores[comparison.runs.index(comparison.focus)]
    baseline = run_scores[comparison.runs.index(comparison.baseline)]
    # Without a declared direction, "better" means higher.
    outcome = classify_differences(
        (focus - baseline) * (comparison.measure.declaration.direction or 1), comparison.measure
    )
    change, failure = query_changes(study, comparison), query_failures(study, comparison)
    return {
        SHOW_ALL: np.ones(run_scores.shape[1], dtype=np.bool_),
        **{name: np.asarray(outcome == name) for name in OUTCOMES},
        **{key: np.asarray(change == kind) for key, kind in CHANGES.items()},
        "none": (run_scores == 0).all(axis=0),
        "missing": scores.select_runs(comparison.pair).missing.any(axis=0),
        "zero": focus == 0,
        **{key: np.asarray(failure == kind) for key, kind in FAILURES.items()},
    }


def offered_lists(masks: dict[str, Mask], comparison: Comparison, list_key: str) -> list[str]:
    """Return the lists that have a chip: the outcomes (the lists of better, worse and tied
    queries), other lists that are not empty, and the shown list. Without a comparison there are no
    outcomes or changes. `masks` is the result of `query_masks`."""
    keys = []
    for key in filter(masks.__contains__, SHOWS):
        about_a_pair = key in _OF_A_PAIR
        is_offered = masks[key].any() and not (about_a_pair and comparison.is_single_run)
        if key == "both" and np.array_equal(masks["both"], masks["none"]):
            # With two runs "both fail" and "every run fails" are the same list.
            is_offered = False
        if key in _OF_SEVERAL and len(comparison.runs) == 1:
            # For a single run the lists about the run in focus say the same.
            is_offered = False
        if (
            is_offered
            or key in (SHOW_ALL, list_key)
            or (key in OUTCOMES and not comparison.is_single_run)
        ):
            keys.append(key)
    return keys


def _classify_failures(study: Study, run: str, measure: Measure, cutoff: int) -> Objects:
    headroom = run_headroom(study, run, query_kinds.quality_measure(measure, cutoff), cutoff)
    complete = study.settings.complete
    return query_kinds.classify_queries(
        study.judged[run], measure, cutoff, known_headroom=headroom, judgments_complete=complete
    )


def _classify_changes(
    study: Study, run: str, baseline: str, measure: Measure, cutoff: int
) -> Objects:
    ranks = study.judged[run], study.judged[baseline]
    both = (run, baseline)
    run_kinds = map_on_all_cores(lambda name: run_failures(study, name, measure, cutoff), both)
    return query_kinds.classify_changes(
        *ranks, measure, cutoff, tie_threshold=SAME, known_kinds=run_kinds
    )

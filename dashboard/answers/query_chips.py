"""The lists of the Queries page: what each is called in an address, and which queries it holds.

Better, worse and same are the outcomes that every page counts. The kinds of `explaining.kinds` say
more of them: a query that was fixed got better as well. Each list is asked by itself.
"""

from __future__ import annotations

import numpy as np

from dashboard.address.view import Comparison
from dashboard.answers.headroom import whole_room
from dashboard.study.study import Study
from metrics_core.base.arrays import Mask, Objects
from metrics_core.base.parallel import on_all_cores
from metrics_core.comparing.pairs import BETTER, LEVEL_WITH, SAME, WORSE, outcomes
from metrics_core.explaining import kinds
from metrics_core.measures import Measure
from metrics_core.scoring.scores import Scores

SHOW_ALL = "all"
OUTCOMES = (BETTER, WORSE, LEVEL_WITH)
CHANGES = {"fixed": kinds.FIXED, "broken": kinds.BROKEN, "both": kinds.BOTH_FAIL}
FAILURES = {
    "unjudged": kinds.UNJUDGED_TOP,
    "nothing": kinds.NOTHING_RELEVANT,
    "below": kinds.BELOW,
    "low": kinds.LOW,
    "fine": kinds.FINE,
    "lacking": kinds.NOT_IN_RUN,
    "empty": kinds.NOTHING_RETRIEVED,
    "no-relevant": kinds.NOTHING_TO_FIND,
}
"""Keys of the lists that hold one kind of the run in focus, and the kind."""
RULES = {
    **{key: kinds.CHANGES[kind] for key, kind in CHANGES.items()},
    **{key: kinds.KINDS[kind] for key, kind in FAILURES.items()},
    **{key: f"{kinds.CHANGES[CHANGES[key]]} {kinds.GOOD}" for key in ("fixed", "broken")},
}
"""By which rule a list holds a query, where its name alone does not say it."""

BETWEEN = (SHOW_ALL, *OUTCOMES, *CHANGES, "none", "missing")
"""Lists about the runs together: every query, the outcomes, the changes, every run fails, one of
the compared runs lacks it."""
OF_ONE = ("zero", *FAILURES)
"""Lists about the run in focus: its score is zero, each kind of failure."""
SHOWS = (*BETWEEN, *OF_ONE)
FIRST = (SHOW_ALL, "fixed", "broken", *OUTCOMES, "none")
FIRST_OF_ONE = ("zero", "nothing", "low", "fine")
"""Those of them that stand in the row of chips, the latter where nothing is compared; the others
follow under "more"."""

_OF_A_PAIR = (*OUTCOMES, *CHANGES)
_OF_SEVERAL = ("none", "missing")


def failures(study: Study, shown: Comparison) -> Objects:
    """The kind of each query in view with the run in focus; object[Q]."""
    return whole_failures(study, shown.focus, shown.measure, shown.cutoff)[study.in_view(shown)]


def whole_failures(study: Study, run: str, measure: Measure, cutoff: int) -> Objects:
    """The kind of each judged query with a run; object[Q]."""
    return study.kept(_failures, run, measure, cutoff)


def changes(study: Study, shown: Comparison) -> Objects:
    """The kind of each query in view between the two runs; object[Q]."""
    found = study.kept(_changes, shown.focus, shown.baseline, shown.measure, shown.cutoff)
    return found[study.in_view(shown)]


def lists(study: Study, shown: Comparison, scores: Scores) -> dict[str, Mask]:
    """Which of the queries in view are in each list, by its key; bool[Q] each. `scores` are those
    of the shown runs."""
    own = scores.of(shown.measure)
    focus, baseline = own[shown.runs.index(shown.focus)], own[shown.runs.index(shown.baseline)]
    outcome = outcomes((focus - baseline) * shown.measure.declaration.direction)
    change, failure = changes(study, shown), failures(study, shown)
    return {
        SHOW_ALL: np.ones(own.shape[1], dtype=np.bool_),
        **{name: np.asarray(outcome == name) for name in OUTCOMES},
        **{key: np.asarray(change == kind) for key, kind in CHANGES.items()},
        "none": (own == 0).all(axis=0),
        "missing": scores.only([shown.focus, shown.baseline]).missing.any(axis=0),
        "zero": focus == 0,
        **{key: np.asarray(failure == kind) for key, kind in FAILURES.items()},
    }


def offered(masks: dict[str, Mask], shown: Comparison, show: str) -> list[str]:
    """The lists that have a chip: the outcomes, others only where a query is in them, and the one
    that is shown. Where nothing is compared, nothing got better or worse."""
    kept = []
    for key in SHOWS:
        about_a_pair = key in _OF_A_PAIR
        told = masks[key].any() and not (about_a_pair and shown.alone)
        if key == "both" and np.array_equal(masks["both"], masks["none"]):
            # Two runs of which both fail: one of the two names is enough.
            told = False
        if key in _OF_SEVERAL and len(shown.runs) == 1:
            # Of one run the lists of its own say the same.
            told = False
        if told or key in (SHOW_ALL, show) or (key in OUTCOMES and not shown.alone):
            kept.append(key)
    return kept


def _failures(study: Study, run: str, measure: Measure, cutoff: int) -> Objects:
    room = whole_room(study, run, kinds.judged_by(measure, cutoff), cutoff)
    complete = study.settings.complete
    return kinds.kinds(study.judged[run], measure, cutoff, room=room, complete=complete)


def _changes(study: Study, run: str, baseline: str, measure: Measure, cutoff: int) -> Objects:
    ranks = study.judged[run], study.judged[baseline]
    both = (run, baseline)
    told = on_all_cores(lambda name: whole_failures(study, name, measure, cutoff), both)
    return kinds.changes(*ranks, measure, cutoff, same=SAME, told=told)

"""How firm is the verdict? The strip: a word and a reason for each way in which it could turn."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from dashboard.address.view import Comparison
from dashboard.answers import firm
from dashboard.answers.unjudged import unjudged
from dashboard.study.study import Study
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings import ways_to_turn as ways
from metrics_core.findings.firmness import Firmness, firmness_of


def firmness(study: Study, shown: Comparison) -> Firmness:
    """The strip: each way in which the verdict could turn."""
    return study.kept(_firmness, shown)


def firmness_known(study: Study, shown: Comparison) -> bool:
    """Whether the strip is at hand, or takes a while to work out."""
    return study.known(_firmness, shown)


def _firmness(study: Study, shown: Comparison) -> Firmness:
    if shown.alone:
        return Firmness()
    queries = firm.gaps(study, shown)
    known = int((~np.isnan(queries)).sum())
    if known < FEWEST_QUERIES:
        return firmness_of(firm.pair_of(study, shown), [], known)
    # What the unjudged documents could do takes as long as all the rest: side by side.
    with ThreadPoolExecutor(1) as beside:
        awaited = beside.submit(unjudged, study, shown)
        pair = firm.pair_of(study, shown)
        by_cutoff, measures = firm.cutoffs(study, shown), firm.measures(study, shown)
        span, found = firm.tied(study, shown), firm.single(study, shown)
        open_ = awaited.result()
    lists = firm.pair_lists(study, shown)
    lengths = {r.run_name: firm.typical_length(r) for r in lists}
    lacking = firm.covered(study, shown)
    return firmness_of(
        pair,
        [
            ways.unjudged(open_.reached, open_.likely, open_.share, open_.depth),
            ways.single_queries(found, pair, queries, firm.missed(study, shown, found)),
            ways.cutoff(
                by_cutoff.found if by_cutoff else None, pair, shown.measure.cutoff, lengths
            ),
            ways.other_measures(measures, pair, len(shown.runs)),
            ways.ties(span.span, open_.reached.difference, span.counts, span.exact)
            if span
            else ways.ties_unknown(study.nameless((shown.focus, shown.baseline))),
            ways.lacking_queries(
                {run: len(q) for run, q in lacking.lacking.items()},
                open_.reached.difference,
                firm.on_shared(study, shown),
                lacking.shared,
            ),
        ],
        known,
    )

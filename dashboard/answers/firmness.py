"""How firm is the verdict? The strip: a word and a reason for each way in which it could turn."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from dashboard.address.view import Comparison
from dashboard.answers import firm
from dashboard.answers.compared import compared_each, sample_size
from dashboard.answers.overview import overview_measures
from dashboard.answers.unjudged import unjudged
from dashboard.study.study import Study
from metrics_core.comparing.verdicts import CLEAR, FEWEST_QUERIES, NO_MATTER
from metrics_core.findings import file_risks, open_verdicts
from metrics_core.findings import margin_risks as matter
from metrics_core.findings import verdict_risks as ways
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
    lengths = {r.run_name: firm.typical_length(r) for r in firm.pair_lists(study, shown)}
    cutoffs = by_cutoff.found if by_cutoff else None
    covered, on_shared = firm.covered(study, shown), firm.on_shared(study, shown)
    lacking = {run: len(query_ids) for run, query_ids in covered.lacking.items()}
    now = open_.reached.difference
    judged = study.settings.complete
    by_judges = (
        None if judged else ways.unjudged(open_.reached, open_.likely, open_.share, open_.depth)
    )
    by_ties = (
        file_risks.ties(span.span, now, span.counts, span.exact)
        if span
        else file_risks.ties_unknown(study.nameless((shown.focus, shown.baseline)))
    )
    by_lacking = file_risks.lacking_queries(lacking, now, on_shared, covered.shared)
    margin = shown.method.margin
    if pair.verdict == NO_MATTER and margin is not None:
        entries = [
            by_judges and matter.unjudged(by_judges, open_.reached, open_.likely, margin),
            matter.single_queries(queries, margin),
            matter.cutoff(cutoffs, pair, margin),
            matter.other_measures(measures, pair),
            matter.within(by_ties, span.span, margin, exact=span.exact) if span else by_ties,
            matter.within(by_lacking, (on_shared, on_shared), margin),
        ]
    else:
        entries = [
            by_judges,
            ways.single_queries(found, pair, queries, firm.missed(study, shown, found)),
            ways.cutoff(cutoffs, pair, shown.measure.cutoff, lengths),
            ways.other_measures(measures, pair, len(shown.runs)),
            by_ties,
            by_lacking,
        ]
    found_ways = firmness_of(pair, entries, known)
    if pair.verdict in CLEAR or pair.verdict == NO_MATTER:
        return found_ways
    size = sample_size(study, shown)
    settling = [
        open_verdicts.sample_size(size.difference, size.needed),
        open_verdicts.detectable(size.smallest),
        None if judged else open_verdicts.unjudged(open_.share, open_.depth),
        open_verdicts.cutoff(cutoffs, shown.measure.cutoff),
        open_verdicts.other_measures(_in_table(study, shown), pair),
        open_verdicts.ties(by_ties),
        open_verdicts.lacking_queries(by_lacking),
    ]
    return replace(found_ways, settling=tuple(filter(None, settling)))


def _in_table(study: Study, shown: Comparison) -> dict[str, str]:
    """The verdict on the run in focus on each measure of the Overview's table."""
    measures = overview_measures(shown)
    frames = compared_each(study, shown, measures)
    return {
        str(measure): str(frame.set_index("run").loc[shown.focus, "verdict"])
        for measure, frame in zip(measures, frames, strict=True)
    }

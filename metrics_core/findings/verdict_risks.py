"""Checks of how robust a lead is; see `findings.robustness.build_robustness`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.base.arrays import Floats, Mask
from metrics_core.comparing.agreement import Agreement
from metrics_core.comparing.crossings import Crossings
from metrics_core.comparing.fragility import Fragility, share_of_mean_difference
from metrics_core.comparing.verdicts import AHEAD, BEHIND, FEWEST_DIFFERING
from metrics_core.comparing.winners import better_run_sign
from metrics_core.findings.phrases import (
    NO_OTHER_MEASURE,
    NOT_CLEAR_AT_ANY_K,
    NOT_SIGNIFICANT,
    RUNS_ARE_TIED,
    _format_span,
    band_note,
    format_cutoffs,
    short_lists_note,
)
from metrics_core.findings.robustness import ComparedPair, RobustnessCheck, Tone
from metrics_core.unjudged.bounds import DifferenceBounds
from metrics_core.unjudged.expected_difference import EstimatedDifference

_BROAD, _FEW = (0.1, FEWEST_DIFFERING), (0.05, FEWEST_DIFFERING // 2)
"""Thresholds for the queries that must be removed until the sign changes: a share of the queries,
and a number of queries. If share and number are both at least `_BROAD`, the check holds; if either
is below `_FEW`, it fails. With the share alone, a lead that rests on one query of ten would hold.
The number in `_BROAD` is the minimum number of differing queries for any verdict."""

_MAX_LARGEST = 5
_MIN_SHARE = 0.1


def unjudged_check(
    bounds: DifferenceBounds, estimate: EstimatedDifference, unjudged_share: float, depth: int
) -> RobustnessCheck:
    """Check whether unjudged documents could reverse the lead, or separate two tied runs.
    `unjudged_share` is the unjudged share of the top `depth` of both runs, from 0 to 1."""
    top, share = f"top {w.format_count(depth)}", w.format_share(unjudged_share)
    side = better_run_sign(bounds.difference)
    if unjudged_share == 0 and bounds.lowest == bounds.highest:
        reason = f"Every document in both runs’ {top} is judged."
        return RobustnessCheck(
            "unjudged", "Unjudged documents", cannot_reverse_text(side), "firm", reason
        )
    effect_text = bounds.reason or _describe_likely_difference(
        estimate, _worst_case_sentence(bounds, side)
    )
    can_part = side == 0 and any(map(better_run_sign, (bounds.lowest, bounds.highest)))
    tone: Tone = ""
    if bounds.reason:
        word = w.DASH
    elif not (can_part or bounds.can_reverse):
        word, tone = cannot_reverse_text(side), "firm"
    elif side == 0:
        word = could_reverse_text(side)
    elif estimate.interval is None:
        word = "unknown"
    elif estimate.interval.low > 0 if side > 0 else estimate.interval.high < 0:
        word = "unlikely to reverse it"
    else:
        word, tone = "could reverse it", "not firm"
    answer = "effect unknown" if word in (w.DASH, "unknown") else word
    brief = f"{share} of {top} results; {answer}"
    range_text = effect_text if estimate.interval and not bounds.reason else ""
    reason = f"{share} of the {top} results of the two runs are unjudged. {effect_text}"
    return RobustnessCheck("unjudged", "Unjudged documents", word, tone, reason, brief, range_text)


def _describe_likely_difference(estimate: EstimatedDifference, farthest: str) -> str:
    """State where the difference is likely to lie, or why this is unknown, followed by the worst
    case. `farthest` is the text on the worst case."""
    if estimate.interval is None:
        return f"{estimate.reason} {farthest}"
    low, high = float(estimate.interval.low), float(estimate.interval.high)
    digits = w.interval_decimals(low, high)
    ends = [
        w.format_difference(end, digits) if better_run_sign(end) else w.format_difference(0)
        for end in (low, high)
    ]
    return (
        f"With them judged, the difference is likely to be between {ends[0]} and {ends[1]}."
        f" {farthest}"
    )


def could_reverse_text(side: int) -> str:
    """Return "could reverse it" (the lead) or, if `side` is 0, "could separate them" (the tied
    runs)."""
    return "could reverse it" if side else "could separate them"


def cannot_reverse_text(side: int) -> str:
    """Return "cannot reverse it" (the lead) or, if `side` is 0, "cannot separate them" (the tied
    runs)."""
    return "cannot reverse it" if side else "cannot separate them"


def _worst_case_sentence(bounds: DifferenceBounds, side: int) -> str:
    """State how far the difference could move against the leader. If the runs are tied, state how
    far it could move in either direction."""
    if side == 0 and bounds.lowest == bounds.highest:
        return "Whatever grades the unjudged documents get, the runs stay tied."
    if side == 0:
        ends = f"{w.format_difference(bounds.lowest)} and {w.format_difference(bounds.highest)}"
        limit = "stays" if not bounds.exact else "ranges"
        return f"Whatever grades the unjudged documents get, the difference {limit} between {ends}."
    worst = w.format_difference(bounds.lowest if side > 0 else bounds.highest)
    limit = "" if bounds.exact else f"not {'below' if side > 0 else 'above'} "
    return f"Worst case: {limit}{worst}."


@dataclass(frozen=True)
class MissedQueries:
    """Queries on which runs found nothing relevant. `without_relevant` bool[query] is true if the
    trailing run has no relevant document in its top `depth` or, if `depth` is None, in its whole
    list. `missing` maps each run to bool[query]: true if the run has no results for the query."""

    without_relevant: Mask
    missing: Mapping[str, Mask]
    depth: int | None = None


def single_queries_check(
    fragility: Fragility,
    pair: ComparedPair,
    differences: Floats,
    missed: MissedQueries | None = None,
) -> RobustnessCheck:
    """Check whether the lead is due to a few queries. `differences` is float64[query], NaN if
    undefined. If `missed` is None, the text does not mention queries on which a run has no results
    or no relevant document."""
    title, turning, queries = "Single queries", fragility.turning, fragility.queries
    if fragility.total == 0:
        reason = f"{RUNS_ARE_TIED} direction to reverse."
        return RobustnessCheck("queries", title, w.DASH, "", reason)
    n_supporting = int((differences * np.sign(fragility.total) > 0).sum())
    only, tone = classify_query_dependence(turning or n_supporting, queries)
    if turning is None:
        reason = "No query contradicts the lead."
        verb = w.plural(n_supporting, "supports", "support")
        word = f"{only}{n_supporting:,} of {queries:,} queries {verb} it"
        if n_supporting == queries:
            word, tone = "every query supports it", "firm"
    else:
        n_best = fragility.holding if tone == "firm" else turning
        best = "best query" if n_best == 1 else f"{n_best:,} best queries"
        word = f"removing {only}the {best} reverses it"
        if tone == "firm":
            noun = w.plural(n_best, "query is", "queries are")
            word = f"ahead even if any {n_best:,} {noun} removed"
        reason = _describe_misses(pair, differences, missed) or _describe_main_queries(
            fragility, differences, n_supporting, missed
        )
    return RobustnessCheck("queries", title, word, tone, reason, word)


def classify_query_dependence(n_reversing: int, n_queries: int) -> tuple[str, Tone]:
    """Classify a result by the number of queries that it depends on: removing `n_reversing` of the
    `n_queries` would reverse it.

    Returns two values. The first is "only " if these queries are few, otherwise "". The second is
    the colouring of the answer as good or bad."""
    share = n_reversing / n_queries
    if share >= _BROAD[0] and n_reversing >= _BROAD[1]:
        return "", "firm"
    is_some = share >= _FEW[0] and n_reversing >= _FEW[1]
    return "only ", "" if is_some else "not firm"


def _describe_misses(pair: ComparedPair, differences: Floats, missed: MissedQueries | None) -> str:
    """State the share of the difference that comes from queries on which the trailing run found
    nothing. The text is empty if this share is small."""
    if missed is None:
        return ""
    mask = missed.without_relevant & (differences != 0) & ~np.isnan(differences)
    part, n = share_of_mean_difference(differences, mask), int(mask.sum())
    leader, trailing_run = pair.leader(pair.side), pair.leader(-pair.side)
    if not part >= _MIN_SHARE:
        return ""
    top = f"the top {w.format_count(missed.depth)}" if missed.depth else "the list"
    queries_text = f"for which only {leader} has a relevant result in {top}"
    n_missing = int(missed.missing[trailing_run][mask].sum())
    if n_missing == n:
        queries_text = f"for which {trailing_run} has no results"
    elif n_missing:
        queries_text += (
            f", including {w.number_word(n_missing)} without results from {trailing_run},"
        )
    return _format_share(
        f"The {w.number_word(n)} {w.plural(n, 'query', 'queries')} {queries_text}", n, part
    )


def _describe_main_queries(
    fragility: Fragility, differences: Floats, n_supporting: int, missed: MissedQueries | None
) -> str:
    """State the share of the difference that is due to the largest `n_supporting` contributions."""
    n = min(_MAX_LARGEST, n_supporting)
    largest = fragility.order[:n]
    part = share_of_mean_difference(differences, np.isin(np.arange(len(differences)), largest))
    missing = missed.missing if missed else {}
    unlisted = [
        f" (no results from {name})"
        for name, is_missing in missing.items()
        if is_missing[largest].all()
    ]
    subject = (
        f"The {w.number_word(n)} {w.plural(n, 'query that contributes', 'queries that contribute')}"
        " most"
    )
    return _format_share(f"{subject}{''.join(unlisted[:1])}", n, part)


def _format_share(subject: str, n: int, part: float) -> str:
    verb = w.plural(n, "accounts for", "account for")
    if part < 1:
        return f"{subject} {verb} {w.format_share(part)} of the difference."
    return f"{subject} {verb} all of the difference; the other queries together add nothing."


def cutoff_check(
    crossings: Crossings | None,
    pair: ComparedPair,
    chosen_cutoff: int | None,
    lengths: Mapping[str, int],
) -> RobustnessCheck:
    """Check whether the lead depends on the cutoff. If `chosen_cutoff` is None, the measure uses
    the whole list. `lengths` is the typical list length by run."""

    def make_cutoff_check(word: str, tone: Tone, reason: str) -> RobustnessCheck:
        return RobustnessCheck("cutoff", "Cutoff", word, tone, reason, word)

    if crossings is None:
        return no_cutoff_check(pair)
    short = list(filter(None, [short_lists_note(lengths)]))
    if pair.side == 0:
        return make_cutoff_check(*_describe_tied_cutoffs(crossings, pair, short))
    reason = " ".join([*_describe_lead_changes(crossings, pair), *short])
    opposing_spans = crossings.significant_ranges(-pair.side)
    if opposing_spans:
        ahead = (
            f"{pair.leader(-pair.side)} is significantly ahead"
            f" {format_cutoffs(crossings, opposing_spans)}."
        )
        return make_cutoff_check("reverses with k", "not firm", f"{ahead} {reason}")
    spans = crossings.significant_ranges(pair.side)
    k = min(chosen_cutoff or crossings.depth, crossings.depth)
    if not spans:
        chance = "The difference is not significant at any k."
        if pair.is_significant:
            alone_text = f"Tested alone, k = {w.format_count(k)} is significant"
            chance = f"{alone_text}, but no k is significant when all k are tested."
        return make_cutoff_check(NOT_CLEAR_AT_ANY_K, "", f"{chance} {reason}".strip())
    last = spans[-1]
    is_inside = any(low <= k <= high for low, high in spans)
    if pair.is_significant != is_inside:
        family = band_note(k, "these ranges are corrected", is_significant=pair.is_significant)
        reason = f"{reason} {family}".strip()
    if last[1] == crossings.depth and len(spans) == 1:
        word = "significant at every k" if last[0] == 1 else f"significant from k = {last[0]}"
        return make_cutoff_check(word, "firm", reason or "The lead is significant at every cutoff.")
    return make_cutoff_check(
        f"significant at {w.join_words(map(_format_span, spans[:2]))}"
        if len(spans) < 3
        else "significant at some cutoffs",
        "firm" if is_inside and len(spans) < 3 else "",
        f"Elsewhere {NOT_SIGNIFICANT} {reason}".strip(),
    )


def no_cutoff_check(pair: ComparedPair) -> RobustnessCheck:
    """Return the check on the cutoff for a measure that has no cutoff."""
    reason = f"{pair.measure} scores whole lists and has no cutoff."
    return RobustnessCheck("cutoff", "Cutoff", "none", "", reason)


def _describe_tied_cutoffs(
    crossings: Crossings, pair: ComparedPair, short: list[str]
) -> tuple[str, Tone, str]:
    """Return the short answer, the tone (colouring as good or bad) and the reason of the cutoff
    check, for runs that are tied at the chosen cutoff. The reason states at which other cutoffs a
    run leads. `short` are sentences on short lists, which are added at the end."""
    tied = crossings.lead_ranges(0)
    if tied == [(1, crossings.depth)]:
        return "tied at every k", "firm", "The runs are tied at every cutoff."
    sentences = []
    for side in (1, -1):
        clear = crossings.significant_ranges(side)
        leads = crossings.lead_ranges(side)
        if clear:
            sentences.append(
                f"{pair.leader(side)} is significantly ahead {format_cutoffs(crossings, clear)}."
            )
        elif leads:
            sentences.append(
                f"{pair.leader(side)} leads {format_cutoffs(crossings, leads[:_FEW_SPANS])}"
                f"{' and at other k' if len(leads) > _FEW_SPANS else ''}, not significantly."
            )
    spans = w.join_words(map(_format_span, tied))
    word = f"tied at {spans}" if 0 < len(tied) <= _FEW_SPANS else "tied at some cutoffs"
    return word, "", " ".join([*sentences, *short])


_FEW_SPANS = 2


def _describe_lead_changes(crossings: Crossings, pair: ComparedPair) -> list[str]:
    """Describe the first cutoffs at which the run that the verdict calls better does not lead. If
    it leads at all cutoffs, name the lowest cutoffs at which it does not lead significantly. The
    list is empty if there are no such cutoffs."""
    side = pair.side
    other_positions = np.flatnonzero(crossings.side != side)
    if not len(other_positions):
        clear = crossings.significant_ranges(side)
        if clear and clear[0][0] > 1:
            cutoffs_below = _format_span((1, clear[0][0] - 1))
            return [
                f"{pair.leader(side)} leads at every k, but not significantly at {cutoffs_below}."
            ]
        return []
    first = int(other_positions[0])
    last = first
    while last + 1 < crossings.depth and crossings.side[last + 1] == crossings.side[first]:
        last += 1
    cutoffs_text = _format_span((first + 1, last + 1))
    statement = "the runs are tied" if crossings.side[first] == 0 else f"{pair.leader(-side)} leads"
    n_more = len(other_positions) - (last - first + 1)
    rest_text = (
        f", and {pair.leader(side)} does not lead at {w.format_count(n_more)} other k either"
        if n_more
        else ""
    )
    return [f"At {cutoffs_text} {statement}{rest_text}."]


def other_measures_check(agreement: Agreement, pair: ComparedPair, n_runs: int) -> RobustnessCheck:
    """Check whether other measures agree. `n_runs` is the number of runs in the ranking."""
    table = agreement.rows_with_difference.set_index("measure")
    others = set(table.index) - {pair.measure}
    agreeing = others.intersection(agreement.agreeing_measures(pair.measure))
    sentences = []
    if pair.side:
        tied = [m for m in table.index if table.loc[m, "side"] == 0]
        sentences += [f"Tied on {w.shorten_list(tied)}."] if tied else []
        sentences.append(
            describe_lead(table, pair, -pair.side)
            or f"{pair.leader(pair.side)} leads on all other measures."
        )
    else:
        sentences += filter(None, (describe_lead(table, pair, side) for side in (1, -1)))
        sentences = sentences or ["No run leads on any measure."]
    if n_runs > 2:
        n_same = len(others.intersection(agreement.measures_that_rank_runs_alike(pair.measure)))
        sentences.append(
            f"On {w.format_count(n_same)} of {w.format_count(len(others))}, all"
            f" {w.number_word(n_runs)} runs are in the same order as on {pair.measure}."
        )
    if not others:
        reason = NO_OTHER_MEASURE
        return RobustnessCheck("measures", "Other measures", w.DASH, "", reason)
    verbs, with_ = (
        (("agrees", "agree"), "with") if pair.side else (("is tied", "are tied"), "as on")
    )
    word = f"{len(agreeing)} of {len(others)} {w.plural(len(agreeing), *verbs)}"
    tone: Tone = "firm" if agreeing == others else "not firm"
    title = f"{word} {with_} {pair.measure}"
    return RobustnessCheck("measures", "Other measures", word, tone, " ".join(sentences), title)


def describe_lead(table: pd.DataFrame, pair: ComparedPair, side: int) -> str:
    """State on which measures one run of the pair leads: the run if `side` is 1, the baseline if it
    is -1. If this run leads significantly on some measures, only these are named. If it leads on no
    measure, the text is empty. `table` is `Agreement.table` indexed by measure."""
    ahead = [m for m in table.index if table.loc[m, "side"] == side]
    words = AHEAD if side > 0 else BEHIND
    clearly = [m for m in ahead if table.loc[m, "verdict"] in words]
    if clearly:
        return f"{pair.leader(side)} is significantly ahead on {w.shorten_list(clearly)}."
    text = f"{pair.leader(side)} leads on {w.shorten_list(ahead)}, but not significantly."
    return text if ahead else ""

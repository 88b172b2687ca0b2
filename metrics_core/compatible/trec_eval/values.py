"""Compute the scores of measures on judged ranks (the ranks of judged documents), equal to
trec_eval's scores. There is one column of values per output line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from metrics_core.base.arrays import Floats
from metrics_core.compatible.trec_eval.c_program import CALCULATION, ProgramExit
from metrics_core.compatible.trec_eval.gains import (
    dcg,
    ideal_gains,
    parse_gains,
    parse_persistence,
    rank_biased_precision,
    rank_biased_residual,
    retrieved_gains,
    scores_by_query,
)
from metrics_core.compatible.trec_eval.options import RequestedMeasure, TrecEvalOptions
from metrics_core.judging import JudgedRanks
from metrics_core.measures.declaring.aggregation import LEAST_SCORE
from metrics_core.measures.declaring.names import find_declaration


def compute_values(
    requested: RequestedMeasure, ranks: JudgedRanks, options: TrecEvalOptions
) -> Floats:
    """Return the scores of a requested measure, float64[query, line]. There is one line for each of
    the measure's names."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        special = _SPECIAL.get(requested.row.name)
        values = (
            special(requested, ranks, options)
            if special
            else _score_declared_measure(requested, ranks, options)
        )
    return values.reshape(ranks.n_queries, len(requested.names))


def score_declared(
    name: str, ranks: JudgedRanks, options: TrecEvalOptions, **values: Any
) -> Floats:
    """Return the scores of a declared measure, float64[query] (or [query, cutoff]). Undefined
    scores become 0, as in trec_eval.

    Parameters are not checked, because trec_eval accepts any cutoff and any level."""
    declaration = find_declaration(name)
    common = {
        # A negative level would make unjudged documents relevant; here it counts as 0.
        "rel": max(options.level, 0),
        "rounding": "nearest" if options.version == "10.0" else "up",
    }
    # An optional rel, as in NumRet, would select a different measure.
    common_values = {
        p.name: common[p.name]
        for p in declaration.parameters
        if p.name in common and not p.optional
    }
    return np.nan_to_num(declaration.kernel(ranks, **common_values, **values), nan=0.0)


def _score_declared_measure(
    requested: RequestedMeasure, ranks: JudgedRanks, options: TrecEvalOptions
) -> Floats:
    ours = requested.row.ours
    if requested.row.takes == "cutoffs":
        cutoffs = np.array(requested.numbers, dtype=np.int64)
        return score_declared(ours, ranks, options, cutoff=cutoffs)
    if requested.row.takes == "levels":
        parameter = find_declaration(ours).at
        return np.stack(
            [score_declared(ours, ranks, options, **{parameter: x}) for x in requested.numbers],
            axis=1,
        )
    values = score_declared(ours, ranks, options)
    return (
        np.log(np.maximum(values, LEAST_SCORE)) if requested.row.summary == "geometric" else values
    )


def _count_documents(ranks: JudgedRanks, options: TrecEvalOptions) -> tuple[Floats, Floats, Floats]:
    """Return the numbers of relevant retrieved documents, of retrieved documents, and of relevant
    documents, float64[query] each."""
    names = ("NumRelRet", "NumRet", "NumRel")
    relevant_retrieved, retrieved, relevant = (
        score_declared(name, ranks, options) for name in names
    )
    return relevant_retrieved, retrieved, relevant


def _utility(requested: RequestedMeasure, ranks: JudgedRanks, options: TrecEvalOptions) -> Floats:
    if len(requested.numbers) != 4:
        raise ProgramExit(
            CALCULATION,
            "trec_eval.calc_utility: improper number of coefficients",
            "trec_eval: Can't calculate measure 'utility'",
        )
    relevant_retrieved, retrieved, relevant = _count_documents(ranks, options)
    a, b, c, d = requested.numbers
    nonrelevant_elsewhere = options.documents + relevant_retrieved - retrieved - relevant
    return (
        a * relevant_retrieved
        + b * (retrieved - relevant_retrieved)
        + c * (relevant - relevant_retrieved)
        + d * nonrelevant_elsewhere
    )


def _set_f(requested: RequestedMeasure, ranks: JudgedRanks, options: TrecEvalOptions) -> Floats:
    # SetF requires a positive beta; trec_eval's x may be any number.
    relevant_retrieved, retrieved, relevant = _count_documents(ranks, options)
    x = requested.numbers[0]
    precision = relevant_retrieved / retrieved
    recall = relevant_retrieved / relevant
    f = (x + 1.0) * precision * recall / (x * precision + recall)
    return np.where(relevant_retrieved > 0, f, 0.0)


def _interpolated_precision(
    requested: RequestedMeasure, ranks: JudgedRanks, options: TrecEvalOptions
) -> Floats:
    """Return iprec_at_recall for each recall level.

    If a query has no results, and a level requires no document, the score is 0 / 0 (NaN)."""
    columns = [_precision_at_recall(level, ranks, options) for level in requested.numbers]
    return np.stack(columns, axis=1)


def _precision_at_recall(level: float, ranks: JudgedRanks, options: TrecEvalOptions) -> Floats:
    needed = _count_documents_needed(level, ranks, options)
    relevant = score_declared("NumRel", ranks, options)
    # The measure's recall level is at most 1; a slightly higher one may still mean all relevant
    # documents.
    values = score_declared("IPrec", ranks, options, recall=min(max(level, 0.0), 1.0))
    values = np.where(needed > relevant, 0.0, values)
    return np.where((needed <= 0) & (ranks.retrieved == 0), np.nan, values)


def _count_documents_needed(level: float, ranks: JudgedRanks, options: TrecEvalOptions) -> Floats:
    share = level * score_declared("NumRel", ranks, options)
    if options.version == "9.0.8":
        return np.trunc(share + 0.9)
    integer = np.trunc(share)
    return integer + np.where(np.abs(share - integer) >= 0.5, np.sign(share), 0.0)


def _eleven_point_average(
    requested: RequestedMeasure, ranks: JudgedRanks, options: TrecEvalOptions
) -> Floats:
    """Return the mean precision over the recall levels. The precisions are added from the last
    level to the first.

    trec_eval goes through the list only once, from the last rank to the first. If the levels are
    not ascending, it may therefore already be above the rank that belongs to a level. This level
    and all levels before it then have the best precision of the whole list, like level 0."""
    relevant_retrieved = score_declared("NumRelRet", ranks, options)
    best = _precision_at_recall(0.0, ranks, options)
    total = np.zeros(ranks.n_queries)
    is_passed = np.zeros(ranks.n_queries, dtype=np.bool_)
    is_started = np.zeros(ranks.n_queries, dtype=np.bool_)
    n_reached = relevant_retrieved.copy()
    for level in reversed(requested.numbers):
        needed = _count_documents_needed(level, ranks, options)
        is_beyond = ~is_started & (needed > relevant_retrieved)
        is_started |= ~is_beyond
        is_passed |= ~is_beyond & ((needed <= 0) | (needed > n_reached))
        value = np.where(is_passed, best, _precision_at_recall(level, ranks, options))
        total += np.where(is_beyond, 0.0, value)
        n_reached = np.where(is_beyond, n_reached, np.minimum(n_reached, needed))
    return total / len(requested.numbers)


def _r_precision_multiples(
    requested: RequestedMeasure, ranks: JudgedRanks, options: TrecEvalOptions
) -> Floats:
    """Return Rprec_mult for each factor. The precision at a depth of less than one document is
    0."""
    columns = []
    for factor in requested.numbers:
        values = score_declared(requested.row.ours, ranks, options, factor=max(factor, 0.0))
        depth = np.trunc(factor * score_declared("NumRel", ranks, options) + 0.9)
        columns.append(np.where(depth > 0, values, 0.0))
    return np.stack(columns, axis=1)


def _dcg_with_gains(
    requested: RequestedMeasure, ranks: JudgedRanks, options: TrecEvalOptions
) -> Floats:
    """Return ndcg, dcg or ideal_dcg, float64[query]."""
    gains = parse_gains(requested.pairs, options.version)
    if not gains:
        return score_declared(requested.row.ours, ranks, options)
    results, ideal = dcg(retrieved_gains(ranks, gains)), dcg(ideal_gains(ranks, gains))
    if requested.row.name == "ndcg":
        return np.where(ideal > 0, results / ideal, 0.0)
    return results if requested.row.name == "dcg" else ideal


def _graded_with_gains(
    requested: RequestedMeasure, ranks: JudgedRanks, options: TrecEvalOptions
) -> Floats:
    """Return G, ndcg_rel or Rndcg, float64[query]."""
    gains = parse_gains(requested.pairs, options.version)
    if gains:
        values = scores_by_query(requested.row.name, ranks, gains)
    else:
        values = score_declared(requested.row.ours, ranks, options)
    if requested.row.name != "Rndcg":
        return values
    if not gains:
        # Without any positive gain there is no depth to measure at.
        best = np.zeros(ranks.n_queries)
        np.maximum.at(best, ranks.judged_query, ranks.judged_relevance)
        values = np.where(best > 0, values, np.nan)
    return np.where(score_declared("NumRel", ranks, options) > 0, values, 0.0)


def _rank_biased_precision(
    requested: RequestedMeasure, ranks: JudgedRanks, options: TrecEvalOptions
) -> Floats:
    gains = parse_gains(requested.pairs, options.version)
    return rank_biased_precision(ranks, gains, parse_persistence(requested.pairs))


def _rank_biased_residual(
    requested: RequestedMeasure, ranks: JudgedRanks, options: TrecEvalOptions
) -> Floats:
    return rank_biased_residual(ranks, parse_persistence(requested.pairs))


_SPECIAL: dict[str, Callable[[RequestedMeasure, JudgedRanks, TrecEvalOptions], Floats]] = {
    "utility": _utility,
    "set_F": _set_f,
    "iprec_at_recall": _interpolated_precision,
    "11pt_avg": _eleven_point_average,
    "Rprec_mult": _r_precision_multiples,
    "Rprec_mult_avgjg": _r_precision_multiples,
    "dcg": _dcg_with_gains,
    "ideal_dcg": _dcg_with_gains,
    "ndcg": _dcg_with_gains,
    "G": _graded_with_gains,
    "ndcg_rel": _graded_with_gains,
    "Rndcg": _graded_with_gains,
    "rbp": _rank_biased_precision,
    "rbp_resid": _rank_biased_residual,
}

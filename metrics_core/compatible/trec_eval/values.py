"""Scores of measures on judged ranks, as trec_eval has them: one column of values a line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics_core.base.arrays import Floats
from metrics_core.compatible.trec_eval.c_program import CALCULATION, ProgramExit
from metrics_core.compatible.trec_eval.gains import (
    dcg,
    gains_of,
    ideal_gains,
    persistence_of,
    rank_biased,
    rank_biased_residual,
    results_gains,
    scores_by_query,
)
from metrics_core.compatible.trec_eval.options import RequestedMeasure
from metrics_core.compatible.trec_eval.table import Version
from metrics_core.judging import JudgedRanks
from metrics_core.measures import declarations
from metrics_core.measures.declaring.aggregation import LEAST


@dataclass(frozen=True)
class Setting:
    """What the command line says about all measures; `documents` is the size of the collection."""

    version: Version = "10.0"
    level: int = 1
    documents: int = 0


def values_of(asked: RequestedMeasure, ranks: JudgedRanks, setting: Setting) -> Floats:
    """Scores per query and line; float64[Q, len(asked.names)]."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        special = _SPECIAL.get(asked.row.name)
        values = special(asked, ranks, setting) if special else _declared(asked, ranks, setting)
    return values.reshape(ranks.n_queries, len(asked.names))


def score(name: str, ranks: JudgedRanks, setting: Setting, **values: Any) -> Floats:
    """Scores of a declared measure, where undefined is 0, as in trec_eval. Its bounds do not hold
    here: trec_eval takes any cutoff and any level."""
    declaration = next(d for d in declarations() if d.name == name)
    common = {"rel": setting.level, "rounding": _rounding(setting)}
    # An optional rel, as NumRet's, asks for another measure.
    own = {
        p.name: common[p.name]
        for p in declaration.parameters
        if p.name in common and not p.optional
    }
    return np.nan_to_num(declaration.kernel(ranks, **own, **values), nan=0.0)


def _rounding(setting: Setting) -> str:
    return "nearest" if setting.version == "10.0" else "up"


def _declared(asked: RequestedMeasure, ranks: JudgedRanks, setting: Setting) -> Floats:
    ours = asked.row.ours
    if asked.row.takes == "cutoffs":
        cutoffs = np.array(asked.numbers, dtype=np.int64)
        return score(ours, ranks, setting, cutoff=cutoffs)
    if asked.row.takes == "levels":
        at = next(d.at for d in declarations() if d.name == ours)
        return np.stack([score(ours, ranks, setting, **{at: x}) for x in asked.numbers], axis=1)
    values = score(ours, ranks, setting)
    return np.log(np.maximum(values, LEAST)) if asked.row.summary == "geometric" else values


def _counts(ranks: JudgedRanks, setting: Setting) -> tuple[Floats, Floats, Floats]:
    """Per query the numbers of documents found and relevant, retrieved, and relevant."""
    names = ("NumRelRet", "NumRet", "NumRel")
    found, retrieved, relevant = (score(name, ranks, setting) for name in names)
    return found, retrieved, relevant


def _utility(asked: RequestedMeasure, ranks: JudgedRanks, setting: Setting) -> Floats:
    if len(asked.numbers) != 4:
        raise ProgramExit(
            CALCULATION,
            "trec_eval.calc_utility: improper number of coefficients",
            "trec_eval: Can't calculate measure 'utility'",
        )
    found, retrieved, relevant = _counts(ranks, setting)
    a, b, c, d = asked.numbers
    elsewhere = setting.documents + found - retrieved - relevant
    return a * found + b * (retrieved - found) + c * (relevant - found) + d * elsewhere


def _set_f(asked: RequestedMeasure, ranks: JudgedRanks, setting: Setting) -> Floats:
    # SetF's beta has to be positive; trec_eval's x is any number.
    found, retrieved, relevant = _counts(ranks, setting)
    x, precision, recall = asked.numbers[0], found / retrieved, found / relevant
    f = (x + 1.0) * precision * recall / (x * precision + recall)
    return np.where(found > 0, f, 0.0)


def _interpolated(asked: RequestedMeasure, ranks: JudgedRanks, setting: Setting) -> Floats:
    """iprec_at_recall: nothing retrieved leaves 0 / 0 at the levels that ask for no document."""
    columns = [_at_recall(level, ranks, setting) for level in asked.numbers]
    return np.stack(columns, axis=1)


def _at_recall(level: float, ranks: JudgedRanks, setting: Setting) -> Floats:
    needed = _documents_at(level, ranks, setting)
    relevant = score("NumRel", ranks, setting)
    # The measure's share ends at 1; a little more may still mean all relevant documents.
    values = score("IPrec", ranks, setting, recall=min(max(level, 0.0), 1.0))
    values = np.where(needed > relevant, 0.0, values)
    return np.where((needed <= 0) & (ranks.retrieved == 0), np.nan, values)


def _documents_at(level: float, ranks: JudgedRanks, setting: Setting) -> Floats:
    share = level * score("NumRel", ranks, setting)
    if setting.version == "9.0.8":
        return np.trunc(share + 0.9)
    whole = np.trunc(share)
    return whole + np.where(np.abs(share - whole) >= 0.5, np.sign(share), 0.0)


def _eleven_points(asked: RequestedMeasure, ranks: JudgedRanks, setting: Setting) -> Floats:
    """The mean over the levels, added from the last on. trec_eval walks up the list once, so where
    levels do not ascend it may pass one: it and all before it then get the best precision of all,
    as the level 0 does."""
    found = score("NumRelRet", ranks, setting)
    best = _at_recall(0.0, ranks, setting)
    total = np.zeros(ranks.n_queries)
    passed = np.zeros(ranks.n_queries, dtype=np.bool_)
    started = np.zeros(ranks.n_queries, dtype=np.bool_)
    reached = found.copy()
    for level in reversed(asked.numbers):
        needed = _documents_at(level, ranks, setting)
        beyond = ~started & (needed > found)
        started |= ~beyond
        passed |= ~beyond & ((needed <= 0) | (needed > reached))
        value = np.where(passed, best, _at_recall(level, ranks, setting))
        total += np.where(beyond, 0.0, value)
        reached = np.where(beyond, reached, np.minimum(reached, needed))
    return total / len(asked.numbers)


def _multiples(asked: RequestedMeasure, ranks: JudgedRanks, setting: Setting) -> Floats:
    """Rprec_mult; below one document there is no precision."""
    columns = []
    for factor in asked.numbers:
        values = score(asked.row.ours, ranks, setting, factor=max(factor, 0.0))
        depth = np.trunc(factor * score("NumRel", ranks, setting) + 0.9)
        columns.append(np.where(depth > 0, values, 0.0))
    return np.stack(columns, axis=1)


def _gained(asked: RequestedMeasure, ranks: JudgedRanks, setting: Setting) -> Floats:
    """ndcg, dcg, ideal_dcg."""
    gains = gains_of(asked.pairs, setting.version)
    if not gains:
        return score(asked.row.ours, ranks, setting)
    results, ideal = dcg(results_gains(ranks, gains)), dcg(ideal_gains(ranks, gains))
    if asked.row.name == "ndcg":
        return np.where(ideal > 0, results / ideal, 0.0)
    return results if asked.row.name == "dcg" else ideal


def _with_gains(asked: RequestedMeasure, ranks: JudgedRanks, setting: Setting) -> Floats:
    """G, ndcg_rel and Rndcg."""
    gains = gains_of(asked.pairs, setting.version)
    if gains:
        values = scores_by_query(asked.row.name, ranks, gains)
    else:
        values = score(asked.row.ours, ranks, setting)
    if asked.row.name != "Rndcg":
        return values
    if not gains:
        # It has no depth to measure at where everything relevant is worth nothing.
        best = np.zeros(ranks.n_queries)
        np.maximum.at(best, ranks.judged_query, ranks.judged_relevance)
        values = np.where(best > 0, values, np.nan)
    return np.where(score("NumRel", ranks, setting) > 0, values, 0.0)


def _rank_biased(asked: RequestedMeasure, ranks: JudgedRanks, setting: Setting) -> Floats:
    gains = gains_of(asked.pairs, setting.version)
    return rank_biased(ranks, gains, persistence_of(asked.pairs))


def _left_open(asked: RequestedMeasure, ranks: JudgedRanks, setting: Setting) -> Floats:
    return rank_biased_residual(ranks, persistence_of(asked.pairs))


_SPECIAL: dict[str, Callable[[RequestedMeasure, JudgedRanks, Setting], Floats]] = {
    "utility": _utility,
    "set_F": _set_f,
    "iprec_at_recall": _interpolated,
    "11pt_avg": _eleven_points,
    "Rprec_mult": _multiples,
    "Rprec_mult_avgjg": _multiples,
    "dcg": _gained,
    "ideal_dcg": _gained,
    "ndcg": _gained,
    "G": _with_gains,
    "ndcg_rel": _with_gains,
    "Rndcg": _with_gains,
    "rbp": _rank_biased,
    "rbp_resid": _left_open,
}

"""Measures that model how far down the list a reader goes: rank-biased precision and expected
reciprocal rank, and the functions they share."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from metrics_core.base.arrays import Floats
from metrics_core.base.errors import ParameterError
from metrics_core.judging import JudgedRanks
from metrics_core.judging.hits import Hits
from metrics_core.measures.declaring.other_packages import Difference, InTrecEval
from metrics_core.measures.declaring.parameters import (
    MAX_EXPONENT,
    Bounds,
    Persistence,
    Rel,
    Samples,
    TopK,
)
from metrics_core.measures.declaring.registry import measure, weights

DECIMALS = Difference(
    "gdeval",
    "ERR@k and nDCG(dcg='exp-log2')@k differ from the sixth decimal on.",
    "ir_measures computes these measures with gdeval.pl, which prints five decimals.",
)
MaxRel = Annotated[
    int, "grade with the highest gain; higher grades count as this grade", Samples(2, 4)
]
Exponent = Annotated[MaxRel, Bounds(1, MAX_EXPONENT)]


@measure(
    "RBP",
    aliases=("rank-biased precision",),
    presets={"rbp{p}": {}},
    trec_eval=InTrecEval("rbp", takes="pairs", since="10.0", values={"p": 0.9}),
    title="Rank-biased precision",
    gloss="expected gain per result viewed",
    ir_measures=True,
    formula=r"(1-p)\sum_{i \le k} g_i\, p^{i-1}",
    reference="Moffat and Zobel, Rank-biased precision, TOIS 2008",
    elsewhere={"ranx": "rbp.80", "trec_eval": "rbp (10.0), with p = 0.9"},
    worked={
        "RBP": "0.2 * (2 * 0.8 + 1 * 0.8**3 + 3 * 0.8**5)",
        "RBP@5": "0.2 * (2 * 0.8 + 1 * 0.8**3)",
        "RBP(rel=1)": "0.2 * (0.8 + 0.8**3 + 0.8**5)",
        "RBP(p=0.5,rel=2)@5": "0.5 * 0.5",
    },
    range=(0, np.inf),
    residual="monotone",
    reach="additive",
    differences=(
        Difference(
            "cwl_eval",
            "RBP(rel=…) is (1 − p^1000) times the value of cwl_eval, and continues below rank"
            " 1,000.",
            "cwl_eval weights 1,000 ranks so that the weights sum to 1. The weights of the"
            " published formula sum to 1 over an infinite list. For p up to 0.97 the first 12"
            " digits are equal.",
        ),
        Difference(
            "ir_measures",
            "RBP without rel, and RBP@k, are supported.",
            "No provider of ir_measures computes RBP without rel, or RBP@k. Graded RBP is computed"
            " as in ranx and trec_eval.",
        ),
        Difference(
            "trec_eval",
            "rbp of version 10.0 scales the grades of a query to [0, 1] if one of them is outside"
            " this range.",
            "Here each grade is used as the gain, as in the published formula and in ranx. The"
            " output of trec_eval's binary depends on its compiler, because its m_rbp.c never"
            " initialises the minimum and maximum it scales by. Our trec_eval command line starts"
            " both at 0, which gives the results that NIST's own tests expect.",
        ),
        Difference(
            "ranx",
            "RBP(rel=…) gives each relevant document a gain of 1.",
            "ranx's rbp.80-l2 ignores grades below 2 but keeps the grade as the gain.",
        ),
    ),
)
def rank_biased_precision(
    ranks: JudgedRanks, *, cutoff: TopK | None = None, p: Persistence = 0.8, rel: Rel | None = None
) -> Floats:
    """Expected gain per viewed result for a reader who continues to the next result with
    probability p. With `rel` the gain of a relevant document is 1, otherwise the gain of each
    document is its grade. The sum is over the whole list and is not normalised, as in ranx.
    trec_eval 10.0 first scales the grades of a query to [0, 1]; cwl, which ir_measures uses if
    `rel` is given, divides by 1 − p^1000."""
    hits = _rbp_weights(ranks, p=p, rel=rel)
    return (1 - p) * hits.total(hits.relevance, cutoff)


@weights("RBP")
def _rbp_weights(ranks: JudgedRanks, *, p: float, rel: int | None, **_: object) -> Hits:
    """Return the results that have a gain, with their grades replaced by gain · p^(rank - 1)."""
    hits = ranks.gaining() if rel is None else ranks.relevant(rel)
    gains = hits.relevance if rel is None else np.ones(len(hits.query))
    return hits.contributions(gains * p ** (hits.rank - 1.0))


def exponential_gain(grades: Floats) -> Floats:
    """Return 2^grade - 1 for `grades` float64[…]. Raises ParameterError for a grade that is too
    large to be an exponent."""
    highest = float(grades.max(initial=0))
    if highest > MAX_EXPONENT:
        raise ParameterError(
            f"dcg='exp-log2' accepts grades and gains up to {MAX_EXPONENT:,}, not {highest:g}.",
            "2 to a higher power exceeds double precision. Use dcg='log2'.",
        )
    return np.exp2(grades) - 1


def stop_chances(hits: Hits, chance: Floats) -> Floats:
    """Return the probability that a reader stops at each hit, float64[hit].

    `chance` float64[hit] is the probability of stopping at a hit after reaching it. The result is
    `chance` times the product of (1 - chance) over all earlier hits."""
    go_on_chance = hits.accumulate(1 - chance, np.multiply)
    return hits.previous_values(go_on_chance, 1.0) * chance


@measure(
    "ERR",
    aliases=("expected reciprocal rank",),
    title="Expected reciprocal rank",
    gloss="expected 1 ÷ stopping rank",
    ir_measures=True,
    formula=r"\sum_{i \le k} \frac{R_i}{i}\prod_{j<i}(1-R_j),\ R_i = \frac{2^{g_i}-1}{2^{max}}",
    reference="Chapelle et al., Expected reciprocal rank for graded relevance, CIKM 2009;"
    " highest grade 4 as in TREC's gdeval.pl",
    elsewhere={"gdeval": "err@k, rounded to 5 decimals"},
    worked={
        "ERR": "3/16 / 2 + (13/16) * (1/16) / 4 + (13/16) * (15/16) * (7/16) / 6",
        "ERR@5": "3/16 / 2 + (13/16) * (1/16) / 4",
        "ERR(max_rel=3)@5": "3/8 / 2 + (5/8) * (1/8) / 4",
    },
    residual="monotone",
    differences=(
        DECIMALS,
        Difference(
            "gdeval",
            "A grade above max_rel (4 by default) counts as max_rel.",
            "gdeval.pl fails for such a grade, and for query ids that are not numbers.",
        ),
        Difference(
            "ir_measures",
            "ERR without a cutoff is supported.",
            "No provider of ir_measures computes ERR without a cutoff.",
        ),
    ),
)
def expected_reciprocal_rank(
    ranks: JudgedRanks, *, cutoff: TopK | None = None, max_rel: Exponent = 4
) -> Floats:
    """Expected reciprocal of the rank at which a reader is satisfied. Each result satisfies with a
    probability that grows with its grade, up to (2^max_rel − 1) / 2^max_rel. A grade above max_rel
    counts as max_rel."""
    hits = ranks.gaining()
    return hits.total(_err_stop_chances(ranks, max_rel) / hits.rank, cutoff)


def _err_stop_chances(ranks: JudgedRanks, max_rel: int) -> Floats:
    """Return the probability that the reader stops at each result that has a gain, float64[hit]."""
    hits = ranks.gaining()
    gain = exponential_gain(np.minimum(hits.relevance, max_rel)) / 2.0**max_rel
    return stop_chances(hits, gain)


@weights("ERR")
def _err_weights(ranks: JudgedRanks, *, max_rel: int, **_: object) -> Hits:
    hits = ranks.gaining()
    return hits.contributions(_err_stop_chances(ranks, max_rel) / hits.rank)

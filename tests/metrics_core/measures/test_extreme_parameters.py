"""Parameters at the ends of their bounds, and beyond: a finite score, or an error that says so."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from metrics_core.base.errors import ParameterError
from metrics_core.judging import JudgedRanks, join_judgments
from metrics_core.measures import Declaration, Parameter, declarations, parse_measure
from metrics_core.tables import Qrels
from tests.collections_of import DOCUMENTS, qrels_of, run_of
from tests.settings_of import at

FARAWAY = (1e300, 1e-300, -1e300, 1e154, 1e-154, 5e-324, sys.float_info.max)
LISTED = ["d3", "d0", "d6", "d5", "d1", "d2", "d4"]
GRADES = {"d0": 2, "d1": 0, "d2": 1, "d3": -1, "d4": 4, "d5": 1, "d7": 3}
RUN = {
    "q": {d: -float(i) for i, d in enumerate(LISTED)},
    "long": {f"x{i}": -float(i) for i in range(1200)} | {"d0": 1.0},
}
QRELS = {"q": GRADES, "long": {"d0": 1, "x7": 4, "x1100": 2}, "none": {"d1": 0}, "m": {"d1": 2}}


def ranks_for(declaration: Declaration) -> JudgedRanks:
    qrels = qrels_of(QRELS)
    if "subtopics" in declaration.needs:
        rows = [(q, d, g, s) for q, own in QRELS.items() for d, g in own.items() for s in "ab"]
        qrels = Qrels.from_columns(*zip(*rows, strict=True))
    return join_judgments(run_of(RUN), qrels, documents=DOCUMENTS)


def ends_of(p: Parameter) -> list[Any]:
    """The least and the most that it may be."""
    low, high = p.bounds.low, p.bounds.high
    if p.kind is int:
        return [int(low), int(high)]
    ends = [
        float(np.nextafter(low, np.inf)) if p.bounds.open_low else low,
        float(np.nextafter(high, -np.inf)) if p.bounds.open_high else high,
    ]
    if p.kind is tuple:
        return [(end,) for end in ends]
    if p.kind is dict:
        return [{1: ends[0]}, {1: ends[1]}, {1: ends[1], 2: ends[1]}, {1: ends[0], 2: ends[1]}]
    return ends


def beyond(p: Parameter) -> list[Any]:
    if p.kind is int:
        return [1000, 10**5, 2**31]
    wrap = {tuple: lambda n: (n,), dict: lambda n: {1: n}}.get(p.kind, lambda n: n)
    return [wrap(n) for n in FARAWAY]


def with_extremes(declaration: Declaration) -> Iterator[dict[str, Any]]:
    """Each parameter alone at its ends and far away, and any two at their ends."""
    numbers = [p for p in declaration.parameters if p.kind in (int, float, tuple, dict)]
    for p in numbers:
        yield from ({p.name: value} for value in (*ends_of(p), *beyond(p)))
    for one, other in combinations(numbers, 2):
        for values in product(ends_of(one), ends_of(other)):
            yield dict(zip((one.name, other.name), values, strict=True))


@pytest.mark.parametrize("declaration", declarations(), ids=lambda d: d.name)
def test_extreme_parameters_give_a_finite_score_or_are_refused(declaration: Declaration) -> None:
    ranks, usual = ranks_for(declaration), dict(at(declaration).values)
    defined = np.isfinite(at(declaration).score(ranks))
    assert defined.any()
    for dcg in ("log2", "exp-log2") if declaration.parameter("gains") else ("",):
        own = {"dcg": dcg} if declaration.parameter("dcg") and dcg else {}
        for values in with_extremes(declaration):
            try:
                measure = declaration(**{**usual, **own, **values})
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    scores = measure.score(ranks)
            except ParameterError:
                continue
            # Another cutoff, or another level, may leave nothing that is defined.
            whole = all(isinstance(value, int) for value in values.values())
            assert not np.isinf(scores).any(), str(measure)
            assert whole or np.isfinite(scores[defined]).all(), str(measure)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("INSQ(T=1e300)", "a number from 1e-06 to 1e\\+06"),
        ("INST(T=1e-300)", "a number from 1e-06 to 1e\\+06"),
        ("NERR11(T=1e154)", "a number from 1e-06 to 1e\\+06"),
        ("ERR(max_rel=1001)", "a whole number from 1 to 1,000"),
        ("RprecMult@1e300", "a number above 0 to 2.14748e\\+09"),
        ("Utility(p1=1e300)", "a number from -1e\\+100 to 1e\\+100"),
        ("nDCG(gains={1:1e300})", "a gain for each grade, .* each a number from -1e\\+09"),
        ("alpha_DCG@2000000", "a whole number from 1 to 1,000,000"),
    ],
)
def test_the_bounds_are_said(name: str, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        parse_measure(name)


def test_no_grade_and_no_gain_is_an_exponent_beyond_double_precision() -> None:
    ranks = join_judgments(run_of(RUN), qrels_of({"q": {"d0": 2000, "d1": 1}}))
    for name in ("nDCG(dcg='exp-log2')", "DCG(dcg='exp-log2')", "CG(dcg='exp-log2')"):
        with pytest.raises(ParameterError, match="up to 1,000, not 2000"):
            parse_measure(name).score(ranks)
    told = parse_measure("nDCG(dcg='exp-log2',gains={1:1001,2000:1})")
    with pytest.raises(ParameterError, match="up to 1,000, not 1001"):
        told.score(ranks)
    assert parse_measure("nDCG(dcg='exp-log2',gains={2000:3,5:2000})").score(ranks)[0] > 0

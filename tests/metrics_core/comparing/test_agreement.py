"""Measures against each other: signs, orders and queries, by literal loops."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from metrics_core.comparing.agreement import (
    count_disagreeing_queries,
    find_agreement,
    find_disagreements,
)
from metrics_core.scoring.scores import Scores

QUERIES = [f"q{i}" for i in range(40)]
MEASURES = ["nDCG@10", "P@10", "RR", "Unjudged@10"]


def scores(seed: int = 5) -> Scores:
    generator = np.random.default_rng(seed)
    rows = []
    for r, run in enumerate(("a", "b", "c", "d")):
        for q in QUERIES:
            values = np.clip(generator.normal(0.4 + 0.05 * r, 0.2, len(MEASURES)), 0, 1).round(2)
            rows.append({"run": run, "query_id": q, **dict(zip(MEASURES, values, strict=True))})
    return Scores.from_any(pd.DataFrame(rows))


def tau_b(x: list[float], y: list[float]) -> float:
    """Pairs in the same order less those in the other, of those untied in each."""
    same = other = tied_x = tied_y = 0
    for i in range(len(x)):
        for j in range(i):
            a, b = x[i] - x[j], y[i] - y[j]
            tied_x += a == 0
            tied_y += b == 0
            same += a * b > 0
            other += a * b < 0
    pairs = len(x) * (len(x) - 1) / 2
    return (same - other) / math.sqrt((pairs - tied_x) * (pairs - tied_y))


def test_sides_and_orders_are_those_of_a_loop() -> None:
    given = scores()
    found = find_agreement(given, "c", "a")
    means = {m: [float(np.mean(given.values_of(m)[r])) for r in range(4)] for m in MEASURES}
    signs = {m: -1 if m.startswith("Unjudged") else 1 for m in MEASURES}
    for row in found.table.to_dict("records"):
        gap = means[row["measure"]][2] - means[row["measure"]][0]
        assert row["difference"] == pytest.approx(gap)
        assert row["side"] == signs[row["measure"]] * (1 if gap > 0 else -1)
        assert row["low"] < gap < row["high"]
        clear = "better" if row["side"] > 0 else "worse"
        assert row["verdict"] == (clear if row["low"] * row["high"] > 0 else "cannot tell")
    for a, first in enumerate(MEASURES):
        for b, second in enumerate(MEASURES):
            x, y = ([v * signs[m] for v in means[m]] for m in (first, second))
            assert found.orders[a, b] == pytest.approx(tau_b(x, y))
    side = dict(zip(found.table["measure"], found.table["side"], strict=True))
    agreeing = [m for m in MEASURES if side[m] == side["nDCG@10"]]
    assert found.agreeing_measures("nDCG@10") == agreeing
    same = [m for b, m in enumerate(MEASURES) if found.orders[0, b] > 1 - 1e-9]
    assert found.measures_that_rank_runs_alike("nDCG@10") == same


def test_another_order_of_the_measures_says_the_same() -> None:
    found = find_agreement(scores(), "c", "a")
    names = list(found.table["measure"])
    turned = found.reorder(names[::-1])
    assert list(turned.table["measure"]) == names[::-1]
    assert turned.reorder(names).table.equals(found.table)
    for name in names:
        assert turned.agreeing_measures(name)[::-1] == found.agreeing_measures(name)
        assert turned.measures_that_rank_runs_alike(name)[
            ::-1
        ] == found.measures_that_rank_runs_alike(name)


def test_level_runs_have_no_side_and_no_order() -> None:
    frame = pd.DataFrame(
        [{"run": r, "query_id": q, "P@1": 1.0, "RR": 0.5 if r == "a" else 1.0}
         for r in "ab" for q in QUERIES]
    )  # fmt: skip
    found = find_agreement(Scores.from_any(frame), "b", "a")
    assert found.table["side"].tolist() == [0, 1]
    assert np.isnan(found.orders[0]).all() and found.orders[1, 1] == 1
    assert found.measures_that_rank_runs_alike("P@1") == [
        "P@1"
    ] and found.measures_that_rank_runs_alike("RR") == ["RR"]
    assert found.table["verdict"].tolist() == ["cannot tell", "better"]


def test_the_queries_that_two_measures_see_differently() -> None:
    given = scores()
    found = find_disagreements(given, "c", "a", "nDCG@10", "Unjudged@10")
    gaps = {m: given.values_of(m)[2] - given.values_of(m)[0] for m in MEASURES}
    first, second = gaps["nDCG@10"], -gaps["Unjudged@10"]
    usual = [math.sqrt(sum(v * v for v in g) / len(g)) for g in (first, second)]
    apart = {q: abs(first[i] / usual[0] - second[i] / usual[1]) for i, q in enumerate(QUERIES)}
    assert found["query_id"].iloc[0] == max(apart, key=lambda q: apart[q])
    assert found["apart"].tolist() == pytest.approx(sorted(apart.values(), reverse=True))
    assert found["second"].tolist() == pytest.approx(
        [gaps["Unjudged@10"][QUERIES.index(q)] for q in found["query_id"]]
    )
    count = sum(a * b < 0 for a, b in zip(first, second, strict=True))
    assert count_disagreeing_queries(found, ["nDCG@10", "Unjudged@10"]) == count


def test_few_queries_have_no_verdict_under_any_measure() -> None:
    given = scores().select_queries(np.arange(40) < 4)
    assert set(find_agreement(given, "c", "a").table["verdict"]) == {"cannot tell"}

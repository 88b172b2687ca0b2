"""Whatever stands in an address, reading it gives a view; nothing in it raises."""

from __future__ import annotations

import random

from dashboard.address.address import SHARED_FIELDS, Address, Field
from dashboard.address.measure_key import pick_measure, read_measure
from dashboard.address.view import choose_runs, explain_missing_items, read_cutoff
from metrics_core.base.errors import RanklensError

RUNS = ["bm25", "dense", "a=b&c"]
PARTS = [
    *("", "0", "-1", "9" * 5_000, "1e400", "nan", "٣", "½", "²", "\0", "\ud800", "=", "%", "&"),
    *("bm25", "-", "*", "@k", "@", "nDCG", "P(rel=", ")", "(", "nDCG@k", "P.5", "rel=2", ",", "'"),
    *("RBP(p=", "a" * 5_000, "😀", "../..", "<script>", "dense", "category=x", "{", "1.5", "P_"),
]


def test_hostile_addresses() -> None:
    rng = random.Random(1)
    empty = Address.create((Field("q"),))
    for _ in range(500):
        given = {
            field.name: ["".join(rng.choices(PARTS, k=rng.randrange(4))) for _ in range(2)]
            for field in (*SHARED_FIELDS, Field("q"))
        }
        address = empty.read(given)
        cutoff = read_cutoff(address["k"], deepest_cutoff=100)
        assert 1 <= cutoff <= 100
        chosen = read_measure(address["m"], cutoff)
        assert str(chosen.measure)
        assert set(choose_runs(address, RUNS, RUNS, RUNS[0])[:2]) <= set(RUNS)
        explain_missing_items(address, RUNS, {"category": ["x"]}, {"q1": 1}, chosen, {})
        try:
            assert pick_measure(address["m"], cutoff)
        except RanklensError as error:
            assert str(error)

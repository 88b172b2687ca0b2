"""Runs and judgments as Python programs hold them, made for the benchmarks, the same each time."""

from __future__ import annotations

from typing import Any

import numpy as np

FORMS = ("floats", "whole numbers", "lists")
SIZES = ((250, 1_000), (1_000, 100))
_COLLECTION = 8_800_000


def held(form: str, queries: int, depth: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """A run as Python holds it, and its judgments, of which 25 a query are retrieved."""
    generator = np.random.default_rng(1)
    run: dict[str, Any] = {}
    qrels: dict[str, Any] = {}
    for number in range(queries):
        places = generator.choice(_COLLECTION, depth, replace=False)
        docs = [f"d{place}" for place in places.tolist()]
        floats = np.sort(generator.random(depth) * 30)[::-1]
        whole = np.arange(depth, 0, -1) * 3
        scores = whole.tolist() if form == "whole numbers" else floats.tolist()
        run[f"q{number}"] = docs if form == "lists" else dict(zip(docs, scores, strict=True))
        grades = generator.integers(0, 4, 25).tolist()
        qrels[f"q{number}"] = dict(zip(docs[:: depth // 25], grades, strict=False))
    return run, qrels

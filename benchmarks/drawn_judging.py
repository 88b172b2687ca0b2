"""How often judging queries drawn at random, with a look after each, ends in a false verdict.

    python -m benchmarks.drawn_judging MATRICES [--studies 4000]

MATRICES is the folder of `benchmarks.simulations`. In each study two runs of equal means are judged
query by query, with the rule of `metrics_core.comparing.drawn_queries`: 50 queries, then 50 more. A
share of the queries has the same documents in both runs, so that their difference is 0.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from benchmarks.simulations import Draw, Floats, centred, matrices_in, p_values, scaled
from metrics_core.comparing.drawn_queries import EARLY_LEVEL, END_LEVELS, QueryDraw
from metrics_core.comparing.verdicts import FEWEST_QUERIES

SIZE, SEED = 50, 20_261
UNCHANGED = (0.0, 0.4, 0.8)
COLLECTION = 1_000


def study_columns(matrices: Sequence[Floats], draw: Draw, unchanged: float, studies: int) -> Floats:
    """Differences of two runs of equal means, float64[query, study], in the drawn order."""
    chance = np.random.default_rng((SEED, round(unchanged * 10)))
    columns = [draw(matrices[i % len(matrices)], 2 * SIZE, 1, chance)[:, 0] for i in range(studies)]
    return np.where(chance.random((2 * SIZE, studies)) < unchanged, 0.0, np.array(columns).T)


def false_verdicts(columns: Floats, draw: QueryDraw) -> dict[str, float]:
    """The share of studies with a false verdict by each end of the draw, and if each look counted
    at 5%."""
    wrong, naive = np.zeros((2, columns.shape[1]), dtype=bool)
    shares = {}
    for n in range(FEWEST_QUERIES, draw.size + 1):
        begun = QueryDraw(draw.seed, draw.sizes[:1] if n <= draw.sizes[0] else draw.sizes)
        p = p_values(columns[:n])
        wrong |= p <= 1 - begun.level(n, COLLECTION) + 1e-12
        naive |= p <= 0.05
        if n == SIZE:
            shares = {"by 50": float(wrong.mean()), "by 50, each look at 5%": float(naive.mean())}
    return shares | {"by 100, after drawing more": float(wrong.mean())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("matrices")
    parser.add_argument("--studies", type=int, default=4_000)
    options = parser.parse_args()
    matrices = matrices_in(options.matrices)
    print(f"Levels: {EARLY_LEVEL} before the end, {END_LEVELS} at the ends.")
    for draw in (centred, scaled):
        for unchanged in UNCHANGED:
            columns = study_columns(matrices, draw, unchanged, options.studies)
            found = false_verdicts(columns, QueryDraw(SEED, (SIZE, SIZE)))
            words = ", ".join(f"{name} {share:.2%}" for name, share in found.items())
            print(f"{draw.__name__}, {unchanged:.0%} unchanged: {words}", flush=True)


if __name__ == "__main__":
    main()

"""How often a slice is found where no group differs, and how often one that does is found.

    python -m benchmarks.found_slices [--views 1000]

Each line has how the differences are drawn, their number, how many columns of four groups, and the
share of views in which any slice was found, with its standard error. At most 5% are stated but in
the last lines, where one group gains. tests/metrics_core/slicing/test_finder.py holds six of the
cells to it.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metrics_core.slicing.finder import find_slices

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Drawn = Callable[[np.random.Generator, Mask], Floats]

GROUPS, SPREAD, GAIN = 4, 0.24, 0.15
QUERIES, COLUMNS = (40, 104, 250), (1, 2, 3)
_SEED = 20_265


def spread(times: float) -> Drawn:
    """Equal means, one group spread so many times as widely as the others."""
    return lambda chance, inside: chance.normal(0, np.where(inside, times, 1.0) * SPREAD)


def tied(share_inside: float, share_elsewhere: float) -> Drawn:
    """Equal means, so many of the differences exactly 0."""

    def drawn(chance: np.random.Generator, inside: Mask) -> Floats:
        still = chance.random(len(inside)) < np.where(inside, share_inside, share_elsewhere)
        return np.where(still, 0.0, chance.normal(0, SPREAD, len(inside)))

    return drawn


def skewed(chance: np.random.Generator, inside: Mask) -> Floats:
    """The same distribution everywhere: small losses, and a large gain on one query in twenty."""
    small = chance.normal(-0.05, 0.02, len(inside))
    return np.where(chance.random(len(inside)) < 0.05, 0.95, small)


def long_tailed(chance: np.random.Generator, inside: Mask) -> Floats:
    """The same distribution everywhere, lognormal."""
    return chance.lognormal(0, 1, len(inside)) - math.exp(0.5)


def gaining(chance: np.random.Generator, inside: Mask) -> Floats:
    """One group gains."""
    return chance.normal(GAIN * inside, SPREAD)


NOTHING: Mapping[str, Drawn] = {
    "alike": spread(1),
    "one group spread 2 times": spread(2),
    "one group spread 3 times": spread(3),
    "one group mostly ties": tied(0.8, 0),
    "all but one mostly ties": tied(0, 0.8),
    "alike, mostly ties": tied(0.6, 0.6),
    "alike, one in twenty": skewed,
    "alike, lognormal": long_tailed,
}


@dataclass(frozen=True)
class Cell:
    """How the differences were drawn, and in what share of the views a slice was found."""

    kind: str
    queries: int
    columns: int
    views: int
    found: float

    @property
    def error(self) -> float:
        """The standard error of the share."""
        return math.sqrt(self.found * (1 - self.found) / self.views)


def cell(kind: str, drawn: Drawn, queries: int, columns: int, views: int) -> Cell:
    """In how many views of so many queries a slice is found. Each column has groups of the same
    size, independent of the others'; the first group of the first one is the one that differs."""
    chance = np.random.default_rng((_SEED, queries, columns, sum(map(ord, kind))))
    even = np.arange(queries) % GROUPS
    found = 0
    for _ in range(views):
        groups = chance.permuted(np.tile(even, (columns, 1)), axis=1)
        named = {f"column {i}": row.astype(str) for i, row in enumerate(groups)}
        found += len(find_slices(drawn(chance, groups[0] == 0), named).slices) > 0
    return Cell(kind, queries, columns, views, found / views)


def all_cells(views: int) -> Iterator[Cell]:
    """Every line of the table, as it is found."""
    for kind, drawn in {**NOTHING, "one group gains": gaining}.items():
        for queries in QUERIES:
            for columns in COLUMNS:
                yield cell(kind, drawn, queries, columns, views)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--views", type=int, default=1_000)
    options = parser.parse_args()
    print(f"{'differences':26} queries columns  found, %   s.e.")
    for one in all_cells(options.views):
        rate = f"{100 * one.found:9.1f} {100 * one.error:6.1f}"
        print(f"{one.kind:26} {one.queries:7} {one.columns:7} {rate}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Collections made for the benchmarks, the same each time: TREC files of known shapes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Shape:
    """`queries` lists of `depth` documents each; of `judged` documents a query, the share
    `retrieved` is in its list."""

    queries: int
    depth: int
    judged: int
    retrieved: float = 0.6

    @property
    def rows(self) -> int:
        """The rows of a run."""
        return self.queries * self.depth


SHAPES = {
    "robust": Shape(250, 1_000, 400),
    "msmarco": Shape(6_980, 1_000, 25),
    "deep": Shape(100, 100_000, 1_000),
    "wide": Shape(200_000, 50, 5),
}
POOLED = Shape(43, 1_000, 1_200, 1 / 3)
"""The look of a collection whose judgments were pooled from many runs."""
SMALL = Shape(50, 20, 10)
_COLLECTION = 8_800_000
_AT_ONCE = 1_000_000


def make_files(folder: Path, shape: Shape, *, seed: int = 0) -> tuple[Path, Path]:
    """A run and its judgments in a folder; those that are there already are taken."""
    folder.mkdir(parents=True, exist_ok=True)
    run, qrels = folder / f"made-{seed}.run", folder / "made.qrels"
    if not run.exists() or not qrels.exists():
        _write_qrels(qrels, shape)
        _write_run(run, shape, seed)
    return run, qrels


def _documents(query: Ints, place: Ints) -> Ints:
    """The document at a place of a query's list, each once: a walk through the collection in steps
    that have no divisor in common with its size."""
    return (query * 7_919 + place * 4_000_037 + 11) % _COLLECTION


def _query_ids(query: Ints) -> Ints:
    return 1_000_000 + 3 * query


def _write_run(path: Path, shape: Shape, seed: int) -> None:
    generator = np.random.default_rng(seed)
    at_once = max(1, _AT_ONCE // shape.depth)
    with path.open("wb") as file:
        for first in range(0, shape.queries, at_once):
            query = np.arange(first, min(first + at_once, shape.queries))
            scores = np.sort(generator.random((len(query), shape.depth)) * 30)[:, ::-1]
            place = np.argsort(generator.random((len(query), shape.depth)), axis=1)
            rows = np.repeat(query, shape.depth)
            _write(
                file,
                _query_ids(rows),
                "Q0",
                _documents(rows, place.ravel()),
                np.tile(np.arange(1, shape.depth + 1), len(query)),
                np.round(scores.ravel(), 6),
                "bm25",
            )


def _write_qrels(path: Path, shape: Shape) -> None:
    generator = np.random.default_rng(1)
    query = np.repeat(np.arange(shape.queries), shape.judged)
    listed = min(int(shape.judged * shape.retrieved), shape.depth)
    spread = np.arange(shape.judged)
    # Places within the list, evenly, and then behind it.
    place = np.where(spread < listed, spread * shape.depth // listed, shape.depth + spread)
    document = _documents(query, np.tile(place, shape.queries))
    with path.open("wb") as file:
        _write(file, _query_ids(query), "0", document, generator.integers(0, 4, len(query)))


def _write(file: object, *columns: npt.NDArray[np.generic] | str) -> None:
    n = next(len(c) for c in columns if not isinstance(c, str))
    arrays = [pa.repeat(c, n) if isinstance(c, str) else pa.array(c) for c in columns]
    table = pa.table(
        [pc.cast(a, pa.string()) for a in arrays], [f"c{i}" for i in range(len(arrays))]
    )
    options = pa.csv.WriteOptions(include_header=False, delimiter=" ", quoting_style="none")
    pa.csv.write_csv(table, file, options)

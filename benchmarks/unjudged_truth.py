"""How often the likely difference is right: judgments are removed, so that the truth is known.

    python -m benchmarks.unjudged_truth NAME=QRELS,RUN,RUN… … [--cases 400]

Each argument is a collection: its judgments and two or more runs, all pairs of which take part; of
one NAME several may stand there. The lists are condensed to judged documents, some queries are
drawn, and a share of all judgments is removed at random. A line for each collection, measure and
share: the slope of the likely difference on the true one and how often its interval holds the
truth, each with its standard error, the interval's mean width, and how often nothing is said. The
last share, "of one list", removes the judgments of all documents that one list alone has.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from metrics_core import join_judgments
from metrics_core.formats import read_qrels, read_run
from metrics_core.measures import Measure, parse_measure
from metrics_core.tables import Qrels, Run
from metrics_core.unjudged.expected_difference import EstimatedDifference, estimate_difference
from metrics_core.unjudged.unjudged_ranks import find_unjudged

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

MEASURES, SHARES, QUERIES = ("P@10", "nDCG@10"), (0.1, 0.3, 0.5), (30, 40)
OF_ONE_LIST = "of one list"
DEPTH = 10
_SEED, _FEWEST = 20_260, 3


@dataclass(frozen=True)
class Pair:
    """Two runs condensed to judged documents, `judgments` (query_id, doc_id, relevance) of all that
    either lists or that is relevant, and which of these `one` list alone has, bool[j]."""

    run: Run
    baseline: Run
    judgments: pd.DataFrame
    one: Mask


@dataclass(frozen=True)
class Told:
    """What was said in some cases, float64[cases] each: the true difference, the likely one and the
    ends of its interval, NaN where nothing was said."""

    true: Floats
    likely: Floats
    low: Floats
    high: Floats

    @property
    def said(self) -> Mask:
        """In which cases anything was said."""
        return ~np.isnan(self.likely)

    @property
    def slope(self) -> tuple[float, float]:
        """That of the likely difference on the true one, and its standard error."""
        x, y = self.true[self.said], self.likely[self.said]
        x, y = x - x.mean(), y - y.mean()
        slope = float((x * y).sum() / (x * x).sum())
        rest = float(np.square(y - slope * x).sum() / max(len(x) - 2, 1))
        return slope, (rest / float((x * x).sum())) ** 0.5

    @property
    def covered(self) -> tuple[float, float]:
        """How often the interval holds the truth, and the standard error."""
        inside = ((self.low <= self.true) & (self.true <= self.high))[self.said]
        share = float(inside.mean())
        return share, (share * (1 - share) / len(inside)) ** 0.5


def pairs_of(qrels: Qrels, runs: Sequence[Run]) -> list[Pair]:
    """All pairs of runs judged alike, condensed to their first judged documents."""
    judgments = _frame(qrels)
    judgments = judgments[judgments["relevance"] >= 0]
    lists = [_condensed(run, judgments) for run in runs]
    return [
        _pair(judgments, (a, b), (run.name, base.name))
        for (run, a), (base, b) in itertools.combinations(zip(runs, lists, strict=True), 2)
    ]


def _frame(table: Qrels | Run) -> pd.DataFrame:
    frame: pd.DataFrame = table.table.to_pandas()
    return frame.astype({"query_id": object, "doc_id": object})


def _condensed(run: Run, judgments: pd.DataFrame) -> pd.DataFrame:
    kept = _frame(run).merge(judgments, on=["query_id", "doc_id"])
    kept = kept.sort_values(["query_id", "score", "doc_id"], ascending=[True, False, False])
    return kept.groupby("query_id").head(DEPTH)


def _pair(
    judgments: pd.DataFrame, lists: tuple[pd.DataFrame, pd.DataFrame], names: tuple[str, str]
) -> Pair:
    pair, known = ["query_id", "doc_id"], pd.MultiIndex.from_frame
    every = known(judgments[pair])
    own, other = (every.isin(known(part[pair])) for part in lists)
    counted = own | other | (judgments["relevance"] > 0).to_numpy()
    run, baseline = (
        Run.from_columns(name, part["query_id"], part["doc_id"], part["score"])
        for name, part in zip(names, lists, strict=True)
    )
    return Pair(run, baseline, judgments[counted], (own ^ other)[counted])


def cases(
    pairs: Sequence[Pair], share: float | str, number: int
) -> Iterator[tuple[Pair, Mask, Mask]]:
    """So many pairs with which judgments are of the drawn queries, and which of these are left."""
    rate = 0.0 if share == OF_ONE_LIST else float(share)
    generator = np.random.default_rng((_SEED, round(100 * rate)))
    for i in range(number):
        pair = pairs[i % len(pairs)]
        ids = pair.judgments["query_id"]
        every = ids.unique()
        drawn = generator.permutation(every)[: QUERIES[i // len(pairs) % 2]]
        here = ids.isin(drawn).to_numpy()
        gone = pair.one if share == OF_ONE_LIST else generator.random(len(here)) < rate
        yield pair, here, here & ~gone


def told(
    pairs: Sequence[Pair],
    measure: Measure,
    share: float | str,
    number: int,
    difference: Callable[..., EstimatedDifference] = estimate_difference,
) -> Told:
    """What is said of so many cases."""
    rows = []
    for pair, here, left in cases(pairs, share, number):
        whole, rest = (Qrels.from_columns(*pair.judgments[m].T.to_numpy()) for m in (here, left))
        own, other = (
            measure.score(join_judgments(run, whole)) for run in (pair.run, pair.baseline)
        )
        lists = join_judgments(pair.run, rest), join_judgments(pair.baseline, rest)
        found = find_unjudged(*lists, measure.cutoff)
        said = difference(*lists, measure, found).interval
        rows.append((float(own.mean() - other.mean()), *(said or np.full(3, np.nan))))
    return Told(*np.array(rows, dtype=np.float64).T)


def line(name: str, measure: str, share: float | str, told: Told) -> str:
    """A line of the table."""
    begin = f"{name:<12}{measure:<9}{share!s:<13}"
    silent = f"nothing said in {1 - told.said.mean():.1%}"
    if told.said.sum() < _FEWEST:
        return begin + silent
    (slope, of_slope), (covered, of_covered) = told.slope, told.covered
    return (
        f"{begin}slope {slope:.3f} ±{of_slope:.3f}  holds {covered:.1%} ±{of_covered:.1%}"
        f"  width {np.nanmean(told.high - told.low):.3f}  {silent}"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collections", nargs="+", metavar="NAME=QRELS,RUN,RUN…")
    parser.add_argument("--cases", type=int, default=400)
    options = parser.parse_args()
    pairs = dict[str, list[Pair]]()
    for collection in options.collections:
        name, _, files = collection.partition("=")
        qrels, *runs = files.split(",")
        of = pairs_of(read_qrels(qrels), [read_run(run) for run in runs])
        pairs[name] = [*pairs.get(name, []), *of]
    for name, measure, share in itertools.product(pairs, MEASURES, (*SHARES, OF_ONE_LIST)):
        found = told(pairs[name], parse_measure(measure), share, options.cases)
        print(line(name, measure, share, found), flush=True)


if __name__ == "__main__":
    main()

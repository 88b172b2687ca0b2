"""Check whether the runs answer the same queries: the queries that each run lacks, and how they
affect the scores.

By default, as with trec_eval -c, a judged query without results has the score of an empty list.
Alternatively, runs are compared only on the queries for which all of them have results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metrics_core.judging import JudgedRanks
from metrics_core.scoring.scores import Scores


@dataclass(frozen=True)
class QueryCoverage:
    """Queries with results, for several runs.

    `judged` is the number of judged queries, and `shared` the number of these for which every run
    has results. `lacking` maps each run to the judged queries for which it has no results, and
    `unjudged` maps each run to its queries that are not judged."""

    judged: int
    shared: int
    lacking: dict[str, tuple[str, ...]]
    unjudged: dict[str, tuple[str, ...]]

    @property
    def complete(self) -> bool:
        """Whether every run has results for every judged query and for no other query."""
        return not any(self.lacking.values()) and not any(self.unjudged.values())


def find_coverage(judged: Sequence[JudgedRanks]) -> QueryCoverage:
    """Return which judged queries have results in each run. All runs must be joined with the same
    qrels."""
    listed = np.array([ranks.retrieved > 0 for ranks in judged])
    return QueryCoverage(
        judged=listed.shape[1],
        shared=int(listed.all(axis=0).sum()),
        lacking={ranks.run_name: ranks.missing_queries for ranks in judged},
        unjudged={ranks.run_name: ranks.unjudged_queries for ranks in judged},
    )


def select_shared_queries(scores: Scores) -> Scores:
    """Return the scores of the queries for which all runs have results."""
    is_lacking = scores.missing.any(axis=0)
    return scores.select_queries(np.logical_not(is_lacking, dtype=np.bool_))

"""Do the runs answer the same queries? Which ones each lacks, and what counts for those.

As trec_eval's -c has it, a judged query that a run does not list has the score of an empty list and
counts. The other choice is to compare runs on the queries that all of them list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from metrics_core.base.arrays import Mask
from metrics_core.judging import JudgedRanks
from metrics_core.scoring.scores import Scores

Missing = Literal["zero", "shared"]


@dataclass(frozen=True)
class QueryCoverage:
    """Of some runs, in their order: `judged` queries there are, those that all `shared`, by run the
    judged queries that it is `lacking`, and the queries it lists that are `unjudged`."""

    judged: int
    shared: int
    lacking: dict[str, tuple[str, ...]]
    unjudged: dict[str, tuple[str, ...]]

    @property
    def complete(self) -> bool:
        """Whether every run lists every judged query, and none lists any other."""
        return not any(self.lacking.values()) and not any(self.unjudged.values())


def find_coverage(judged: Sequence[JudgedRanks]) -> QueryCoverage:
    """Which queries the runs have, of those that the judgments hold. All were judged alike."""
    listed = np.array([ranks.retrieved > 0 for ranks in judged])
    return QueryCoverage(
        judged=listed.shape[1],
        shared=int(listed.all(axis=0).sum()),
        lacking={ranks.run_name: ranks.missing_queries for ranks in judged},
        unjudged={ranks.run_name: ranks.unjudged_queries for ranks in judged},
    )


def shared_queries(scores: Scores, runs: Sequence[str] = ()) -> Mask:
    """The queries that all of these runs list, bool[Q]; without `runs` all of the scores' own.
    Raises UnknownRunError."""
    rows = [scores.position(run) for run in runs or scores.runs]
    return np.logical_not(scores.missing[rows].any(axis=0), dtype=np.bool_)


def select_scores(scores: Scores, missing: Missing, runs: Sequence[str] = ()) -> Scores:
    """The scores that count: with "zero" all of them, with "shared" those of the queries that all
    of these runs list. Raises UnknownRunError."""
    return scores if missing == "zero" else scores.among(shared_queries(scores, runs))

"""Ranking: who may be the best of all runs, and which of them can be told apart?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.study.study import Study
from metrics_core.comparing.all_pairs.all_pairs import AllPairs, all_pairs
from metrics_core.comparing.method import Method
from metrics_core.findings.places import places_lead, places_title
from metrics_core.findings.sentence import Sentence

MOST_IN_MATRIX = 40
"""Runs whose pairs fit on a page; of more, as many of the best that are looked for are shown."""


@dataclass(frozen=True)
class Pairs:
    """What is told of all pairs on the chosen measure. `found` holds all pairs of all runs, `table`
    a row for each of them; `queries` are those in view, `judged_share` that of all runs' top k."""

    title: Sentence
    lead: Sentence
    found: AllPairs
    queries: int
    judged_share: float
    table: pd.DataFrame

    def named(self, asked: str) -> tuple[str, ...]:
        """The runs whose names hold one of these texts, which commas part; all for none."""
        wanted = [text.strip().lower() for text in asked.split(",") if text.strip()]
        runs = self.found.runs
        return tuple(r for r in runs if any(t in r.lower() for t in wanted)) if wanted else runs


def pairs(study: Study, shown: Comparison) -> Pairs:
    """All pairs of all loaded runs on the chosen measure, whichever are compared."""
    return study.kept(_pairs, alike(study, shown))


def alike(study: Study, shown: Comparison) -> Comparison:
    """What is the same for all comparisons that show the same pairs."""
    every = tuple(study.names)
    # By the draws whatever test is chosen for the comparison with the baseline.
    return replace(
        shown,
        focus=every[0],
        baseline=every[0],
        also=every,
        method=Method(level=shown.method.level),
    )


def every_pair(study: Study, shown: Comparison) -> AllPairs:
    """All pairs of all loaded runs, in the queries in view; worked out once for all pages."""
    return pairs(study, shown).found


def every_pair_known(study: Study, shown: Comparison) -> bool:
    """Whether `every_pair` is at hand, or takes a while to work out."""
    return study.known(_pairs, alike(study, shown))


def _pairs(study: Study, shown: Comparison) -> Pairs:
    found = all_pairs(study.scores(shown, shown.measure), shown.measure, level=shown.method.level)
    mask = study.in_view(shown)
    ranks = [study.judged[name].among(mask) for name in shown.runs]
    listed = sum(int(r.documents(shown.cutoff).sum()) for r in ranks)
    judged = sum(float(r.judged().count(shown.cutoff).sum()) for r in ranks)
    queries = int(mask.sum())
    return Pairs(
        title=places_title(found, shown.name, queries),
        lead=places_lead(found, shown.name, queries),
        found=found,
        queries=queries,
        judged_share=judged / listed if listed else float("nan"),
        table=_table(found),
    )


def _table(found: AllPairs) -> pd.DataFrame:
    """A row for each pair, the run with the better mean first."""
    one, other = np.triu_indices(len(found.runs), 1)
    runs = np.array(found.runs, dtype=object)
    cells = ("difference", "low", "high", "p", "p_corrected", "verdict", "queries")
    return pd.DataFrame(
        {"run": runs[one], "against": runs[other]}
        | {name: getattr(found, name)[one, other] for name in cells}
    )

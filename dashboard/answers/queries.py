"""Queries: which ones?"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.opened.study import Study
from metrics_core import findings
from metrics_core.comparing.pairs import BETTER, LEVEL_WITH, WORSE, differences

SHOW_ALL = "all"
SHOWS = (SHOW_ALL, BETTER, WORSE, LEVEL_WITH, "none", "zero", "missing")
"""Keys of the query lists: every query, the three outcomes, every run fails, the focus at zero,
one of the compared runs lacks it."""

_ABOUT_SCORES = ("none", "zero", "missing")


@dataclass(frozen=True)
class QueryList:
    """What the Queries page shows: all queries in view with a column of scores per run, and which
    of them the chip and the search keep. `scale` is what the bars of the scores fill; None where
    scores below 0 allow no bars."""

    finding: findings.Sentence
    show: str
    counts: dict[str, int]
    mean: float
    frame: pd.DataFrame
    kept: pd.DataFrame
    groupings: list[str]
    table: pd.DataFrame
    scale: tuple[float, float] | None = None


def query_list(study: Study, shown: Comparison, show: str, search: str) -> QueryList:
    """The Queries page: the list of that name, all where there is none, and what the search leaves
    of it."""
    found = study.kept(_query_list, shown, show if show in SHOWS else SHOW_ALL)
    return _searched(found, shown, search) if search else found


def _searched(found: QueryList, shown: Comparison, search: str) -> QueryList:
    """The list narrowed to texts that hold the search, or the query with that very id."""
    wanted = search.casefold()
    inside = found.kept["text"].str.casefold().str.contains(wanted, regex=False)
    inside |= found.kept["query_id"].str.casefold() == wanted
    kept = found.kept[inside]
    return replace(found, kept=kept, table=_for_people(kept, shown, found.groupings))


def _query_list(study: Study, shown: Comparison, show: str) -> QueryList:
    scores = study.scores(shown, shown.measure)
    own = scores.of(shown.measure)
    frame = study.with_texts(differences(scores, shown.measure, shown.focus, shown.baseline))
    runs = pd.DataFrame(own.T, columns=[f"run: {name}" for name in shown.runs])
    frame = pd.concat([frame, runs], axis=1)
    frame["in: none"] = (own == 0).all(axis=0)
    frame["in: zero"] = own[shown.runs.index(shown.focus)] == 0
    frame["in: missing"] = scores.only([shown.focus, shown.baseline]).missing.any(axis=0)
    for outcome in (BETTER, WORSE, LEVEL_WITH):
        frame[f"in: {outcome}"] = (frame["outcome"] == outcome).to_numpy()
    frame[f"in: {SHOW_ALL}"] = True
    counts = {name: int(frame[f"in: {name}"].sum()) for name in SHOWS}
    fails = counts["none"]
    if shown.alone:
        # Nothing is compared, so nothing got better or worse.
        counts = {name: counts[name] for name in (SHOW_ALL, *_ABOUT_SCORES, show)}
    if not counts["missing"] and show != "missing":
        del counts["missing"]
    kept = frame[frame[f"in: {show}"]]
    by = "score" if shown.alone else "difference"
    kept = kept.sort_values(by, ascending=show != BETTER, kind="stable")
    return QueryList(
        finding=findings.queries_finding(
            frame, shown.focus, shown.baseline, _failing(shown, fails), shown.every_run
        ),
        show=show,
        counts=counts,
        mean=float(frame["difference"].mean()),
        frame=frame,
        kept=kept,
        groupings=study.groupings,
        table=_for_people(kept, shown, study.groupings),
        scale=_scale(shown, own),
    )


def _failing(shown: Comparison, at_zero: int) -> int:
    """Queries on which every run fails; where scores go below 0, a score of 0 is no failure."""
    return at_zero if shown.measure.declaration.range[0] >= 0 else 0


def _scale(shown: Comparison, scores: npt.NDArray[np.float64]) -> tuple[float, float] | None:
    """From 0 to the greatest possible score; where there is none, to the greatest there is."""
    least, greatest = shown.measure.declaration.range
    if least < 0:
        return None
    highest = float(scores[np.isfinite(scores)].max(initial=0.0))
    return 0.0, greatest if math.isfinite(greatest) and greatest <= 1 else highest or 1.0


def _for_people(kept: pd.DataFrame, shown: Comparison, groupings: list[str]) -> pd.DataFrame:
    """The list as it is downloaded: plain column names, a column of scores for each run."""
    columns = {"query_id": "query_id", "text": "query", "difference": "difference"}
    columns |= {f"run: {name}": name for name in shown.runs}
    columns |= {f"by: {column}": column for column in groupings}
    return kept[list(columns)].set_axis(list(columns.values()), axis=1)

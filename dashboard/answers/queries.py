"""Queries: which ones?"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dashboard.address.view import SHOW_ALL, SHOWS, View
from dashboard.opened.study import Study, about
from metrics_core import findings
from metrics_core.comparing.pairs import BETTER, LEVEL_WITH, WORSE, differences, score_matrix

_ABOUT_SCORES = ("none", "zero")


@dataclass(frozen=True)
class QueryList:
    """What the Queries page shows: all queries in view with a column of scores per run, and which
    of them the chip and the search keep. `scale` is what the bars of the scores fill; None where
    scores below 0 allow no bars."""

    finding: findings.Sentence
    counts: dict[str, int]
    mean: float
    frame: pd.DataFrame
    kept: pd.DataFrame
    groupings: list[str]
    table: pd.DataFrame
    scale: tuple[float, float] | None = None


def query_list(study: Study, view: View) -> QueryList:
    """The Queries page."""
    key = ("queries", about(view), view.show)
    found = study.kept(key, lambda: _query_list(study, view))
    return _searched(found, view) if view.search else found


def _searched(found: QueryList, view: View) -> QueryList:
    """The list narrowed to texts that hold the search, or the query with that very id."""
    wanted = view.search.casefold()
    inside = found.kept["text"].str.casefold().str.contains(wanted, regex=False)
    inside |= found.kept["query_id"].str.casefold() == wanted
    kept = found.kept[inside]
    return replace(found, kept=kept, table=_for_people(kept, view, found.groupings))


def _query_list(study: Study, view: View) -> QueryList:
    name = str(view.measure)
    scores = study.score_frame(view, [view.measure])
    frame = study.with_texts(differences(scores, name, view.focus, view.baseline))
    matrix = score_matrix(scores, name, view.runs).reset_index(drop=True)
    all_zero = (matrix == 0).all(axis=1)
    frame = pd.concat([frame, matrix.add_prefix("run: ")], axis=1)
    frame["in: none"] = all_zero.to_numpy()
    frame["in: zero"] = (matrix[view.focus] == 0).to_numpy()
    for outcome in (BETTER, WORSE, LEVEL_WITH):
        frame[f"in: {outcome}"] = (frame["outcome"] == outcome).to_numpy()
    frame[f"in: {SHOW_ALL}"] = True
    counts = {show: int(frame[f"in: {show}"].sum()) for show in SHOWS}
    fails = counts["none"]
    if view.focus == view.baseline:
        # Nothing is compared, so nothing got better or worse.
        counts = {show: counts[show] for show in (SHOW_ALL, *_ABOUT_SCORES, view.show)}
    kept = frame[frame[f"in: {view.show}"]]
    alone = view.focus == view.baseline
    best_first = view.show == BETTER
    by = "score" if alone else "difference"
    kept = kept.sort_values(by, ascending=not best_first, kind="stable")
    return QueryList(
        finding=findings.queries_finding(
            frame, view.focus, view.baseline, _failing(view, fails), len(view.runs)
        ),
        counts=counts,
        mean=float(frame["difference"].mean()),
        frame=frame,
        kept=kept,
        groupings=study.groupings,
        table=_for_people(kept, view, study.groupings),
        scale=_scale(view, matrix),
    )


def _failing(view: View, at_zero: int) -> int:
    """Queries on which every run fails; where scores go below 0, a score of 0 is no failure."""
    return at_zero if view.measure.declaration.range[0] >= 0 else 0


def _scale(view: View, matrix: pd.DataFrame) -> tuple[float, float] | None:
    """From 0 to the greatest possible score; where there is none, to the greatest there is."""
    least, greatest = view.measure.declaration.range
    if least < 0:
        return None
    known = matrix.to_numpy()[np.isfinite(matrix.to_numpy())]
    highest = float(known.max(initial=0.0))
    return 0.0, greatest if math.isfinite(greatest) and greatest <= 1 else highest or 1.0


def _for_people(kept: pd.DataFrame, view: View, groupings: list[str]) -> pd.DataFrame:
    """The list as it is downloaded: plain column names, a column of scores for each run."""
    columns = {"query_id": "query_id", "text": "query", "difference": "difference"}
    columns |= {f"run: {name}": name for name in view.runs}
    columns |= {f"by: {column}": column for column in groupings}
    return kept[list(columns)].set_axis(list(columns.values()), axis=1)

"""Queries: which ones?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.opened.study import Study
from metrics_core import findings
from metrics_core.comparing.pairs import BETTER, LEVEL_WITH, WORSE, differences
from metrics_core.comparing.verdicts import FEWEST_QUERIES

SHOW_ALL = "all"
SHOWS = (SHOW_ALL, BETTER, WORSE, LEVEL_WITH, "none", "zero", "missing")
"""Keys of the query lists: every query, the three outcomes, every run fails, the focus at zero,
one of the compared runs lacks it."""

PAGE_ROWS = 100
"""Rows of the table on one page."""

_ABOUT_SCORES = ("none", "zero", "missing")


@dataclass(frozen=True)
class Asked:
    """One list of queries as an address asks for it: its key, what is searched for in it, and its
    order; "" is every query, no search, and the list's own order."""

    show: str = ""
    search: str = ""
    order: str = ""


@dataclass(frozen=True)
class Column:
    """A column of the table: what it holds ("text", "difference", "score" or "group"), its `key`
    in the order, and the frame's column. `name` is that of the run or of the grouping."""

    kind: str
    key: str
    source: str
    name: str = ""


@dataclass(frozen=True)
class Rows:
    """A page of a list: its rows, which of how many pages it is (from 1), and where its first row
    stands in the list (from 0)."""

    frame: pd.DataFrame
    number: int
    pages: int
    start: int


@dataclass(frozen=True)
class QueryList:
    """What the Queries page shows: all queries in view with a column of scores per run, and which
    of them the chip and the search keep, in their order. `order` is a column's key, "-" before it
    where the greatest comes first. `paired` counts the queries with a score in both runs. `scale`
    is what the bars of the scores fill; None where scores below 0 allow no bars."""

    finding: findings.Sentence
    show: str
    counts: dict[str, int]
    mean: float
    paired: int
    frame: pd.DataFrame
    kept: pd.DataFrame
    columns: list[Column]
    order: str
    usual_order: str
    scale: tuple[float, float] | None = None

    @property
    def can_tell(self) -> bool:
        """Whether there are enough queries to say which run does better."""
        return self.paired >= FEWEST_QUERIES

    @property
    def table(self) -> pd.DataFrame:
        """The list as it is downloaded: plain column names, a column of scores for each run."""
        named = {"query_id": "query_id", "text": "query", "difference": "difference"}
        named |= {c.source: c.name for c in self.columns if c.name}
        return self.kept[list(named)].set_axis(list(named.values()), axis=1)

    def page(self, number: str) -> Rows:
        """The page of this number; the nearest there is, the first for what is no number."""
        pages = max(1, -(-len(self.kept) // PAGE_ROWS))
        wanted = int(number) if number.isascii() and number.isdigit() else 1
        here = min(max(wanted, 1), pages)
        start = (here - 1) * PAGE_ROWS
        return Rows(self.kept.iloc[start : start + PAGE_ROWS], here, pages, start)

    def turned(self, key: str) -> str:
        """The order that a column's head asks for: by that column, from the least; the other way
        round where it has that order already."""
        wanted = f"-{key}" if self.order == key else key
        return "" if wanted == self.usual_order else wanted


@dataclass(frozen=True)
class _Compared:
    """All queries in view, whichever of them a list keeps."""

    frame: pd.DataFrame
    finding: findings.Sentence
    counts: dict[str, int]
    columns: list[Column]
    scale: tuple[float, float] | None


def query_list(study: Study, shown: Comparison, asked: Asked) -> QueryList:
    """The Queries page: the list of that name, all where there is none, what the search leaves of
    it, in the order asked for; one that is none is the list's own, worst first."""
    found = study.kept(_compared, shown)
    show = asked.show if asked.show in SHOWS else SHOW_ALL
    kept = found.frame[found.frame[f"in: {show}"]]
    if asked.search:
        kept = kept[_holding(kept, asked.search)]
    usual = _usual_order(shown, show)
    known = {key for c in found.columns for key in (c.key, f"-{c.key}")}
    order = asked.order if asked.order in known else usual
    column = next(c for c in found.columns if c.key == order.removeprefix("-"))
    return QueryList(
        finding=found.finding,
        show=show,
        counts=_offered(found.counts, shown, show),
        mean=float(found.frame["difference"].mean()),
        paired=int(found.frame["difference"].notna().sum()),
        frame=found.frame,
        kept=_sorted(kept, column, study, descending=order.startswith("-")),
        columns=found.columns,
        order=order,
        usual_order=usual,
        scale=found.scale,
    )


def _usual_order(shown: Comparison, show: str) -> str:
    """The worst first; among those that got better, the best."""
    if shown.alone:
        return f"score:{shown.focus}"
    return "-difference" if show == BETTER else "difference"


def _holding(kept: pd.DataFrame, search: str) -> pd.Series:
    """Which texts hold the search, or whose query_id it is."""
    wanted = search.casefold()
    inside = kept["text"].str.casefold().str.contains(wanted, regex=False)
    return inside | (kept["query_id"].str.casefold() == wanted)


def _sorted(kept: pd.DataFrame, column: Column, study: Study, *, descending: bool) -> pd.DataFrame:
    """The rows by one column, undefined ones last; rows that are level stay as they were."""
    values = kept[column.source]
    if column.kind == "text":
        values = values.str.casefold()
    elif column.kind == "group":
        values = values.map({group: i for i, group in enumerate(study.groups[column.name])})
    ordered = values.sort_values(ascending=not descending, kind="stable", na_position="last")
    return kept.loc[ordered.index]


def _offered(counts: dict[str, int], shown: Comparison, show: str) -> dict[str, int]:
    """The lists that have a chip."""
    if shown.alone:
        # Nothing is compared, so nothing got better or worse.
        counts = {name: counts[name] for name in (SHOW_ALL, *_ABOUT_SCORES, show)}
    return {name: n for name, n in counts.items() if n or name != "missing" or name == show}


def _compared(study: Study, shown: Comparison) -> _Compared:
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
    return _Compared(
        frame=frame,
        finding=findings.queries_finding(
            frame, shown.focus, shown.baseline, _failing(shown, counts["none"]), shown.every_run
        ),
        counts=counts,
        columns=_columns(study, shown),
        scale=_scale(shown, own),
    )


def _columns(study: Study, shown: Comparison) -> list[Column]:
    difference = [] if shown.alone else [Column("difference", "difference", "difference")]
    return [
        Column("text", "text", "text"),
        *difference,
        *(Column("score", f"score:{name}", f"run: {name}", name) for name in shown.runs),
        *(Column("group", f"by:{name}", f"by: {name}", name) for name in study.groupings),
    ]


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

"""Queries: which ones?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers import query_chips, query_columns
from dashboard.answers.query_chips import SHOW_ALL, SHOWS
from dashboard.answers.query_filter import true_for
from dashboard.answers.query_notes import NOTHING_NOTED, Remarks
from dashboard.answers.table_column import TableColumn
from dashboard.study.study import Study
from metrics_core.base.arrays import Floats, Mask
from metrics_core.base.digits import whole_number
from metrics_core.base.errors import FilterLineError
from metrics_core.comparing.pairs import BETTER, differences
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings.queries import Turned, queries_finding, queries_lead
from metrics_core.findings.sentence import Sentence

PAGE_ROWS = 100
"""Rows of the table on one page."""


@dataclass(frozen=True)
class QueryListRequest:
    """One list of queries as an address asks for it: its key, what is searched for in it, its
    order, a filter line, the query_ids picked in a chart, the keys of the columns, and what is
    noted of queries; "" or nothing is every query, the list's own order, the usual columns."""

    show: str = ""
    search: str = ""
    order: str = ""
    line: str = ""
    picked: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    remarks: Remarks = NOTHING_NOTED


@dataclass(frozen=True)
class QueryRows:
    """A page of a list: its rows, which of how many pages it is (from 1), and where its first row
    stands in the list (from 0)."""

    frame: pd.DataFrame
    number: int
    pages: int
    start: int


@dataclass(frozen=True)
class QueryList:
    """What the Queries page shows: all queries in view with a column of scores per run, and which
    of them chip, search, filter line and selection keep, in their order. `counts` says how many of
    each list search, line and selection leave: the rows that its chip gives; `listed` how many the
    list shown has without them. `order` is a column's
    key, "-" before it where the greatest comes first. `paired` counts the queries with a score in
    both runs. `scale` is what the bars of the scores fill; None where scores below 0 allow no bars.
    `wrong` says why the filter line is none; it then filters nothing."""

    finding: Sentence
    lead: Sentence
    show: str
    counts: dict[str, int]
    listed: int
    mean: float
    paired: int
    frame: pd.DataFrame
    kept: pd.DataFrame
    columns: list[TableColumn]
    offered: list[TableColumn]
    order: str
    usual_order: str
    scale: tuple[float, float] | None = None
    wrong: FilterLineError | None = None

    @property
    def can_tell(self) -> bool:
        """Whether there are enough queries to say which run does better."""
        return self.paired >= FEWEST_QUERIES

    @property
    def span(self) -> tuple[float, float]:
        """The least and the greatest difference of all queries, 0 among them."""
        gaps = self.frame["difference"].to_numpy(dtype=np.float64)
        known = gaps[np.isfinite(gaps)]
        return float(known.min(initial=0.0)), float(known.max(initial=0.0))

    @property
    def table(self) -> pd.DataFrame:
        """The list as it is downloaded: plain column names, ids as text, numbers of the query file
        as they are, a column of scores for each run."""
        shown = [c for c in self.columns if c.key not in ("text", "query_id")]
        sources = ["query_id", "text", *(c.source for c in shown)]
        names = ["query_id", "query", *(c.named for c in shown)]
        return self.kept[sources].set_axis(names, axis=1)

    def page(self, number: str) -> QueryRows:
        """The page of this number; the nearest there is, the first for what is no number."""
        pages = max(1, -(-len(self.kept) // PAGE_ROWS))
        here = min(max(whole_number(number) or 1, 1), pages)
        start = (here - 1) * PAGE_ROWS
        return QueryRows(self.kept.iloc[start : start + PAGE_ROWS], here, pages, start)

    def turned(self, key: str) -> str:
        """The order that a column's head asks for: by that column, from the least; the other way
        round where it has that order already."""
        wanted = f"-{key}" if self.order == key else key
        return "" if wanted == self.usual_order else wanted


@dataclass(frozen=True)
class _Compared:
    """What is told of all queries in view, whichever of them a list keeps; `lists` are bool[Q] by
    key."""

    finding: Sentence
    lead: Sentence
    lists: dict[str, Mask]
    scale: tuple[float, float] | None


def query_list(study: Study, shown: Comparison, asked: QueryListRequest) -> QueryList:
    """The Queries page: the list of that name, all where there is none, what search, filter line
    and selection leave of it, in the order asked for; one that is none is the list's own, worst
    first."""
    return study.kept(_query_list, shown, asked)


def _query_list(study: Study, shown: Comparison, asked: QueryListRequest) -> QueryList:
    found, every = study.kept(_compared, shown), study.kept(_every_query, shown)
    remarks = asked.remarks
    tagged = remarks.lists(every["query_id"])
    lists = {**found.lists, **tagged}
    show = asked.show if asked.show in (*SHOWS, *tagged) else SHOW_ALL
    left, wrong = _left(study, shown, every, asked)
    usual = _usual_order(shown, show)
    offered = [*query_columns.offered(study, shown), *remarks.columns]
    order, by = _order(offered, asked, usual)
    columns = query_columns.chosen(study, shown, asked.columns, offered)
    frame = _with_columns(every, study, shown, remarks, [*columns, by])
    return QueryList(
        finding=found.finding,
        lead=found.lead,
        show=show,
        counts={
            key: int((lists[key] & left).sum())
            for key in (*query_chips.offered(found.lists, shown, show), *tagged)
        },
        listed=int(lists[show].sum()),
        mean=float(every["difference"].mean()),
        paired=int(every["difference"].notna().sum()),
        frame=every,
        kept=_sorted(frame[lists[show] & left], by, descending=order[0] == "-"),
        columns=columns,
        offered=offered,
        order=order,
        usual_order=usual,
        scale=found.scale,
        wrong=wrong,
    )


def listed_ids(study: Study, shown: Comparison, asked: QueryListRequest) -> list[str]:
    """The ids of the rows that `query_list` keeps, in their order; of all queries without what only
    their lists need to know."""
    if asked.show not in ("", SHOW_ALL):
        return query_list(study, shown, asked).kept["query_id"].tolist()
    every = study.kept(_every_query, shown)
    left, _ = _left(study, shown, every, asked)
    offered = [*query_columns.offered(study, shown), *asked.remarks.columns]
    order, by = _order(offered, asked, _usual_order(shown, SHOW_ALL))
    frame = _with_columns(every, study, shown, asked.remarks, [by])
    return _sorted(frame[left], by, descending=order[0] == "-")["query_id"].tolist()


def _order(
    offered: list[TableColumn], asked: QueryListRequest, usual: str
) -> tuple[str, TableColumn]:
    """The order asked for, the usual one where that is none, and its column."""
    known = {key: c for c in offered for key in (c.key, f"-{c.key}")}
    order = asked.order if asked.order in known else usual
    return order, known[order]


def _with_columns(
    frame: pd.DataFrame,
    study: Study,
    shown: Comparison,
    remarks: Remarks,
    needed: list[TableColumn],
) -> pd.DataFrame:
    """The frame with what is noted of its queries, and with these columns."""
    noted = {c.source: remarks.values(c, frame["query_id"]) for c in remarks.columns}
    return query_columns.with_columns(frame.assign(**noted), study, shown, needed)


def _left(
    study: Study, shown: Comparison, frame: pd.DataFrame, asked: QueryListRequest
) -> tuple[Mask, FilterLineError | None]:
    """Which queries search, filter line and selection leave; and why the line is none."""
    left = np.ones(len(frame), dtype=np.bool_)
    if asked.search:
        left &= _holding(frame, asked.search).to_numpy(dtype=np.bool_)
    if asked.picked:
        left &= frame["query_id"].isin(asked.picked).to_numpy()
    try:
        if asked.line:
            left &= study.kept(true_for, shown, asked.line, asked.remarks)
    except FilterLineError as error:
        return left, error
    return left, None


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


def _sorted(kept: pd.DataFrame, column: TableColumn, *, descending: bool) -> pd.DataFrame:
    """The rows by one column, undefined ones last; rows that are level stay as they were."""
    values = kept[column.source]
    if column.kind == "text" or column.key == "query_id":
        values = values.str.casefold()
    elif column.kind == "group":
        values = query_columns.in_order(column, values)
    ordered = values.sort_values(ascending=not descending, kind="stable", na_position="last")
    return kept.loc[ordered.index]


def _every_query(study: Study, shown: Comparison) -> pd.DataFrame:
    """All queries in view with their differences and the scores of the shown runs."""
    scores = study.scores(shown, shown.measure)
    frame = study.with_texts(differences(scores, shown.measure, shown.focus, shown.baseline))
    own = scores.of(shown.measure)
    runs = pd.DataFrame(own.T, columns=[f"run: {name}" for name in shown.runs])
    return pd.concat([frame, runs], axis=1)


def _compared(study: Study, shown: Comparison) -> _Compared:
    scores = study.scores(shown, shown.measure)
    frame = study.kept(_every_query, shown)
    masks = query_chips.lists(study, shown, scores)
    told = Turned(
        fixed=int(masks["fixed"].sum()),
        broken=int(masks["broken"].sum()),
        all_zero=failing_on(shown, int(masks["none"].sum())),
        every_run=shown.focus if len(shown.runs) == 1 else shown.every_run,
    )
    pair = (shown.focus, shown.baseline)
    return _Compared(
        finding=queries_finding(frame, *pair, told),
        lead=queries_lead(frame, *pair, told),
        lists=masks,
        scale=_scale(shown, scores.of(shown.measure)),
    )


def failing_on(shown: Comparison, at_zero: int) -> int:
    """Queries on which every run fails; where scores go below 0, a score of 0 is no failure."""
    return at_zero if shown.measure.declaration.range[0] >= 0 else 0


def _scale(shown: Comparison, scores: Floats) -> tuple[float, float] | None:
    """From 0 to the greatest possible score; where there is none, to the greatest there is."""
    least, greatest = shown.measure.declaration.range
    if least < 0:
        return None
    highest = float(scores[np.isfinite(scores)].max(initial=0.0))
    return 0.0, greatest if math.isfinite(greatest) and greatest <= 1 else highest or 1.0

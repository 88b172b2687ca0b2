"""Queries: which ones?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers import query_chips, query_columns
from dashboard.answers.query_chips import SHOW_ALL, SHOWS
from dashboard.answers.query_filter import filter_mask
from dashboard.answers.query_notes import NOTHING_NOTED, Remarks
from dashboard.answers.table_column import TableColumn
from dashboard.study.study import Study
from metrics_core.base.arrays import Floats, Mask
from metrics_core.base.digits import parse_whole_number
from metrics_core.base.errors import FilterLineError
from metrics_core.comparing.pairs import BETTER, query_differences
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings.queries import QueryCounts, queries_finding, queries_lead
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
    each list search, line and selection leave: the rows that its chip gives; `list_size` how many
    the list shown has without them. `order` is a column's
    key, "-" before it where the greatest comes first. `paired` counts the queries with a score in
    both runs. `scale` is what the bars of the scores fill; None where scores below 0 allow no bars.
    `line_error` says why the filter line is none; it then filters nothing."""

    finding: Sentence
    lead: Sentence
    show: str
    counts: dict[str, int]
    list_size: int
    mean: float
    paired: int
    frame: pd.DataFrame
    rows: pd.DataFrame
    columns: list[TableColumn]
    all_columns: list[TableColumn]
    order: str
    default_order: str
    scale: tuple[float, float] | None = None
    line_error: FilterLineError | None = None

    @property
    def has_enough_queries(self) -> bool:
        """Whether there are enough queries to say which run does better."""
        return self.paired >= FEWEST_QUERIES

    @property
    def difference_span(self) -> tuple[float, float]:
        """The least and the greatest difference of all queries, 0 among them."""
        gaps = self.frame["difference"].to_numpy(dtype=np.float64)
        finite = gaps[np.isfinite(gaps)]
        return float(finite.min(initial=0.0)), float(finite.max(initial=0.0))

    @property
    def download_table(self) -> pd.DataFrame:
        """The list as it is downloaded: plain column names, ids as text, numbers of the query file
        as they are, a column of scores for each run."""
        columns = [c for c in self.columns if c.key not in ("text", "query_id")]
        sources = ["query_id", "text", *(c.source for c in columns)]
        names = ["query_id", "query", *(c.label for c in columns)]
        return self.rows[sources].set_axis(names, axis=1)

    def page(self, number: str) -> QueryRows:
        """The page of this number; the nearest there is, the first for what is no number."""
        pages = max(1, -(-len(self.rows) // PAGE_ROWS))
        page_number = min(max(parse_whole_number(number) or 1, 1), pages)
        start = (page_number - 1) * PAGE_ROWS
        return QueryRows(self.rows.iloc[start : start + PAGE_ROWS], page_number, pages, start)

    def toggled_order(self, key: str) -> str:
        """The order that a column's head asks for: by that column, from the least; the other way
        round where it has that order already."""
        order = f"-{key}" if self.order == key else key
        return "" if order == self.default_order else order


@dataclass(frozen=True)
class _QueryFindings:
    """What is told of all queries in view, whichever of them a list keeps; `lists` are bool[Q] by
    key."""

    finding: Sentence
    lead: Sentence
    lists: dict[str, Mask]
    scale: tuple[float, float] | None


def query_list(study: Study, comparison: Comparison, request: QueryListRequest) -> QueryList:
    """The Queries page: the list of that name, all where there is none, what search, filter line
    and selection leave of it, in the order asked for; one that is none is the list's own, worst
    first."""
    return study.cached_answer(_query_list, comparison, request)


def _query_list(study: Study, comparison: Comparison, request: QueryListRequest) -> QueryList:
    findings, all_rows = (
        study.cached_answer(_query_findings, comparison),
        study.cached_answer(_all_queries, comparison),
    )
    remarks = request.remarks
    tag_masks = remarks.tag_masks(all_rows["query_id"])
    lists = {**findings.lists, **tag_masks}
    show = request.show if request.show in (*SHOWS, *tag_masks) else SHOW_ALL
    mask, line_error = _row_mask(study, comparison, all_rows, request)
    default_order = _default_order(comparison, show)
    all_columns = [*query_columns.offered_columns(study, comparison), *remarks.columns]
    order, sort_column = _sort_order(all_columns, request, default_order)
    columns = query_columns.chosen_columns(study, comparison, request.columns, all_columns)
    frame = _add_columns(all_rows, study, comparison, remarks, [*columns, sort_column])
    return QueryList(
        finding=findings.finding,
        lead=findings.lead,
        show=show,
        counts={
            key: int((lists[key] & mask).sum())
            for key in (*query_chips.offered_lists(findings.lists, comparison, show), *tag_masks)
        },
        list_size=int(lists[show].sum()),
        mean=float(all_rows["difference"].mean()),
        paired=int(all_rows["difference"].notna().sum()),
        frame=all_rows,
        rows=_sort_rows(frame[lists[show] & mask], sort_column, descending=order[0] == "-"),
        columns=columns,
        all_columns=all_columns,
        order=order,
        default_order=default_order,
        scale=findings.scale,
        line_error=line_error,
    )


def listed_ids(study: Study, comparison: Comparison, request: QueryListRequest) -> list[str]:
    """The ids of the rows that `query_list` keeps, in their order; of all queries without what only
    their lists need to know."""
    if request.show not in ("", SHOW_ALL):
        return query_list(study, comparison, request).rows["query_id"].tolist()
    all_rows = study.cached_answer(_all_queries, comparison)
    mask, _ = _row_mask(study, comparison, all_rows, request)
    all_columns = [*query_columns.offered_columns(study, comparison), *request.remarks.columns]
    order, sort_column = _sort_order(all_columns, request, _default_order(comparison, SHOW_ALL))
    frame = _add_columns(all_rows, study, comparison, request.remarks, [sort_column])
    return _sort_rows(frame[mask], sort_column, descending=order[0] == "-")["query_id"].tolist()


def _sort_order(
    all_columns: list[TableColumn], request: QueryListRequest, default_order: str
) -> tuple[str, TableColumn]:
    """The order asked for, the usual one where that is none, and its column."""
    columns = {key: c for c in all_columns for key in (c.key, f"-{c.key}")}
    order = request.order if request.order in columns else default_order
    return order, columns[order]


def _add_columns(
    frame: pd.DataFrame,
    study: Study,
    comparison: Comparison,
    remarks: Remarks,
    needed: list[TableColumn],
) -> pd.DataFrame:
    """The frame with what is noted of its queries, and with these columns."""
    note_values = {c.source: remarks.values(c, frame["query_id"]) for c in remarks.columns}
    return query_columns.add_columns(frame.assign(**note_values), study, comparison, needed)


def _row_mask(
    study: Study, comparison: Comparison, frame: pd.DataFrame, request: QueryListRequest
) -> tuple[Mask, FilterLineError | None]:
    """Which queries search, filter line and selection leave; and why the line is none."""
    mask = np.ones(len(frame), dtype=np.bool_)
    if request.search:
        mask &= _matches_search(frame, request.search).to_numpy(dtype=np.bool_)
    if request.picked:
        mask &= frame["query_id"].isin(request.picked).to_numpy()
    try:
        if request.line:
            mask &= study.cached_answer(filter_mask, comparison, request.line, request.remarks)
    except FilterLineError as error:
        return mask, error
    return mask, None


def _default_order(comparison: Comparison, show: str) -> str:
    """The worst first; among those that got better, the best."""
    if comparison.is_alone:
        return f"score:{comparison.focus}"
    return "-difference" if show == BETTER else "difference"


def _matches_search(rows: pd.DataFrame, search: str) -> pd.Series:
    """Which texts hold the search, or whose query_id it is."""
    text = search.casefold()
    is_match = rows["text"].str.casefold().str.contains(text, regex=False)
    return is_match | (rows["query_id"].str.casefold() == text)


def _sort_rows(rows: pd.DataFrame, column: TableColumn, *, descending: bool) -> pd.DataFrame:
    """The rows by one column, undefined ones last; rows that are level stay as they were."""
    values = rows[column.source]
    if column.kind == "text" or column.key == "query_id":
        values = values.str.casefold()
    elif column.kind == "group":
        values = query_columns.group_positions(column, values)
    ordered = values.sort_values(ascending=not descending, kind="stable", na_position="last")
    return rows.loc[ordered.index]


def _all_queries(study: Study, comparison: Comparison) -> pd.DataFrame:
    """All queries in view with their differences and the scores of the shown runs."""
    scores = study.scores(comparison, comparison.measure)
    frame = study.with_texts(
        query_differences(scores, comparison.measure, comparison.focus, comparison.baseline)
    )
    run_scores = scores.of(comparison.measure)
    runs = pd.DataFrame(run_scores.T, columns=[f"run: {name}" for name in comparison.runs])
    return pd.concat([frame, runs], axis=1)


def _query_findings(study: Study, comparison: Comparison) -> _QueryFindings:
    scores = study.scores(comparison, comparison.measure)
    frame = study.cached_answer(_all_queries, comparison)
    masks = query_chips.query_masks(study, comparison, scores)
    counts = QueryCounts(
        fixed=int(masks["fixed"].sum()),
        broken=int(masks["broken"].sum()),
        all_zero=count_failing(comparison, int(masks["none"].sum())),
        every_run=comparison.focus if len(comparison.runs) == 1 else comparison.every_run,
    )
    pair = (comparison.focus, comparison.baseline)
    return _QueryFindings(
        finding=queries_finding(frame, *pair, counts),
        lead=queries_lead(frame, *pair, counts),
        lists=masks,
        scale=_score_scale(comparison, scores.of(comparison.measure)),
    )


def count_failing(comparison: Comparison, at_zero: int) -> int:
    """Queries on which every run fails; where scores go below 0, a score of 0 is no failure."""
    return at_zero if comparison.measure.declaration.range[0] >= 0 else 0


def _score_scale(comparison: Comparison, scores: Floats) -> tuple[float, float] | None:
    """From 0 to the greatest possible score; where there is none, to the greatest there is."""
    least, greatest = comparison.measure.declaration.range
    if least < 0:
        return None
    highest = float(scores[np.isfinite(scores)].max(initial=0.0))
    return 0.0, greatest if math.isfinite(greatest) and greatest <= 1 else highest or 1.0

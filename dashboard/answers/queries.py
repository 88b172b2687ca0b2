"""The Queries page: the queries on which the runs differ."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers import query_chips, query_columns
from dashboard.answers.list_changes import list_changes
from dashboard.answers.query_chips import SHOW_ALL
from dashboard.answers.query_filter import filter_mask
from dashboard.answers.query_notes import NOTHING_NOTED, Remarks
from dashboard.answers.table_column import TableColumn
from dashboard.study.cached_answers import cache_answer
from dashboard.study.study import Study
from metrics_core.base.arrays import Floats, Mask
from metrics_core.base.digits import parse_whole_number
from metrics_core.base.errors import FilterLineError
from metrics_core.comparing.pairs import BETTER, classify_differences, query_differences
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings.list_changes import list_changes_finding
from metrics_core.findings.queries import QueryCounts, queries_finding, queries_subtitle
from metrics_core.findings.sentence import Sentence

PAGE_ROWS = 100
"""Number of rows per page of the table."""


@dataclass(frozen=True)
class QueryListRequest:
    """The list of queries that an address requests: its key, search text, order, filter line,
    query_ids selected in a chart, column keys, and the notes on queries. Empty values mean all
    queries, the default order of the list and the default columns."""

    show: str = ""
    search: str = ""
    order: str = ""
    line: str = ""
    picked: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    remarks: Remarks = NOTHING_NOTED


@dataclass(frozen=True)
class QueryRows:
    """One page of a list of queries: its rows (with the columns of `QueryList.rows`), its page
    number (from 1), the number of pages, and the position of its first row in the list (from 0)."""

    frame: pd.DataFrame
    number: int
    pages: int
    start: int


@dataclass(frozen=True)
class QueryList:
    """The Queries page.

    `frame` has all queries in view: the frame of `query_differences` with text, meta and, for each
    shown run, a column of scores "run: NAME". `rows` are the rows of the shown list that match the
    search, the filter line and the selection in a chart, in the requested order. `counts` maps the
    key of each list to the number of rows that it would show. `list_size` is the size of the shown
    list without search, filter line and selection.

    `order` is the key of a column, with "-" before it for descending order. `paired` is the number
    of queries for which both runs have a score. `scale` is the range of the score bars; it is None
    if scores below 0 are possible. If the filter line is invalid, it is ignored, and `line_error`
    says why."""

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
    has_direction: bool = True

    @property
    def has_outcomes(self) -> bool:
        """Whether queries that got better or worse are coloured. This requires that the direction
        of the measure is declared, and that there are enough queries."""
        return self.has_direction and self.paired >= FEWEST_QUERIES

    @property
    def difference_span(self) -> tuple[float, float]:
        """The lowest and highest difference of all queries. The range is extended to include 0."""
        gaps = self.frame["difference"].to_numpy(dtype=np.float64)
        finite = gaps[np.isfinite(gaps)]
        return float(finite.min(initial=0.0)), float(finite.max(initial=0.0))

    @property
    def download_table(self) -> pd.DataFrame:
        """The list in the form in which it is downloaded: query_id as text, query, then the shown
        columns under their names on screen. Numbers of the query file are unchanged."""
        columns = [c for c in self.columns if c.key not in ("text", "query_id")]
        sources = ["query_id", "text", *(c.source for c in columns)]
        names = ["query_id", "query", *(c.label for c in columns)]
        return self.rows[sources].set_axis(names, axis=1)

    def select_page(self, number: str) -> QueryRows:
        """Return page `number` of the list. If there is no such page, return the page with the
        nearest number. If `number` is not an integer, return the first page."""
        pages = max(1, -(-len(self.rows) // PAGE_ROWS))
        page_number = min(max(parse_whole_number(number) or 1, 1), pages)
        start = (page_number - 1) * PAGE_ROWS
        return QueryRows(self.rows.iloc[start : start + PAGE_ROWS], page_number, pages, start)

    def move_column(self, key: str, step: int) -> tuple[str, ...]:
        """Return the keys of the shown columns after the column `key` is moved by `step` positions.
        The result is empty if the column cannot be moved there. The query's text always stays
        first."""
        keys = [column.key for column in self.columns if column.key != "text"]
        position = keys.index(key) if key in keys else -1
        if position < 0 or not 0 <= position + step < len(keys):
            return ()
        keys.insert(position + step, keys.pop(position))
        return tuple(keys)

    def format_order_for_address(self, order: str) -> str:
        """Return an order in the form used in an address, "" for the default order."""
        return "" if order == self.default_order else order


@dataclass(frozen=True)
class _QueryFindings:
    """The findings about all queries in view. They do not depend on the list that is shown. `lists`
    maps the key of each list to its queries, bool[query]."""

    finding: Sentence
    lead: Sentence
    lists: dict[str, Mask]
    scale: tuple[float, float] | None


@cache_answer
def query_list(study: Study, comparison: Comparison, request: QueryListRequest) -> QueryList:
    """Return the Queries page. If the requested list is unknown, all queries are listed. If the
    requested order is unknown, the default order of the list is used."""
    findings = study.cached_answer(_query_findings, comparison)
    all_rows = study.cached_answer(_all_queries, comparison)
    remarks = request.remarks
    tag_masks = remarks.tag_masks(all_rows["query_id"])
    lists = {**findings.lists, **tag_masks}
    show = request.show if request.show in lists else SHOW_ALL
    mask, line_error = _row_mask(study, comparison, all_rows, request)
    default_order = _default_order(comparison, show, is_unjudged=study.is_unjudged)
    all_columns = [*query_columns.offered_columns(study, comparison), *remarks.columns]
    order, sort_column = _sort_order(all_columns, request, default_order)
    columns = query_columns.choose_columns(study, comparison, request.columns, all_columns)
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
        has_direction=comparison.has_direction,
    )


def query_ids_of_list(study: Study, comparison: Comparison, request: QueryListRequest) -> list[str]:
    """Return the ids of the queries in `query_list`, in the same order. For the list of all
    queries, this is faster than calling `query_list`, because the other lists are not computed."""
    if request.show not in ("", SHOW_ALL):
        return query_list(study, comparison, request).rows["query_id"].tolist()
    all_rows = study.cached_answer(_all_queries, comparison)
    mask, _ = _row_mask(study, comparison, all_rows, request)
    all_columns = [*query_columns.offered_columns(study, comparison), *request.remarks.columns]
    default_order = _default_order(comparison, SHOW_ALL, is_unjudged=study.is_unjudged)
    order, sort_column = _sort_order(all_columns, request, default_order)
    frame = _add_columns(all_rows, study, comparison, request.remarks, [sort_column])
    return _sort_rows(frame[mask], sort_column, descending=order[0] == "-")["query_id"].tolist()


def _sort_order(
    all_columns: list[TableColumn], request: QueryListRequest, default_order: str
) -> tuple[str, TableColumn]:
    """Return the order of the list and the column to sort by. If the requested order is unknown,
    the default order is used."""
    columns = {key: c for c in all_columns for key in (c.key, f"-{c.key}")}
    order = request.order if request.order in columns else default_order
    return order, columns[order]


def _add_columns(
    frame: pd.DataFrame,
    study: Study,
    comparison: Comparison,
    remarks: Remarks,
    needed_columns: list[TableColumn],
) -> pd.DataFrame:
    """Return the frame with additional columns: `needed_columns`, and the columns of the notes on
    queries."""
    note_values = {c.source: remarks.column_values(c, frame["query_id"]) for c in remarks.columns}
    return query_columns.add_columns(frame.assign(**note_values), study, comparison, needed_columns)


def _row_mask(
    study: Study, comparison: Comparison, frame: pd.DataFrame, request: QueryListRequest
) -> tuple[Mask, FilterLineError | None]:
    """Return which queries match the search, the filter line and the selection (bool[query]), and
    the error of the filter line. The error is None if the line is valid."""
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


def _default_order(comparison: Comparison, list_key: str, *, is_unjudged: bool) -> str:
    """Return the default order of a list. The worst query comes first, except in the list of
    queries that got better, in which the best comes first. Without judgments, the most changed
    query comes first."""
    if is_unjudged and not comparison.is_single_run:
        return "list:overlap"
    column = f"score:{comparison.focus}" if comparison.is_single_run else "difference"
    is_reversed = list_key == BETTER and not comparison.is_single_run
    is_falling = is_reversed != (comparison.measure.declaration.direction < 0)
    return f"{'-' * is_falling}{column}"


def _matches_search(rows: pd.DataFrame, search: str) -> pd.Series:
    """Return which rows contain the search text or have it as query_id."""
    text = search.casefold()
    is_match = rows["text"].str.casefold().str.contains(text, regex=False)
    return is_match | (rows["query_id"].str.casefold() == text)


def _sort_rows(rows: pd.DataFrame, column: TableColumn, *, descending: bool) -> pd.DataFrame:
    """Sort the rows by one column. Undefined values come last, and tied rows keep their order."""
    values = rows[column.source]
    if column.kind == "text" or column.key == "query_id":
        values = values.str.casefold()
    elif column.kind == "group":
        values = query_columns.group_positions(column, values)
    ordered = values.sort_values(ascending=not descending, kind="stable", na_position="last")
    return rows.loc[ordered.index]


def _all_queries(study: Study, comparison: Comparison) -> pd.DataFrame:
    """Return all queries in view with their differences and the scores of the shown runs."""
    scores = study.scores(comparison, comparison.measure)
    frame = study.with_texts(query_differences(scores, comparison.measure, *comparison.pair))
    if not comparison.has_direction:  # "better" means higher
        frame["outcome"] = classify_differences(frame["difference"].to_numpy(), comparison.measure)
    run_scores = scores.values_of(comparison.measure)
    runs = pd.DataFrame(run_scores.T, columns=[f"run: {name}" for name in comparison.runs])
    return pd.concat([frame, runs], axis=1)


def _query_findings(study: Study, comparison: Comparison) -> _QueryFindings:
    if study.is_unjudged:
        finding = list_changes_finding(list_changes(study, comparison))
        everything = np.ones(study.n_in_view(comparison), dtype=np.bool_)
        return _QueryFindings(finding.title, finding.lead, {SHOW_ALL: everything}, None)
    scores = study.scores(comparison, comparison.measure)
    frame = study.cached_answer(_all_queries, comparison)
    masks = query_chips.query_masks(study, comparison, scores)
    counts = QueryCounts(
        all_zero=count_failing_queries(comparison, int(masks["none"].sum())),
        every_run=comparison.focus if len(comparison.runs) == 1 else comparison.every_run,
        has_direction=comparison.has_direction,
        broken=int(masks["broken"].sum()),
    )
    pair = comparison.pair
    return _QueryFindings(
        finding=queries_finding(frame, *pair, counts),
        lead=queries_subtitle(frame, *pair, counts),
        lists=masks,
        scale=_score_scale(comparison, scores.values_of(comparison.measure)),
    )


def count_failing_queries(comparison: Comparison, n_at_zero: int) -> int:
    """Return the number of queries on which every run fails: `n_at_zero`, the number of queries on
    which every run scores 0. If scores can be negative, a score of 0 is not a failure, so the
    result is 0."""
    return n_at_zero if comparison.measure.declaration.range[0] >= 0 else 0


def _score_scale(comparison: Comparison, scores: Floats) -> tuple[float, float] | None:
    """Return the range of the score bars. It starts at 0. It ends at the highest possible score or,
    if that is above 1, at the highest score that occurs. Returns None if scores below 0 are
    possible."""
    least, greatest = comparison.measure.declaration.range
    if least < 0:
        return None
    highest = float(scores[np.isfinite(scores)].max(initial=0.0))
    return 0.0, greatest if math.isfinite(greatest) and greatest <= 1 else highest or 1.0

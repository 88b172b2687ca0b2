"""The parts of the Overview: facts, runs and measures, the three lists."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from dashboard.blocks import markup as m
from dashboard.theme import RunStyle
from metrics_core import wording as w
from metrics_core.findings import Facts, Sentence, Span
from metrics_core.scoring.intervals import LEVEL

Href = Callable[..., str]
Row = dict[str, Any]

_SHORT_GLOSS = 24
_USUAL = 5
MOST_GROUPS = 8
"""Groups listed at most; of more, the ends of the order are shown."""


def facts_line(facts: Facts, href: Href) -> str:
    """What every number of the view rests on, as one line."""
    parts = [
        _fact(w.count(facts.queries), w.plural(facts.queries, "query", "queries")),
        _fact(w.count(facts.judgments), f"{_judgments(facts)}, {_grades(facts)}"),
        _judged(facts),
    ]
    if facts.all_zero:
        noun = w.plural(facts.all_zero, "query", "queries")
        scores = "score" if facts.every_run == "both runs" else "scores"
        fact = f"<b>{w.count(facts.all_zero)}</b> {noun} where {facts.every_run} {scores} 0"
        if facts.unanswerable:
            fact += f" ({w.count(facts.unanswerable)} without a relevant document)"
        parts.append(f'<li><a href="{m.escaped(href("queries", show="none"))}">{fact}</a></li>')
    if facts.missing:
        lacks = w.listing(
            f"{m.escaped(run)} lacks {w.count(n)} {w.plural(n, 'query', 'queries')}"
            for run, n in facts.missing.items()
        )
        link = f'<a href="{m.escaped(href("queries", show="missing"))}">{lacks}</a>'
        parts.append(f'<li class="warning">{link}, counted as 0</li>')
    if facts.unjudged:
        noun = w.plural(facts.unjudged, "query", "queries")
        parts.append(_fact(w.count(facts.unjudged), f"{noun} without judgments, left out"))
    parts.append(f"<li>intervals: {w.share(LEVEL)}, bootstrap over queries</li>")
    return f'<ul class="lens facts" aria-label="What the numbers rest on">{"".join(parts)}</ul>'


def _fact(number: str, what: str, kind: str = "") -> str:
    return f'<li class="{kind}"><b>{number}</b> {m.escaped(what)}</li>'


def _judgments(facts: Facts) -> str:
    return w.plural(facts.judgments, "judgment")


def _grades(facts: Facts) -> str:
    low, high = (
        w.grade(g).replace("-", w.MINUS) for g in (facts.lowest_grade, facts.highest_grade)
    )
    if low == high:
        return f"grade {low}"
    return f"grades {low} to {high}" if facts.lowest_grade < 0 else f"grades {low}{w.DASH}{high}"


def _judged(facts: Facts) -> str:
    what = f"of the top {w.count(facts.cutoff)} judged"
    if facts.little_judged:
        what += ": differences may come from missing judgments"
    return _fact(w.share(facts.judged_share), what, "warning" if facts.little_judged else "")


@dataclass(frozen=True)
class _Column:
    """One measure's column: how its values are written, whether they fit a bar, which is best."""

    name: str
    gloss: str
    rows: Mapping[str, Row]

    @property
    def _values(self) -> list[float]:
        means = [row["mean"] for row in self.rows.values()]
        return [value for value in means if not math.isnan(value)]

    @property
    def has_bar(self) -> bool:
        return all(0 <= value <= 1 for value in self._values)

    @property
    def _is_count(self) -> bool:
        whole = all(float(value).is_integer() for value in self._values)
        return whole and not self.has_bar

    def written(self, value: float) -> str:
        return w.count(value) if self._is_count else w.score(value)

    def is_best(self, value: float) -> bool:
        if len(self.rows) < 2 or math.isnan(value):
            return False
        # Two values that are written alike are both the best, or a reader finds an error.
        return self.written(value) == self.written(max(self._values))


def runs_and_measures(
    table: pd.DataFrame,
    measures: Sequence[tuple[str, str]],
    chosen: str,
    styles: m.Styles,
    baseline: str,
    cutoff: int,
    judged: Mapping[str, float],
) -> str:
    """Runs by measures, best first by the chosen measure. `table` is long: run, measure, mean,
    difference, low, high, clear; `measures` are (name, gloss); `judged` is the share of the top
    `cutoff` that is judged, by run."""
    columns = [
        _Column(name, gloss, _by_run(table[table["measure"] == name])) for name, gloss in measures
    ]
    # More than the usual five fit beside the sidebar only if their glosses may break.
    short = _SHORT_GLOSS if len(columns) <= _USUAL else 0
    heads = "".join(_measure_head(column, chosen, short) for column in columns)
    rows = []
    for name in _best_first(table, chosen):
        style = m.style_of(styles, name)
        cells = "".join(_measure_cell(c, name, style, c.name == chosen, baseline) for c in columns)
        share = w.share(judged.get(name))
        rows.append(
            f'<tr><th scope="row">{m.run_label(style)}</th>{cells}'
            f'<td class="share">{share}</td></tr>'
        )
    return (
        '<div class="lens measures" role="region" tabindex="0" aria-label="Runs and measures">'
        f'<table><thead><tr><th scope="col">Run</th>{heads}'
        f'<th scope="col" class="share">judged in top {w.count(cutoff)}</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _by_run(rows: pd.DataFrame) -> dict[str, Row]:
    return {row["run"]: row for row in rows.to_dict("records")}


def _best_first(table: pd.DataFrame, chosen: str) -> list[str]:
    own = table[table["measure"] == chosen]
    ordered = own.sort_values("mean", ascending=False, na_position="last", kind="stable")
    return list(dict.fromkeys([*ordered["run"], *table["run"]]))


def _measure_head(column: _Column, chosen: str, short: int) -> str:
    kind = ' class="chosen"' if column.name == chosen else ""
    length = m.length(column.gloss, short)
    gloss = f'<span class="{length}">{m.escaped(column.gloss)}</span>'
    return f'<th scope="col"{kind}><b>{m.escaped(column.name)}</b> {gloss}</th>'


def _measure_cell(column: _Column, name: str, style: RunStyle, chosen: bool, baseline: str) -> str:
    row = column.rows.get(name)
    kind = ' class="chosen"' if chosen else ""
    if row is None:
        return f"<td{kind}>{w.DASH}</td>"
    value = column.written(row["mean"])
    if column.is_best(row["mean"]):
        value = f"<b>{value}</b>"
    change = ""
    if name != baseline and not math.isnan(row["difference"]):
        gap = w.interval(row["low"], row["high"])
        hint = "" if gap == w.DASH else f"{w.share(LEVEL)} interval {gap}"
        change = m.change(row["difference"], clear=bool(row["clear"]), hint=hint)
    bar = m.meter(row["mean"], style) if column.has_bar else ""
    return f'<td{kind}><span class="cell"><span>{value}</span>{change}{bar}</span></td>'


def three_lists(*lists: str) -> str:
    """Lists beside each other, or below each other where there is no room."""
    return f'<div class="lens lists">{"".join(part for part in lists if part)}</div>'


_LISTS: Mapping[str, tuple[str, str, str]] = {
    "worse": ("Where it got worse", "largest losses", "lost"),
    "better": ("Where it got better", "largest wins", "won"),
}


def query_list(
    rows: pd.DataFrame,
    kind: Literal["worse", "better"],
    href: Href,
    styles: m.Styles,
    focus: str,
    baseline: str,
    *,
    total: int,
    scale: float | None = None,
) -> str:
    """The queries that lost or won most. `rows` has query_id, text, meta, score, baseline_score,
    difference; `total` counts all of that kind; bars fill at `scale`, so that two lists compare."""
    title, which, verb = _LISTS[kind]
    explanation = Sentence((Span(focus, "run"), Span(f" minus {baseline}, {which}", "muted")))
    head = m.section(title, explanation, styles=styles)
    if rows.empty:
        return f'<div class="lens list">{head}<p class="none">No query got {kind}.</p></div>'
    full = scale or float(rows["difference"].abs().max())
    items = "".join(_query_item(row, kind, href, full) for row in rows.to_dict("records"))
    noun = w.plural(total, "query", "queries")
    words = f"All {w.count(total)} {verb} {noun}" if total > 1 else f"The {verb} query"
    link = _more(words, href("queries", show=kind))
    return f'<div class="lens list">{head}<ul>{items}</ul>{link}</div>'


def _more(words: str, address: str) -> str:
    return f'<a class="more" href="{m.escaped(address)}">{words} {m.unspoken("→")}</a>'


def _query_item(row: Row, kind: str, href: Href, scale: float) -> str:
    address = m.escaped(href("query", q=row["query_id"], show=kind))
    text = m.isolated(row["text"] or f"query {row['query_id']}")
    scores = f"{w.score(row['baseline_score'])} → {w.score(row['score'])}"
    meta = f"{m.isolated(row['meta'])} · " if row.get("meta") else ""
    change = m.change(row["difference"], clear=True)
    return (
        f'<li><a class="row" href="{address}"><span class="what">{text}'
        f"<small>{meta}{scores}</small></span> "
        f'<span class="amount">{change}{m.side_bar(row["difference"], scale)}</span></a></li>'
    )


def score_list(
    rows: pd.DataFrame, kind: Literal["lowest", "highest"], href: Href, style: RunStyle, name: str
) -> str:
    """The queries with the lowest or the highest scores of a run that is compared with nothing.
    `rows` has query_id, text, meta, score; `name` is the measure."""
    head = m.section(f"{kind.capitalize()} scores", f"{style.name} on {name}")
    bars = bool(rows["score"].between(0, 1).all())
    items = "".join(_score_item(row, href, style, bars=bars) for row in rows.to_dict("records"))
    link = _more("All queries", href("queries", show=""))
    return f'<div class="lens list">{head}<ul>{items}</ul>{link}</div>'


def _score_item(row: Row, href: Href, style: RunStyle, *, bars: bool) -> str:
    address = m.escaped(href("query", q=row["query_id"], show=""))
    text = m.isolated(row["text"] or f"query {row['query_id']}")
    meta = f"<small>{m.isolated(row['meta'])}</small>" if row.get("meta") else ""
    bar = m.meter(row["score"], style) if bars else ""
    return (
        f'<li><a class="row" href="{address}"><span class="what">{text}{meta}</span> '
        f'<span class="amount">{w.score(row["score"])}{bar}</span>'
        "</a></li>"
    )


def group_list(rows: pd.DataFrame, href: Href, *, by: str = "category") -> str:
    """The groups of one column, best first. `rows` are those of the run in focus in a `breakdown`
    frame: group, queries, difference, diff_low, diff_high, clear."""
    explanation = f"mean difference [{w.share(LEVEL)} interval], queries"
    head = m.section(f"By {by}", explanation)
    ordered = rows.sort_values("difference", ascending=False, na_position="last", kind="stable")
    if ordered.empty:
        return (
            f'<div class="lens list">{head}<p class="none">The queries carry no groups.</p></div>'
        )
    words = "Break it down"
    if len(ordered) > MOST_GROUPS:
        words = f"All {w.count(len(ordered))} groups"
        half = MOST_GROUPS // 2
        ordered = pd.concat([ordered.head(half), ordered.tail(half)])
    scale = float(ordered["difference"].abs().max())
    items = "".join(_group_item(row, href, by, scale) for row in ordered.to_dict("records"))
    link = _more(words, href("breakdown", by=by))
    return f'<div class="lens list">{head}<ul class="groups">{items}</ul>{link}</div>'


def _group_item(row: Row, href: Href, by: str, scale: float) -> str:
    queries = int(row["queries"])
    noun = m.unseen(" " + w.plural(queries, "query", "queries"))
    change = m.change(row["difference"], clear=bool(row["clear"]))
    address = m.escaped(href("breakdown", by=by))
    size = f"<small>{w.count(queries)}{noun}</small>"
    return (
        f'<li><a class="row" href="{address}">'
        f'<span class="what">{m.isolated(row["group"])} {size}</span> '
        f'<span class="gap">{w.interval(row["diff_low"], row["diff_high"])}</span> '
        f'<span class="amount">{change}{m.side_bar(row["difference"], scale)}</span></a></li>'
    )

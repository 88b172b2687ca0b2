"""The parts of the Overview: facts, runs and measures, the three lists."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd
from markupsafe import Markup

from dashboard.address.query_list import NO_LIST, PLAIN, whole_list
from dashboard.drawing.blocks.markup import Href, Lead, Styles, pieces_of, section, style_of
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.theme import RunStyle
from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.findings import Facts, Sentence, Span
from metrics_core.scoring.intervals import LEVEL

Row = dict[str, Any]

_SHORT_GLOSS = 24
_USUAL = 5
MOST_GROUPS = 8
"""Groups listed at most; of more, the ends of the order are shown."""

_drawn = Template("overview")


def facts_line(facts: Facts, href: Href) -> Markup:
    """What every number of the view rests on, as one line."""
    return _drawn("facts_line", facts=facts, href=href, listed=whole_list)


@dataclass(frozen=True)
class _Column:
    """One measure's column: how its values are written, whether they fit a bar, which is best."""

    name: str
    gloss: str
    link: str
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


@dataclass(frozen=True)
class _RunRow:
    """One run's row: its style, where its name leads, and the share of its top that is judged."""

    run: str
    style: RunStyle
    link: str
    is_baseline: bool
    judged: float | None


def runs_and_measures(
    table: pd.DataFrame,
    drawing: Drawing,
    measures: Sequence[tuple[str, str, str]],
    judged: Mapping[str, float],
    lead: Lead,
) -> Markup:
    """Runs by measures, best first by the chosen measure. `table` is long: run, measure, mean,
    difference, low, high, clear; `measures` are (name, gloss, link); `judged` is the share of the
    top k that is judged, by run; `lead` gives where a run's name leads."""
    known: dict[str, dict[str, Row]] = {}
    for row in table.to_dict("records"):
        known.setdefault(row["measure"], {})[row["run"]] = row
    columns = [_Column(name, gloss, link, known.get(name, {})) for name, gloss, link in measures]
    return _drawn(
        "runs_and_measures",
        columns=columns,
        rows=[
            _RunRow(
                run,
                style_of(drawing.styles, run),
                lead(run),
                run == drawing.baseline,
                judged.get(run),
            )
            for run in _best_first(table, drawing.name)
        ],
        chosen=drawing.name,
        cutoff=drawing.cutoff,
        # More than the usual five fit beside the sidebar only if their glosses may break.
        short=_SHORT_GLOSS if len(columns) <= _USUAL else 0,
    )


def _best_first(table: pd.DataFrame, chosen: str) -> list[str]:
    own = table[table["measure"] == chosen]
    ordered = own.sort_values("mean", ascending=False, na_position="last", kind="stable")
    return list(dict.fromkeys([*ordered["run"], *table["run"]]))


def bests_line(bests: Sentence, styles: Styles, link: str) -> Markup:
    """Which of many runs may be the best, and the way to all pairs; nothing where that is empty."""
    return _drawn("bests_line", pieces=pieces_of(bests, styles), link=link) if bests else Markup()


def bests_waiting(runs: int, link: str) -> Markup:
    """What stands in its place while that is worked out."""
    return _drawn("bests_waiting", runs=runs, link=link)


def three_lists(*lists: Markup) -> Markup:
    """Lists beside each other, or below each other where there is no room."""
    return _drawn("three_lists", lists=lists)


_LISTS: Mapping[str, tuple[str, str, str]] = {
    "worse": ("Where it got worse", "largest losses", "lost"),
    "better": ("Where it got better", "largest wins", "won"),
}


def query_list(
    rows: pd.DataFrame,
    drawing: Drawing,
    kind: Literal["worse", "better"],
    href: Href,
    *,
    total: int,
    scale: float | None = None,
    coloured: bool = True,
) -> Markup:
    """The queries that lost or won most; `coloured` unless they are too few to tell anything.
    `rows` has query_id, text, meta, score, baseline_score, difference, and in `unlisted_by` the run
    that does not list the query, or ""; `total` counts all of that kind; bars fill at `scale`, so
    that two lists compare."""
    title, which, verb = _LISTS[kind]
    which += _unlisted(rows)
    minus = Span(f" minus {drawing.baseline} on {drawing.name}, {which}", "muted")
    explanation = Sentence((Span(drawing.focus, "run"), minus))
    head = section(title, explanation, styles=drawing.styles)
    if rows.empty:
        return _drawn("empty_list", head=head, text=f"No query got {kind}.")
    noun = w.plural(total, "query", "queries")
    words = f"All {w.count(total)} {verb} {noun}" if total > 1 else f"The {verb} query"
    return _drawn(
        "query_list",
        head=head,
        more=(words, href("queries", **whole_list(kind))),
        rows=rows.to_dict("records"),
        kind=kind,
        coloured=coloured,
        href=href,
        listed=NO_LIST | {"list": kind},
        scale=scale or float(rows["difference"].abs().max()),
    )


def _unlisted(rows: pd.DataFrame) -> str:
    """That all of these queries are such as one of the two does not list; "" where they are not."""
    unlisted_by = set(rows["unlisted_by"])
    if len(unlisted_by) != 1 or unlisted_by == {""}:
        return ""
    none = w.plural(len(rows), "does not list it", "lists none of them")
    return f"; {unlisted_by.pop()} {none}"


def score_list(
    rows: pd.DataFrame, drawing: Drawing, kind: Literal["lowest", "highest"], href: Href
) -> Markup:
    """The queries with the lowest or the highest scores of a run that is compared with nothing.
    `rows` has query_id, text, meta, score."""
    return _drawn(
        "score_list",
        head=section(f"{kind.capitalize()} scores", f"{drawing.focus} on {drawing.name}"),
        more=("All queries", href("queries", **PLAIN)),
        rows=rows.to_dict("records"),
        href=href,
        style=drawing.focus_style,
        has_bars=bool(rows["score"].between(0, 1).all()),
        listed=NO_LIST | {"sort": "" if kind == "lowest" else f"-score:{drawing.focus}"},
    )


def group_list(
    rows: pd.DataFrame,
    href: Href,
    lead: Lead,
    *,
    by: str = "category",
    looked_at: int = 0,
    measure: str = "",
) -> Markup:
    """The groups of one column in the order given; of many the ends of it, and how many stand
    between. `rows` are those of the run in focus in a `breakdown` frame: group, queries,
    difference, diff_low, diff_high, clear, on `measure`, worked out with `looked_at`; `lead` gives
    where a group leads."""
    if rows.empty:
        return _drawn(
            "empty_list", head=section(f"By {by}"), text="The queries in view carry no groups."
        )
    cut = len(rows) - MOST_GROUPS if len(rows) > MOST_GROUPS + 1 else 0
    words = f"All {w.count(len(rows))} groups" if cut else "Break it down"
    half = MOST_GROUPS // 2
    ends = pd.concat([rows.head(half), rows.tail(half)]) if cut else rows
    # The rule of `breakdown`, in a few words: one for the colour and for the names in the headline.
    widened = max(looked_at, len(rows))
    rule = "coloured if clear of zero" + (
        f" after widening it for {w.count(widened)} groups" if widened > 1 else ""
    )
    on = f" on {measure}" if measure else ""
    explanation = (
        f"Mean difference{on} [{w.share(LEVEL)} interval], queries; {rule}, from"
        f" {FEWEST_QUERIES} queries on."
    )
    return _drawn(
        "group_list",
        head=section(f"By {by}", explanation),
        more=(words, href("breakdown", by=by)),
        rows=[(row, lead(row["group"])) for row in ends.to_dict("records")],
        cut=cut,
        half=half,
        scale=float(ends["difference"].abs().max()),
    )

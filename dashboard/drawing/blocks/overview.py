"""Blocks of the Overview: the outcomes, the table of runs and measures, the lists, and facts about
the data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd
from markupsafe import Markup

from dashboard.address.query_list import NO_LIST, fields_of_list
from dashboard.answers.overview import LISTED_GROUPS, LISTED_QUERIES
from dashboard.drawing.blocks.markup import (
    IN_A_SENTENCE,
    Href,
    LinkMaker,
    Styles,
    run_style,
    sentence_pieces,
    shorten_run_names,
)
from dashboard.drawing.blocks.table import Column
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.text import RUN_LENGTH, short_names
from dashboard.drawing.ticks import Ticks
from metrics_core.base import wording as w
from metrics_core.comparing.pairs import BETTER, TIED, WORSE
from metrics_core.comparing.tested_quantities import SIGN, TYPICAL_RATIO
from metrics_core.comparing.verdicts import CLEAR
from metrics_core.findings.costs import (
    describe_cost,
    describe_mean_difference,
    format_ratio_change,
)
from metrics_core.findings.queries import ViewFacts
from metrics_core.findings.sentence import Sentence
from metrics_core.scoring.intervals import LEVEL

Row = dict[str, Any]

_IN_A_HEAD = {
    "P": "share relevant",
    "R": "relevant found",
    "RR": "first relevant",
    "AP": "average precision",
}
"""Short descriptions of measures that fit in one line of a column heading. The full description is
shown on hover."""

_MANY_LEFT_OUT = 0.1

_render = Template("overview")


def draw_facts_line(
    facts: ViewFacts, href: Href, styles: Styles, guess: tuple[str, str] | None = None
) -> Markup:
    """Draw one line about the data that all numbers of the view are based on. If the baseline was
    guessed from the names of the runs, `guess` has this baseline and the first run."""
    short = short_names(styles, IN_A_SENTENCE)
    return _render(
        "facts_line", facts=facts, short=short, href=href, listed=fields_of_list, guess=guess
    )


def draw_outcomes(row: Mapping[str, Any], href: Href) -> Markup:
    """Draw one bar with the numbers of queries that got better, stayed the same and got worse, as
    links. The bar is grey if the difference is not significant. `row` is a row of `compare`. The
    result is empty if the measure's direction is not declared."""
    if row["won"] != row["won"]:
        return Markup()  # which way is better is not declared
    counts = {BETTER: int(row["won"]), TIED: int(row["same"]), WORSE: int(row["lost"])}
    links = {kind: href("queries", **fields_of_list(kind)) for kind in counts}
    return _render("outcomes", counts=counts, links=links, clear=row["verdict"] in CLEAR)


def shorten_gloss(measure: str, gloss: str) -> str:
    """Return a measure's short description for a heading of one line."""
    return _IN_A_HEAD.get(measure.partition("@")[0], gloss)


@dataclass(frozen=True)
class MeasureColumn:
    """The column of a measure. `rows` maps runs to rows of `compare`. `bold` says whether the best
    value is marked. `level` is the level of the intervals. `direction` is 1 if higher is better, -1
    if lower is better, 0 if neither is declared."""

    name: str
    gloss: str
    link: str
    rows: Mapping[str, Row]
    cutoff: int
    bold: bool = True
    level: float = LEVEL
    direction: int = 1

    @property
    def less(self) -> bool:
        """Whether lower values of the measure are better."""
        return self.direction < 0

    @property
    def origin_label(self) -> str:
        """The word "given" if the scores come from another tool, otherwise ""."""
        return "given" * any(row.get("given", False) for row in self.rows.values())

    @property
    def remarks(self) -> tuple[str, ...]:
        """The lines below the measure's name in the heading: a short description, and the number of
        queries that are left out. The direction is included unless higher is better. If the test
        does not compare means, a line says what it compares."""
        tested = {row.get("tested") for row in self.rows.values()}
        left_out = max((row.get("left_out", 0) for row in self.rows.values()), default=0)
        lines = [
            self.heading_gloss,
            {0: "higher or lower better?", -1: "↓ lower is better"}.get(self.direction, ""),
            "typical ratio" * (TYPICAL_RATIO in tested) or "sign" * (SIGN in tested),
            f"{w.format_count(left_out)} left out" * (self.origin_label != "" and left_out > 0),
        ]
        return tuple(line for line in lines if line)

    def count_text(self, row: Row) -> str:
        """The number of queries with a score, as text, for a measure whose scores were given in a
        file. It is "" unless more than a tenth of the queries have no score."""
        left_out = row.get("left_out", 0)
        if not (self.origin_label and left_out > _MANY_LEFT_OUT * (row["queries"] + left_out)):
            return ""
        return f"n {w.format_count(row['queries'])}"

    def change_text(self, row: Row) -> str:
        """Return the difference of a cost as it is tested: the change in percent, or the numbers of
        better and worse queries. Returns "" for measures whose means are tested."""
        if row.get("tested") == TYPICAL_RATIO:
            return format_ratio_change(row["ratio"])
        if row.get("tested") == SIGN:
            return f"{w.format_count(row['won'])} better, {w.format_count(row['lost'])} worse"
        return ""

    def change_side(self, row: Row) -> float:
        """Return a number that is above 0 if the tested quantity rose, below 0 if it fell."""
        if row.get("tested") == TYPICAL_RATIO:
            return float(row["ratio"] - 1)
        if row.get("tested") == SIGN:
            return float(row["lost"] - row["won"])
        return float(row["difference"])

    def change_hint(self, row: Row, interval: str) -> str:
        """Return the explanation of a difference: its interval. For a cost, it says what was tested
        instead, and gives the difference of the means, which was not tested."""
        cost = describe_cost(row, self.name, self.level)
        if cost:
            return f"{cost}; not tested: {describe_mean_difference(row, self.name)}"
        return interval

    @property
    def heading_gloss(self) -> str:
        """The measure's short description for its heading."""
        return shorten_gloss(self.name, self.gloss)

    @property
    def _defined_means(self) -> list[float]:
        return [row["mean"] for row in self.rows.values() if not math.isnan(row["mean"])]

    @property
    def has_bar(self) -> bool:
        """Whether the means in the column can be drawn as bars. They can if all are from 0 to 1."""
        return all(0 <= value <= 1 for value in self._defined_means)

    @property
    def _is_count(self) -> bool:
        return not self.has_bar and all(float(v).is_integer() for v in self._defined_means)

    @property
    def digits(self) -> int:
        """Number of decimals of the means and differences in the column. It suffices for the
        largest mean, and no significant difference is printed as 0."""
        gaps = [abs(row["difference"]) for row in self.rows.values() if row["clear"]]
        for n in range(w.score_decimals(self._defined_means), 8):
            if all(w.format_score(gap, n).strip("0.") for gap in gaps):
                return n
        return 8

    def format_value(self, value: float) -> str:
        """Format a value of the column as it is printed."""
        return w.format_count(value) if self._is_count else w.format_score(value, self.digits)

    def is_best(self, value: float) -> bool:
        """Return whether a value is marked as the best in the column. Values that are printed like
        the best one are marked, too."""
        if not self.bold or not self.direction or len(self.rows) < 2 or math.isnan(value):
            return False
        # Values that print alike are both marked, else this would look like an error.
        best = min(self._defined_means) if self.less else max(self._defined_means)
        return self.format_value(value) == self.format_value(best)


def measure_columns(
    table: pd.DataFrame, drawing: Drawing, measures: Sequence[tuple[str, str, str]]
) -> list[MeasureColumn]:
    """Return the columns of these measures, given as (name, short description, link). Best values
    are marked only if the run in focus differs significantly from the baseline. `table` has one row
    per run and measure: run, measure, clear, and the columns of `compare`."""
    rows_by_measure: dict[str, dict[str, Row]] = {}
    for row in table.to_dict("records"):
        rows_by_measure.setdefault(row["measure"], {})[row["run"]] = row
    focus_row = rows_by_measure.get(drawing.name, {}).get(drawing.focus, {})
    bold = focus_row.get("verdict") in CLEAR
    comparison = drawing.comparison
    directions = {drawing.name: comparison.measure.declaration.direction}
    for row in table.to_dict("records"):
        directions.setdefault(row["measure"], int(row.get("direction", 1)))
    return [
        MeasureColumn(
            name,
            gloss,
            link,
            rows_by_measure.get(name, {}),
            drawing.cutoff,
            bold,
            comparison.method.level,
            directions.get(name, 1),
        )
        for name, gloss, link in measures
    ]


def measure_header_cells(columns: Sequence[MeasureColumn], chosen_name: str) -> list[Column]:
    """Return the header cells of these columns."""
    return [
        Column(
            c.name,
            "chosen" * (c.name == chosen_name),
            c.link,
            about=c.remarks,
            hint=c.gloss,
            mark=c.origin_label,
        )
        for c in columns
    ]


def draw_runs_and_measures(
    table: pd.DataFrame,
    drawing: Drawing,
    measures: Sequence[tuple[str, str, str]],
    judged_shares: Mapping[str, float],
    make_run_link: LinkMaker,
) -> Markup:
    """Draw a table of runs by measures, with the best run on the chosen measure first. The values
    of a single run are drawn side by side.

    `table` and `measures` are the same as for `measure_columns`. `judged_shares` maps runs to the
    judged share of their top k. `make_run_link` returns the link of a run's name."""
    runs = runs_by_mean(table, drawing)
    styles = [run_style(drawing.styles, run) for run in runs]
    columns = measure_columns(table, drawing, measures)
    return _render(
        "measure_values" if len(styles) == 1 else "runs_and_measures",
        columns=columns,
        heads=measure_header_cells(columns, drawing.name),
        styles=styles,
        short=short_names(runs, RUN_LENGTH),
        judged=judged_shares,
        lead=make_run_link,
        chosen=drawing.name,
        cutoff=drawing.cutoff,
    )


def runs_by_mean(table: pd.DataFrame, drawing: Drawing) -> list[str]:
    """Return the runs ordered by their means on the chosen measure, best first. `table` is the same
    as for `measure_columns`."""
    rows = table[table["measure"] == drawing.name]
    rising = not drawing.comparison.measure.declaration.higher_is_better
    ordered = rows.sort_values("mean", ascending=rising, na_position="last", kind="stable")
    return list(dict.fromkeys([*ordered["run"], *table["run"]]))


def draw_table_note(text: str, more_text: Sentence, drawing: Drawing) -> Markup:
    """Draw a note below the table: `text` explains the small numbers in the table, and
    `more_text` follows it."""
    short_text = shorten_run_names(text, drawing.styles)
    return _render("table_note", text=short_text, pieces=sentence_pieces(more_text, drawing.styles))


def draw_side_by_side(*lists: Markup) -> Markup:
    """Draw lists side by side. On narrow screens, they are drawn below each other."""
    return _render("side_by_side", lists=lists)


def draw_amount_list(
    title: str,
    rows: pd.DataFrame,
    href: Href,
    *,
    subtitle: str = "",
    all_link: tuple[str, str] | None = None,
    list_fields: Mapping[str, Any] = NO_LIST,
) -> Markup:
    """Draw a list of queries, each with a number. `rows` has query_id, text, meta, amount.
    `all_link` is the text and the URL of the link to all rows. `list_fields` are the address fields
    that describe the list."""
    records = rows.to_dict("records")
    return _render(
        "amount_list",
        title=title,
        which=subtitle,
        more=all_link,
        rows=records,
        href=href,
        listed=list_fields,
    )


def draw_query_list(
    rows: pd.DataFrame,
    drawing: Drawing,
    kind: Literal["worse", "better"],
    href: Href,
    *,
    total: int,
    use_colours: bool = True,
) -> Markup:
    """Draw the queries with the largest losses or gains, in grey unless `use_colours` is true.

    `rows` has query_id, text, meta, score, baseline_score, difference, cause, unlisted_by (the run
    that lacks the query, or ""), n_unlisted (the number of such queries) and unlisted_sum (the sum
    of their differences). `total` is the number of all queries with a loss or gain."""
    if rows.empty:
        return _render("empty_list", title=f"Got {kind}", text=f"No query got {kind}.")
    unlisted_by = rows["unlisted_by"].map(lambda run: shorten_run_names(run, drawing.styles))
    note, unlisted, n_unlisted, listed = "", {}, 0, rows[unlisted_by == ""]
    if (unlisted_by.head(LISTED_QUERIES) != "").all() and len(listed):
        # Queries without results show nothing about a run's ranking, so they share one row.
        n_unlisted = rows["n_unlisted"].iloc[0]
        text = f"{w.format_query_count(n_unlisted)} without {unlisted_by.iloc[0]} results"
        unlisted = {"text": text, "difference": rows["unlisted_sum"].iloc[0] / n_unlisted}
        rows = listed.head(LISTED_QUERIES - 1)
    reasons = rows["cause"].where(unlisted_by == "", unlisted_by + " has no results")
    if reasons.nunique() == 1 < len(rows) and (reason := reasons.iloc[0]):
        # What holds for every row is said once.
        note, reasons = f"All {w.number_word(len(rows))}: {reason}.", ""
    return _render(
        "query_list",
        kind=kind,
        note=note,
        unlisted=unlisted,
        more=(
            f"{w.format_count(len(rows) + n_unlisted)} of {w.format_count(total)}",
            href("queries", **fields_of_list(kind)),
        ),
        rows=rows.assign(reason=reasons).to_dict("records"),
        coloured=use_colours,
        href=href,
        listed=NO_LIST | {"list": kind},
        less=not drawing.comparison.measure.declaration.higher_is_better,
    )


def draw_group_list(
    rows: pd.DataFrame,
    drawing: Drawing,
    href: Href,
    make_group_link: LinkMaker,
    *,
    column: tuple[str, str],
    finding: Sentence,
) -> Markup:
    """Draw the first groups of one column in the given order, each with its contribution to the
    difference as a bar, and the finding about these groups.

    `column` is the key and the name of the column. `rows` is `Overview.groups`: group, queries,
    difference, diff_low, diff_high, clear, adds. `make_group_link` returns the link of a group."""
    title = f"By {column[1]}"
    if rows.empty:
        return _render("empty_list", title=title, text="The queries in view have no groups.")
    first_rows = rows.head(LISTED_GROUPS)
    total = float(rows["adds"].sum())
    digits = w.mean_decimals([total])
    return _render(
        "group_list",
        title=title,
        about=f"contribution to {w.format_difference(total, digits)}",
        more=(f"{len(first_rows)} of {w.format_count(len(rows))}", href("breakdown", by=column[0])),
        rows=first_rows.to_dict("records"),
        lead=make_group_link,
        scale=Ticks(
            [], [], (min(0.0, first_rows["adds"].min()), max(0.0, first_rows["adds"].max()))
        ),
        digits=digits,
        less=not drawing.comparison.measure.declaration.higher_is_better,
        pieces=sentence_pieces(finding, drawing.styles),
    )

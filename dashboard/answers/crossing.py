"""The Breakdown page with two columns crossed: the difference in each cell."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.breakdown import breakdown, scores_by_column
from dashboard.answers.group_names import column_name, group_name
from dashboard.study.study import Study
from metrics_core.findings import groups as group_findings
from metrics_core.findings.charts import best_runs_by_group_finding, extreme_cells_finding
from metrics_core.findings.sentence import Sentence
from metrics_core.slicing.breakdowns import ALL
from metrics_core.slicing.crossed import cross_groups

MOST_SIDE_BY_SIDE = 12
"""Maximum number of groups per column in a table of cells, unless all are requested."""


@dataclass(frozen=True)
class Crossing:
    """The cells of two crossed columns, for the groups that contribute most to the difference.

    `cells` has row, column, queries, difference; `left_out` is the number of hidden groups;
    `extremes` is a phrase about the cells with the largest differences. `margins` has the groups of
    the second column alone (column, group, queries, difference). `groups` has the scores of all
    runs by the second column (the frame of `summarise_groups`); `order` is the order of its groups,
    and `summary` is a phrase about the scores."""

    across: str
    title: Sentence
    cells: pd.DataFrame
    left_out: int
    extremes: str
    margins: pd.DataFrame
    groups: pd.DataFrame
    order: list[str]
    summary: str

    @property
    def lead_text(self) -> Sentence:
        """The text below the title."""
        return group_findings.crossed_groups_subtitle(self.margins)


def crossing(
    study: Study, comparison: Comparison, by: str, across: str, *, show_all: bool = False
) -> Crossing:
    """Return the cells of two crossed columns."""
    return study.cached_answer(_crossing, comparison, by, across, show_all)


def default_second_column(study: Study, comparison: Comparison, by: str) -> str:
    """Return the default column to cross with `by`. Columns of the files are preferred to derived
    columns, and columns with at most `MOST_SIDE_BY_SIDE` groups to columns with more. The result is
    "" if no other column splits the queries in view."""
    columns = study.columns(comparison)
    splitting = [c for c in study.splitting_columns(comparison) if c != by]
    others = [c for c in splitting if c in study.groupings] or splitting
    few = [c for c in others if columns[c].nunique() <= MOST_SIDE_BY_SIDE]
    return next(iter(few or others), "")


def _crossing(
    study: Study, comparison: Comparison, by: str, across: str, show_all: bool
) -> Crossing:
    columns = study.columns(comparison)
    cells = cross_groups(
        study.scores(comparison, comparison.measure),
        comparison.measure,
        columns[by],
        columns[across],
        run=comparison.focus,
        baseline=comparison.baseline,
    )
    margins = {
        name: _groups_of_side(cells[cells[other] == ALL], side, name, comparison.cutoff)
        for name, side, other in ((by, "row", "column"), (across, "column", "row"))
    }
    shown_groups = {
        side: _choose_shown_groups(study, comparison, name, show_all)
        for name, side in ((by, "row"), (across, "column"))
    }
    shown_cells = cells[
        cells["row"].isin(shown_groups["row"]) & cells["column"].isin(shown_groups["column"])
    ]
    positions = {group: i for i, group in enumerate(shown_groups["row"])}
    shown_cells = shown_cells.sort_values(
        "row", key=lambda rows: rows.map(positions), kind="stable"
    )
    total = cells.loc[(cells["row"] == ALL) & (cells["column"] == ALL), "difference"].iloc[0]
    groups = scores_by_column(study, comparison, across)
    groups = groups[groups["group"].isin(shown_groups["column"])]
    order = list(dict.fromkeys(groups["group"]))
    return Crossing(
        across=across,
        title=group_findings.crossed_groups_title(
            pd.concat(margins.values(), ignore_index=True),
            float(total),
            higher_is_better=comparison.measure.declaration.higher_is_better,
        ),
        cells=shown_cells,
        left_out=sum(
            int(columns[name].nunique()) - (len(shown_groups[side]) - 1)
            for name, side in ((by, "row"), (across, "column"))
        )
        if not show_all
        else 0,
        extremes=extreme_cells_finding(shown_cells, *comparison.pair),
        margins=margins[across],
        groups=groups,
        order=order,
        summary=best_runs_by_group_finding(groups, comparison.runs, order),
    )


def _groups_of_side(cells: pd.DataFrame, side: str, column: str, cutoff: int) -> pd.DataFrame:
    """Return the groups of one of the two crossed columns, with their names as used in
    sentences."""
    rows = cells[cells[side] != ALL]
    return pd.DataFrame(
        {
            "column": column_name(column, cutoff),
            "group": [group_name(g, column, rows[side], short=True) for g in rows[side]],
            "queries": rows["queries"].to_numpy(),
            "difference": rows["difference"].to_numpy(),
        }
    )


def _choose_shown_groups(
    study: Study, comparison: Comparison, by: str, show_all: bool
) -> list[str]:
    """Return the names of the groups to show, followed by `ALL`. Numbers and ranges are in numeric
    order; other groups are sorted by the size of their contribution, largest first."""
    page = breakdown(study, comparison, by)
    groups = page.groups
    if not page.has_numeric_order:
        falling = groups["adds"].abs().sort_values(ascending=False, kind="stable").index
        groups = groups.loc[falling]
    names = groups["group"].tolist()
    return [*(names if show_all else names[:MOST_SIDE_BY_SIDE]), ALL]


def offered_crossings(
    study: Study, comparison: Comparison, by: str, across: str
) -> list[tuple[str, str]]:
    """Return the pairs of columns that can be crossed: all pairs of the files' columns, and `by`
    with every other column. Only columns that divide the queries in view into several groups are
    offered. The pair on the page is always included. The result is empty for a single run."""
    if comparison.is_single_run:
        return []
    splitting = study.splitting_columns(comparison)
    file_columns = [c for c in study.groupings if c in splitting]
    pairs = [*combinations(file_columns, 2)]
    if by in splitting:
        others = [c for c in splitting if c != by]
        pairs += [
            (by, default_second_column(study, comparison, by)),
            *((by, other) for other in others),
        ]
    if across:
        pairs.append((by, across))
    distinct_pairs = {frozenset(pair): pair for pair in reversed(pairs) if all(pair)}
    return [pair for pair in dict.fromkeys(pairs) if distinct_pairs.get(frozenset(pair)) == pair]

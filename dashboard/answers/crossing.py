"""Two columns of the Breakdown page crossed: the difference in each of their cells."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.breakdown import breakdown, by_column
from dashboard.answers.group_names import column_name, spoken_group
from dashboard.study.study import Study
from metrics_core.findings import groups as told
from metrics_core.findings.charts import best_by_group, extreme_cells
from metrics_core.findings.sentence import Sentence
from metrics_core.slicing.breakdowns import ALL
from metrics_core.slicing.crossed import crossed

MOST_SIDE_BY_SIDE = 12
"""Groups of a column that a table of cells shows, unless all are asked for."""


@dataclass(frozen=True)
class Crossing:
    """The cells of two columns, those of the groups that bring most: row, column, queries,
    difference; `left_out` counts the groups that are not shown, `extremes` says in words what the
    cells show. `margins` are the groups of the second column by themselves, `groups` their scores
    of all runs in an `order`, which `best` tells."""

    across: str
    title: Sentence
    cells: pd.DataFrame
    left_out: int
    extremes: str
    margins: pd.DataFrame
    groups: pd.DataFrame
    order: list[str]
    best: str

    def lead(self, slices: str) -> Sentence:
        """What stands below the title, with what is said of the slices."""
        return told.crossed_lead(self.margins, slices)


def crossing(
    study: Study, shown: Comparison, by: str, across: str, *, every: bool = False
) -> Crossing:
    """The cells of two columns."""
    return study.kept(_crossing, shown, by, across, every)


def usual_across(study: Study, shown: Comparison, by: str) -> str:
    """The column that crosses this one best: the next of the files, or else a derived one, with few
    groups; "" if no other splits the queries in view."""
    columns = study.columns(shown)
    splitting = [c for c in study.splitting(shown) if c != by]
    others = [c for c in splitting if c in study.groupings] or splitting
    few = [c for c in others if columns[c].nunique() <= MOST_SIDE_BY_SIDE]
    return next(iter(few or others), "")


def _crossing(study: Study, shown: Comparison, by: str, across: str, every: bool) -> Crossing:
    columns = study.columns(shown)
    cells = crossed(
        study.scores(shown, shown.measure),
        shown.measure,
        columns[by],
        columns[across],
        run=shown.focus,
        baseline=shown.baseline,
    )
    margins = {
        name: _margins(cells[cells[other] == ALL], side, name, shown.cutoff)
        for name, side, other in ((by, "row", "column"), (across, "column", "row"))
    }
    kept = {
        side: _kept(study, shown, name, every) for name, side in ((by, "row"), (across, "column"))
    }
    seen = cells[cells["row"].isin(kept["row"]) & cells["column"].isin(kept["column"])]
    place = {group: i for i, group in enumerate(kept["row"])}
    seen = seen.sort_values("row", key=lambda rows: rows.map(place), kind="stable")
    whole = cells.loc[(cells["row"] == ALL) & (cells["column"] == ALL), "difference"].iloc[0]
    groups = by_column(study, shown, across)
    groups = groups[groups["group"].isin(kept["column"])]
    order = list(dict.fromkeys(groups["group"]))
    return Crossing(
        across=across,
        title=told.crossed_title(
            pd.concat(margins.values(), ignore_index=True),
            float(whole),
            higher_is_better=shown.measure.declaration.higher_is_better,
        ),
        cells=seen,
        left_out=sum(
            int(columns[name].nunique()) - (len(kept[side]) - 1)
            for name, side in ((by, "row"), (across, "column"))
        )
        if not every
        else 0,
        extremes=extreme_cells(seen, shown.focus, shown.baseline),
        margins=margins[across],
        groups=groups,
        order=order,
        best=best_by_group(groups, shown.runs, order),
    )


def _margins(cells: pd.DataFrame, side: str, name: str, cutoff: int) -> pd.DataFrame:
    """The groups of one column by themselves, as a sentence names them."""
    rows = cells[cells[side] != ALL]
    return pd.DataFrame(
        {
            "column": column_name(name, cutoff),
            "group": [spoken_group(g, name, rows[side], short=True) for g in rows[side]],
            "queries": rows["queries"].to_numpy(),
            "difference": rows["difference"].to_numpy(),
        }
    )


def _kept(study: Study, shown: Comparison, by: str, every: bool) -> list[str]:
    """The groups that are shown, those that bring most first, or in their own order; and all."""
    found = breakdown(study, shown, by)
    groups = found.groups
    if not found.in_own_order:
        falling = groups["adds"].abs().sort_values(ascending=False, kind="stable").index
        groups = groups.loc[falling]
    names = groups["group"].tolist()
    return [*(names if every else names[:MOST_SIDE_BY_SIDE]), ALL]


def crossings(study: Study, shown: Comparison, by: str, across: str) -> list[tuple[str, str]]:
    """The pairs of columns to offer: those of the files, then this one with every other, of columns
    that split the queries in view; the pair that is shown is among them. None where there is
    nothing to compare."""
    if shown.alone:
        return []
    splitting = study.splitting(shown)
    own = [c for c in study.groupings if c in splitting]
    pairs = [*combinations(own, 2)]
    if by in splitting:
        others = [c for c in splitting if c != by]
        pairs += [(by, usual_across(study, shown, by)), *((by, other) for other in others)]
    if across:
        pairs.append((by, across))
    apart = {frozenset(pair): pair for pair in reversed(pairs) if all(pair)}
    return [pair for pair in dict.fromkeys(pairs) if apart.get(frozenset(pair)) == pair]

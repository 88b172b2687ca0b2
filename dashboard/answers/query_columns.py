"""The columns of the Queries page: which there are to show, to sort by and to ask for in a filter.

A column's values are worked out when it is asked for, once, over all queries in view.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers import query_chips
from dashboard.answers.headroom import room
from dashboard.answers.table_column import TableColumn
from dashboard.answers.unjudged import unjudged_of
from dashboard.study.keeping import at_most
from dashboard.study.study import Study
from metrics_core.base.arrays import AnyArray
from metrics_core.explaining.headroom import has_headroom
from metrics_core.explaining.kinds import CHANGES, KINDS
from metrics_core.explaining.lists import across_runs
from metrics_core.slicing.breakdowns import NO_GROUP, ordered_groups
from metrics_core.slicing.derived_groups import MARK
from metrics_core.slicing.filtering import holding

_OTHERS = 2
"""Runs beside the compared two that have a column unless it is chosen."""
UNJUDGED = TableColumn("number", "n:unjudged", "n: unjudged", "unjudged")
"""Documents in the first k ranks of the compared two that have no judgment."""
_KINDS = {"failure": "failure", "change": "change"}
_COUNTS = {
    "words": "words",
    "relevant": "relevant",
    "judged": "judged",
    "mean": "mean of runs",
    "spread": "spread of runs",
}
_HEADROOM = {
    "order": "gain by order",
    "below": "gain from below",
    "missing": "gain by missing",
}


def offered(study: Study, shown: Comparison) -> list[TableColumn]:
    """Every column there is, in the order of the table; the usual ones first."""
    return study.kept(_offered, shown)


def usual(study: Study, shown: Comparison) -> list[TableColumn]:
    """The columns of a table of which nothing was chosen."""
    groups = {f"by:{name}" for name in study.groupings}
    pair = dict.fromkeys((shown.focus, shown.baseline))
    others = [name for name in shown.runs if name not in pair]
    scores = {f"score:{name}" for name in [*pair, *others[:_OTHERS]]}
    keys = {"text", "difference", *scores, UNJUDGED.key, *groups}
    return [column for column in offered(study, shown) if column.key in keys]


def chosen(
    study: Study, shown: Comparison, keys: tuple[str, ...], there: list[TableColumn]
) -> list[TableColumn]:
    """The columns of these keys behind the query itself, in their order, of those that are there;
    the usual ones where none of them is a column."""
    known = {column.key: column for column in there}
    asked = [known[key] for key in dict.fromkeys(keys) if key in known and key != "text"]
    return [known["text"], *asked] if asked else usual(study, shown)


def _offered(study: Study, shown: Comparison) -> list[TableColumn]:
    difference = [] if shown.alone else [TableColumn("difference", "difference", "difference")]
    others = [name for name in study.names if name not in shown.runs]
    own = [] if study.queries is None else study.queries.columns
    rest = [name for name in own if name not in study.groupings]
    derived = [name for name in study.columns(shown) if name.endswith(MARK)]
    kinds = [k for k in _KINDS if k == "failure" or not shown.alone]
    gains = _HEADROOM if has_headroom(shown.measure) else {}
    numbers = {k: name for k, name in _COUNTS.items() if k != "words" or study.queries is not None}
    return [
        TableColumn("text", "text", "text"),
        *difference,
        *(_score(name) for name in (*shown.runs, *others)),
        UNJUDGED,
        *(_own_column(study, name) for name in (*study.groupings, *rest)),
        *(_group(f"kind:{key}", _KINDS[key]) for key in kinds),
        *(_group(f"by:{name}", name) for name in derived if name not in own),
        *(
            TableColumn("number", f"n:{k}", f"n: {k}", name)
            for k, name in {**numbers, **gains}.items()
        ),
        _group("query_id", "query_id"),
    ]


def _score(name: str) -> TableColumn:
    return TableColumn("score", f"score:{name}", f"run: {name}", name)


def _group(key: str, name: str, kind: str = "group") -> TableColumn:
    return TableColumn(
        kind, key, "query_id" if key == "query_id" else key.replace(":", ": ", 1), name
    )


def _own_column(study: Study, name: str) -> TableColumn:
    """A column of the query file: its numbers, or its texts."""
    is_number = study.queries is not None and name in study.queries.numbers
    return _group(f"by:{name}", name, "number" if is_number else "group")


def with_columns(
    frame: pd.DataFrame, study: Study, shown: Comparison, columns: list[TableColumn]
) -> pd.DataFrame:
    """The frame with the values of these columns, where it lacks them."""
    lacking = {c.source: values(study, shown, c) for c in columns if c.source not in frame}
    return frame.assign(**lacking) if lacking else frame


def values(study: Study, shown: Comparison, column: TableColumn) -> AnyArray:
    """A column's values for the queries in view: float64[Q], or text as object[Q]."""
    return study.kept(_values, shown, column)


def _values(study: Study, shown: Comparison, column: TableColumn) -> AnyArray:
    mask = study.in_view(shown)
    what, _, name = column.key.partition(":")
    ids = np.array(study.query_ids, dtype=object)
    if column.key in ("query_id", "text"):
        return ids[mask] if column.key == "query_id" else _texts(study, ids[mask])
    if what in ("score", "difference"):
        return _scores(study, shown, name)
    if what == "kind":
        told = query_chips.failures if name == "failure" else query_chips.changes
        return told(study, shown)
    if what == "n":
        return _number(study, shown, name, mask)
    queries = study.queries
    if queries is not None and name in queries.numbers:
        numbers = queries.numbers[name].reindex(study.query_ids)
        return numbers.to_numpy(dtype=np.float64)[mask]
    if name in study.groupings:
        return np.asarray(study.own_columns[name].to_numpy()[mask])
    if queries is not None and name in queries.columns:
        return _own(study, name)[mask]
    return study.columns(shown)[name].to_numpy(dtype=object)[mask]


def _texts(study: Study, ids: AnyArray) -> AnyArray:
    return np.array(pd.Series(ids, dtype=object).map(study.texts), dtype=object)


def _scores(study: Study, shown: Comparison, name: str) -> AnyArray:
    scores = study.every_score(shown, shown.measure)
    own = scores.of(shown.measure)
    if name:
        return own[scores.position(name)]
    return np.asarray(own[scores.position(shown.focus)] - own[scores.position(shown.baseline)])


def _own(study: Study, name: str) -> AnyArray:
    """A column of the query file as it stands there; "" where a query has no value."""
    assert study.queries is not None
    own = study.queries.frame.set_index("query_id")[name].reindex(study.query_ids)
    return own.where(own.notna(), "").astype(str).to_numpy(dtype=object)


def _number(study: Study, shown: Comparison, key: str, mask: AnyArray) -> AnyArray:
    ranks = study.judged[shown.focus]
    if key == UNJUDGED.name:
        return _unjudged(study, shown)
    if key == "words":
        return _words(study)[mask]
    if key == "relevant":
        return ranks.n_relevant(shown.measure.relevant_from)[mask].astype(np.float64)
    if key == "judged":
        return ranks.n_relevant(0)[mask].astype(np.float64)
    if key in _HEADROOM:
        return np.asarray(getattr(room(study, shown), key))
    every = study.every_score(shown, shown.measure).of(shown.measure)
    found = across_runs(every, shown.measure)
    return found.mean if key == "mean" else found.spread


def _unjudged(study: Study, shown: Comparison) -> AnyArray:
    """How many documents in the first k ranks of the compared two nobody judged; NaN where it is
    not known which of them stand in both lists."""
    found = unjudged_of(study, shown, shown.measure.cutoff or shown.cutoff)
    queries = len(found.run_within)
    if found.matched:
        return np.bincount(found.query, minlength=queries).astype(np.float64)
    own, other = (within.astype(np.float64) for within in (found.run_within, found.baseline_within))
    if shown.alone:
        return own
    return np.where((own > 0) & (other > 0), np.nan, own + other)


def _words(study: Study) -> AnyArray:
    """How many words each query's text has; NaN where it has none."""
    assert study.queries is not None
    texts = study.queries.frame.set_index("query_id")["text"].reindex(study.query_ids)
    known = texts.where(texts != "")
    return known.str.split().str.len().to_numpy(dtype=np.float64, na_value=np.nan)


def in_order(column: TableColumn, found: pd.Series) -> pd.Series:
    """What sorts a column of groups: their places in a reader's order."""
    order: list[str] | dict[str, str] = ordered_groups(found.astype(str))
    if column.key.startswith("kind:"):
        order = KINDS if column.key.endswith("failure") else CHANGES
    return found.astype(str).map({group: i for i, group in enumerate(order)})


def of_files(study: Study, column: TableColumn) -> bool:
    """Whether a column's values follow from the files alone."""
    own = () if study.queries is None else study.queries.columns
    of_query = column.key.startswith("by:") and (
        column.name in study.groupings or column.name in own
    )
    return of_query or column.key in ("query_id", "text")


@at_most(100)
def _holding(study: Study, shown: Comparison, column: TableColumn) -> dict[str, Any]:
    return holding(to_ask(study, shown, column))


def to_ask(study: Study, shown: Comparison, column: TableColumn) -> AnyArray:
    """A column's values as a filter line asks for them: None where a text is missing."""
    return _as_asked(values(study, shown, column))


def _as_asked(found: AnyArray) -> AnyArray:
    if found.dtype.kind == "f":
        return found
    texts = found.astype(object)
    texts[(texts == NO_GROUP) | (texts == "")] = None
    return texts


class FilterColumns(Mapping[str, AnyArray]):
    """The columns by the names that a filter line has for them, as `to_ask` gives them, worked out
    when they are read. `further` are columns that do not come from the study, with their values."""

    def __init__(
        self, study: Study, shown: Comparison, further: Mapping[TableColumn, AnyArray] | None = None
    ) -> None:
        self._study, self._shown, self._further = study, shown, further or {}
        self._columns: dict[str, TableColumn] = {}
        for column in (*offered(study, shown), *self._further):
            name = column.named
            while name in self._columns:
                name += f" ({'run' if column.kind == 'score' else 'column'})"
            self._columns[name] = column

    def __getitem__(self, name: str) -> AnyArray:
        column = self._columns[name]
        further = self._further.get(column)
        return to_ask(self._study, self._shown, column) if further is None else _as_asked(further)

    def holds(self, name: str) -> dict[str, Any]:
        """What `filtering.holding` says of a column; of those of the files it is the same whatever
        is compared, and kept for all of it."""
        column, study = self._columns[name], self._study
        if column in self._further or not of_files(study, column):
            return holding(self[name])
        return study.kept(_holding, self._shown.narrowing, column)

    @property
    def numeric(self) -> frozenset[str]:
        """The names of those that hold numbers, as far as that is known without looking."""
        return frozenset(
            name
            for name, column in self._columns.items()
            if column.kind in ("score", "difference", "number")
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

"""The columns that the Queries page can show, sort by, and use in a filter line.

A column's values are computed once, on first use, for all queries in view."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers import query_chips
from dashboard.answers.headroom import query_headroom
from dashboard.answers.list_changes import columns_of_list_changes, values_of_list_changes
from dashboard.answers.overview_measures import overview_measures
from dashboard.answers.table_column import TableColumn
from dashboard.answers.unjudged import unjudged_ranks_of_pair
from dashboard.study.cached_answers import cache_answer, limit_cached_results
from dashboard.study.study import Study
from metrics_core.base.arrays import AnyArray
from metrics_core.explaining.headroom import has_headroom
from metrics_core.explaining.list_comparison import find_score_spread
from metrics_core.explaining.query_kinds import CHANGES, KINDS
from metrics_core.slicing.breakdowns import NO_GROUP, order_groups
from metrics_core.slicing.derived_groups import MARK
from metrics_core.slicing.filtering import describe_column

_OTHERS = 2
"""Maximum number of runs outside the compared pair that have a column by default."""
DIFFERENCE = TableColumn("difference", "difference", "difference")
UNJUDGED = TableColumn("number", "n:unjudged", "n: unjudged", "unjudged")
"""The column with the number of unjudged documents in the first k ranks of the compared runs."""
_KINDS = {"failure": "failure", "change": "change"}
_COUNTS = {
    "words": "words",
    "relevant": "relevant",
    "judged": "judged",
    "mean": "mean of runs",
    "spread": "spread of runs",
}
_OF_RANKS = ("relevant", "judged")
"""Keys of the columns that count documents in a run's list, rather than showing scores."""
_HEADROOM = {
    "order": "gain by order",
    "below": "gain from below",
    "missing": "gain by missing",
}


@cache_answer
def offered_columns(study: Study, comparison: Comparison) -> list[TableColumn]:
    """Return every available column, in the order of the table. The default columns come first."""
    difference = [] if comparison.is_single_run else [DIFFERENCE]
    others = [name for name in study.names if name not in comparison.runs]
    scores = [
        TableColumn("score", f"score:{name}", f"run: {name}", name)
        for name in (*comparison.runs, *others)
    ]
    if study.is_unjudged:
        difference, scores = [], []
    file_columns = [] if study.queries is None else study.queries.columns
    rest = [name for name in file_columns if name not in study.groupings]
    derived = [name for name in study.columns(comparison) if name.endswith(MARK)]
    computed = study.is_computed(comparison.measure)
    kinds = [k for k in _KINDS if computed and (k == "failure" or not comparison.is_single_run)]
    gains = _HEADROOM if computed and has_headroom(comparison.measure) else {}
    numbers = {
        k: name
        for k, name in _COUNTS.items()
        if (study.queries is not None if k == "words" else computed or k not in _OF_RANKS)
        and (k == "words" or not study.is_unjudged)
    }
    measures = overview_measures(study, comparison) if study.given_tables else []
    return [
        TableColumn("text", "text", "text"),
        *difference,
        *scores,
        *(columns_of_list_changes(study, comparison) if study.is_unjudged else []),
        *(TableColumn("number", f"measure:{m}", f"measure: {m}", str(m)) for m in measures),
        *([UNJUDGED] if computed else []),
        *(_file_column(study, name) for name in (*study.groupings, *rest)),
        *(_group_column(f"kind:{key}", _KINDS[key]) for key in kinds),
        *(_group_column(f"by:{name}", name) for name in derived if name not in file_columns),
        *(
            TableColumn("number", f"n:{k}", f"n: {k}", name)
            for k, name in {**numbers, **gains}.items()
        ),
        *([] if study.is_unjudged else columns_of_list_changes(study, comparison)),
        _group_column("query_id", "query_id"),
    ]


def default_columns(study: Study, comparison: Comparison) -> list[TableColumn]:
    """Return the columns that the table shows by default."""
    groups = {f"by:{name}" for name in study.groupings}
    pair = dict.fromkeys(comparison.pair)
    others = [name for name in comparison.runs if name not in pair]
    scores = {f"score:{name}" for name in [*pair, *others[:_OTHERS]]}
    keys = {"text", "difference", *scores, UNJUDGED.key, *groups}
    if study.is_unjudged:
        keys |= {column.key for column in columns_of_list_changes(study, comparison)}
    return [column for column in offered_columns(study, comparison) if column.key in keys]


def choose_columns(
    study: Study,
    comparison: Comparison,
    keys: tuple[str, ...],
    available_columns: list[TableColumn],
) -> list[TableColumn]:
    """Return the column of the query text, followed by the columns with these keys, in the order of
    the keys. Unknown keys are ignored. If no key is known, return the default columns."""
    by_key = {column.key: column for column in available_columns}
    columns = [by_key[key] for key in dict.fromkeys(keys) if key in by_key and key != "text"]
    return [by_key["text"], *columns] if columns else default_columns(study, comparison)


def _group_column(key: str, name: str, kind: str = "group") -> TableColumn:
    return TableColumn(
        kind, key, "query_id" if key == "query_id" else key.replace(":", ": ", 1), name
    )


def _file_column(study: Study, name: str) -> TableColumn:
    """Return a column of the query file, as numbers or as strings."""
    is_number = study.queries is not None and name in study.queries.numbers
    return _group_column(f"by:{name}", name, "number" if is_number else "group")


def add_columns(
    frame: pd.DataFrame, study: Study, comparison: Comparison, columns: list[TableColumn]
) -> pd.DataFrame:
    """Return the frame with the values of these columns added. Columns that the frame already has
    are unchanged."""
    missing = {
        c.source: column_values(study, comparison, c) for c in columns if c.source not in frame
    }
    return frame.assign(**missing) if missing else frame


@cache_answer
def column_values(study: Study, comparison: Comparison, column: TableColumn) -> AnyArray:
    """Return a column's values for the queries in view: float64[query], or object[query] if they
    are strings."""
    mask = study.view_mask(comparison)
    prefix, _, name = column.key.partition(":")
    ids = np.array(study.query_ids, dtype=object)
    if column.key in ("query_id", "text"):
        texts = pd.Series(ids[mask], dtype=object)
        texts = texts if column.key == "query_id" else texts.map(study.texts)
        return np.array(texts, dtype=object)
    if prefix in ("score", "difference"):
        return _score_values(study, comparison, name)
    if prefix == "measure":
        measure = next(m for m in overview_measures(study, comparison) if str(m) == name)
        scores = study.scores_of_all_runs(comparison, measure)
        return np.asarray(scores.values_of(measure)[scores.position(comparison.focus)])
    if prefix == "kind":
        kinds_answer = (
            query_chips.query_failures if name == "failure" else query_chips.query_changes
        )
        return kinds_answer(study, comparison)
    if prefix == "list":
        return values_of_list_changes(study, comparison, name)
    if prefix == "n":
        return _numeric_column_values(study, comparison, name, mask)
    queries = study.queries
    if queries is not None and name in queries.numbers:
        numbers = queries.numbers[name].reindex(study.query_ids)
        return numbers.to_numpy(dtype=np.float64)[mask]
    if name in study.groupings:
        return np.asarray(study.file_columns[name].to_numpy()[mask])
    if queries is not None and name in queries.columns:
        return _file_values(study, name)[mask]
    return study.columns(comparison)[name].to_numpy(dtype=object)[mask]


def _score_values(study: Study, comparison: Comparison, name: str) -> AnyArray:
    scores = study.scores_of_all_runs(comparison, comparison.measure)
    run_scores = scores.values_of(comparison.measure)
    if name:
        return run_scores[scores.position(name)]
    return np.asarray(
        run_scores[scores.position(comparison.focus)]
        - run_scores[scores.position(comparison.baseline)]
    )


def _file_values(study: Study, name: str) -> AnyArray:
    """Return a column of the query file as text, object[query]. The text is "" for queries that
    have no value."""
    assert study.queries is not None
    column = study.queries.frame.set_index("query_id")[name].reindex(study.query_ids)
    return column.where(column.notna(), "").astype(str).to_numpy(dtype=object)


def _numeric_column_values(
    study: Study, comparison: Comparison, key: str, mask: AnyArray
) -> AnyArray:
    if key == UNJUDGED.name:
        return _unjudged_counts(study, comparison)
    if key == "words":
        return _word_counts(study)[mask]
    if key in _OF_RANKS:
        ranks = study.judged[comparison.focus]
    if key == "relevant":
        return ranks.n_relevant(comparison.measure.relevant_from)[mask].astype(np.float64)
    if key == "judged":
        return ranks.n_relevant(0)[mask].astype(np.float64)
    if key in _HEADROOM:
        return np.asarray(getattr(query_headroom(study, comparison), key))
    scores = study.scores_of_all_runs(comparison, comparison.measure).values_of(comparison.measure)
    summary = find_score_spread(scores, comparison.measure)
    return summary.mean if key == "mean" else summary.spread


def _unjudged_counts(study: Study, comparison: Comparison) -> AnyArray:
    """Return the number of unjudged documents in the first k ranks of the compared runs,
    float64[query]. A document in both lists counts once. The number is NaN if it is unknown whether
    both lists contain the same unjudged document."""
    unjudged = unjudged_ranks_of_pair(
        study, comparison, comparison.measure.cutoff or comparison.cutoff
    )
    queries = len(unjudged.n_run_within)
    if unjudged.is_matched:
        return np.bincount(unjudged.query, minlength=queries).astype(np.float64)
    focus_counts, baseline_counts = (
        within.astype(np.float64) for within in (unjudged.n_run_within, unjudged.n_baseline_within)
    )
    if comparison.is_single_run:
        return focus_counts
    return np.where(
        (focus_counts > 0) & (baseline_counts > 0), np.nan, focus_counts + baseline_counts
    )


def _word_counts(study: Study) -> AnyArray:
    """Return the number of words in each query's text, float64[query]. It is NaN if the query has
    no text."""
    assert study.queries is not None
    texts = study.queries.frame.set_index("query_id")["text"].reindex(study.query_ids)
    present = texts.where(texts != "")
    return present.str.split().str.len().to_numpy(dtype=np.float64, na_value=np.nan)


def group_positions(column: TableColumn, values: pd.Series) -> pd.Series:
    """Return the position of each value in the display order of the column's groups."""
    order: list[str] | dict[str, str] = order_groups(values.astype(str))
    if column.key.startswith("kind:"):
        order = KINDS if column.key.endswith("failure") else CHANGES
    return values.astype(str).map({group: i for i, group in enumerate(order)})


def depends_only_on_files(study: Study, column: TableColumn) -> bool:
    """Return whether the values of a column depend only on the files."""
    file_columns = () if study.queries is None else study.queries.columns
    is_query_column = column.key.startswith("by:") and (
        column.name in study.groupings or column.name in file_columns
    )
    return is_query_column or column.key in ("query_id", "text")


@limit_cached_results(100)
def _describe_column(study: Study, comparison: Comparison, column: TableColumn) -> dict[str, Any]:
    return describe_column(values_for_filter_line(study, comparison, column))


def values_for_filter_line(study: Study, comparison: Comparison, column: TableColumn) -> AnyArray:
    """Return the values of a column in the form that a filter line needs: float64[query], or
    object[query] with None for missing strings."""
    return _replace_missing_groups(column_values(study, comparison, column))


def _replace_missing_groups(values: AnyArray) -> AnyArray:
    if values.dtype.kind == "f":
        return values
    texts = values.astype(object)
    texts[(texts == NO_GROUP) | (texts == "")] = None
    return texts


class FilterColumns(Mapping[str, AnyArray]):
    """The columns that a filter line can use, keyed by the names that the line uses. A column's
    values come from `values_for_filter_line` and are computed on access. `further` maps additional
    columns, which do not come from the study, to their values."""

    def __init__(
        self,
        study: Study,
        comparison: Comparison,
        further: Mapping[TableColumn, AnyArray] | None = None,
    ) -> None:
        self._study, self._comparison, self._further = study, comparison, further or {}
        self._columns: dict[str, TableColumn] = {}
        for column in (*offered_columns(study, comparison), *self._further):
            name = column.label
            while name in self._columns:
                name += f" ({'run' if column.kind == 'score' else 'column'})"
            self._columns[name] = column

    def __getitem__(self, name: str) -> AnyArray:
        column = self._columns[name]
        further = self._further.get(column)
        return (
            values_for_filter_line(self._study, self._comparison, column)
            if further is None
            else _replace_missing_groups(further)
        )

    def describe_column(self, name: str) -> dict[str, Any]:
        """Describe a column with `filtering.describe_column`. If the column depends only on the
        files, the result is cached and used for all comparisons."""
        column, study = self._columns[name], self._study
        if column in self._further or not depends_only_on_files(study, column):
            return describe_column(self[name])
        return study.cached_answer(
            _describe_column, self._comparison.comparison_that_selects_queries, column
        )

    def filter_name(self, column: TableColumn) -> str:
        """Return the name that a filter line uses for a column."""
        return next(name for name, other in self._columns.items() if other == column)

    @property
    def numeric_columns(self) -> frozenset[str]:
        """The names of the columns that are known to be numeric without reading their values."""
        return frozenset(
            name
            for name, column in self._columns.items()
            if column.kind in ("score", "difference", "number")
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

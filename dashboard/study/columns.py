"""The columns by which the queries of a study can be grouped, the filters, and the texts that are
shown with queries.

Columns from files, and derived columns that depend only on texts or judgments, are cached once per
study. Other derived columns are cached per comparison."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Protocol, TypeVar

import numpy as np
import pandas as pd

from dashboard.address.measure_key import ChosenMeasure
from dashboard.address.view import Comparison
from metrics_core.base import wording as w
from metrics_core.base.arrays import Mask
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure
from metrics_core.scoring.scores import Scores
from metrics_core.slicing.breakdowns import find_groups
from metrics_core.slicing.derived_groups import DERIVED, GroupSource, make_derived_columns
from metrics_core.tables import Queries

Result = TypeVar("Result")


class StudyLike(Protocol):
    """The attributes and methods of `Study` that this module uses."""

    @property
    def query_ids(self) -> list[str]: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def queries(self) -> Queries | None: ...
    @property
    def judged(self) -> Mapping[str, JudgedRanks]: ...
    @property
    def texts(self) -> dict[str, str]: ...
    @property
    def groupings(self) -> list[str]: ...
    @property
    def file_columns(self) -> dict[str, pd.Series]: ...
    def is_given(self, measure: Measure) -> bool: ...
    def read_measure(self, key: str = "", cutoff: int = 10) -> ChosenMeasure: ...
    def columns(self, comparison: Comparison) -> dict[str, pd.Series]: ...
    def view_mask(self, comparison: Comparison) -> Mask: ...
    def all_scores(self, *measures: Measure) -> Scores: ...
    def cached_answer(self, answer: Callable[..., Result], *arguments: Hashable) -> Result: ...


_CUTOFF = 10
_N_META_COLUMNS = 2
"""Number of query columns that are shown beside a query's text."""


def file_columns(study: StudyLike) -> dict[str, pd.Series]:
    """Return the columns from the files. Each column has the group of every judged query, indexed
    by query_id."""
    if study.queries is None:
        return {}
    return {c: find_groups(study.queries, study.query_ids, c) for c in study.groupings}


def columns(study: StudyLike, comparison: Comparison) -> dict[str, pd.Series]:
    """Return the columns of the queries. `Study.columns` calls this function with the unfiltered
    comparison."""
    file_groups = study.file_columns
    compared = [column for column in DERIVED if column.depends_on_pair]
    derived = study.cached_answer(independent_columns) | make_derived_columns(
        _make_group_source(study, comparison, {}), compared
    )
    ordered = {c.key: derived[c.key] for c in DERIVED if c.key in derived}
    # The files' columns come first, and win if a name occurs twice.
    return {**file_groups, **ordered, **file_groups}


def independent_columns(study: StudyLike) -> dict[str, pd.Series]:
    """Return the derived columns that do not depend on the comparison, by key. Each is indexed by
    query_id."""
    texts: dict[str, str] = {}
    if study.queries is not None:
        frame = study.queries.frame
        texts = {q: t for q, t in zip(frame["query_id"], frame["text"], strict=True) if t}
    # These columns do not depend on the comparison, so any will do.
    run, default_measure = study.names[0], study.read_measure()
    comparison = Comparison(
        focus=run, baseline=run, other_runs=(), chosen_measure=default_measure, cutoff=_CUTOFF
    )
    material = _make_group_source(study, comparison, texts)
    return make_derived_columns(
        material, [column for column in DERIVED if not column.depends_on_pair]
    )


def _make_group_source(
    study: StudyLike, comparison: Comparison, texts: dict[str, str]
) -> GroupSource:
    measure = comparison.measure
    if not study.is_given(measure) and any(
        measure.find_missing_data(ranks) for ranks in study.judged.values()
    ):
        # The page reports what the measure lacks; a link with filters must not fail before that.
        measure = study.read_measure("", comparison.cutoff).measure
    return GroupSource(
        query_ids=pd.Index(study.query_ids),
        texts=texts,
        judged=study.judged,
        scores=study.all_scores(measure),
        measure=measure,
        run=comparison.focus,
        baseline=comparison.baseline,
        cutoff=comparison.cutoff,
    )


def view_mask(study: StudyLike, comparison: Comparison) -> Mask:
    """Return which queries pass the filters, bool[query]. The array is read-only. This implements
    `Study.view_mask`."""
    mask = np.ones(len(study.query_ids), dtype=np.bool_)
    for column in {c for c, _ in comparison.filters}:
        file_groups = study.file_columns
        groups = file_groups[column] if column in file_groups else study.columns(comparison)[column]
        mask &= groups.isin([v for c, v in comparison.filters if c == column]).to_numpy()
    if comparison.is_limited_to_shared_queries and study.judged:
        for run in comparison.pair:
            mask &= study.judged[run].retrieved > 0
    mask.flags.writeable = False
    return mask


def splitting_columns(study: StudyLike, comparison: Comparison) -> list[str]:
    """Return the names of the columns that split the queries in view. This implements
    `Study.splitting_columns`."""
    mask = study.view_mask(comparison)
    return [c for c, groups in study.columns(comparison).items() if groups[mask].nunique() > 1]


def describe_queries(study: StudyLike) -> pd.DataFrame:
    """Return the columns that `Study.with_texts` adds, indexed by query_id: `text`, `meta`, and
    `by: NAME` for each grouping. A column `by: NAME` is float64 for numbers; otherwise it has the
    groups as strings."""
    frame = pd.DataFrame({"text": study.texts}, dtype="str")
    ids = list(frame.index)
    if study.queries is None:
        return frame.assign(meta="")
    group_names: list[list[str]] = []
    for column in study.groupings:
        numbers = study.queries.numbers.get(column)
        if numbers is None:
            groups = find_groups(study.queries, ids, column)
            frame[f"by: {column}"] = groups.to_numpy()
            if groups.nunique() > 1:  # a single value distinguishes no query
                group_names.append(groups.tolist())
        else:
            # A row is one query, so it shows the number, not the range of its group.
            query_numbers = numbers.reindex(ids)
            frame[f"by: {column}"] = query_numbers.to_numpy(dtype=np.float64)
            name = column.replace("_", " ")
            group_names.append(
                [f"{name} {w.format_plain_number(v)}" if v == v else "" for v in query_numbers]
            )
    parts = zip(*group_names[:_N_META_COLUMNS], strict=True)
    return frame.assign(meta=[" · ".join(filter(None, row)) for row in parts] or "")

"""What tells the queries of a study apart: columns, filters, and what a table says of each.

A study keeps each by what it depends on: the files' columns by nothing, the derived ones that
depend on texts or judgments alone by nothing, the others by what is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Protocol, TypeVar

import numpy as np
import pandas as pd

from dashboard.address.measure_key import read_measure
from dashboard.address.view import Comparison
from metrics_core.base import wording as w
from metrics_core.base.arrays import Mask
from metrics_core.judging import JudgedRanks
from metrics_core.measures import Measure
from metrics_core.scoring.scores import Scores
from metrics_core.slicing.breakdowns import group_of
from metrics_core.slicing.derived_groups import DERIVED, Material, derived_columns
from metrics_core.tables import Queries

Result = TypeVar("Result")


class StudyLike(Protocol):
    """What is asked of a study here."""

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
    def own_columns(self) -> dict[str, pd.Series]: ...
    def columns(self, comparison: Comparison) -> dict[str, pd.Series]: ...
    def in_view(self, comparison: Comparison) -> Mask: ...
    def all_scores(self, *measures: Measure) -> Scores: ...
    def kept(self, answer: Callable[..., Result], *asked: Hashable) -> Result: ...


_CUTOFF = 10
_IN_META = 2
"""Columns of the queries that a row names beside a query's text."""


def own_columns(study: StudyLike) -> dict[str, pd.Series]:
    """The files' own columns: the group of each judged query, indexed by query_id."""
    if study.queries is None:
        return {}
    return {c: group_of(study.queries, study.query_ids, c) for c in study.groupings}


def columns(study: StudyLike, shown: Comparison) -> dict[str, pd.Series]:
    """`StudyLike.columns` of a comparison without filters."""
    own = study.own_columns
    compared = [column for column in DERIVED if column.compared]
    derived = study.kept(not_compared) | derived_columns(_material(study, shown, {}), compared)
    ordered = {c.key: derived[c.key] for c in DERIVED if c.key in derived}
    # The files' own columns stand first, and win where a name stands twice.
    return {**own, **ordered, **own}


def not_compared(study: StudyLike) -> dict[str, pd.Series]:
    """The derived columns that do not depend on what is compared."""
    texts: dict[str, str] = {}
    if study.queries is not None:
        frame = study.queries.frame
        texts = {q: t for q, t in zip(frame["query_id"], frame["text"], strict=True) if t}
    # Any comparison will do.
    run, usual = study.names[0], read_measure("", _CUTOFF)
    shown = Comparison(focus=run, baseline=run, also=(), chosen=usual, cutoff=_CUTOFF)
    given = _material(study, shown, texts)
    return derived_columns(given, [column for column in DERIVED if not column.compared])


def _index(study: StudyLike) -> pd.Index:
    """The judged queries, as the index of what has a row for each."""
    return pd.Index(study.query_ids)


def _material(study: StudyLike, shown: Comparison, texts: dict[str, str]) -> Material:
    measure = shown.measure
    if any(measure.lacks(ranks) for ranks in study.judged.values()):
        # What the measure lacks is said by the page; a link with filters must not fail before.
        measure = read_measure("", shown.cutoff).measure
    return Material(
        query_ids=study.kept(_index),
        texts=texts,
        judged=study.judged,
        scores=study.all_scores(measure),
        measure=measure,
        run=shown.focus,
        baseline=shown.baseline,
        cutoff=shown.cutoff,
    )


def in_view(study: StudyLike, asked: Comparison) -> Mask:
    """`StudyLike.in_view`; it cannot be written to."""
    mask = np.ones(len(study.query_ids), dtype=np.bool_)
    for column in {c for c, _ in asked.where}:
        own = study.own_columns
        groups = own[column] if column in own else study.columns(asked)[column]
        mask &= groups.isin([v for c, v in asked.where if c == column]).to_numpy()
    if asked.shared:
        for run in (asked.focus, asked.baseline):
            mask &= study.judged[run].retrieved > 0
    mask.flags.writeable = False
    return mask


def splitting(study: StudyLike, shown: Comparison) -> list[str]:
    """`StudyLike.splitting`."""
    mask = study.in_view(shown)
    return [c for c, groups in study.columns(shown).items() if groups[mask].nunique() > 1]


def told(study: StudyLike) -> pd.DataFrame:
    """What `StudyLike.with_texts` adds, indexed by query_id: `text`, `meta`, and a column for each
    grouping, of numbers as float64, of texts as the group."""
    frame = pd.DataFrame({"text": study.texts}, dtype="str")
    ids = list(frame.index)
    if study.queries is None:
        return frame.assign(meta="")
    named: list[list[str]] = []
    for column in study.groupings:
        numbers = study.queries.numbers.get(column)
        if numbers is None:
            groups = group_of(study.queries, ids, column)
            frame[f"by: {column}"] = groups.to_numpy()
            if groups.nunique() > 1:  # one value tells no query apart
                named.append(groups.tolist())
        else:
            # A row is one query: its number, not the range that a group of queries has.
            own = numbers.reindex(ids)
            frame[f"by: {column}"] = own.to_numpy(dtype=np.float64)
            name = column.replace("_", " ")
            named.append([f"{name} {w.plain_number(v)}" if v == v else "" for v in own])
    parts = zip(*named[:_IN_META], strict=True)
    return frame.assign(meta=[" · ".join(filter(None, row)) for row in parts] or "")

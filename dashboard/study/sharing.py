"""A study as it may leave: without texts, or without any name but ids.

What is not in the study can stand in nothing that is made of it. Judged ranks stay as they are, so
no number changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dashboard.address.view import Comparison
from dashboard.study.study import Study
from dashboard.workspace.disk.records import NOTHING_SAID
from metrics_core.judging import JudgedRanks
from metrics_core.slicing.breakdowns import NO_GROUP, group_of
from metrics_core.tables import Queries, Run

_LETTERS = 26


@dataclass(frozen=True)
class Shared:
    """A study to be shared, and what was renamed in it: runs, and (column, value) of the groups;
    `said` is what was left out, in words, or ""."""

    study: Study
    runs: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    said: str = ""

    def comparison(self, shown: Comparison) -> Comparison:
        """The same comparison, by the new names."""
        return replace(
            shown,
            focus=self.runs.get(shown.focus, shown.focus),
            baseline=self.runs.get(shown.baseline, shown.baseline),
            also=tuple(self.runs.get(run, run) for run in shown.also),
            where=tuple(self.groups.get(pair, pair) for pair in shown.where),
        )


def without_texts(study: Study) -> Shared:
    """The study without texts of queries and documents; names of runs and groups stay."""
    queries = study.queries
    if queries is not None:
        kept = queries.frame[["query_id", *study.groupings]]
        queries = Queries.from_columns(dict(kept.items()))
    return Shared(_with(study, {}, queries), said="texts left out")


def without_names(study: Study) -> Shared:
    """The study with ids and numbers alone: runs are A, B, C, the columns and groups of the queries
    are numbered, texts are gone."""
    runs = {name: letter(place) for place, name in enumerate(study.names)}
    groups: dict[tuple[str, str], tuple[str, str]] = {}
    columns: dict[str, Any] = {}
    if study.queries is not None:
        frame = study.queries.frame
        columns["query_id"] = frame["query_id"]
        for number, column in enumerate(study.groupings, 1):
            named = f"column {number}"
            values = [value for value in study.groups[column] if value != NO_GROUP]
            told = {value: f"Group {place}" for place, value in enumerate(values, 1)}
            columns[named] = group_of(study.queries, frame["query_id"], column).map(told)
            groups |= {(column, value): (named, name) for value, name in told.items()}
            groups[column, NO_GROUP] = named, NO_GROUP
    queries = Queries.from_columns(columns) if columns else None
    return Shared(_with(study, runs, queries), runs, groups, "texts and names left out")


def letter(place: int) -> str:
    """A, B, … Z, A2, B2, …"""
    again, at = divmod(place, _LETTERS)
    return f"{chr(ord('A') + at)}{again + 1 if again else ''}"


def _with(study: Study, names: Mapping[str, str], queries: Queries | None) -> Study:
    """The same runs under these names and the same judged ranks, with other queries and without
    documents."""
    judged = {names.get(run, run): ranks for run, ranks in study.judged.items()}

    def judging(run: Run, *_: Any, **__: Any) -> JudgedRanks:
        ranks = judged[run.name]
        listed = ranks.listed and replace(ranks.listed, run=run, documents=None)
        return replace(ranks, run_name=run.name, notes=(), listed=listed)

    runs = [run.renamed(names.get(name, name)) for name, run in study.runs.items()]
    said = replace(NOTHING_SAID, complete=study.settings.complete)
    return Study(runs, study.qrels, queries, None, judging, said)

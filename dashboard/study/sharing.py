"""A study that can be shared: without texts and ids or, in addition, without any names.

What is not in the study cannot appear in its report. The judged ranks are unchanged, so all numbers
stay the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import pandas as pd

from dashboard.address.view import Comparison
from dashboard.study.columns import independent_columns
from dashboard.study.numbers import NumberedIds
from dashboard.study.study import Study
from dashboard.workspace.disk.records import DEFAULT_SETTINGS
from metrics_core.judging import JudgedRanks
from metrics_core.slicing.breakdowns import NO_GROUP, find_groups
from metrics_core.tables import GivenScores, Queries, Run

Include = Literal["scores only", "run names", "full texts"]
"""The content of a report: only numbers ("scores only"); also the names of runs, groups and files
("run names"); or everything ("full texts").

Ids are excluded together with the texts, because an id may be a text or identify a person."""

_LEFT_OUT = {
    "scores only": "names and texts left out, ids replaced by numbers",
    "run names": "texts left out, ids replaced by numbers",
    "full texts": "",
}
_LETTERS = 26
_LONGEST_NAME = 60
"""Maximum length of a group's name. Longer values are treated as texts."""


@dataclass(frozen=True)
class SharedStudy:
    """A study that can be shared. `runs` maps each renamed run to its new name. `groups` maps the
    (column, value) of each renamed group to its new (column, value).

    `omissions` describes what was left out; it is empty if the study is complete."""

    study: Study
    runs: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    omissions: str = ""

    def rename_comparison(self, comparison: Comparison) -> Comparison:
        """Return the comparison with the new names of its runs and groups."""
        return replace(
            comparison,
            focus=self.runs.get(comparison.focus, comparison.focus),
            baseline=self.runs.get(comparison.baseline, comparison.baseline),
            other_runs=tuple(self.runs.get(run, run) for run in comparison.other_runs),
            filters=tuple(self.groups.get(pair, pair) for pair in comparison.filters),
        )


def make_shareable_study(study: Study, include: Include) -> SharedStudy:
    """Return a copy of the study that contains only what `include` allows.

    If texts are excluded, queries and documents are numbered. If names are excluded, runs are named
    A, B, C, and the columns and groups of the queries are numbered."""
    if include == "full texts":
        return SharedStudy(study)
    names: dict[str, str] = {}
    if include == "scores only":
        names = {name: run_letter(position) for position, name in enumerate(study.names)}
    numbers = NumberedIds("query", study.query_ids)
    groups: dict[tuple[str, str], tuple[str, str]] = {}
    queries = None
    if study.queries is not None:
        columns, groups = _make_shareable_groups(
            study, study.queries, keep_names=include == "run names"
        )
        ids = [numbers[query_id] for query_id in study.queries.frame["query_id"]]
        queries = Queries.from_columns({"query_id": ids, **columns})
    return SharedStudy(
        _rename_study(study, names, numbers, queries), names, groups, _LEFT_OUT[include]
    )


def _make_shareable_groups(
    study: Study, queries: Queries, *, keep_names: bool
) -> tuple[dict[str, Any], dict[tuple[str, str], tuple[str, str]]]:
    """Return the columns of the groups, and the new (column, value) of each renamed group, keyed by
    its earlier (column, value).

    Unless `keep_names` is true, all columns and groups are renamed. If the values of a column are
    free text, its groups are renamed in any case."""
    columns: dict[str, Any] = {}
    renamed: dict[tuple[str, str], tuple[str, str]] = {}
    for number, column in enumerate(study.groupings, 1):
        if keep_names and not _is_text_column(queries, column):
            columns[column] = queries.frame[column]
            continue
        title = column if keep_names else f"column {number}"
        values = [value for value in study.groups[column] if value != NO_GROUP]
        numbered = {value: f"Group {position}" for position, value in enumerate(values, 1)}
        columns[title] = find_groups(queries, queries.frame["query_id"], column).map(numbered)
        renamed |= {(column, value): (title, name) for value, name in numbered.items()}
        renamed[column, NO_GROUP] = title, NO_GROUP
    return columns, renamed


def _is_text_column(queries: Queries, column: str) -> bool:
    """Return whether a column contains free text, such as reference answers, and not categories.
    This is assumed if at least half of the values are distinct, or if a value has more than
    `_LONGEST_NAME` characters."""
    values: pd.Series = queries.frame[column].dropna()
    if column in queries.numbers or values.empty:
        return False
    return 2 * values.nunique() >= len(values) or int(values.str.len().max()) > _LONGEST_NAME


def run_letter(position: int) -> str:
    """Return the letter that names the run at this position: A, B, … Z, A2, B2, …"""
    cycle, index = divmod(position, _LETTERS)
    return f"{chr(ord('A') + index)}{cycle + 1 if cycle else ''}"


def _rename_given_scores(
    study: Study, names: Mapping[str, str], numbers: NumberedIds
) -> list[GivenScores]:
    """Return the given scores without texts, with renamed runs and numbered queries."""
    current_names = dict(study.settings.names)
    renamed = []
    for scores in study.given_tables:
        runs = [current_names.get(run, run) for run in scores.table["run"].to_pylist()]
        renamed.append(
            GivenScores.from_columns(
                [numbers[query_id] for query_id in scores.table["query_id"].to_pylist()],
                [names.get(run, run) for run in runs],
                scores.table["measure"],
                scores.values,
                scores.table["repeat"] if "repeat" in scores.table.column_names else None,
            )
        )
    return renamed


def _rename_study(
    study: Study, names: Mapping[str, str], numbers: NumberedIds, queries: Queries | None
) -> Study:
    """Return the study with the runs renamed by `names`, the queries numbered by `numbers`, and the
    columns of `queries`.

    The judged ranks are kept together with their document data, because some measures use prices of
    documents."""
    judged = {names.get(run, run): ranks for run, ranks in study.judged.items()}

    def replace_query_ids(query_ids: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(numbers[query_id] for query_id in query_ids)

    def find_judged_ranks(run: Run, *_: Any, **__: Any) -> JudgedRanks:
        ranks = judged[run.name]
        return replace(
            ranks,
            run_name=run.name,
            query_ids=replace_query_ids(ranks.query_ids),
            unjudged_queries=replace_query_ids(ranks.unjudged_queries),
            empty_queries=replace_query_ids(ranks.empty_queries),
            notes=(),
            listed=ranks.listed and replace(ranks.listed, run=run),
        )

    runs = [
        run.renamed(names.get(name, name)).with_query_ids(numbers)
        for name, run in study.runs.items()
    ]
    settings = replace(
        DEFAULT_SETTINGS, complete=study.settings.complete, directions=study.settings.directions
    )
    qrels = study.qrels.with_query_ids(numbers) if study.judged else None
    given_tables = _rename_given_scores(study, names, numbers)
    shared_study = Study(runs, qrels, queries, None, find_judged_ranks, settings, given_tables)
    shared_study.document_numbers = NumberedIds("document")
    # Some are derived from the texts, which are not in this study; a view may be filtered by them.
    derived = study.cached_answer(independent_columns).items()
    by_number = {column: groups.set_axis(shared_study.query_ids) for column, groups in derived}
    shared_study.cached_answer(independent_columns, precomputed=by_number)
    return shared_study

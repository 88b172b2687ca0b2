"""One query with given scores: the score of every run on every measure, and the text of its
answers."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from dashboard.address.view import Comparison
from dashboard.answers.overview_measures import overview_measures
from dashboard.study.cached_answers import cache_answer
from dashboard.study.study import Study

_ANSWER_COLUMNS = ("answer", "output", "response")
"""Names that a column with the text of an answer may have in files of scores."""


@dataclass(frozen=True)
class GivenQuery:
    """The scores of a query that another tool computed, and the answers to the query. `scores` has
    one row per measure and one column per shown run; a missing score is NaN. `answers` maps each
    run to the texts of its answers, one per repetition."""

    scores: pd.DataFrame
    answers: dict[str, list[str]]


@cache_answer
def given_query(study: Study, comparison: Comparison, query_id: str) -> GivenQuery:
    """Return the given scores and answers of a query."""
    measures = overview_measures(study, comparison)
    scores = study.all_scores(*measures).select_runs(comparison.runs)
    values = scores.values[:, scores.query_ids.index(query_id)]
    frame = pd.DataFrame(
        values.T, index=[str(measure) for measure in measures], columns=list(comparison.runs)
    )
    return GivenQuery(frame, _find_answers(study, comparison, query_id))


def _find_answers(study: Study, comparison: Comparison, query_id: str) -> dict[str, list[str]]:
    names, answers = dict(study.settings.names), dict[str, list[str]]()
    for table in study.given_tables:
        if table.details is None:
            continue
        by_name = {name.lower(): name for name in table.details.column_names}
        column = next((by_name[name] for name in _ANSWER_COLUMNS if name in by_name), None)
        if column is None:
            continue
        rows = table.details.to_pandas()
        rows = rows[(rows["query_id"].astype(str) == query_id) & rows[column].notna()]
        for run, text in zip(rows["run"].astype(str), rows[column].astype(str), strict=True):
            answers.setdefault(names.get(run, run), []).append(text)
    return {run: texts for run, texts in answers.items() if run in comparison.runs}
